"""Requests that only the agent's own total of a session counts."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_journal.health.own_counts import differences
from agent_journal.health.verify import verify
from tests.support.journals import append, claude_line, open_journal, write_claude

PROJECT = ".claude/projects/-work-app"
MODEL = "claude-opus-5-5"
# Of each answer that write_claude writes
INPUT, OUTPUT, CACHED = 10, 5, 100


def cost_state(session: str, requests: int, model: str = MODEL, **more: int) -> dict[str, Any]:
    """The total of a number of requests of that size."""
    usage = {
        "inputTokens": INPUT * requests,
        "outputTokens": OUTPUT * requests,
        "cacheReadInputTokens": CACHED * requests,
        "cacheCreationInputTokens": 0,
        "cacheCreationEphemeral1hInputTokens": 0,
        **more,
    }
    return {"type": "cost-state", "sessionId": session, "modelUsage": {model: usage}}


def tokens(home: Path) -> dict[str, tuple[int, int]]:
    """Input and output of each session after a sync."""
    with open_journal(home) as journal:
        journal.sync(index=False)
        assert verify(journal.db, journal.archive).differences == []
        rows = journal.db.execute(
            "SELECT uid, input_tokens, output_tokens FROM sessions WHERE is_known = 1"
        )
        return {uid: (fresh, output) for uid, fresh, output in rows}


def test_a_compaction_counts(tmp_path: Path) -> None:
    path = write_claude(tmp_path)  # two answers
    append(path, cost_state("s1", 2))
    assert tokens(tmp_path) == {"s1": (2 * INPUT, 2 * OUTPUT)}
    append(path, cost_state("s1", 3, f"{MODEL}[1m]"))
    assert tokens(tmp_path) == {"s1": (3 * INPUT, 3 * OUTPUT)}
    write_claude(tmp_path, count=2, start=4)  # its total has not been written yet
    assert tokens(tmp_path) == {"s1": (4 * INPUT, 4 * OUTPUT)}
    append(path, cost_state("s1", 4))
    assert tokens(tmp_path) == {"s1": (4 * INPUT, 4 * OUTPUT)}


def test_sub_agents_are_part_of_the_total(tmp_path: Path) -> None:
    append(write_claude(tmp_path), cost_state("s1", 4))
    assert tokens(tmp_path)["s1"] == (4 * INPUT, 4 * OUTPUT)
    lines = [
        claude_line("assistant", number, "done", "a1", sessionId="s1", isSidechain=True)
        for number in (1, 2)
    ]
    append(tmp_path / PROJECT / "s1/subagents/agent-a1.jsonl", *lines)
    both = (2 * INPUT, 2 * OUTPUT)
    assert tokens(tmp_path) == {"s1": both, "s1/agent-a1": both}


def test_a_fork_has_the_total_of_its_origin(tmp_path: Path) -> None:
    origin = write_claude(tmp_path)
    copied = origin.read_text().replace('"sessionId": "s1"', '"sessionId": "s2"')
    append(origin, cost_state("s1", 3))
    lines = [claude_line("user", 4, "and now?"), claude_line("assistant", 5, "now this")]
    own = [json.dumps({**line, "sessionId": "s2"}) + "\n" for line in lines]
    append(tmp_path / PROJECT / "s2.jsonl", copied, *own, cost_state("s2", 4))
    assert tokens(tmp_path) == {"s1": (3 * INPUT, 3 * OUTPUT), "s2": (INPUT, OUTPUT)}


@pytest.mark.parametrize("requests", [1, 0])
def test_a_total_that_leaves_something_out_adds_nothing(tmp_path: Path, requests: int) -> None:
    path = write_claude(tmp_path)
    append(path, cost_state("s1", requests, inputTokens=1_000))
    assert tokens(tmp_path) == {"s1": (2 * INPUT, 2 * OUTPUT)}
    with open_journal(tmp_path) as journal:
        [found] = differences(journal.db, "claude-code")
    assert (found.own, found.journal) == (OUTPUT * requests, 2 * OUTPUT)
    assert "interrupted" in found.why


def test_totals_with_a_window_with_odd_values_and_without_the_hour(tmp_path: Path) -> None:
    """Both names are one model; an entry of another shape, or a missing part, voids no other."""
    total = cost_state("s1", 2)
    usage = total["modelUsage"]
    del usage[MODEL]["cacheCreationEphemeral1hInputTokens"]
    usage[f"{MODEL}[1m]"] = dict(usage[MODEL])
    usage["odd"] = None
    append(write_claude(tmp_path), total)
    assert tokens(tmp_path) == {"s1": (4 * INPUT, 4 * OUTPUT)}
