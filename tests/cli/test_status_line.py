"""`aj statusline`: one line whatever comes, from little, and never an error."""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import time
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from agent_journal.cli.status_line import Running, read_running, status_line
from agent_journal.text.width import display_width
from agent_journal.usage.live import Cost, Live, LiveBlock
from tests.support.journals import aj, aj_json, variables, wait_until
from tests.support.usage_homes import answer, claude, copilot, priced

# Noon there is now, so that what happened some minutes ago was today
NOON = f"NOON{datetime.now(UTC).hour - 12:+d}"
NOW = 1_794_000_000.0
USED = {"input_tokens": 1_000_000, "output_tokens": 100_000}  # 3 dollars


def line(home: Path, value: Any, *args: str, **env: str) -> str:
    """What the command prints for an input, which must be one line and no error."""
    text = value if isinstance(value, str) else json.dumps(value)
    done = aj(home, "statusline", *args, input=text, env={"TZ": NOON, **env})
    assert (done.returncode, done.stderr) == (0, ""), done
    assert done.stdout.count("\n") == 1
    return done.stdout.rstrip("\n")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A session with two responses of this block, and one of another agent, all of today."""
    priced(tmp_path)
    now = datetime.now(UTC)
    times = [now - timedelta(minutes=minutes) for minutes in (2, 1)]
    lines = [answer(n, USED, timestamp=when.isoformat()) for n, when in enumerate(times)]
    claude(tmp_path, "s1", lines)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    return tmp_path


def test_the_line_says_what_the_journal_says(home: Path) -> None:
    shown = line(home, {"session_id": "s1", "model": {"display_name": "Opus"}})
    (block,) = aj_json(home, "usage", "blocks", "--active")["items"]
    (day,) = aj_json(home, "usage", "daily", env={"TZ": NOON})["items"]
    assert (block["cost_micro_usd"], day["cost_micro_usd"]) == (6_000_000, 6_000_000)
    model, session, today, in_block, rate = shown.split(" · ")
    assert (model, session, today) == ("Opus", "$6.00 session", "$6.00 today")
    assert in_block.startswith("$6.00 block, ")
    assert in_block.endswith(" left")
    assert rate == "$360.00/h"  # 6 dollars in a minute


def test_what_a_wrong_clock_dates_to_the_future_is_not_of_today(home: Path) -> None:
    later = datetime.now(UTC) + timedelta(days=300)
    claude(home, "s2", [answer(9, USED, session="s2", timestamp=later.isoformat())])
    assert aj(home, "sync", "--no-index").returncode == 0
    _, today, in_block, _ = line(home, {}).split(" · ")
    assert today == "$6.00 today"
    assert in_block.startswith("$6.00 block, ")


def test_what_is_not_synced_comes_from_the_input(home: Path) -> None:
    cost = {"total_cost_usd": 7.5}
    shown = line(home, {"session_id": "s1", "cost": cost})
    assert shown.split(" · ")[1:3] == ["$7.50 session", "~$7.50 today"]
    shown = line(home, {"session_id": "new", "cost": cost})
    assert shown.split(" · ")[1:3] == ["$7.50 session", "~$13.50 today"]
    # Less than the journal knows: a run of the session that was resumed
    shown = line(home, {"session_id": "s1", "cost": {"total_cost_usd": 0.5}})
    assert shown.split(" · ")[1:3] == ["$0.50 session", "$6.00 today"]


def test_sub_agents_belong_to_the_session(home: Path) -> None:
    side = answer(9, USED, timestamp=datetime.now(UTC).isoformat(), agentId="a", isSidechain=True)
    path = home / ".claude/projects/-work-app/s1/subagents/agent-a.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(side) + "\n")
    assert aj(home, "sync", "--no-index").returncode == 0
    assert "$9.00 session" in line(home, {"session_id": "s1"})


def test_what_has_no_price_is_not_free(tmp_path: Path) -> None:
    priced(tmp_path)
    now = datetime.now(UTC).isoformat()
    claude(tmp_path, "s1", [answer(1, USED, "model-c", timestamp=now)])
    copilot(tmp_path, "c1", ("user.message", {"content": "x"}))
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (tmp_path / ".agent-journal/statusline.prices").touch()  # nobody looks prices up now
    assert line(tmp_path, {"session_id": "s1"}).split(" · ")[:3] == ["aj", "? session", "? today"]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "garbage",
        "null",
        "[]",
        "7",
        '{"session_id": 5, "model": "x", "cost": [], "context_window": 1}',
        '{"cost": {"total_cost_usd": NaN}, "context_window": {"used_percentage": Infinity}}',
        '{"cost": {"total_cost_usd": -1}}',
        '{"cost": {"total_cost_usd": ' + "9" * 5000 + "}}",
        '{"cost": {"total_cost_usd": 1e999}, "rate_limits": {"five_hour": {"resets_at": "soon"}}}',
        "[" * 100_000,
        '{"model": {"display_name": true, "id": null}}',
    ],
)
def test_garbage_is_no_error(tmp_path: Path, text: str) -> None:
    assert line(tmp_path, text) == "aj"


def test_bytes_that_are_no_text_are_no_error(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "agent_journal", "statusline"],
        env=variables(tmp_path),
        input=b"\xff\xfe{\x00",
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stdout, done.stderr) == (0, b"aj\n", b"")


def test_nothing_of_the_input_controls_the_terminal(tmp_path: Path) -> None:
    name = "\x1b]0;title\x07\x1b[31mOpus\n\u202e4\x9b5" + "漢" * 500
    shown = line(tmp_path, {"model": {"display_name": name}}, COLUMNS="30")
    assert shown.startswith("Opus 4")
    assert shown.isprintable()
    assert display_width(shown) <= 30


def test_a_journal_that_cannot_be_read_is_no_error(home: Path) -> None:
    asked = {"session_id": "s1", "model": {"id": "opus"}, "cost": {"total_cost_usd": 1}}
    config = home / ".agent-journal/config.toml"
    good = config.read_text()
    config.write_text("not toml = = =")
    assert line(home, asked) == "opus · $1.00 session"
    config.write_text(good)
    database = home / ".agent-journal/index/journal.db"
    holder = sqlite3.connect(database, isolation_level=None)
    holder.execute("PRAGMA locking_mode=EXCLUSIVE")
    holder.execute("BEGIN EXCLUSIVE")
    assert line(home, asked).startswith("opus · $1.00 session")
    holder.close()
    database.write_bytes(b"damaged" * 1000)
    assert line(home, asked) == "opus · $1.00 session"
    database.unlink()
    assert line(home, asked) == "opus · $1.00 session"


def test_parts_leave_until_the_line_fits() -> None:
    running = Running("s1", "Opus", 1_230_000, 34.4)
    block = LiveBlock(int((NOW + 7_500) * 1e6), Cost(2_000_000), 2_400_000)
    live = Live(Cost(1_230_000), Cost(3_000_000, is_part=True), block, set())
    whole = (
        "Opus · $1.23 session · $3.00 + ? today · $2.00 block, 2h 05m left · $2.40/h · 34% context"
    )
    assert status_line(running, live, NOW, 200) == whole
    assert status_line(running, live, NOW, 80) == (
        "Opus · $1.23 session · $3.00 + ? today · $2.00 block, 2h 05m left · 34% context"
    )
    shorter = "Opus · $1.23 session · $2.00 block, 2h 05m left · 34% context"
    assert status_line(running, live, NOW, 78) == shorter
    assert status_line(running, live, NOW, 45) == "Opus · $1.23 session · 34% context"
    assert status_line(running, live, NOW, 30) == "Opus · $1.23 session"
    assert status_line(running, live, NOW, 3) == "Op…"
    for width in range(1, 100):
        assert display_width(status_line(running, live, NOW, width)) <= width


def test_a_rate_of_which_a_part_has_no_price_says_so() -> None:
    block = LiveBlock(int((NOW + 60) * 1e6), Cost(2_000_000, is_part=True), 2_400_000)
    live = Live(None, Cost(0), block, set())
    assert status_line(Running(), live, NOW, 200) == (
        "aj · $0.00 today · $2.00 + ? block, 1m left · $2.40/h + ?"
    )


def test_limits_that_claude_code_knows_are_shown() -> None:
    given = {"five_hour": {"used_percentage": 42.4, "resets_at": NOW + 3_700}}
    running = read_running(json.dumps({"rate_limits": given}).encode())
    assert status_line(running, None, NOW, 200) == "aj · 42% of 5 h limit, 1h 01m left"


def test_the_context_is_computed_where_no_share_is_given() -> None:
    usage = {"input_tokens": 10_000, "cache_read_input_tokens": 40_000, "output_tokens": 5}
    window = {"context_window_size": 200_000, "current_usage": usage}
    assert read_running(json.dumps({"context_window": window}).encode()).context == 25


def test_a_sync_is_started_once_a_minute_and_not_awaited(tmp_path: Path) -> None:
    claude(tmp_path, "s1", [answer(1, USED)])
    assert line(tmp_path, {}) == "aj"
    assert not (tmp_path / ".agent-journal").exists()  # only when asked for
    assert line(tmp_path, {}, "--sync").startswith("aj")
    wait_until(lambda: aj(tmp_path, "ls").stdout != "")
    mark = tmp_path / ".agent-journal/statusline.synced"
    before = mark.stat().st_mtime_ns
    assert mark.stat().st_mode & 0o777 == 0o600
    line(tmp_path, {}, "--sync")
    assert mark.stat().st_mtime_ns == before
    os.utime(mark, (time.time() - 61,) * 2)
    line(tmp_path, {}, "--sync")
    assert mark.stat().st_mtime_ns > before


def test_prices_are_looked_up_in_the_background(tmp_path: Path) -> None:
    now = datetime.now(UTC).isoformat()
    claude(tmp_path, "s1", [answer(1, USED, "claude-opus-4-5", timestamp=now)])
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    prices = tmp_path / ".agent-journal/index/prices.json"
    prices.unlink(missing_ok=True)
    assert "? session" in line(tmp_path, {"session_id": "s1"})
    wait_until(prices.exists)
    assert "$7.50 session" in line(tmp_path, {"session_id": "s1"})


def test_the_line_imports_little(home: Path) -> None:
    code = (
        "import sys; from agent_journal.cli.main import run; code = run(['statusline']); "
        "print(*sys.modules, file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=variables(home),
        input='{"session_id": "s1"}',
        capture_output=True,
        text=True,
        check=True,
    )
    assert "session" in done.stdout
    heavy = {"tantivy", "numpy", "duckdb", "genai_prices", "click", "msgspec", "subprocess"}
    heavy |= {"agent_journal.connectors", "agent_journal.journal", "backports.zstd", "hashlib"}
    assert not set(done.stderr.split()) & heavy
