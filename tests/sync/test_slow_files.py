"""One file can never hold up the others: limits for compressed files, and a budget per file."""

from __future__ import annotations

import json
import sys
import time
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from agent_journal.cli import search_request
from agent_journal.connectors.codex import compressed
from agent_journal.health.verify import Verification, verify
from agent_journal.sync import intake
from agent_journal.sync.budget import Budget
from agent_journal.sync.report import Report
from agent_journal.sync.run import FILE_SECONDS
from tests.support.journals import aj, aj_json, journal_digest, open_journal, texts, write_claude

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

ID = "0199a213-81c0-7800-8aa1-bbab2a035a51"
NAME = f".codex/sessions/2026/11/01/rollout-2026-11-01T00-00-00-{ID}.jsonl"


def codex_line(kind: str, **payload: Any) -> bytes:
    record = {"timestamp": "2026-11-01T00:00:00Z", "type": kind, "payload": payload}
    return json.dumps(record).encode() + b"\n"


def rollout(prompts: int) -> bytes:
    lines = [codex_line("session_meta", id=ID, cwd="/work/app", cli_version="0.40.0")]
    for number in range(prompts):
        lines.append(codex_line("event_msg", type="user_message", message=f"prompt {number} " * 9))
    return b"".join(lines)


def write(home: Path, data: bytes, name: str = NAME) -> Path:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)
    return path


def sync(home: Path, file_seconds: float | None = None) -> Report:
    with open_journal(home) as journal:
        return journal.sync(index=False, file_seconds=file_seconds)


def verified(home: Path) -> Verification:
    with open_journal(home) as journal:
        return verify(journal.db, journal.archive)


@pytest.fixture
def small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Readers pause often."""
    monkeypatch.setattr(compressed, "_STEP", 5_000)
    monkeypatch.setattr(compressed, "_INPUT", 200)
    monkeypatch.setattr("agent_journal.sync.capture.CHUNK", 5_000)


# -- compressed files --------------------------------------------------------------------------


def test_a_bomb_is_kept_and_named_and_its_beginning_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "_ANY_RATIO", 100_000)
    text = rollout(10) + b"1\n" * 2_000_000
    bomb = write(tmp_path, zstd.compress(text), NAME + ".zst")
    assert len(text) > 1_000 * bomb.stat().st_size
    write_claude(tmp_path)
    seen: list[int] = []
    lines = compressed.RolloutReader._lines
    monkeypatch.setattr(
        compressed.RolloutReader,
        "_lines",
        lambda self, *args: seen.append(len(args[0])) or lines(self, *args),
    )
    report = sync(tmp_path)
    assert sum(seen) < 200_000
    assert report.sessions == 2
    assert len(texts(tmp_path, ID)) == 10
    assert "more than 200 times its size" in json.dumps(aj_json(tmp_path, "doctor"))
    assert aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out")).returncode == 0
    assert (tmp_path / "out" / f"{NAME}.zst").read_bytes() == bomb.read_bytes()


def test_a_text_beyond_the_size_limit_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compressed, "MAX_TEXT", 5_000)
    write(tmp_path, zstd.compress(rollout(100)), NAME + ".zst")
    assert sync(tmp_path).problems == 1
    assert 0 < len(texts(tmp_path, ID)) < 100


# -- a budget for each file --------------------------------------------------------------------


@pytest.mark.usefixtures("small_steps")
@pytest.mark.parametrize("ending", ["", ".zst"])
def test_a_file_that_takes_too_long_is_read_by_several_syncs(tmp_path: Path, ending: str) -> None:
    data = rollout(150)
    path = write(tmp_path, zstd.compress(data) if ending else data, NAME + ending)
    write_claude(tmp_path)
    report = sync(tmp_path, file_seconds=0)
    assert report.unfinished_files == 1
    assert report.unread_bytes > 0
    assert 0 < len(texts(tmp_path, ID)) < 150
    assert len(texts(tmp_path)) == 4
    verification = verified(tmp_path)
    assert (verification.unfinished_files, verification.differences) == (1, [])
    assert "1 file not read to the end" in aj(tmp_path, "verify").stderr
    assert "the next sync goes on" in json.dumps(aj_json(tmp_path, "doctor"))
    path.unlink()  # its bytes are kept; only its reading is not finished
    syncs = 0
    while report.unfinished_files:
        report = sync(tmp_path, file_seconds=0)
        syncs += 1
    assert syncs > 2
    assert report.problems == 0
    assert texts(tmp_path, ID) == [f"prompt {number} " * 9 for number in range(150)]
    assert not verified(tmp_path).differences
    digest = journal_digest(tmp_path)
    with open_journal(tmp_path) as journal:
        assert sync(tmp_path).changed_files == 0
        index = Path(journal.config.index_path)
    index.joinpath("journal.db").unlink()
    sync(tmp_path)
    assert journal_digest(tmp_path) == digest


@pytest.mark.usefixtures("small_steps")
def test_a_search_does_not_wait_for_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search gives each file less time than a sync does."""
    assert search_request._FILE_SECONDS < FILE_SECONDS
    monkeypatch.setattr(search_request, "_FILE_SECONDS", 0)
    write(tmp_path, zstd.compress(rollout(150)), NAME + ".zst")
    write_claude(tmp_path)
    with open_journal(tmp_path) as journal:
        search_request.sync_if_stale(journal)
    assert 0 < len(texts(tmp_path, ID)) < 150
    hits = aj_json(tmp_path, "search", "--no-sync", "user text 2 of s1")["items"]
    assert hits[0]["session"] == "claude-code:s1"


@pytest.mark.usefixtures("small_steps")
def test_an_unfinished_file_that_is_rewritten_is_read_from_its_beginning(tmp_path: Path) -> None:
    write(tmp_path, zstd.compress(rollout(150)), NAME + ".zst")
    assert sync(tmp_path, file_seconds=0).unfinished_files == 1
    write(tmp_path, zstd.compress(rollout(3)), NAME + ".zst")
    assert sync(tmp_path).unfinished_files == 0
    assert len(texts(tmp_path, ID)) == 3
    assert not verified(tmp_path).differences


def test_files_that_may_take_long_come_last_and_after_a_commit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A sync that is killed while it reads one of them has kept all others."""
    write(tmp_path, zstd.compress(rollout(3)), NAME + ".zst")
    write_claude(tmp_path)
    take = intake.Intake._take

    def dying(self: intake.Intake, item: Any) -> None:
        if item.found.name.endswith(".zst"):
            raise KeyboardInterrupt
        take(self, item)

    monkeypatch.setattr(intake.Intake, "_take", dying)
    with pytest.raises(KeyboardInterrupt):
        sync(tmp_path)
    assert len(texts(tmp_path)) == 4


# -- a budget for all slow files together ------------------------------------------------------


@pytest.fixture
def ticking(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every look at the clock of CPU time takes a tenth of a second."""
    ticks = count()
    monkeypatch.setattr("time.process_time", lambda: next(ticks) / 10)


def write_many(home: Path, numbers: range, prompts: int) -> list[str]:
    ids = [f"{ID[:-4]}{number:04x}" for number in numbers]
    for session in ids:
        text = rollout(prompts).replace(ID.encode(), session.encode())
        write(home, zstd.compress(text), NAME.replace(ID, session) + ".zst")
    return ids


@pytest.mark.usefixtures("small_steps", "ticking")
def test_slow_files_have_a_budget_together_and_healthy_ones_come_first(tmp_path: Path) -> None:
    slow = write_many(tmp_path, range(6), 700)
    healthy = write_many(tmp_path, range(6, 9), 3)
    report = sync(tmp_path, file_seconds=4)
    assert report.changed_files == 9
    assert report.unfinished_files == 6
    assert [len(texts(tmp_path, session)) for session in healthy] == [3, 3, 3]
    read = [len(texts(tmp_path, session)) for session in slow]
    assert all(read)
    assert sum(read) < 3 * max(read)  # the first of them left little for the others
    while sync(tmp_path, file_seconds=40).unfinished_files:
        pass
    assert [len(texts(tmp_path, session)) for session in slow] == [700] * 6
    assert not verified(tmp_path).differences


@pytest.mark.usefixtures("ticking")
def test_a_budget_covers_what_follows_from_reading_and_every_read_of_a_file() -> None:
    budget = Budget(60)
    assert budget.left(1) == 30  # the other half is for storing and indexing
    for _ in range(2):
        with budget.spent_on(1):
            for _ in range(99):
                time.process_time()
    assert budget.left(1) == pytest.approx(10)
    assert budget.left(2) == 30
    budget.forget(1)
    assert budget.left(1) == 30
    with budget.at_a_glance(1):
        assert budget.left(1) == 1
    budget.share(0)
    with budget.at_a_glance(450):
        assert budget.left(1) == 0.1
    for file_id in range(8):
        with budget.spent_on(file_id):
            for _ in range(99):
                time.process_time()
    assert budget.left(9) == pytest.approx(10)


def test_large_files_that_are_honest_have_more_time() -> None:
    small, large = Budget(60), Budget(60)
    small.share(2**20)
    large.share(2**30)
    for budget in (small, large):
        budget._of_all -= 100
    assert small.left(1) == 0
    assert large.left(1) == 30
