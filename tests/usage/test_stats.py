"""`aj stats`, and agents' own statistics in `aj doctor`."""

from __future__ import annotations

import json
import shutil
import sqlite3
from datetime import UTC, date, datetime
from pathlib import Path

import pytest

from agent_journal.cli.commands.stats import _month_names
from agent_journal.query.tree import Query
from agent_journal.store.catalog.schema import VERSION
from agent_journal.store.catalog.store import open_writer
from agent_journal.usage.activity import collect
from agent_journal.usage.zones import Calendar, zone_named
from tests.support.journals import aj, aj_json, claude_line, open_journal, write_claude
from tests.support.migrations import make_version_3
from tests.support.paths import CASES
from tests.support.terminals import on_terminal


def call(number: int, name: str, seconds: int, is_error: bool = False) -> list[dict[str, object]]:
    asked = claude_line("assistant", number, "x", timestamp=f"2026-11-02T10:{number:02d}:00.000Z")
    asked["message"]["content"] = [
        {"type": "tool_use", "id": f"t{number}", "name": name, "input": {}}
    ]
    differences = claude_line(
        "user", number + 1, "x", timestamp=f"2026-11-02T10:{number:02d}:{seconds:02d}.000Z"
    )
    result = {
        "type": "tool_result",
        "tool_use_id": f"t{number}",
        "content": "done",
        "is_error": is_error,
    }
    differences["message"]["content"] = [result]
    differences["toolUseResult"] = {"durationMs": seconds * 1000}
    return [asked, differences]


def test_the_calendar_has_the_names_of_months() -> None:
    names = _month_names(date(2026, 8, 31), date(2026, 11, 4), weeks=20)
    assert names == "  Sep     Oct     Nov"
    assert _month_names(date(2026, 8, 31), date(2026, 11, 4), weeks=3) == "  Sep"


def test_models_have_no_empty_columns(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    lines = aj(tmp_path, "stats").stdout.splitlines()
    place = lines.index("by model")
    assert lines[place + 1].split() == ["sessions", "answers"]
    assert lines[lines.index("by agent") + 1].split() == [
        "sessions",
        "prompts",
        "answers",
        "tools",
    ]
    assert "messages by hour" in lines


def test_counts_by_hand(tmp_path: Path) -> None:
    lines = [claude_line("user", 0, "hello", timestamp="2026-11-01T09:00:00.000Z")]
    lines += call(1, "Bash", 10) + call(3, "Bash", 20, is_error=True) + call(5, "Read", 1)
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        found = collect(journal.db, Query(), Calendar(zone_named("UTC")))
    assert (found.sessions, found.sub_agents, found.prompts, found.answers, found.tools) == (
        1,
        0,
        1,
        3,
        3,
    )
    assert found.days == {date(2026, 11, 1): 1, date(2026, 11, 2): 3}
    assert (found.hours[9], found.hours[10]) == (1, 3)
    bash = found.tool_list[0]
    assert (bash.name, bash.calls, bash.ok, bash.failed, bash.success) == ("Bash", 2, 1, 1, 0.5)
    assert (bash.mean_ms, bash.longest_ms) == (15_000, 20_000)
    assert found.streaks(date(2026, 11, 3)) == (2, 2)
    assert found.streaks(date(2026, 11, 4)) == (0, 2)
    assert dict(found.lengths)["over 4 h"] == 1


@pytest.mark.parametrize("order", [("s1", "s2"), ("s2", "s1")])
def test_what_a_fork_carries_is_counted_once(tmp_path: Path, order: tuple[str, str]) -> None:
    lines = [claude_line("user", 0, "hello"), *call(1, "Bash", 1)]
    copied = [line | {"sessionId": "s2"} for line in lines]
    texts = {"s1": lines, "s2": [*copied, claude_line("user", 9, "another way", "s2")]}
    with open_journal(tmp_path) as journal:
        for name in order:
            path = tmp_path / f".claude/projects/-work-app/{name}.jsonl"
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text("".join(json.dumps(line) + "\n" for line in texts[name]))
            journal.sync(index=False)
        found = collect(journal.db, Query(), Calendar(None))
    assert (found.sessions, found.prompts, found.answers, found.tools) == (2, 2, 1, 1)
    assert [(share.sessions, share.prompts, share.tools) for share in found.shares["agent"]] == [
        (2, 2, 1)
    ]


def test_what_is_shown(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 10)
    aj(tmp_path, "sync", "--no-index")
    done = aj(tmp_path, "stats")
    assert done.returncode == 0
    assert "1 session (+0 sub-agents), 5 prompts, 5 answers" in done.stdout
    assert "claude-opus-5-5" in done.stdout
    (item,) = aj_json(tmp_path, "stats")["items"]
    assert (item["prompts"], sum(item["hours"]), len(item["days"])) == (5, 10, 1)
    assert aj_json(tmp_path, "stats", "--agent", "copilot-cli")["items"][0]["sessions"] == 0


def test_bars_fit_a_narrow_terminal(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 10)
    aj(tmp_path, "sync", "--no-index")
    lines = on_terminal(tmp_path, "stats", columns=40, NO_COLOR="1").splitlines()
    bars = [line for line in lines if "█" * 10 in line]
    assert len(bars) == 2  # an hour, and a length
    assert {len(line) for line in bars} == {40}


def test_an_empty_journal_has_no_activity(tmp_path: Path) -> None:
    done = aj(tmp_path, "stats")
    assert (done.returncode, done.stdout) == (0, "")
    assert aj_json(tmp_path, "stats")["items"][0]["prompts"] == 0


def test_the_doctor_compares_an_agents_own_statistics(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 4)
    stats = {
        "version": 1,
        "dailyActivity": [
            {"date": "2026-11-01", "messageCount": 9, "sessionCount": 3, "toolCallCount": 7}
        ],
    }
    (tmp_path / ".claude/stats-cache.json").write_text(json.dumps(stats))
    aj(tmp_path, "sync", "--no-index")
    found = next(
        item for item in aj_json(tmp_path, "doctor")["items"] if item["agent"] == "claude-code"
    )
    differences = {
        difference["what"].split(" on ")[0]: (
            difference["own"],
            difference["journal"],
            difference["why"],
        )
        for difference in found["differences"]
    }
    assert differences["sessions"][:2] == (3, 1)
    assert differences["tool calls"][:2] == (7, 0)
    assert "deleted before" in differences["sessions"][2]
    ((own, ours, origin),) = [
        (item["message_count"], item["journal_message_count"], item["origin"])
        for item in aj_json(tmp_path, "sql", "FROM stats")["items"]
    ]
    assert (own, ours, origin) == (9, 4, "agent")


def test_statistics_that_agree_are_not_mentioned(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 4)
    day = {"date": "2026-11-01", "messageCount": 4, "sessionCount": 1, "toolCallCount": 0}
    (tmp_path / ".claude/stats-cache.json").write_text(
        json.dumps({"version": 1, "dailyActivity": [day]})
    )
    aj(tmp_path, "sync", "--no-index")
    found = next(
        item for item in aj_json(tmp_path, "doctor")["items"] if item["agent"] == "claude-code"
    )
    assert found["differences"] == []


def test_impossible_numbers_of_an_agent_cost_only_themselves(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1", 4)
    stats = {
        "dailyActivity": [{"date": "2026-11-01", "messageCount": 2**70, "sessionCount": 3}],
        "dailyModelTokens": [{"date": "2026-11-01", "tokensByModel": {"a": 2**70, "b": 5}}],
    }
    (tmp_path / ".claude/stats-cache.json").write_text(json.dumps(stats))
    aj(tmp_path, "sync", "--no-index")
    ((day, messages, sessions),) = [
        (item["date"], item["message_count"], item["session_count"])
        for item in aj_json(tmp_path, "sql", "FROM stats WHERE origin = 'agent'")["items"]
    ]
    assert (day, messages, sessions) == ("2026-11-01", 4, 3)  # 4: counted by us
    assert aj_json(tmp_path, "doctor")["problems"] == 0


@pytest.mark.parametrize("table", ["usage_sums", "message_sums"])
def test_a_journal_of_the_first_version_is_migrated(tmp_path: Path, table: str) -> None:
    """Rows of usage get ids from the one sequence, and every sum is made."""
    write_claude(tmp_path, "s1", 6)
    aj(tmp_path, "sync", "--no-index")
    database = tmp_path / ".agent-journal/index/journal.db"
    with sqlite3.connect(database) as db:
        kept = db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall()
        make_version_3(db)
        for sums in ("usage_sums", "message_sums", "tool_sums", "edit_sums"):
            db.execute(f"DROP TABLE {sums}")
        db.execute("DROP INDEX sessions_by_revision")
        db.execute("ALTER TABLE sessions DROP COLUMN revision")
        db.execute("UPDATE usage SET id = (SELECT count(*) FROM usage u WHERE u.id <= usage.id)")
        db.execute("PRAGMA user_version = 1")
    db.close()
    assert VERSION == 8
    writer = open_writer(str(database.parent))
    assert writer.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3").fetchall() == kept
    ids = [
        row[0]
        for row in writer.execute(
            "SELECT id FROM usage UNION ALL SELECT id FROM messages "
            "UNION ALL SELECT revision FROM sessions"
        )
    ]
    (last,) = writer.execute("SELECT value FROM meta WHERE key = 'last item'").fetchone()
    writer.close()
    assert len(ids) == len(set(ids))
    assert max(ids) <= last
    done = aj(tmp_path, "sync")
    assert done.returncode == 0, done.stderr
    assert aj_json(tmp_path, "sql", "SELECT sum(output_tokens) AS n FROM conversations")[
        "items"
    ] == [{"n": 15}]


AIDER = """
# aider chat started at 2026-11-02 09:15:00

> Main model: model-a with diff edit format

#### mend the winterclock

It is mended.

> Tokens: 1k sent, 200 received. Cost: $0.01 message, $0.01 session.
"""


def test_messages_without_a_time_have_that_of_their_session(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/.aider.chat.history.md").write_text(AIDER)
    assert aj(tmp_path, "sync", cwd=tmp_path / "app").returncode == 0
    with open_journal(tmp_path) as journal:
        found = collect(journal.db, Query(), Calendar(zone_named("UTC")))
        late = Query(
            since=datetime(2026, 11, 2, tzinfo=UTC), until=datetime(2026, 11, 3, tzinfo=UTC)
        )
        then = collect(journal.db, late, Calendar(zone_named("UTC")))
    assert found.days == {date(2026, 11, 2): 2}
    assert (found.prompts, found.answers) == (then.prompts, then.answers) == (1, 1)
    assert found.median_seconds is None  # one moment is no length
    for when, hits in (("date:2026-11-02", 1), ("date:2026-11-03", 0)):
        words = (
            "search",
            f"winterclock kind:prompt {when}",
            "--flat",
            "--mode",
            "lexical",
            "--no-sync",
        )
        assert len(aj_json(tmp_path, *words)["items"]) == hits
    days = aj_json(tmp_path, "sql", "SELECT date, message_count AS n FROM stats")["items"]
    assert days == [{"date": "2026-11-02", "n": 2}]


def test_answers_count_for_their_model_without_tokens(tmp_path: Path) -> None:
    (tmp_path / "app").mkdir()
    (tmp_path / "app/.aider.chat.history.md").write_text(AIDER.partition("> Tokens")[0])
    assert aj(tmp_path, "sync", "--no-index", cwd=tmp_path / "app").returncode == 0
    with open_journal(tmp_path) as journal:
        found = collect(journal.db, Query(), Calendar(None))
    assert [(share.name, share.sessions, share.answers) for share in found.shares["model"]] == [
        ("model-a", 1, 1)
    ]


def test_what_a_codex_fork_carries_is_counted_once(tmp_path: Path) -> None:
    home = CASES / "codex/forks/home"
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    aj(tmp_path, "sync", "--no-index")
    with open_journal(tmp_path) as journal:
        forks = (
            "SELECT id, fork_of FROM sessions "
            "WHERE fork_of IN (SELECT uid FROM sessions WHERE is_known = 1)"
        )
        known = journal.db.execute(forks).fetchall()
        copies = (
            "SELECT count(*) FROM messages "
            "WHERE session_id = ? AND kind IN ('prompt', 'answer') AND uid LIKE ?"
        )
        carried = sum(
            journal.db.execute(copies, (key, f"{of}@%")).fetchone()[0] for key, of in known
        )
        everything = "SELECT count(*) FROM messages WHERE kind IN ('prompt', 'answer')"
        (whole,) = journal.db.execute(everything).fetchone()
        found = collect(journal.db, Query(), Calendar(None))
    assert carried > 0
    assert found.prompts + found.answers == whole - carried
