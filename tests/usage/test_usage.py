"""Tokens and cost, against sums done by hand; prices; zones; what is unknown."""

from __future__ import annotations

import json
import random
import re
import sqlite3
import subprocess
import sys
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import genai_prices
import pytest
from genai_prices.data_snapshot import get_snapshot
from genai_prices.types import ModelPrice, TieredPrices

from agent_journal.cli.output import human_money
from agent_journal.demo import write_demo_home
from agent_journal.store.catalog.sums import QUARTER, SIZES, SUMS
from agent_journal.text.dates import parse_bound
from agent_journal.usage.prices import KINDS, SCALE, Book
from tests.support.journals import aj, aj_json, claude_line, open_journal, variables, write_claude

PRICES = """
[pricing."model-a"]
input = 2
output = 10
cache_read = 0.5
cache_write = 3
cache_write_1h = 4
[pricing."model-b"]
input = 1
output = 5
"""


def priced(home: Path, text: str = PRICES) -> None:
    (home / ".agent-journal").mkdir(exist_ok=True)
    (home / ".agent-journal/config.toml").write_text(text)


def answer(
    number: int, tokens: dict[str, Any], model: str = "model-a", session: str = "s1", **more: Any
) -> Any:
    line = claude_line("assistant", number, "said", session, **more)
    line["message"] |= {"model": model, "usage": tokens}
    return line


def claude(home: Path, session: str, lines: list[Any]) -> None:
    path = home / f".claude/projects/-work-app/{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def copilot(home: Path, session: str, *events: tuple[str, dict[str, Any]]) -> None:
    path = home / f".copilot/session-state/{session}/events.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    start = ("session.start", {"sessionId": session, "version": 1, "producer": "copilot-agent"})
    with path.open("w") as out:
        for number, (kind, data) in enumerate((start, *events)):
            when = f"2026-03-01T10:00:{number:02d}.000Z"
            out.write(
                json.dumps(
                    {"type": kind, "data": data, "id": f"{session}-{number}", "timestamp": when}
                )
                + "\n"
            )


def shutdown(
    count: int, fresh: int, output: int, model: str = "model-a"
) -> tuple[str, dict[str, Any]]:
    usage = {
        "inputTokens": fresh,
        "outputTokens": output,
        "cacheReadTokens": 0,
        "cacheWriteTokens": 0,
    }
    metrics = {model: {"requests": {"count": count, "cost": 0}, "usage": usage}}
    return "session.shutdown", {"shutdownType": "routine", "modelMetrics": metrics}


def total(home: Path, *args: str) -> dict[str, Any]:
    aj(home, "sync", "--no-index")
    found: dict[str, Any] = aj_json(home, "usage", *args)["totals"]
    return found


def tokens(found: dict[str, Any]) -> tuple[Any, ...]:
    return tuple(
        found[f"{name}_tokens"]
        for name in ("input", "cache_read", "cache_write", "cache_write_1h", "output")
    )


# -- by hand -----------------------------------------------------------------------------------


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


def codex(
    home: Path, number: int, counts: list[tuple[int, int, int]], fork_of: int | None = None
) -> None:
    """A rollout with cumulative counts: input with the cache in it, cache, output; a fork begins
    with a copy.
    """
    name = f"019a4389-{0x1000 + number:04x}-7000-8000-{number:012d}"
    meta = {
        "id": name,
        "timestamp": "2026-11-02T09:00:00.000Z",
        "cwd": "/work/app",
        "cli_version": "0.60.0",
    }
    if fork_of is not None:
        meta["forked_from_id"] = f"019a4389-{0x1000 + fork_of:04x}-7000-8000-{fork_of:012d}"
    records: list[tuple[str, dict[str, Any]]] = [
        ("session_meta", meta),
        ("turn_context", {"model": "model-a"}),
    ]
    for place, (whole, cached, output) in enumerate(counts):
        content = [{"type": "input_text", "text": f"question {place}"}]
        records.append(("response_item", {"type": "message", "role": "user", "content": content}))
        content = [{"type": "output_text", "text": f"answer {place}"}]
        records.append(
            ("response_item", {"type": "message", "role": "assistant", "content": content})
        )
        used = {"input_tokens": whole, "cached_input_tokens": cached, "output_tokens": output}
        records.append(("event_msg", {"type": "token_count", "info": {"total_token_usage": used}}))
    path = home / f".codex/sessions/2026/11/02/rollout-2026-11-02T09-00-00-{name}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = (
        {
            "timestamp": f"2026-11-02T09:{number:02d}:{place:02d}.000Z",
            "type": kind,
            "payload": payload,
        }
        for place, (kind, payload) in enumerate(records)
    )
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


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
    assert "unpriced: model-c, 1,100 tokens: no price is known" in printed.stderr
    assert "$0.0045 + ?" in printed.stdout


@pytest.mark.parametrize(
    ("resume", "second", "expected"),
    [
        ({}, shutdown(1, 40, 4), (140, 14)),  # each end tells of its own segment: add them up
        # Each tells of all so far: the last counts
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


def test_recorded_costs_are_preferred_and_credits_told(tmp_path: Path) -> None:
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
    assert "not all its tokens were recorded" in aj(tmp_path, "usage").stderr


# -- sums and prices ---------------------------------------------------------------------------


def test_sums_are_those_of_all_rows_after_any_change(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        write_claude(tmp_path, "s1", 6)
        journal.sync(index=False)
        path = write_claude(tmp_path, "s1", 4, start=6)
        path.write_text(path.read_text().replace("text 1", "other"))
        journal.sync(index=False)
        assert journal.db is not None
        for table, query in SUMS.items():
            kept = journal.db.execute(f"SELECT * FROM {table} ORDER BY 1, 2, 3, 4").fetchall()
            made = journal.db.execute(f"{query.format(which='1')} ORDER BY 1, 2, 3, 4").fetchall()
            assert kept == made, table
            assert kept, table


def test_every_length_from_which_a_price_changes_is_told_apart() -> None:
    """When this fails, a new version of genai-prices knows a length that the sums do not: they need
    a migration.
    """
    starts = set()
    for provider in get_snapshot().providers:
        for model in provider.models:
            prices = (
                [model.prices]
                if isinstance(model.prices, ModelPrice)
                else [one.prices for one in model.prices]
            )
            for price in prices:
                for kind in KINDS:
                    rate = getattr(price, f"{kind}_mtok", None)
                    starts |= (
                        {tier.start for tier in rate.tiers}
                        if isinstance(rate, TieredPrices)
                        else set()
                    )
    assert starts <= set(SIZES)


def test_prices_are_those_of_genai_prices(tmp_path: Path) -> None:
    """Its own calculation, call by call, at many dates and lengths."""
    book = Book(str(tmp_path), {})
    models = (
        "claude-opus-5-5",
        "claude-sonnet-4-5",
        "claude-sonnet-4",
        "gpt-5",
        "gemini-2.5-pro",
        "deepseek-chat",
    )
    book.learn(models)
    rng = random.Random(6)
    for _ in range(300):
        model = rng.choice(models)
        when = datetime.fromtimestamp(rng.randrange(1_700_000_000, 1_790_000_000) // 900 * 900, UTC)
        fresh, read, write, output = (rng.choice((0, 10, 999, 150_000, 300_000)) for _ in range(4))
        size = sum(fresh + read + write > one for one in SIZES)
        rates = book.rates(model, int(when.timestamp() * 1e6) // QUARTER, size)
        assert rates is not None, model
        ours = (
            fresh * rates["input"]
            + read * rates["cache_read"]
            + write * rates["cache_write"]
            + output * rates["output"]
        )
        usage = genai_prices.Usage(
            input_tokens=fresh + read + write,
            cache_read_tokens=read,
            cache_write_tokens=write,
            output_tokens=output,
        )
        theirs = genai_prices.calc_price(usage, model, genai_request_timestamp=when).total_price
        assert Decimal(ours) / SCALE == theirs * 1_000_000, (
            model,
            when,
            fresh,
            read,
            write,
            output,
        )


def test_what_is_not_known_is_unpriced_not_free(tmp_path: Path) -> None:
    book = Book(str(tmp_path), {})
    book.learn(["no-such-model-at-all", "unknown"])
    assert not book.is_priced("no-such-model-at-all")
    assert book.rates("no-such-model-at-all", 0, 0) is None
    assert not Book(str(tmp_path), {}).is_priced("unknown")


def test_prices_are_looked_up_once(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    first = aj_json(tmp_path, "usage")
    assert first["totals"]["cost_micro_usd"] > 0
    code = (
        "import sys; from agent_journal.cli.main import run; run(['usage', '--json']); "
        "assert not {'genai_prices', 'pydantic', 'duckdb', 'decimal', 'zoneinfo'} & set(sys.modules), sys.modules"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        env=variables(tmp_path),
        check=True,
        capture_output=True,
        text=True,
    )
    assert json.loads(done.stdout)["totals"] == first["totals"]
    assert first["prices"]["version"] == genai_prices.__version__
    assert first["prices"]["dated"] <= datetime.now(UTC).date().isoformat()
    (tmp_path / ".agent-journal/index/prices.json").write_text("{torn")
    assert aj_json(tmp_path, "usage")["totals"] == first["totals"]


@pytest.mark.parametrize(
    "text",
    [
        '[pricing."m"]\ninput = 1',
        '[pricing."m"]\ninput = "1"\noutput = 1',
        '[pricing."m"]\ninput = 1\noutput = -1',
        '[pricing."m"]\ninput = 1\noutput = 1\nreads = 1',
        "pricing = 3",
        'pricing.m = "x"',
    ],
)
def test_prices_that_cannot_be_are_named(tmp_path: Path, text: str) -> None:
    priced(tmp_path, text)
    done = aj(tmp_path, "usage")
    assert done.returncode == 2
    assert "pricing" in done.stderr


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
    assert 0 < sum(one["total_tokens"] for one in agents) < everything
    assert aj_json(tmp_path, "usage", "--until", "2020-01-01")["items"] == []
    by_project = aj_json(tmp_path, "usage", "project")["items"]
    part = aj_json(tmp_path, "usage", "--project", "sam/relay")["totals"]["total_tokens"]
    assert part == next(item["total_tokens"] for item in by_project if item["key"] == "sam/relay")


def test_an_empty_journal_has_used_nothing(tmp_path: Path) -> None:
    done = aj(tmp_path, "usage")
    assert done.returncode == 0
    assert "nothing was used" in done.stderr
    assert aj_json(tmp_path, "usage")["totals"]["cost_micro_usd"] is None


@pytest.mark.parametrize(("name", "start"), [("x.svg", b"<svg"), ("x.png", b"\x89PNG\r\n")])
def test_a_chart_is_drawn(tmp_path: Path, name: str, start: bytes) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    assert aj(tmp_path, "usage", "--plot", str(tmp_path / name)).returncode == 0
    assert (tmp_path / name).read_bytes().startswith(start)
    assert aj(tmp_path, "usage", "--plot", str(tmp_path / "x.gif")).returncode == 2
    done = aj(tmp_path, "usage", "--until", "2020-01-01", "--plot", str(tmp_path / name))
    assert (done.returncode, "nothing was used in that time: no chart is drawn" in done.stderr) == (
        2,
        True,
    )
    assert (tmp_path / name).read_bytes().startswith(start)


def svg_texts(home: Path, *args: str) -> list[str]:
    aj(home, "sync", "--no-index")
    done = aj(home, "usage", *args, "--plot", str(home / "x.svg"))
    assert done.returncode == 0, done.stderr
    return re.findall(r"<text [^>]*>([^<]*)</text>", (home / "x.svg").read_text())


def test_a_chart_shows_what_is_not_known_and_days_without_use(tmp_path: Path) -> None:
    priced(tmp_path)
    used = {"input_tokens": 1_000_000, "output_tokens": 1_000}
    first, second = answer(1, used), answer(2, used, model="nobody-knows-this-one")
    third = answer(3, used, model="another-unpriced-model")
    second["timestamp"], third["timestamp"] = "2026-11-01T12:00:00.000Z", "2026-11-04T12:00:00.000Z"
    claude(tmp_path, "s1", [first, second, third])
    texts = svg_texts(tmp_path, "daily", "--timezone", "UTC")
    assert "Cost in dollars, daily" in texts
    assert [text for text in texts if text.startswith("2026-")] == [
        f"2026-11-0{day}" for day in (1, 2, 3, 4)
    ]
    assert (texts.count("?"), texts.count("+ ?"), texts.count("hatched, ?: not known")) == (1, 1, 1)
    texts = svg_texts(tmp_path, "model")
    assert {"model-a", "nobody-knows-this-one"} <= set(texts)
    assert texts.count("?") == 2
    assert svg_texts(tmp_path, "monthly")[0] == "Cost in dollars, monthly"


def test_long_names_are_cut_visibly(tmp_path: Path) -> None:
    used = {"input_tokens": 10, "output_tokens": 1}
    claude(
        tmp_path,
        "s1",
        [answer(n, used, model=f"a-model-with-a-name-{n}-that-is-long") for n in range(1, 20, 2)],
    )
    names = [text for text in svg_texts(tmp_path, "model") if text.startswith("a-model")]
    assert len(names) == 10
    assert all(name.endswith("…") for name in names)


def test_amounts_below_a_cent_are_told() -> None:
    told = {
        0: "$0.00",
        7: "$0.000007",
        2_965: "$0.003",
        4_500: "$0.0045",
        9_999: "$0.01",
        10_000: "$0.01",
        1_234_567_890: "$1,234.57",
    }
    assert {micros: human_money(micros) for micros in told} == told


def test_lines_are_told_apart(tmp_path: Path) -> None:
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
    told = {
        line["key"]: line["cost_micro_usd"] for line in aj_json(tmp_path, "usage", "agent")["items"]
    }
    query = "SELECT agent, sum(cost_usd) AS usd FROM costs GROUP BY 1"
    asked = {row["agent"]: row["usd"] for row in aj_json(tmp_path, "sql", query)["items"]}
    assert any(told.values())
    assert asked == {
        agent: cost and pytest.approx(cost / 1e6, abs=2e-6) for agent, cost in told.items()
    }
    origins = "SELECT DISTINCT cost_origin AS o, cost_usd IS NULL AS u FROM costs ORDER BY 1"
    assert {(row["o"], row["u"]) for row in aj_json(tmp_path, "sql", origins)["items"]} >= {
        ("priced", False)
    }


@pytest.mark.parametrize("table", ["usage_sums", "message_sums", "tool_sums", "edit_sums"])
def test_verify_adds_up_again(tmp_path: Path, table: str) -> None:
    write_demo_home(str(tmp_path), datetime(2026, 11, 2, tzinfo=UTC))
    aj(tmp_path, "sync", "--no-index")
    assert aj(tmp_path, "verify").returncode == 0
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as db:
        db.execute(f"DELETE FROM {table}")
    db.close()
    done = aj(tmp_path, "verify")
    assert (done.returncode, f"the sums in {table}" in done.stdout) == (1, True)


def test_absurd_numbers_cost_only_themselves(tmp_path: Path) -> None:
    """Sums of them would not fit into 64 bits, and no sync would end."""
    folder = tmp_path / ".gemini/tmp/p/chats"
    folder.mkdir(parents=True)
    head = {
        "sessionId": "abcdabcd-0",
        "projectHash": "x",
        "startTime": "2026-01-01T00:00:00Z",
        "kind": "main",
    }
    said = {
        "timestamp": "2026-01-01T00:00:00Z",
        "type": "gemini",
        "content": "x",
        "model": "model-a",
    }
    lines = [said | {"id": f"m{n}", "tokens": {"input": 2**48, "output": 1}} for n in range(33_000)]
    text = "".join(json.dumps(line) + "\n" for line in (head, *lines))
    (folder / "session-2026-01-01T00-00-abcdabcd.jsonl").write_text(text)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (line,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert (line["input_tokens"], line["output_tokens"]) == (None, 33_000)


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
