"""How long the texts of a home are, and how often there are any.

HOME has the figures of a home that was measured: 344 MB in 2,023 logs with 28,600 messages and
26,200 tool calls, 51 MB of results, 13 MB of arguments and 13 MB of prose; everything else is what
agents write around it. DENSE is a home of short chats, which have much more text in a megabyte.
"""

from __future__ import annotations

import math
from random import Random
from typing import NamedTuple


class Length(NamedTuple):
    """A log-normal distribution of lengths, in characters."""

    median: float
    p95: float
    most: int

    def draw(self, rng: Random) -> int:
        """One of the lengths."""
        sigma = math.log(self.p95 / self.median) / 1.645
        return min(self.most, int(rng.lognormvariate(math.log(self.median), sigma)))


class Mix(NamedTuple):
    """What the sessions of a home consist of."""

    prompt: Length
    answer: Length
    thought: Length
    result: Length
    command: Length
    rounds: tuple[int, ...]  # answers with calls between a prompt and its last answer
    calls: tuple[int, ...] = (1, 1, 1, 2)  # of one answer
    speaks: float = 0.32  # share of the answers with calls that also have text
    thinks: float = 0.4
    hooks: float = 0.4  # progress records of hooks, for each call
    remarks: int = 5  # attachments of a prompt, fewer than
    notes: bool = True  # whether a turn has a snapshot and its duration


HOME = Mix(
    prompt=Length(84, 3_400, 20_000),
    answer=Length(260, 1_900, 12_000),
    thought=Length(330, 1_500, 8_000),
    result=Length(540, 8_900, 60_000),
    command=Length(150, 1_500, 12_000),
    rounds=(1, 2, 4, 6, 9, 14, 22, 40),
)
DENSE = Mix(
    prompt=Length(140, 1_500, 6_000),
    answer=Length(700, 2_500, 9_000),
    thought=Length(300, 900, 3_000),
    result=Length(400, 3_000, 8_000),
    command=Length(90, 400, 2_000),
    rounds=(0, 0, 0, 0, 0, 0, 0, 1),
    thinks=0.0,
    hooks=0.0,
    remarks=1,
    notes=False,
)
