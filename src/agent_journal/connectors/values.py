"""Foreign JSON, taken for what it should be: a value of another type is treated as missing."""

from __future__ import annotations

import hashlib
import re
from typing import Any

_ODD = re.compile(r"[^A-Za-z0-9_.-]|^\.+$")
_TITLE_LENGTH = 200


def string(value: object) -> str | None:
    """A text that is not empty, or None."""
    return value if isinstance(value, str) and value else None


def integer(value: object) -> int | None:
    """A whole number, also when it was written as 44.0; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    return int(value) if abs(value) <= 2**48 else None  # sums of larger ones would not fit


def count(value: object) -> int | None:
    """A whole number that counts something; None for anything else, and for negative ones."""
    number = integer(value)
    return number if number is None or number >= 0 else None


def mapping(value: object) -> dict[str, Any]:
    """A JSON object, or an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON list."""
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def strings(value: object) -> list[str]:
    """The texts of a JSON list."""
    return [item for item in value if isinstance(item, str)] if isinstance(value, list) else []


def file_name(name: str) -> str:
    """A name for a file that stands for `name`, whatever letters that has; another name has another
    one.
    """
    plain = _ODD.sub("_", name)[:60]
    if plain != name:  # two may look alike without their odd letters; no plain one has a tilde
        plain += "~" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return plain


def one_line(text: str) -> str:
    """The beginning of a text on one line, as a title."""
    return " ".join(text[: _TITLE_LENGTH * 4].split())[:_TITLE_LENGTH].rstrip()


def title_of(text: object) -> str | None:
    """The beginning of a text on one line; None when there is nothing in it, or it is no text."""
    return one_line(text) or None if isinstance(text, str) else None
