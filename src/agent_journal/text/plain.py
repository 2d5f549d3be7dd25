"""Session text is data: what could steer a terminal or reorder a line is taken out before a person
sees it.
"""

from __future__ import annotations

# Tab and newline stay; escape sequences, other control characters and the marks that reorder text
# (bidi) go.
_UNSAFE = {
    code: None
    for code in (
        *range(32),
        *range(127, 160),
        0x61C,
        0x200E,
        0x200F,
        *range(0x202A, 0x202F),
        *range(0x2066, 0x206A),
    )
    if code not in (9, 10)
}


def safe(text: str) -> str:
    """Text of a session without anything that could steer a terminal."""
    return text.translate(_UNSAFE)


def one_line(text: str | None, width: int) -> str:
    """Text on one line, cut to a width."""
    line = " ".join(safe(text or "").split())
    return line if len(line) <= width else line[: max(0, width - 1)] + "…"
