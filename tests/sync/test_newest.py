"""The newest sessions can be listed and found while a first sync goes on with the others."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

from agent_journal.errors import CannotWrite
from agent_journal.health.verify import verify
from agent_journal.search.lexical import Lexical
from agent_journal.sync import newest
from agent_journal.sync.indexes import lexical
from agent_journal.sync.work import Progress
from tests.support.arrivals import build, cases_with_several_files, digest_of
from tests.support.journals import (
    aj,
    aj_json,
    journal_digest,
    open_journal,
    variables,
    write_claude,
)

_DAY = 86_400
_NOW = 1_790_000_000
_OLD = "00000000-0000-4000-8000-00000000000"
_NEW = "ffffffff-0000-4000-8000-00000000000"


def _make_home(home: Path) -> None:
    """Four sessions of last month, and four of this week, which come last by name."""
    for number in range(4):
        old = write_claude(home, f"{_OLD}{number}", count=30)
        new = write_claude(home, f"{_NEW}{number}", count=20)
        os.utime(old, (_NOW - 30 * _DAY, _NOW - 30 * _DAY))
        os.utime(new, (_NOW - number * _DAY, _NOW - number * _DAY))


@pytest.fixture
def _always(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(newest, "LEAST_BYTES", 1)
    monkeypatch.setattr(newest, "STEP_BYTES", 25_000)  # two sessions of this week


def _asking(home: Path, seen: list[tuple[set[str], int]]) -> None:
    """What other processes see: the listed sessions, and how many a word finds."""
    listed = {session["id"] for session in aj_json(home, "ls")["items"]}
    answer = aj_json(home, "search", "--no-sync", "--limit", "50", "text")
    found = len({str(hit["session"]) for hit in answer["items"]})
    seen.append((listed, found))


@pytest.mark.usefixtures("_always")
def test_sessions_of_the_last_week_are_listed_and_found_while_others_are_read(
    tmp_path: Path,
) -> None:
    _make_home(tmp_path)
    seen: list[tuple[set[str], int]] = []

    def ask(progress: Progress) -> None:
        if _OLD in progress.path and not seen:
            _asking(tmp_path, seen)

    with open_journal(tmp_path) as journal:
        report = journal.sync(progress=ask)
    assert seen[0][0] == {f"{_NEW}{number}" for number in range(4)}
    assert seen[0][1] == 4
    assert report.new_sessions == 8
    assert report.changed_files == 8
    _asking(tmp_path, seen)
    assert len(seen[1][0]) == 8
    assert seen[1][1] == 8


@pytest.mark.usefixtures("_always")
def test_an_interrupted_sync_keeps_the_newest_sessions_and_the_next_one_completes_them(
    tmp_path: Path,
) -> None:
    _make_home(tmp_path)

    def interrupt(progress: Progress) -> None:
        if _OLD in progress.path:
            raise KeyboardInterrupt

    with open_journal(tmp_path) as journal:
        with pytest.raises(KeyboardInterrupt):
            journal.sync(progress=interrupt)
        assert {session.id for session in journal.sessions()} == {
            f"{_NEW}{number}" for number in range(4)
        }
        journal.sync()
        assert len(journal.sessions()) == 8
        index = lexical(journal.config)
        assert not verify(journal.db, journal.archive, index=index).differences


@pytest.mark.usefixtures("_always")
def test_an_index_that_cannot_be_written_does_not_keep_files_from_being_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    _make_home(tmp_path)

    def fail(*_: object) -> int:
        raise CannotWrite("cannot write the search index")

    monkeypatch.setattr(Lexical, "catch_up", fail)
    with open_journal(tmp_path) as journal:
        with pytest.raises(CannotWrite):
            journal.sync()
        assert len(journal.sessions()) == 8


def test_a_small_sync_has_one_pass(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    _make_home(tmp_path)
    passes = []
    catch_up = Lexical.catch_up

    def count(self: Lexical, *arguments: object) -> int:
        passes.append(arguments)
        return catch_up(self, *arguments)  # type: ignore[arg-type]

    monkeypatch.setattr(Lexical, "catch_up", count)
    with open_journal(tmp_path) as journal:
        journal.sync()
        monkeypatch.setattr(newest, "LEAST_BYTES", 10_000)
        # What is known counts no more: only its last lines are new
        write_claude(tmp_path, f"{_OLD}0", count=2, start=30)
        journal.sync()
    assert len(passes) == 2


@pytest.mark.usefixtures("_always")
@pytest.mark.parametrize("case", cases_with_several_files(), ids=lambda case: case.name)
def test_the_journal_is_that_of_one_pass(
    tmp_path: Path, case: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = build(case, tmp_path / "source")
    size = sum((tmp_path / "source" / name).stat().st_size for name in names)
    monkeypatch.setattr(newest, "FIRST_BYTES", 2 * size // 3)
    monkeypatch.setattr(newest, "STEP_BYTES", size // 3)
    in_two = digest_of(tmp_path / "source", tmp_path / "home", [names])
    monkeypatch.setattr(newest, "LEAST_BYTES", 2**60)
    assert in_two == digest_of(tmp_path / "source", tmp_path / "home", [names])


_SYNC = (
    "from agent_journal.sync import newest\n"
    "newest.LEAST_BYTES = 1; newest.STEP_BYTES = 30_000; newest.FIRST_BYTES = 90_000\n"
    "from agent_journal.cli.main import main; import sys; sys.argv = ['aj', 'sync']; main()"
)


@pytest.mark.parametrize("seed", range(2))
def test_kills_between_the_steps_do_no_harm(tmp_path: Path, seed: int) -> None:
    for number in range(10):
        write_claude(tmp_path, f"{_NEW[:-1]}{number:02d}", count=60)
    with open_journal(tmp_path) as journal:
        journal.sync()
    expected = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    rng = random.Random(seed)
    command = [sys.executable, "-c", _SYNC]
    for _ in range(5):
        process = subprocess.Popen(command, env=variables(tmp_path), stderr=subprocess.DEVNULL)
        time.sleep(rng.uniform(0.2, 1.0))
        process.kill()
        process.wait()
    subprocess.run(command, env=variables(tmp_path), capture_output=True, check=True)
    assert journal_digest(tmp_path) == expected
    done = aj(tmp_path, "verify")
    assert done.returncode == 0, done.stdout
