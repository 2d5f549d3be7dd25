"""Tokens and cost, against sums done by hand; time zones; what is unknown."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from agent_journal.text.human import human_money
from tests.support.journals import aj, aj_json, append, claude_line, write_claude
from tests.support.usage_homes import (
    answer,
    claude,
    codex,
    copilot,
    priced,
    shutdown,
    tokens,
    total,
)


def test_a_message_split_over_lines_counts_once_with_its_last_count(tmp_path: Path) -> None:
    priced(tmp_path)
    lines = []
    for number, output in enumerate((5, 20, 31)):
        line = answer(
            1,
            {
                "input_tokens": 10,
                "output_tokens": output,
                "cache_read_input_tokens": 100,
                "cache_creation_input_tokens": 7,
            },
        )
        lines.append(line | {"uuid": f"u{number}"})
    claude(tmp_path, "s1", lines)
    found = total(tmp_path)
    assert tokens(found) == (10, 100, 7, None, 31)
    # 10 x 2 + 100 x 0.5 + 7 x 3 + 31 x 10 = 20 + 50 + 21 + 310 micro-dollars
    assert found["cost_micro_usd"] == 401
    assert found["requests"] == 1


def test_cache_writes_for_an_hour_are_priced_apart(tmp_path: Path) -> None:
    priced(tmp_path)
    usage = {
        "input_tokens": 1,
        "output_tokens": 1,
        "cache_read_input_tokens": 0,
        "cache_creation_input_tokens": 150,
        "cache_creation": {"ephemeral_5m_input_tokens": 100, "ephemeral_1h_input_tokens": 50},
    }
    claude(tmp_path, "s1", [answer(1, usage)])
    found = total(tmp_path)
    assert tokens(found) == (1, 0, 150, 50, 1)
    assert found["cost_micro_usd"] == 1 * 2 + 100 * 3 + 50 * 4 + 1 * 10


def test_forks_and_resumed_copies_count_once_for_the_first_session(tmp_path: Path) -> None:
    priced(tmp_path)
    usage = {"input_tokens": 10, "output_tokens": 4}
    first = [answer(1, usage), answer(3, usage)]
    claude(tmp_path, "s1", first)
    copies = [line | {"sessionId": "s2"} for line in first]
    claude(
        tmp_path, "s2", [*copies, answer(5, {"input_tokens": 1, "output_tokens": 1}, session="s2")]
    )
    found = total(tmp_path)
    assert tokens(found) == (21, None, None, None, 9)
    by_session = {
        item["session_id"]: item["output_tokens"]
        for item in aj_json(tmp_path, "usage", "session")["items"]
    }
    assert by_session == {"s1": 8, "s2": 1}


def test_codex_counts_that_come_again_count_once(tmp_path: Path) -> None:
    priced(tmp_path)
    codex(tmp_path, 1, [(100, 40, 10), (100, 40, 10), (300, 140, 25), (300, 140, 25)])
    found = total(tmp_path)
    assert tokens(found)[:2] == (160, 140)  # the last sum: 300 with 140 from the cache
    assert found["output_tokens"] == 25
    # 160 x 2 + 140 x 0.5 + 25 x 10
    assert found["cost_micro_usd"] == 320 + 70 + 250


def test_mixed_models_are_priced_each_by_its_own(tmp_path: Path) -> None:
    priced(tmp_path)
    usage = {"input_tokens": 1000, "output_tokens": 100}
    claude(
        tmp_path,
        "s1",
        [answer(1, usage), answer(3, usage, "provider/model-b"), answer(5, usage, "model-c")],
    )
    found = total(tmp_path)
    assert found["cost_micro_usd"] == (1000 * 2 + 100 * 10) + (1000 * 1 + 100 * 5)
    assert found["unpriced"] == {"model-c": 1100}
    items = {
        item["key"]: item["cost_micro_usd"] for item in aj_json(tmp_path, "usage", "model")["items"]
    }
    assert items == {"model-a": 3000, "model-b": 1500, "model-c": None}
    printed = aj(tmp_path, "usage", "model")
    assert printed.stderr == "cost not known: model-c (1.1K tokens); -v says why\n"
    assert "$0.0045 + ?" in printed.stdout
    details = aj(tmp_path, "usage", "model", "-v").stderr
    assert "unpriced: model-c, 1,100 tokens: no price is known" in details
    assert "prices: genai-prices" in details


@pytest.mark.parametrize(
    ("resume", "second", "expected"),
    [
        ({}, shutdown(1, 40, 4), (140, 14)),  # each end reports its own segment: add them up
        # Each reports all so far: the last counts
        ({"sessionLimits": None}, shutdown(2, 140, 14), (140, 14)),
    ],
)
def test_copilot_totals_at_the_end_of_segments(
    tmp_path: Path, resume: dict[str, Any], second: Any, expected: tuple[int, int]
) -> None:
    priced(tmp_path)
    copilot(tmp_path, "s1", shutdown(1, 100, 10), ("session.resume", resume), second)
    found = total(tmp_path)
    assert (found["input_tokens"], found["output_tokens"]) == expected
    assert found["requests"] == 2
    assert found["cost_micro_usd"] == 140 * 2 + 14 * 10


def test_recorded_costs_are_preferred_and_credits_shown(tmp_path: Path) -> None:
    priced(tmp_path)
    usage = {
        "model": "model-a",
        "inputTokens": 100,
        "outputTokens": 7,
        "cacheReadTokens": 60,
        "cacheWriteTokens": 10,
        "cost": 1,
        "initiator": "user",
        "aiCreditsStatus": "complete",
        "copilotUsage": {"totalNanoAiu": 2_000_000_000},
        "accounting": {"sourceSessionId": "s1", "sequence": 1, "usageId": "u"},
    }
    record = ("session.usage_record", {"usage": usage})
    copilot(tmp_path, "s1", record, record)  # written twice, called once
    found = total(tmp_path)
    assert tokens(found) == (30, 60, 10, None, 7)
    # Two credits of a cent
    assert found["cost_micro_usd"] == found["recorded_cost_micro_usd"] == 20_000
    assert (found["credits"], found["premium_requests"]) == (2.0, 1.0)


def test_what_was_not_all_recorded_is_not_priced(tmp_path: Path) -> None:
    priced(tmp_path)
    message = {"messageId": "m1", "content": "hi", "model": "model-a", "outputTokens": 9}
    copilot(tmp_path, "s1", ("user.message", {"content": "x"}), ("assistant.message", message))
    found = total(tmp_path)
    assert tokens(found) == (None, None, None, None, 9)
    assert found["cost_micro_usd"] is None
    assert "not all its tokens were recorded" in aj(tmp_path, "usage", "-v").stderr


# -- days --------------------------------------------------------------------------------------


def test_days_are_those_of_the_zone(tmp_path: Path) -> None:
    usage = {"input_tokens": 1, "output_tokens": 1}
    claude(
        tmp_path,
        "s1",
        [
            answer(1, usage, timestamp="2026-03-01T18:10:00.000Z"),
            answer(3, usage, timestamp="2026-03-01T18:20:00.000Z"),
            answer(5, usage, timestamp="2026-03-02T05:00:00.000Z"),
        ],
    )
    aj(tmp_path, "sync", "--no-index")

    def days(zone: str, group: str = "daily") -> dict[str, int]:
        return {
            i["key"]: i["requests"]
            for i in aj_json(tmp_path, "usage", group, "--timezone", zone)["items"]
        }

    assert days("UTC") == {"2026-03-01": 2, "2026-03-02": 1}
    # 05:45 ahead: midnight is at 18:15
    assert days("Asia/Kathmandu") == {"2026-03-01": 1, "2026-03-02": 2}
    assert days("America/New_York") == {"2026-03-01": 2, "2026-03-02": 1}
    assert days("UTC", "weekly") == {"2026-02-23": 2, "2026-03-02": 1}
    assert days("UTC", "monthly") == {"2026-03": 3}
    done = aj(tmp_path, "usage", "--timezone", "Asia/Katmandoo")
    assert (done.returncode, "Asia/Kat" in done.stderr) == (2, True)


def test_filters_narrow_it_down(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    everything = total(tmp_path)["total_tokens"]
    agents = [
        aj_json(tmp_path, "usage", "--agent", name)["totals"]
        for name in ("claude-code", "copilot-cli")
    ]
    assert 0 < sum(totals["total_tokens"] for totals in agents) < everything
    assert aj_json(tmp_path, "usage", "--until", "2020-01-01")["items"] == []
    by_project = aj_json(tmp_path, "usage", "project")["items"]
    part = aj_json(tmp_path, "usage", "--project", "sam/relay")["totals"]["total_tokens"]
    assert part == next(item["total_tokens"] for item in by_project if item["key"] == "sam/relay")


def test_an_empty_journal_has_used_nothing(tmp_path: Path) -> None:
    done = aj(tmp_path, "usage")
    assert done.returncode == 0
    assert "no usage recorded" in done.stderr
    assert aj_json(tmp_path, "usage")["totals"]["cost_micro_usd"] is None


@pytest.mark.parametrize(
    "args",
    [
        ("usage", "--since", "2036-09"),
        ("usage", "model", "--agent", "codex"),
        ("stats", "--since", "2036-09"),
        ("stats", "--agent", "codex"),
        ("ls", "--agent", "codex"),
    ],
)
def test_a_filter_that_leaves_nothing_is_named(tmp_path: Path, args: tuple[str, ...]) -> None:
    claude(tmp_path, "s1", [answer(1, {"input_tokens": 1, "output_tokens": 1})])
    assert aj(tmp_path, "sync").returncode == 0
    done = aj(tmp_path, *args)
    assert (done.returncode, done.stdout) == (0, "")
    assert done.stderr == "no session matches; the journal holds 1\n"


def test_sessions_that_recorded_nothing_match_all_the_same(tmp_path: Path) -> None:
    write_claude(tmp_path, [claude_line("user", 0, "hello")])
    assert aj(tmp_path, "sync").returncode == 0
    assert "no usage recorded" in aj(tmp_path, "usage", "--agent", "claude-code").stderr


def test_tokens_that_are_not_known_are_not_0(tmp_path: Path) -> None:
    priced(tmp_path)
    claude(tmp_path, "s1", [answer(1, {"input_tokens": None, "output_tokens": None})])
    found = total(tmp_path)
    assert (found["unpriced"], found["models"]) == ({"model-a": None}, {"model-a": None})
    assert "cost not known: model-a (? tokens); -v says why\n" in aj(tmp_path, "usage").stderr
    assert "unpriced: model-a: its tokens were not recorded\n" in aj(tmp_path, "usage", "-v").stderr


def test_amounts_below_a_cent_are_shown() -> None:
    amounts = {
        0: "$0.00",
        7: "$0.000007",
        2_965: "$0.003",
        4_500: "$0.0045",
        9_999: "$0.01",
        10_000: "$0.01",
        1_234_567_890: "$1,234.57",
    }
    assert {micros: human_money(micros) for micros in amounts} == amounts


def test_lines_are_distinguishable(tmp_path: Path) -> None:
    used = {"input_tokens": 10, "output_tokens": 1}
    claude(tmp_path, "s1", [answer(1, used)])
    for name in ("one", "two"):
        side = answer(2, used, agentId=name, isSidechain=True, requestId=name, uuid=name)
        side["message"]["id"] = name
        path = tmp_path / f".claude/projects/-work-app/s1/subagents/agent-{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(side) + "\n")
    aj(tmp_path, "sync", "--no-index")
    rows = aj(tmp_path, "usage", "session").stdout.splitlines()[1:4]
    assert len({row.split()[0] for row in rows}) == 3
    assert sum(" of s1: " in row for row in rows) == 2
    head, line, *_ = aj(tmp_path, "usage", "model").stdout.splitlines()
    assert (head.split()[-1], line.split()[0], line.split()[-1]) == (
        "agents",
        "model-a",
        "claude-code",
    )


def test_costs_in_sql_are_those_of_the_report(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), datetime(2026, 11, 2, tzinfo=UTC))
    priced(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    reported = {
        line["key"]: line["cost_micro_usd"] for line in aj_json(tmp_path, "usage", "agent")["items"]
    }
    query = "SELECT agent, sum(cost_usd) AS usd FROM costs GROUP BY 1"
    queried = {row["agent"]: row["usd"] for row in aj_json(tmp_path, "sql", query)["items"]}
    assert any(reported.values())
    assert queried == {
        agent: cost and pytest.approx(cost / 1e6, abs=2e-6) for agent, cost in reported.items()
    }
    columns = aj_json(tmp_path, "sql", "DESCRIBE sessions")["items"]
    assert "cost_usd" not in {column["column_name"] for column in columns}  # a second truth
    origins = "SELECT DISTINCT cost_origin AS o, cost_usd IS NULL AS u FROM costs ORDER BY 1"
    assert {(row["o"], row["u"]) for row in aj_json(tmp_path, "sql", origins)["items"]} >= {
        ("priced", False)
    }


def test_web_searches_are_counted_where_they_are_recorded(tmp_path: Path) -> None:
    priced(tmp_path)
    plain = {"input_tokens": 1, "output_tokens": 1}
    claude(tmp_path, "s1", [answer(1, plain)])
    assert total(tmp_path)["web_searches"] is None
    assert "web searches" not in aj(tmp_path, "usage", "-v").stderr
    used = [plain | {"server_tool_use": {"web_search_requests": count}} for count in (2, 3)]
    claude(tmp_path, "s2", [answer(number, one, session="s2") for number, one in enumerate(used)])
    assert total(tmp_path)["web_searches"] == 5
    assert aj(tmp_path, "usage").stderr == "cost not known: web searches (5); -v says why\n"
    assert "web searches: 5, which have no price here" in aj(tmp_path, "usage", "-v").stderr
    query = "SELECT sum(web_searches) AS n FROM costs UNION ALL SELECT sum(web_searches) FROM usage"
    assert aj_json(tmp_path, "sql", query)["items"] == [{"n": 5}, {"n": 5}]


def test_an_hour_of_cache_never_makes_a_cost_smaller(tmp_path: Path) -> None:
    priced(tmp_path)
    line = claude_line("assistant", 1, "hello")
    line["message"]["model"] = "model-a"
    line["message"]["usage"] = {
        "input_tokens": 0,
        "output_tokens": 0,
        "cache_creation_input_tokens": 0,
        "cache_creation": {"ephemeral_1h_input_tokens": 1_000_000, "ephemeral_5m_input_tokens": 0},
    }
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(line) + "\n")
    aj(tmp_path, "sync", "--no-index")
    assert aj_json(tmp_path, "usage")["totals"]["cost_micro_usd"] == 4_000_000


def test_a_shared_response_counts_where_it_would_if_all_were_read_at_once(tmp_path: Path) -> None:
    """A fork begins with the session's own lines: the one that ends first has them."""
    path = write_claude(tmp_path, "s1", 6)
    lines = path.read_text().splitlines()
    fork = path.with_name("s2.jsonl")
    fork.write_text("\n".join(lines[:4]) + "\n")
    assert aj(tmp_path, "sync").returncode == 0
    append(fork, *(claude_line("assistant", number, "more", "s2") for number in (8, 9)))
    assert aj(tmp_path, "sync").returncode == 0
    verified = aj(tmp_path, "verify")
    assert verified.returncode == 0, verified.stdout
