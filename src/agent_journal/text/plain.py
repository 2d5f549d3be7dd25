"""Removes from text of sessions what could control a terminal or reorder a line."""

from __future__ import annotations

# Tab and newline stay; escape sequences, other control characters and the marks that reorder text
# (bidi) go.
_CONTROL = {*range(32), *range(127, 160)} - {ord("\t"), ord("\n")}
_BIDI = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_UNSAFE = dict.fromkeys(_CONTROL | _BIDI)


def safe(text: str) -> str:
    """Return text of a session without anything that could control a terminal."""
    return text.translate(_UNSAFE)


def one_line(text: str | None, width: int) -> str:
    """Return text on one line, cut to a width."""
    line = " ".join(safe(text or "").split())
    if len(line) <= width:
        return line
    return line[: max(0, width - 1)] + "…"
