"""Foreign JSON, read as what it should be: a value of another type counts as missing."""

from __future__ import annotations

import hashlib
import re
from typing import Any

_ODD = re.compile(r"[^A-Za-z0-9_.-]|^\.+$")
_TITLE_LENGTH = 200
_LARGEST = 2**48  # sums of larger numbers would not fit into the database


def string(value: object) -> str | None:
    """A string that is not empty, or None."""
    if isinstance(value, str) and value:
        return value
    return None


def first_string(values: dict[str, Any], *names: str) -> str | None:
    """The first string that is not empty among the values with these names."""
    for name in names:
        value = values.get(name)
        if isinstance(value, str) and value:
            return value
    return None


def integer(value: object) -> int | None:
    """A whole number, also if it was written as 44.0; None for anything else."""
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:
        return None
    if abs(value) > _LARGEST:
        return None
    return int(value)


def exact_integer(value: object) -> int | None:
    """A number written as an integer, of any size; None for anything else."""
    if type(value) is int:
        return value
    return None


def count(value: object) -> int | None:
    """A whole number that counts something; None for anything else, and for negative numbers."""
    number = integer(value)
    if number is None or number < 0:
        return None
    return number


def mapping(value: object) -> dict[str, Any]:
    """A JSON object, or an empty one."""
    if isinstance(value, dict):
        return value
    return {}


def array(value: object) -> list[Any]:
    """A JSON array, or an empty one."""
    if isinstance(value, list):
        return value
    return []


def items(value: object) -> list[dict[str, Any]]:
    """The objects of a JSON array."""
    return [item for item in array(value) if isinstance(item, dict)]


def strings(value: object) -> list[str]:
    """The strings of a JSON array."""
    return [item for item in array(value) if isinstance(item, str)]


def file_name(name: str) -> str:
    """A safe file name for any `name`, different for each."""
    plain = _ODD.sub("_", name)[:60]
    if plain != name:  # two names may look alike without their odd letters; no safe one has a tilde
        plain += "~" + hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()[:8]
    return plain


def one_line(text: str) -> str:
    """The beginning of a text on one line, as a title."""
    return " ".join(text[: _TITLE_LENGTH * 4].split())[:_TITLE_LENGTH].rstrip()


def title_of(text: object) -> str | None:
    """The beginning of a text on one line; None if it is empty or not a text."""
    if not isinstance(text, str):
        return None
    return one_line(text) or None
