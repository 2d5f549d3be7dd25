"""What the rules find: a secret in a text."""

from __future__ import annotations

from typing import NamedTuple


class Secret(NamedTuple):
    """A secret in a text: its kind, where it is, and a hint that gives nothing away."""

    kind: str
    start: int
    end: int
    masked: str


def as_secret(kind: str, start: int, end: int, shown: str) -> Secret:
    """Return a finding; the hint shows the characters that every secret of its kind begins with."""
    return Secret(kind, start, end, f"{shown}… ({end - start:,} characters)")
