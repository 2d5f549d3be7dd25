"""Codex: the tokens of a session."""

from __future__ import annotations

import pytest

from agent_journal.model import Usage
from tests.connectors.codex.rollouts import (
    Json,
    head,
    pieces_of,
    read_case,
    read_lines,
    sid,
    token_count,
    tokens,
    turn,
)


@pytest.mark.parametrize(
    ("case", "number", "expected"),
    [  # uncached input, cache reads, cache writes, output
        ("conversation", 1, (310, 140, 0, 60)),
        ("usage", 30, (150, 90, 10, 50)),  # resumed: the last sum
        ("usage", 31, (150, 0, 0, 29)),  # new sums were started: 100 + 30 + 20
        ("usage", 32, (0, 0, 0, 3)),
        ("usage", 33, (25, 0, 0, 3)),  # the first lines are repeated
        ("forks", 40, (30, 0, 0, 3)),
        ("forks", 41, (30, 0, 0, 3)),  # without the parent's 30
        ("forks", 42, (7, 0, 0, 1)),
        ("forks", 43, (5, 0, 0, 1)),
        ("forks", 44, (12, 0, 0, 3)),
        ("forks", 48, (8, 0, 0, 2)),  # the sum continues from an unknown count
    ],
)
def test_tokens_of_a_case(case: str, number: int, expected: tuple[int, ...]) -> None:
    assert tokens(read_case(case), sid(number)) == expected


def test_what_is_not_counted_is_unknown() -> None:
    (row,) = pieces_of(read_case("usage"), Usage, sid(32))
    assert row.input_tokens is None
    assert row.cache_read_tokens is None
    assert row.reasoning_tokens is None
    assert row.model is None


SUMS = [
    # One count was written late
    ([token_count(4, 300, 200), token_count(3, 100, 100), token_count(5, 400, 100)], 400),
    # One count is repeated, then three
    (
        [
            token_count(3, 100, 100),
            token_count(4, 300),
            token_count(5, 100, 100),
            token_count(6, 400),
        ],
        400,
    ),
    (
        [
            token_count(second, total)
            for second, total in enumerate((100, 200, 300, 100, 200, 300, 400), 3)
        ],
        400,
    ),
    # Nothing shows that a new sum was started
    ([token_count(3, 300), token_count(4, 100)], 300),
    # A new sum was started, and continues
    ([token_count(3, 300), token_count(4, 50), token_count(5, 50), token_count(6, 90)], 390),
    ([token_count(3, 300), token_count(4, 50, 50), token_count(5, 90, 40)], 390),
    # The first response of a new sum
    ([token_count(3, 300), token_count(4, 50, 50)], 350),
    ([token_count(3, 300), token_count(4, 0, 0), token_count(5, 90)], 390),
    # Damaged numbers
    (
        [
            token_count(3, 100.0),
            token_count(4, "200"),
            token_count(5, -5),
            token_count(6, 2**60),
            token_count(7, 300),
        ],
        300,
    ),
    ([token_count(3, 100), token_count(4, 200, output=[]), token_count(5, 300, output=2)], 300),
]


@pytest.mark.parametrize(("counts", "expected"), SUMS)
def test_the_tokens_of_a_session_are_its_last_sum(counts: list[Json], expected: int) -> None:
    records = [head(0, 1), *turn(1, "a", "b"), *counts]
    assembly = read_lines(*records, name=f"sessions/rollout-{sid(1)}.jsonl")
    assert tokens(assembly, sid(1))[0] == expected


def test_a_damaged_count_is_a_problem() -> None:
    assembly = read_lines(head(0, 1), *turn(1, "a", "b"), token_count(3, "200"))
    (ledger,) = assembly.ledgers.values()
    assert [trouble.reason for trouble in ledger.troubles] == [
        "input_tokens of a token count is not a number"
    ]
