"""Sums of rows: whatever two rows swap, the sum is another one."""

from __future__ import annotations

import random

from agent_journal.store.catalog.comparison import sum_of_row


def test_rows_that_swap_a_value_have_another_sum() -> None:
    rng = random.Random(7)
    for _ in range(2_000):
        one, other = rng.sample(range(10**6), 2)
        as_it_is = sum_of_row(("key", 0, one)) + sum_of_row(("key", 1, other))
        swapped = sum_of_row(("key", 0, other)) + sum_of_row(("key", 1, one))
        assert as_it_is != swapped


def test_the_order_of_rows_does_not_matter() -> None:
    rows = [("key", number, None, 0.5, b"raw") for number in range(100)]
    backwards = sum(sum_of_row(row) for row in reversed(rows))
    assert sum(sum_of_row(row) for row in rows) == backwards
