"""A sync says what it is doing and how far it has come, and never takes that back."""

from __future__ import annotations

import io
import shutil
import sys
from pathlib import Path

import pytest

from agent_journal.cli import output
from agent_journal.sync import newest, progress
from agent_journal.sync.work import Progress
from tests.support.journals import open_journal, write_claude


def _synced(home: Path, *, index: bool = True) -> list[Progress]:
    told: list[Progress] = []
    with open_journal(home) as journal:
        journal.sync(progress=told.append, index=index)
    return told


def _phases(told: list[Progress]) -> list[str]:
    """The phases, each as often as it began."""
    names = [one.phase for one in told]
    return [name for name, before in zip(names, ["", *names], strict=False) if name != before]


def test_the_share_only_grows_and_ends_near_the_whole(tmp_path: Path) -> None:
    for number in range(20):
        write_claude(tmp_path, f"s{number}", count=60)
    told = _synced(tmp_path)
    shares = [one.share for one in told]
    assert shares == sorted(shares)
    assert shares[0] == 0
    assert 0.8 < shares[-1] <= 1
    indexes = [progress.WORDS, progress.MEANING, progress.LINES]
    phases = [progress.FINDING, progress.READING, *indexes]
    assert _phases(told) == phases
    last_read = [one for one in told if one.phase == progress.READING][-1]
    assert last_read.share < 0.5  # the other half of the time is for the indexes


def test_the_newest_sessions_have_their_part_of_each_phase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(newest, "LEAST_BYTES", 1)
    first = write_claude(tmp_path, "s0", count=60)
    write_claude(tmp_path, "s1", count=60)
    monkeypatch.setattr(newest, "FIRST_BYTES", first.stat().st_size + 1)
    told = _synced(tmp_path)
    shares = [one.share for one in told]
    assert shares == sorted(shares)
    assert _phases(told) == [
        progress.FINDING,
        *(progress.READING, progress.WORDS),
        *(progress.READING, progress.WORDS),
        *(progress.MEANING, progress.LINES),
    ]


def test_reading_is_all_there_is_without_indexes(tmp_path: Path) -> None:
    for number in range(20):
        write_claude(tmp_path, f"s{number}")
    told = _synced(tmp_path, index=False)
    assert _phases(told) == [progress.FINDING, progress.READING]
    assert told[-1].share > 0.9


def test_an_index_alone_has_the_whole_time(tmp_path: Path) -> None:
    write_claude(tmp_path, count=60)
    _synced(tmp_path, index=False)
    told = _synced(tmp_path)
    words = [one.share for one in told if one.phase == progress.WORDS]
    assert words[0] < 0.1
    assert words[-1] > 0.5


def test_reading_from_the_archive_comes_as_far(tmp_path: Path) -> None:
    for number in range(20):
        write_claude(tmp_path, f"s{number}", count=60)
    _synced(tmp_path, index=False)
    shutil.rmtree(tmp_path / ".claude")
    shutil.rmtree(tmp_path / ".agent-journal/index")
    told = _synced(tmp_path)
    reading = [one for one in told if one.phase == progress.READING]
    assert reading[-1].total_bytes > 20_000
    assert reading[-1].done_bytes > 0.9 * reading[-1].total_bytes
    assert reading[-1].share > 0.2


class _Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


@pytest.mark.parametrize("is_terminal", [True, False])
def test_a_terminal_shows_the_phase_and_anything_else_nothing(
    is_terminal: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    stream = _Terminal() if is_terminal else io.StringIO()
    monkeypatch.setattr(sys, "stderr", stream)
    monkeypatch.setenv("TERM", "xterm")
    clock = iter(range(1000))
    monkeypatch.setattr(output.time, "monotonic", lambda: float(next(clock)))
    bar = output.ProgressBar("reading")
    bar(Progress(0, 5_000_000, "", "finding files", 0.0))
    bar(Progress(1_000_000, 5_000_000, "a.jsonl", "reading", 0.08))
    bar(Progress(5_000_000, 5_000_000, "", "indexing words", 0.6))
    if not is_terminal:
        assert stream.getvalue() == ""
        return
    _, _, reading, words = stream.getvalue().split("\r\x1b[2K")
    assert reading == "reading █░░░░░░░░░░░░░░░░░░░   8%  1.0 MB of 5.0 MB  23.0 s left"
    assert words == "indexing words ████████████░░░░░░░░  60%  2.0 s left"
