"""Sentences for the person on lines that fit the terminal; imported only for long ones."""

from __future__ import annotations

import re

from agent_journal.text.width import display_width, wrapped_parts

# A command in quotation marks is one word: what is copied from the terminal has no line break.
_QUOTED = re.compile(r"(?<!\w)'[^'\n]+'(?!\w)")
_LEAD = re.compile(r" *(?:aj: )?")
_FIXED_SPACE = "\xa0"
_LEAST_ROOM = 20  # columns for text; a narrower terminal breaks lines where it likes


def note_lines(text: str, width: int, hanging: int | None = None) -> list[str]:
    """Return a sentence as lines that end between words.

    What follows the first line begins at column `hanging`, or else below the text. Lines that
    cannot be broken without harm stay as they are: shell commands, and words wider than a line.
    """
    if hanging is None:
        hanging = _lead_width(text)
    room = width - hanging
    fixed = _QUOTED.sub(_with_fixed_spaces, text)
    if room < _LEAST_ROOM or not _can_break(fixed, room):
        return [text]
    lines = []
    indent = ""
    for start, end in wrapped_parts(fixed, width, room, longest_word=room):
        lines.append(indent + text[start:end].rstrip())
        indent = " " * hanging
    return lines


def _lead_width(text: str) -> int:
    lead = _LEAD.match(text)
    assert lead is not None  # it matches every text
    return len(lead[0])


def _can_break(text: str, room: int) -> bool:
    if " && " in text or "\x1b" in text:
        return False
    return all(display_width(word) <= room for word in text.split(" "))


def _with_fixed_spaces(quoted: re.Match[str]) -> str:
    return quoted[0].replace(" ", _FIXED_SPACE)
