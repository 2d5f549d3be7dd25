"""Accidents that happen to files, and values of other types in the place of every value of a
record.
"""

from __future__ import annotations

import os
import random
import re
from collections.abc import Iterator
from typing import Any

Path = tuple[Any, ...]
ODD_CONTENTS = (
    b"",
    b"null",
    b"[]",
    b"{}",
    b"3",
    b'"text"',
    b"[null]",
    b'{"type":null}',
    b'{"type":{}}',
    b"\xff\xfe",
    b"\0\0",
)
ODD_VALUES: tuple[Any, ...] = (None, 7, -1.5, "text", [], {}, [{}], {"a": [1]}, True)
ALL_CUTS = "AJ_ALL_CUTS"  # the environment variable; set to anything: no sampling
_SHORT = 2 * 2**10  # bytes: files up to this size are cut after every byte
_SAMPLED_CUTS = 150
_STRAY = (b"null", b"[]", b"{}", b'"x"', b"-1", b"1e999", b"\n")


def cuts(data: bytes) -> list[int]:
    """The places to cut a file at.

    A short file is cut after every byte, a longer one at the boundaries of its lines and at 150
    places chosen at random, the same in every run. With AJ_ALL_CUTS set, all files are cut after
    every byte.
    """
    if len(data) <= _SHORT or os.environ.get(ALL_CUTS):
        return list(range(len(data)))
    rng = random.Random(len(data))
    chosen = set(rng.sample(range(len(data)), _SAMPLED_CUTS))
    for line_end in re.finditer(b"\n", data):
        chosen.update((line_end.start(), line_end.end()))
    chosen.discard(len(data))
    return sorted(chosen)


def damaged(data: bytes, rng: random.Random) -> bytes:
    """The bytes with one to four accidents: flipped bits, holes, zeros, repeated or other parts."""
    for _ in range(rng.randint(1, 4)):
        if not data:
            return data
        start = rng.randrange(len(data))
        end = min(len(data), start + rng.randint(1, 60))
        part = data[start:end]
        accident = rng.randrange(6)
        if accident == 0:
            part = bytes([part[0] ^ (1 << rng.randrange(8))]) + part[1:]
        elif accident == 1:
            part = b""
        elif accident == 2:
            part = b"\0" * len(part)
        elif accident == 3:
            part += part
        elif accident == 4:
            part = rng.randbytes(len(part))
        else:
            part = rng.choice(_STRAY)
        data = data[:start] + part + data[end:]
    return data


def places(value: Any, path: Path = ()) -> Iterator[Path]:
    """The way to every value in a JSON value."""
    for key, below in _items(value):
        yield (*path, key)
        yield from places(below, (*path, key))


def _items(value: Any) -> list[tuple[Any, Any]]:
    """The keys and values of an object or a list."""
    if isinstance(value, dict):
        return list(value.items())
    if isinstance(value, list):
        return list(enumerate(value))
    return []


def replaced(value: Any, path: Path, new: Any) -> Any:
    """A JSON value with another one at a place."""
    if not path:
        return new
    changed = value.copy()
    changed[path[0]] = replaced(value[path[0]], path[1:], new)
    return changed
