"""`aj usage blocks`: windows of five hours, against sums done by hand."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_journal.store.catalog.sum_classes import QUARTER
from agent_journal.usage.blocks import block_starts, burn_of
from agent_journal.usage.report import Line
from tests.support.journals import aj, aj_json
from tests.support.terminals import on_terminal
from tests.support.usage_homes import answer, claude, codex, priced

USED = {"input_tokens": 1000, "output_tokens": 100}  # 3,000 micro-dollars
_NOT_NUMBERS = re.compile(r"\x1b\[[0-9;]*m")


def _response(number: int, when: str, session: str = "s1", **more: Any) -> Any:
    return answer(number, USED, session=session, timestamp=when, **more)


def _blocks(home: Path, *args: str) -> list[tuple[str, int, int | None, int | None]]:
    return [
        (item["started_at"], item["requests"], item["cost_micro_usd"], item["gap_hours"])
        for item in aj_json(home, "usage", "blocks", *args)["items"]
    ]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Six responses in three blocks; copies and a split message count once, a sub-agent counts."""
    priced(tmp_path)
    first = [
        _response(1, "2026-03-01T09:20:00.000Z"),
        _response(3, "2026-03-01T13:59:59.999Z"),
        _response(5, "2026-03-01T14:00:00.000Z"),
    ]
    split = _response(3, "2026-03-01T13:59:59.999Z") | {"uuid": "again"}
    claude(tmp_path, "s1", [*first, split])
    copies = [line | {"sessionId": "s2"} for line in first]
    claude(tmp_path, "s2", [*copies, _response(7, "2026-03-02T20:59:00.000Z", "s2")])
    side = _response(9, "2026-03-01T18:59:00.000Z", agentId="a", isSidechain=True)
    path = tmp_path / ".claude/projects/-work-app/s1/subagents/agent-a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(side) + "\n")
    other = _response(1, "2026-03-03T00:30:00.000Z", "s3") | {"cwd": "/work/other"}
    path = tmp_path / ".claude/projects/-work-other/s3.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(other) + "\n")
    codex(tmp_path, 1, [(100, 40, 10)])  # another agent, which has no part in these blocks
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    return tmp_path


def test_blocks_begin_at_full_hours_and_last_five(home: Path) -> None:
    assert _blocks(home) == [
        ("2026-03-01T09:00:00Z", 2, 6_000, None),
        ("2026-03-01T14:00:00Z", 2, 6_000, 0),  # at the end of the first one
        ("2026-03-02T20:00:00Z", 2, 6_000, 25),  # until 01:00 on the next day
    ]
    answered = aj_json(home, "usage", "blocks")
    assert answered["totals"]["requests"] == 6
    assert answered["totals"]["total_tokens"] == 6 * 1_100
    assert [item["is_active"] for item in answered["items"]] == [False] * 3


def test_days_of_the_same_home(home: Path) -> None:
    days = aj_json(home, "usage", "daily", "--timezone", "UTC", "--agent", "claude")["items"]
    assert {day["key"]: (day["requests"], day["cost_micro_usd"]) for day in days} == {
        "2026-03-01": (4, 12_000),
        "2026-03-02": (1, 3_000),
        "2026-03-03": (1, 3_000),
    }


def test_filters_do_not_move_blocks(home: Path) -> None:
    assert _blocks(home, "--project", "/work/other") == [("2026-03-02T20:00:00Z", 1, 3_000, 25)]
    later = _blocks(home, "--since", "2026-03-01T15:30Z")
    assert [start for start, *_ in later] == ["2026-03-01T14:00:00Z", "2026-03-02T20:00:00Z"]
    earlier = _blocks(home, "--until", "2026-03-01T13:30Z")
    assert [start for start, *_ in earlier] == ["2026-03-01T09:00:00Z"]
    assert len(_blocks(home, "--agent", "codex")) == 1


def test_the_table_names_gaps_and_the_share_of_a_limit(home: Path) -> None:
    printed = aj(home, "usage", "blocks", "--token-limit", "max", "--timezone", "Asia/Kolkata")
    head, first, second, gap, third, total = printed.stdout.splitlines()
    assert head.split()[:4] == ["block", "cost", "tokens", "limit"]
    assert first.split()[:5] == ["2026-03-01", "14:30", "$0.006", "2,200", "100%"]
    assert second.split()[:2] == ["2026-03-01", "19:30"]
    assert gap == "(25 h idle)"
    assert third.split()[:2] == ["2026-03-03", "01:30"]
    assert total.split()[:3] == ["total", "$0.02", "6,600"]
    assert aj(home, "usage", "blocks", "--recent").stderr == "no block in the last three days\n"
    assert "no block is active" in aj(home, "usage", "blocks", "--active").stderr
    rows = aj(home, "usage", "blocks", "--plain").stdout.splitlines()
    assert rows[0].split("\t")[:3] == ["2026-03-01T09:00:00Z", "0.006000", "2200"]
    assert len(rows) == 3


def test_the_active_block_says_where_it_leads(tmp_path: Path) -> None:
    priced(tmp_path)
    now = datetime.now(UTC)
    times = [now - timedelta(minutes=minutes) for minutes in (90, 60, 30)]
    lines = [_response(number, when.isoformat()) for number, when in enumerate(times)]
    claude(tmp_path, "s1", lines)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (item,) = aj_json(tmp_path, "usage", "blocks", "--active")["items"]
    assert item["is_active"] is True
    # 3,300 tokens and 9,000 micro-dollars between the first and the last response, an hour later
    assert item["tokens_per_minute"] == pytest.approx(55)
    assert item["cost_micro_usd_per_hour"] == 9_000
    begin = times[0].replace(minute=0, second=0, microsecond=0)
    left = (begin + timedelta(hours=5) - now).total_seconds() / 60
    assert item["minutes_left"] == pytest.approx(left, abs=2)
    assert item["projected_tokens"] == pytest.approx(3_300 + 55 * item["minutes_left"], abs=2)
    assert item["projected_cost_micro_usd"] == pytest.approx(
        9_000 + 150 * item["minutes_left"], abs=3
    )
    printed = aj(tmp_path, "usage", "blocks").stdout.splitlines()[-1]
    assert re.fullmatch(
        r"active: (\dh )?\d+m left, 55 tokens/min, \$0\.009/h, \$0\.0\d+ at its end", printed
    )
    details = aj(tmp_path, "usage", "blocks", "--active", "--token-limit", "6600").stdout
    assert "rate    55 tokens/min, $0.009/h" in details
    assert "limit   50% of 6.6K tokens" in details


def test_a_part_without_a_price_is_in_no_projection(tmp_path: Path) -> None:
    priced(tmp_path)
    now = datetime.now(UTC)
    times = [now - timedelta(minutes=minutes) for minutes in (60, 0)]
    models = ("model-a", "model-c")
    lines = [
        answer(number, USED, model, timestamp=when.isoformat())
        for number, (when, model) in enumerate(zip(times, models, strict=True))
    ]
    claude(tmp_path, "s1", lines)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    details = aj(tmp_path, "usage", "blocks", "--active").stdout
    assert "rate    37 tokens/min, $0.003/h + ?" in details
    assert re.search(r"end     \$0\.0\d+ \+ \?, \S+ tokens at this rate", details)


@pytest.mark.parametrize("args", [[], ["--json"], ["--timezone", "Pacific/Kiritimati"]])
def test_a_time_at_the_end_of_the_calendar_is_in_no_block(tmp_path: Path, args: list[str]) -> None:
    lines = [_response(1, "2026-03-01T10:05:00Z"), _response(2, "9999-12-31T23:59:59Z")]
    claude(tmp_path, "s1", lines)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    done = aj(tmp_path, "usage", "blocks", *args)
    assert done.returncode == 0, done.stderr
    assert "9999" not in done.stdout
    assert "1 response without a time: in no block" in done.stderr or "--json" in args


def test_one_response_tells_no_rate(tmp_path: Path) -> None:
    priced(tmp_path)
    claude(tmp_path, "s1", [_response(1, datetime.now(UTC).isoformat())])
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (item,) = aj_json(tmp_path, "usage", "blocks")["items"]
    assert item["tokens_per_minute"] is None
    assert item["projected_tokens"] is None
    assert "rate    ?" in aj(tmp_path, "usage", "blocks", "--active").stdout


def test_a_cost_that_is_not_known_is_not_projected() -> None:
    line = Line("block")
    line.input = 600
    burn = burn_of(line, 0, 60_000_000, 120_000_000)
    assert burn is not None
    assert (burn.tokens_per_minute, burn.projected_tokens) == (600, 1_800)
    assert (burn.cost_per_hour, burn.projected_cost) == (None, None)


def test_blocks_by_quarters_of_an_hour() -> None:
    per_hour = 3_600_000_000 // QUARTER
    assert block_starts([]) == []
    assert block_starts([-1]) == []  # a time that is not known
    # 10:45, 14:45, then 15:00, at the end of the first
    assert block_starts([43, 59, 60]) == [10 * per_hour, 15 * per_hour]
    assert block_starts([60, 43, 59]) == [10 * per_hour, 15 * per_hour]
    # Without a pause, one follows the other
    assert block_starts(range(96)) == [0, 20, 40, 60, 80]


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_blocks_fit_the_terminal(home: Path, columns: int) -> None:
    seen = on_terminal(home, "usage", "blocks", "--token-limit", "max", columns=columns, lines=40)
    lines = [_NOT_NUMBERS.sub("", line) for line in seen.splitlines()]
    assert max(map(len, lines)) <= columns


@pytest.mark.parametrize("option", [["--active"], ["--recent"], ["--token-limit", "5"]])
def test_options_of_blocks_need_blocks(tmp_path: Path, option: list[str]) -> None:
    done = aj(tmp_path, "usage", *option)
    assert done.returncode == 2
    assert "options of blocks" in done.stderr


@pytest.mark.parametrize("limit", ["0", "-1", "many", ""])
def test_a_token_limit_is_a_number_or_max(tmp_path: Path, limit: str) -> None:
    assert aj(tmp_path, "usage", "blocks", "--token-limit", limit).returncode == 2
