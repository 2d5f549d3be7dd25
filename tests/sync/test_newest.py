"""The newest sessions can be listed and found while a first sync goes on with the others."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_journal.errors import CannotWrite
from agent_journal.health.verify import verify
from agent_journal.search.lexical import Lexical
from agent_journal.sync import newest
from agent_journal.sync.indexes import lexical
from agent_journal.sync.work import Progress
from tests.support.arrivals import build, cases_with_several_files, digest_of
from tests.support.journals import aj_json, open_journal, write_claude

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
    monkeypatch.setattr(newest, "FIRST_BYTES", size // 2)
    in_two = digest_of(tmp_path / "source", tmp_path / "home", [names])
    monkeypatch.setattr(newest, "LEAST_BYTES", 2**60)
    assert in_two == digest_of(tmp_path / "source", tmp_path / "home", [names])
