"""A journal that nobody can write, such as a backup on a read-only disk, can be read and verified.

Permissions do not bind root, who gets a read-only mount instead.
"""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from agent_journal.search.lexical import NAME as LEXICAL
from agent_journal.search.vector_files import NAME as VECTORS
from tests.support.journals import open_journal, variables, write_claude

IS_ROOT = hasattr(os, "geteuid") and os.geteuid() == 0
MOUNT = 'mount --bind "$AJ_HOME" "$AJ_HOME" && mount -o remount,ro,bind "$AJ_HOME" && exec "$@"'
READ_ONLY = ["unshare", "-rm", "sh", "-c", MOUNT, "sh"]
# All commands in one process: starting one takes longer than most of them do
SCRIPT = """
    import os, sys
    from agent_journal.cli.main import run
    from agent_journal.journal import Journal
    from agent_journal.store.catalog.items import find_meta
    try:
        open(os.path.join(os.environ["AJ_HOME"], "probe"), "w")
        sys.exit("this is not read-only")
    except OSError:
        pass
    with Journal.open() as journal:
        print("the log says", find_meta(journal.db, "probe"))
    out = sys.argv[1]
    for line in sys.argv[2:]:
        code = run(line.replace("OUT", out).split(" "))
        print(f"[{line}] exit {code}", flush=True)
"""
COMMANDS = (
    "search text",
    "search --no-sync --mode semantic text",
    "ls",
    "ls text",
    "show s1",
    "sql SELECT(count(*))FROM(messages)",
    "usage",
    "export s1 -o OUT/s1.html",
    "restore s1 -o OUT/restored",
    "verify",
)
NO_ROOM = """
    import shutil
    shutil.disk_usage = lambda path: type("Usage", (), {"free": 0})
"""
FEW = ("search --no-sync --mode lexical text", "show s1")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("unwritable")
    write_claude(home)
    with open_journal(home) as journal:
        journal.sync()
    return home


def run_read_only(home: Path, out: Path, commands: tuple[str, ...], before: str = "") -> str:
    """Runs the commands where the journal cannot be written; what they print.

    `before` is run in their process.
    """
    journal = home / ".agent-journal"
    script = textwrap.dedent(before) + textwrap.dedent(SCRIPT)
    wrapper: list[str] = []
    if IS_ROOT:
        wrapper = READ_ONLY
        if shutil.which("unshare") is None or subprocess.run(["unshare", "-rm", "true"]).returncode:
            pytest.skip("root cannot make a read-only mount here")
    for path in (journal, *journal.rglob("*")):
        path.chmod(0o555 if path.is_dir() else 0o444)
    try:
        done = subprocess.run(
            [*wrapper, sys.executable, "-c", script, str(out), *commands],
            env=variables(home),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=60,
            check=False,
        )
    finally:
        for path in (journal, *journal.rglob("*")):
            path.chmod(0o700)
    return done.stdout


def assert_read(printed: str, commands: tuple[str, ...]) -> None:
    for line in commands:
        assert f"[{line}] exit 0" in printed, printed
    assert "Traceback" not in printed
    assert "assistant text 3 of s1" in printed


def test_a_journal_that_cannot_be_written_can_be_read(made: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(made, tmp_path / "home"))
    (home / ".agent-journal/index/synced").unlink()  # so that it looks for new sessions first
    printed = run_read_only(home, tmp_path, COMMANDS)
    assert_read(printed, COMMANDS)
    assert "Read-only" in printed or "Permission" in printed
    assert (tmp_path / "s1.html").is_file()


def test_without_a_search_index_a_temporary_one_is_made(made: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(made, tmp_path / "home"))
    for name in (LEXICAL, VECTORS):
        shutil.rmtree(home / ".agent-journal/index" / name)
    printed = run_read_only(home, tmp_path, COMMANDS)
    assert_read(printed, COMMANDS[:-1])
    assert "making a temporary one for words only, in about 1 s" in printed
    assert "aj sync --embed" not in printed
    assert "1 difference found" in printed  # by verify: the index is missing
    assert "the search index: it is missing" in printed


@pytest.mark.parametrize("part", ["meta.json", "*.term", "*.idx"])
def test_in_place_of_a_damaged_index_a_temporary_one_is_made(
    made: Path, tmp_path: Path, part: str
) -> None:
    home = Path(shutil.copytree(made, tmp_path / "home"))
    for path in (home / ".agent-journal/index" / LEXICAL).glob(part):
        path.write_bytes(b"damaged" + path.read_bytes()[20:])
    commands = ("search text", "ls text", "show s1")
    printed = run_read_only(home, tmp_path, commands)
    assert_read(printed, commands)
    assert "cannot be read" in printed
    assert "making a temporary one for words only, in about 1 s" in printed


def test_no_temporary_index_is_made_where_there_is_no_room(made: Path, tmp_path: Path) -> None:
    home = Path(shutil.copytree(made, tmp_path / "home"))
    shutil.rmtree(home / ".agent-journal/index" / LEXICAL)
    printed = run_read_only(home, tmp_path, ("search text", "show s1"), before=NO_ROOM)
    assert "[search text] exit 1" in printed
    assert "no room for a search index" in printed
    assert "choose another folder with TMPDIR" in printed
    assert "[show s1] exit 0" in printed


@pytest.mark.parametrize("has_index", [True, False])
def test_what_is_only_in_the_log_is_read(made: Path, tmp_path: Path, has_index: bool) -> None:
    home = tmp_path / "home"
    copy_with_log(made, home)
    index = home / ".agent-journal/index"
    assert (index / "journal.db-wal").stat().st_size
    if not has_index:
        (index / "journal.db-shm").unlink()
    printed = run_read_only(home, tmp_path, FEW)
    assert "the log says something" in printed
    assert_read(printed, FEW)


def copy_with_log(made: Path, home: Path) -> None:
    """Copies a home while somebody has written to the catalog's log."""
    path = made / ".agent-journal/index/journal.db"
    with sqlite3.connect(path) as db:
        db.execute("INSERT OR REPLACE INTO meta VALUES ('probe', 'something')")
        db.commit()
        shutil.copytree(made, home)
        db.execute("DELETE FROM meta WHERE key = 'probe'")
        db.commit()
    db.close()
