"""Blocks of private keys: PEM, OpenPGP, PuTTY."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator

from agent_journal.text.redaction.secret import Secret, as_secret

_LONGEST_KEY = 20_000  # characters between head and end
_SHORTEST_KEY = 20
_KEY_HEAD = re.compile(r"-----BEGIN [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_KEY_END = re.compile(r"-----END [A-Z0-9 ]{0,30}PRIVATE KEY(?: BLOCK)?-----")
_BETWEEN_LINES = r"""(?:\s|\\{1,16}[rn]|["'+,>|-]){0,40}+"""
_KEY_LINES = re.compile(
    rf"(?:{_BETWEEN_LINES}(?:(?:Proc-Type|DEK-Info|Version|Comment): ?[^\r\n\\]{{0,200}}+"
    r"|[A-Za-z0-9+/=]{24,}+))++"
    r"(?:(?:\s|\\{1,16}[rn])++[A-Za-z0-9+/=]{1,64}+(?=\s*\Z|[\r\n\\\"']))?"
)


# Backwards: a line break, perhaps as JSON writes it, and the line before it
_BREAK_BACKWARDS = r"[ ]{0,20}(?:[+-]?(?:\n\r?|[nr]\\{1,16})){1,2}"
_LINES_BACKWARDS = re.compile(
    rf"{_BREAK_BACKWARDS}[A-Za-z0-9+/=]{{1,76}}+(?:{_BREAK_BACKWARDS}[A-Za-z0-9+/=]{{24,76}}+){{0,400}}"
)


def find_private_keys(text: str) -> Iterator[Secret]:
    """Yield blocks of private keys, also where the end is missing."""
    if "PRIVATE KEY" in text:
        yield from _blocks(text)
    if "Private-Lines" in text:
        yield from _of_putty(text)


def _blocks(text: str) -> Iterator[Secret]:
    heads = list(_KEY_HEAD.finditer(text))
    ends = list(_KEY_END.finditer(text))
    for number, head in enumerate(heads):
        following = heads[number + 1].start() if number + 1 < len(heads) else len(text)
        end = _end_between(ends, head.end(), min(following, head.end() + _LONGEST_KEY + 1))
        if end is None:
            end = _KEY_LINES.match(text, head.end())
        elif end.start() - head.end() < _SHORTEST_KEY:
            end = None
        if end is not None:
            yield as_secret("private-key", head.start(), end.end(), "-----BEGIN")
    yield from _without_head(text, heads, ends)


def _without_head(
    text: str, heads: list[re.Match[str]], ends: list[re.Match[str]]
) -> Iterator[Secret]:
    """Yield keys of which the beginning was cut off."""
    at = 0
    for end in ends:
        before = bisect_left(heads, end.start(), key=lambda head: head.start())
        if before:
            at = max(at, heads[before - 1].end())
        start = _first_line(text, max(at, end.start() - _LONGEST_KEY), end.start())
        is_key = end.start() - start >= _SHORTEST_KEY
        if is_key and not (before and at == heads[before - 1].end()):
            yield as_secret("private-key", start, end.end(), "-----END")
        at = end.end()


def _first_line(text: str, stop: int, at: int) -> int:
    """Return where the lines of a key begin that go on up to a place."""
    lines = _LINES_BACKWARDS.match(text[stop:at][::-1])
    if lines is None:
        return at
    return at - lines.end()


def _end_between(ends: list[re.Match[str]], start: int, stop: int) -> re.Match[str] | None:
    """Return the first end that begins in a range."""
    place = bisect_left(ends, start, key=lambda end: end.start())
    if place < len(ends) and ends[place].start() < stop:
        return ends[place]
    return None


_PUTTY_LINES = re.compile(r"Private-Lines: ?[0-9]{1,3}")
_PUTTY_SUM = re.compile(r"Private-MAC: ?(?P<sum>[0-9a-f]{32,64})")


def _of_putty(text: str) -> Iterator[Secret]:
    for head in _PUTTY_LINES.finditer(text):
        lines = _KEY_LINES.match(text, head.end())
        if lines is not None:
            yield as_secret("private-key", head.end(), lines.end(), "Private-Lines")
    for line in _PUTTY_SUM.finditer(text):
        yield as_secret("private-key", line.start("sum"), line.end("sum"), "")
