"""Tokens of Copilot CLI: what counts of the places that describe the same calls."""

from __future__ import annotations

import pytest

from agent_journal.model import Usage
from tests.connectors.copilot_cli.cases import case, pieces
from tests.connectors.copilot_cli.counting import counted, totals


@pytest.mark.parametrize(
    ("session_id", "expected"),
    [  # fresh input, cache read, cache write, output, requests
        ("segments", (140, 0, 0, 13, 2)),  # each shutdown has only its segment
        ("cumulative", (140, 0, 0, 0, 2)),  # the second includes the first
        ("mixed", (190, 0, 0, 0, 3)),  # one that is not cumulative, then one that is
        ("snapshot", (130, 0, 0, 0, 2)),  # cumulative by its accountingSnapshot, without a resume
        ("smaller", (140, 0, 0, 0, 4)),  # less than the first: counted as it is
        ("records", (60, 120, 20, 14, 2)),  # a repeated sequence counts once
        ("compacted", (30 + 30, 60 + 20, 10, 7 + 3, 2)),  # not in the totals of the shutdown
        ("compacted-old", (100 + 30, 20, 0, 9 + 3, 2)),
        ("messages", (0, 0, 0, 13, 2)),
        ("count-only", (0, 0, 0, 9, 1)),
        ("strange", (0, 0, 0, 3, 2)),
    ],
)
def test_usage(session_id: str, expected: tuple[int, ...]) -> None:
    assert totals(case("usage"), session_id) == expected


def test_usage_in_detail() -> None:
    assembly = case("usage")
    first, second = counted(assembly, "records")
    assert (first.key, first.rank, first.segment, first.origin) == (
        "records:1",
        30,
        0,
        "usage_record",
    )
    assert (first.reasoning_tokens, first.cost_micro_usd, first.premium_requests) == (
        2,
        20_000,
        1.0,
    )
    assert second.premium_requests is None  # the agent's own calls are not billed as requests
    costs = [
        (row.segment, row.cost_micro_usd, row.premium_requests) for row in counted(assembly, "cost")
    ]
    assert costs == [(0, 30_000, 1.0), (1, 20_000, 1.0)]
    partial = counted(assembly, "snapshot")[1]
    assert partial.cost_micro_usd is None
    message = counted(assembly, "messages")[0]
    assert (message.key, message.message_id, message.input_tokens) == (
        "messages-m1",
        "messages-m1",
        None,
    )
    compaction = next(row for row in counted(assembly, "compacted") if row.origin == "compaction")
    assert (compaction.key, compaction.segment, compaction.rank) == ("compaction:att", 1, 30)


def test_missing_counts_stay_missing() -> None:
    assembly = case("usage")
    rows = pieces(assembly, Usage, "strange")
    assert [(row.model, row.input_tokens, row.output_tokens) for row in rows] == [
        (None, None, 3),
        (None, None, None),
    ]
