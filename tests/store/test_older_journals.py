"""Journals of every schema that was ever on main, each made by the first commit that had it.

journals/commits.tar.xz has one folder for each commit, with the same three sessions: what
`aj sync --no-index` of that commit made. The text of some migrations changed before they were
frozen, so several schemas have the same number.
"""

from __future__ import annotations

import sqlite3
import subprocess
import sys
import tarfile
import textwrap
from pathlib import Path

import pytest

from agent_journal.health.verify import verify
from agent_journal.store.catalog.schema import VERSION
from tests.support.journals import aj, journal_digest, open_journal, variables

JOURNALS = Path(__file__).parent / "journals/commits.tar.xz"
# The number of the schema that each commit had
COMMITS = {
    "2890a04": 1,
    "096e4e3": 1,
    "ce6bf63": 1,
    "fdeefe0": 1,
    "c1f6378": 1,
    "107b79d": 1,
    "ebb0c97": 1,
    "baaebe5": 2,
    "5599520": 3,
    "f4f5788": 4,
    "a6b3672": 5,
    "0540a4c": 5,
    "d19422e": 5,
    "6a66f55": 5,
    "f2b14d1": 5,
    "e8331ed": 5,
    "9501768": 6,
    "ab6cf34": 7,
    "132d4f7": 7,
    "f79dc15": 7,
    "914d3e0": 8,
}
# All commands in one process: starting one takes longer than most of them do
SCRIPT = """
    import sys
    from agent_journal.cli.main import run
    for line in sys.argv[1:]:
        code = run(line.split(" "))
        print(f"[{line}] exit {code}", flush=True)
"""
READING = (
    "ls",
    "ls --all --json",
    "show s1",
    "usage",
    "stats",
    "export s1 -f md -o -",
    "doctor",
    "verify",
    "restore s1 -o OUT",
    "doctor",
    "sql SELECT(count(*))FROM(messages)",
    "search --no-sync text",
)
SESSIONS = {"claude-code:s1", "claude-code:s2", "copilot-cli:11111111-2222-4333-8444-555555555555"}


@pytest.fixture(scope="module")
def journals(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("journals")
    with tarfile.open(JOURNALS) as archive:
        archive.extractall(folder, filter="data")
    return folder


@pytest.fixture(params=COMMITS)
def home(request: pytest.FixtureRequest, journals: Path, tmp_path: Path) -> Path:
    """A home with nothing but the journal of a commit."""
    (journals / request.param).rename(tmp_path / ".agent-journal")
    with sqlite3.connect(database(tmp_path)) as db:
        assert db.execute("PRAGMA user_version").fetchone() == (COMMITS[request.param],)
    db.close()
    return tmp_path


def database(home: Path) -> Path:
    return home / ".agent-journal/index/journal.db"


def dates(home: Path) -> set[tuple[str, int]]:
    """When files were first seen."""
    with sqlite3.connect(database(home)) as db:
        found = set(db.execute("SELECT path, first_seen FROM files WHERE first_seen NOT NULL"))
    db.close()
    return found


def test_every_migration_has_a_journal_to_upgrade() -> None:
    assert set(range(1, VERSION)) <= set(COMMITS.values())


def test_it_is_upgraded_or_rebuilt_by_a_sync_and_nothing_is_lost(home: Path) -> None:
    first_seen = dates(home)
    with open_journal(home) as journal:
        journal.sync(index=False)
    with open_journal(home) as journal:
        assert verify(journal.db, journal.archive).differences == []
        assert {f"{row.agent}:{row.id}" for row in journal.rows()} == SESSIONS
    assert dates(home) == first_seen
    upgraded = journal_digest(home)
    with open_journal(home) as journal:
        journal.sync(index=False, rebuild=True)
    assert journal_digest(home) == upgraded


def test_a_whole_journal_is_not_called_damaged(tmp_path: Path) -> None:
    with tarfile.open(JOURNALS) as archive:
        archive.extractall(tmp_path, filter="data")
    for commit in ("2890a04", "0540a4c"):
        home = tmp_path / f"home-{commit}"
        home.mkdir()
        (tmp_path / commit).rename(home / ".agent-journal")
        said = aj(home, "sync").stderr
        assert "journal.db was written by an early version of agent-journal; " in said
        assert "the catalog was rebuilt from the archive" in said
        assert "damaged" not in said


@pytest.mark.parametrize(
    "commit",
    [
        "2890a04",
        "baaebe5",
        "5599520",
        "f4f5788",
        "a6b3672",
        "0540a4c",
        "d19422e",
        "e8331ed",
        "9501768",
        "f79dc15",
    ],
)
def test_no_reading_command_calls_it_damaged(commit: str, tmp_path: Path) -> None:
    """One commit of each schema that readers can tell apart."""
    with tarfile.open(JOURNALS) as archive:
        archive.extractall(tmp_path, filter="data")
    (tmp_path / commit).rename(tmp_path / ".agent-journal")
    commands = [line.replace("OUT", str(tmp_path / "restored")) for line in READING]
    done = subprocess.run(
        [sys.executable, "-c", textwrap.dedent(SCRIPT), *commands],
        env=variables(tmp_path),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        timeout=120,
        check=False,
    )
    said = done.stdout.lower()
    assert said.count("] exit ") == len(READING), said
    for word in ("damaged", "traceback", "no such", "other tables"):
        assert word not in said, said
    cures = said.count("'aj sync' rebuilds it from the archive")
    cures += said.count("'aj sync' upgrades it")
    assert said.count("] exit 1") == cures, said


def test_before_that_it_is_read_or_says_what_to_do(tmp_path: Path) -> None:
    """The first schema, one that no migration leads to, and the last."""
    cures = {
        "2890a04": "'aj sync' upgrades it",
        "0540a4c": "'aj sync' rebuilds it from the archive",
        "e8331ed": "the catalog matches",
    }
    with tarfile.open(JOURNALS) as archive:
        archive.extractall(tmp_path, filter="data")
    for commit, said in cures.items():
        home = tmp_path / f"home-{commit}"
        home.mkdir()
        (tmp_path / commit).rename(home / ".agent-journal")
        before = database(home).read_bytes()
        assert said in aj(home, "verify").stderr
        assert database(home).read_bytes() == before
