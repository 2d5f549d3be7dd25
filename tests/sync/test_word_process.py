"""A large sync has words indexed by a second process; killing either of them loses nothing."""

from __future__ import annotations

import os
import random
import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from contextlib import closing, suppress
from pathlib import Path

import pytest

from agent_journal.errors import CannotWrite
from agent_journal.search.items import new_items
from agent_journal.search.lexical import NAME, Lexical
from agent_journal.search.meaning import Table
from agent_journal.search.vector_files import NAME as VECTORS_NAME
from agent_journal.search.vector_files import VectorFiles, read_extent
from agent_journal.search.vectors import Vectors
from agent_journal.store.catalog.items import last_item, watermark
from agent_journal.store.quotes import open_quotes
from agent_journal.sync import batches, run, word_process
from agent_journal.sync.indexes import lexical, vectors
from agent_journal.sync.work import Progress
from tests.support.journals import (
    aj,
    journal_digest,
    open_journal,
    variables,
    wait_until,
    write_claude,
)

pytestmark = pytest.mark.skipif(not Path("/proc").is_dir(), reason="looks for processes there")
_COMMAND = b"-m\0agent_journal.sync.word_process"
# Small steps, so that the process has several of them in a small home
_SYNC = (
    "import agent_journal.sync.run as run; run.TWO_PROCESSES_BYTES = 1\n"
    "import agent_journal.sync.batches as batches; batches.NOTICED_BYTES = 100_000\n"
    "import agent_journal.sync.word_process as words; words.LEAST_ITEMS = 1\n"
    "from agent_journal.cli.main import main; import sys; sys.argv = ['aj', 'sync']; main()"
)


def _make_home(home: Path) -> None:
    for number in range(16):
        write_claude(home, f"s{number}", count=40 + 30 * (number % 5))
    write_claude(home, "large", count=2500)


def _start_sync(home: Path, **more: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-c", _SYNC],
        env=variables(home, AJ_SYNC_WORKERS="2", **more),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def _word_processes(home: Path) -> list[int]:
    """The processes that index words for this journal."""
    found = []
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            command = (entry / "cmdline").read_bytes()
        except OSError:
            continue
        if _COMMAND in command and os.fsencode(home) in command:
            found.append(int(entry.name))
    return found


def _wait_for_word_process(home: Path, process: subprocess.Popen[bytes]) -> None:
    wait_until(lambda: bool(_word_processes(home)) or process.poll() is not None)


def _has_all_words(home: Path) -> bool:
    """Whether the index of words has what the catalog has, and nothing else."""
    with open_journal(home) as journal:
        assert watermark(journal.db, NAME) == last_item(journal.db)
        with open_quotes(journal.db, journal.config.archive_path) as quotes:
            wanted = {item.id for item in new_items(journal.db, 0, quotes)}
        return lexical(journal.config).ids() == wanted


def _has_all_vectors(home: Path) -> bool:
    """Whether the vectors are those that one process makes of the same catalog."""
    with open_journal(home) as journal, closing(sqlite3.connect(":memory:")) as copy:
        made, _ = vectors(journal.config)
        assert made is not None
        assert made.find_damage(journal.db) is None
        assert made.reached(journal.db) == last_item(journal.db)
        journal.db.backup(copy)
        again = Vectors(str(home / "again"), Table())
        again.catch_up(copy, 0, [])
        expected = _rows(again.path, copy)
        rows = _rows(made.path, journal.db)
    shutil.rmtree(home / "again")
    assert list(rows) == sorted(rows)  # a search looks for an id by halves
    return {item_id: row for item_id, row in rows.items() if item_id in expected} == expected


def _rows(folder: str, db: sqlite3.Connection) -> dict[int, bytes]:
    extent = read_extent(db)
    mapped = VectorFiles(folder).map(extent, extent.stride)
    data = bytes(mapped.rows)
    return {
        item_id: data[place * extent.stride : (place + 1) * extent.stride]
        for place, item_id in enumerate(mapped.ids)
    }


@pytest.fixture
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(run, "TWO_PROCESSES_BYTES", 1)
    monkeypatch.setattr(batches, "NOTICED_BYTES", 100_000)
    monkeypatch.setattr(word_process, "LEAST_ITEMS", 1)


@pytest.fixture
def peace(tmp_path: Path) -> dict[str, str]:
    """What a sync of one process says; the journal is then taken away again."""
    _make_home(tmp_path)
    assert aj(tmp_path, "sync", env={"AJ_SYNC_WORKERS": "1"}).returncode == 0
    expected = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    return expected


def _check(home: Path, expected: dict[str, str]) -> None:
    assert journal_digest(home) == expected
    assert _has_all_words(home)
    assert _has_all_vectors(home)
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout


@pytest.mark.usefixtures("_always")
def test_two_processes_make_the_journal_of_one(tmp_path: Path, peace: dict[str, str]) -> None:
    seen: list[float] = []
    steps: set[int] = set()

    def look(progress: Progress) -> None:
        seen.append(progress.share)
        steps.update(_word_processes(tmp_path))

    with open_journal(tmp_path, AJ_SYNC_WORKERS="2") as journal:
        report = journal.sync(progress=look)
    assert report.new_sessions == 17
    assert report.trouble == ""
    assert len(steps) == 1  # there was one process, all the time
    assert seen == sorted(seen)
    assert seen[-1] == pytest.approx(1, abs=0.01)
    _check(tmp_path, peace)


@pytest.mark.usefixtures("_always")
def test_what_is_read_is_found_while_the_sync_goes_on(tmp_path: Path) -> None:
    _make_home(tmp_path)
    reached: set[int] = set()

    def look(progress: Progress) -> None:
        time.sleep(0.05)  # the other process needs time to start
        with open_journal(tmp_path) as other:
            reached.add(watermark(other.db, NAME))

    with open_journal(tmp_path, AJ_SYNC_WORKERS="2") as journal:
        journal.sync(progress=look)
    assert len(reached) > 2


@pytest.mark.usefixtures("_always")
def test_vectors_are_made_while_the_sync_goes_on(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, peace: dict[str, str]
) -> None:
    monkeypatch.setattr(word_process, "LEAST_ITEMS", 10**9)  # the process is never asked for words
    reached: set[int] = set()

    def look(progress: Progress) -> None:
        time.sleep(0.05)  # the other process needs time to start
        with open_journal(tmp_path) as other:
            reached.add(read_extent(other.db).upto)

    with open_journal(tmp_path, AJ_SYNC_WORKERS="2") as journal:
        journal.sync(progress=look)
    assert len(reached) > 2
    _check(tmp_path, peace)


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("setting", ["AJ_INDEX_VECTOR_FALLBACK", "AJ_INDEX_VECTOR_ENABLED"])
def test_other_vectors_or_none_are_left_to_the_sync(tmp_path: Path, setting: str) -> None:
    value = {"AJ_INDEX_VECTOR_FALLBACK": "hash", "AJ_INDEX_VECTOR_ENABLED": "false"}[setting]
    _make_home(tmp_path)
    with open_journal(tmp_path, AJ_SYNC_WORKERS="2", **{setting: value}) as journal:
        journal.sync()
        made, _ = vectors(journal.config)
        assert made is None or made.reached(journal.db) == last_item(journal.db)
        assert (Path(journal.config.index_path) / VECTORS_NAME).exists() == (made is not None)


@pytest.mark.parametrize("victims", ["other", "word process", "both"])
def test_a_kill_loses_nothing(tmp_path: Path, victims: str, peace: dict[str, str]) -> None:
    rng = random.Random(victims)
    kills = 0
    for _ in range(4):
        process = _start_sync(tmp_path)
        _wait_for_word_process(tmp_path, process)
        time.sleep(rng.uniform(0, 0.2))
        beside = _word_processes(tmp_path)
        if victims != "word process":
            process.kill()
        if victims != "other":
            for pid in beside:
                with suppress(ProcessLookupError):
                    os.kill(pid, signal.SIGKILL)
        kills += bool(beside)
        _, errors = process.communicate()
        assert b"Traceback" not in errors
        if victims == "word process":
            assert process.returncode == 0
        else:
            assert aj(tmp_path, "sync").returncode == 0
        assert not _word_processes(tmp_path)
        _check(tmp_path, peace)
        shutil.rmtree(tmp_path / ".agent-journal")
    assert kills  # else it was always too late


def test_nobody_writes_while_a_word_process_outlives_its_sync(tmp_path: Path) -> None:
    _make_home(tmp_path)
    process = _start_sync(tmp_path)
    _wait_for_word_process(tmp_path, process)
    [pid] = _word_processes(tmp_path)
    os.kill(pid, signal.SIGSTOP)
    try:
        process.kill()
        process.communicate()
        with open_journal(tmp_path) as journal, pytest.raises(Exception, match="another aj"):
            journal.sync(wait=0)
    finally:
        os.kill(pid, signal.SIGCONT)
    wait_until(lambda: not _word_processes(tmp_path))
    assert aj(tmp_path, "sync").returncode == 0


@pytest.mark.usefixtures("_always")
def test_an_error_leaves_no_process_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_home(tmp_path)
    commits = []
    flush = batches.save_lengths

    def fail(*given: object) -> None:
        commits.append(given)
        if len(commits) > 3:
            raise CannotWrite("the disk is full")
        flush(*given)  # type: ignore[arg-type]

    monkeypatch.setattr(batches, "save_lengths", fail)
    with open_journal(tmp_path, AJ_SYNC_WORKERS="2") as journal:
        with pytest.raises(CannotWrite):
            journal.sync()
        assert not _word_processes(tmp_path)
        monkeypatch.undo()
        journal.sync()
    assert aj(tmp_path, "verify").returncode == 0


def test_one_worker_and_small_syncs_need_no_second_process(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_home(tmp_path)

    def refuse(*_: object) -> None:
        pytest.fail("a process was started")

    monkeypatch.setattr(word_process.WordProcess, "__init__", refuse)
    with open_journal(tmp_path) as journal:
        journal.sync()  # little to read
    monkeypatch.setattr(run, "TWO_PROCESSES_BYTES", 1)
    write_claude(tmp_path, "large", count=2, start=2500)
    with open_journal(tmp_path) as journal:
        journal.sync()  # only the end of a large file is new
    shutil.rmtree(tmp_path / ".agent-journal")
    with open_journal(tmp_path, AJ_SYNC_WORKERS="1") as journal:
        journal.sync()


@pytest.mark.usefixtures("_always")
def test_a_process_that_cannot_be_started_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, peace: dict[str, str]
) -> None:
    for executable in ("/nonexistent/python", shutil.which("false")):
        monkeypatch.setattr(sys, "executable", executable)
        with open_journal(tmp_path, AJ_SYNC_WORKERS="2") as journal:
            journal.sync()
        monkeypatch.undo()
        _check(tmp_path, peace)
        shutil.rmtree(tmp_path / ".agent-journal")


@pytest.mark.usefixtures("_always")
def test_a_process_that_hangs_is_done_without(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, peace: dict[str, str]
) -> None:
    monkeypatch.setattr(word_process, "SILENT_SECONDS", 0.3)
    stopped = []

    def stop_it(progress: Progress) -> None:
        for pid in _word_processes(tmp_path):
            os.kill(pid, signal.SIGSTOP)
            stopped.append(pid)

    with open_journal(tmp_path, AJ_SYNC_WORKERS="2") as journal:
        journal.sync(progress=stop_it)
    assert stopped
    assert not _word_processes(tmp_path)
    _check(tmp_path, peace)


@pytest.mark.usefixtures("_always")
def test_a_journal_with_a_dollar_in_its_path_is_indexed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Its path was expanded a second time, to that of another journal."""

    def refuse(*_: object) -> None:
        pytest.fail("the process did not index the words")

    home = tmp_path / "$XX"
    monkeypatch.setenv("XX", "other")
    monkeypatch.setattr(Lexical, "catch_up", refuse)  # in this process
    write_claude(home, "s1", count=400)
    with open_journal(home, AJ_SYNC_WORKERS="2") as journal:
        journal.config.index_path = str(tmp_path / "$XX" / "index")
        journal.sync()
        assert watermark(journal.db, NAME) == last_item(journal.db)
    assert not (tmp_path / "other").exists()
