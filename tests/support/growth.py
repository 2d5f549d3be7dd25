"""Whether the work of a function grows with its input, not with the square of it."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TypeVar

Input = TypeVar("Input")

FACTOR = 8  # how much longer the longer input is
LIMIT = 3 * FACTOR  # between linear (8 times) and quadratic (64 times)
RUNS = 5
# Shorter times are mostly noise.
SHORTEST = 0.001


def assert_linear(work: Callable[[Input], object], make: Callable[[int], Input], size: int) -> None:
    """Compare the CPU time for an input of a size with that for one eight times as long.

    `make` makes the input of a size. The least of several runs counts, so other processes do not
    matter; the first pair that is within the limit is enough.
    """
    small_input = make(size)
    large_input = make(size * FACTOR)
    small = large = float("inf")
    for _ in range(RUNS):
        small = min(small, _cpu_time(work, small_input))
        large = min(large, _cpu_time(work, large_input))
        if large < LIMIT * max(small, SHORTEST):
            return
    raise AssertionError(
        f"{large * 1000:.0f} ms for {FACTOR} times the input of {small * 1000:.1f} ms"
    )


def _cpu_time(work: Callable[[Input], object], value: Input) -> float:
    started = time.process_time()
    work(value)
    return time.process_time() - started
