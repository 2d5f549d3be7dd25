"""Disciplines, their trials, and what a trial reports."""

from __future__ import annotations

import random
from typing import NamedTuple, Protocol


class Report(NamedTuple):
    """What one trial did. `row` is the row of the table that it belongs to."""

    row: str
    counts: dict[str, int]


class Failed(NamedTuple):
    """A trial in which an invariant did not hold."""

    discipline: str
    number: int
    row: str
    what: str


class Discipline(Protocol):
    """One kind of hostility.

    A trial follows from the seed and its number alone, so that it can be repeated.
    """

    name: str
    weight: int  # its share of the time

    def __init__(self, folder: str) -> None: ...

    def row(self, number: int) -> str:
        """The row of the table that a trial belongs to."""

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Try once; raises `Broken`. Returns what to add to the table besides the try."""


def random_of(seed: int, name: str, number: int) -> random.Random:
    """The random numbers of one trial."""
    return random.Random(f"{seed} {name} {number}")
