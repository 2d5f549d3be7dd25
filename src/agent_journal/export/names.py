"""File names made of session titles, which may hold anything."""

from __future__ import annotations

import re
import unicodedata

_MAX = 80  # characters, all ASCII: file systems end at 255 bytes
_RESERVED = re.compile(r"(?i)(?:con|prn|aux|nul|com\d|lpt\d)\Z")  # Windows takes these for devices


def file_name(title: str | None, session_id: str, suffix: str, taken: set[str]) -> str:
    """A name of letters, digits and hyphens that is not in `taken`; it is added there."""
    words = _plain(title or "")[:_MAX].strip("-")
    short = _plain(session_id.rpartition("/")[2])[:8].strip("-")
    stem = "-".join(filter(None, (words, short))) or "session"
    if _RESERVED.match(stem):
        stem += "-session"
    name = f"{stem}{suffix}"
    number = 1
    while name in taken:
        number += 1
        name = f"{stem}-{number}{suffix}"
    taken.add(name)
    return name


def _plain(text: str) -> str:
    letters = unicodedata.normalize("NFKD", text[:400]).encode("ascii", "ignore").decode().lower()
    return re.sub(r"[^a-z0-9]+", "-", letters).strip("-")
