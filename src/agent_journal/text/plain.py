"""Removes from text of sessions what could control a terminal or reorder a line."""

from __future__ import annotations

import re

# An OSC that has no end loses only what opens it: what follows may be text. So does an escape that
# begins nothing. Every command imports this module, and few of them need the patterns: they are
# compiled when they are used.
ESCAPES = (
    r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\n]*(?:\x07|\x1b\\)|[@-Z\\-_]|[ -/]+[0-~])?"
    r"|\x9b[0-9;:?]*[A-Za-z]?"
)
# Tab and newline stay; escape sequences, other control characters and the marks that reorder text
# (bidi) go.
_CONTROL = {*range(32), *range(127, 160)} - {ord("\t"), ord("\n")}
_BIDI = {0x61C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)}
_UNSAFE = dict.fromkeys(_CONTROL | _BIDI)
_SHORT_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\t": "\\t"}
_PLAIN_WORD = r"[\w.:/-]+\Z"
_AS_ESCAPES = {number: f"\\u{number:04x}" for number in _UNSAFE}


def safe(text: str) -> str:
    """Return text of a session without anything that could control a terminal."""
    if text.isascii() and text.isprintable():
        return text
    return without_escapes(text).translate(_UNSAFE)


def escaped_json(text: str) -> str:
    """Return JSON that means the same, with such characters written as \\uXXXX."""
    return text.translate(_AS_ESCAPES)


def without_escapes(text: str) -> str:
    """Return text without the sequences that set colours and move the cursor."""
    if "\x1b" not in text and "\x9b" not in text:
        return text
    return re.sub(ESCAPES, "", text)


def one_line(text: str | None, width: int | None = None) -> str:
    """Return text on one line, cut to a width where one is given."""
    line = " ".join(safe(text or "").split())
    if width is None or len(line) <= width:
        return line
    return line[: max(0, width - 1)] + "…"


def quoted_path(path: str) -> str:
    """Return a path as git prints it: in quotes, with escapes, where it has odd letters."""
    escaped = "".join(map(_escaped_letter, path))
    if escaped == path:
        return path
    return f'"{escaped}"'


def _escaped_letter(letter: str) -> str:
    if letter in _SHORT_ESCAPES:
        return _SHORT_ESCAPES[letter]
    if letter == " " or letter.isprintable():
        return letter
    data = letter.encode("utf-8", "surrogateescape")
    return "".join(f"\\{byte:03o}" for byte in data)


def shell_word(text: str) -> str:
    """Return text as one word of a command that may be copied: on one line, and never run."""
    word = one_line(text, 400)
    if re.match(_PLAIN_WORD, word, re.ASCII):
        return word
    import shlex

    return shlex.quote(word)
