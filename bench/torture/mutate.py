"""Mutated records: fields deleted, doubled and of other types, deep nesting, huge numbers, bytes
that are no UTF-8, odd Unicode, lines cut off and in other places.
"""

from __future__ import annotations

import json
import random
from typing import Any

from agent_journal.testing.damage import ODD_VALUES, places, replaced

_ODD_TEXTS = (
    "\u0000",
    "\ud800",  # half of a pair: JSON may hold it, UTF-8 may not
    "\u202e\u2066reversed",
    "\ufeffmarked",
    "e\u0301\u0327" * 40,
    "\U0001f469\u200d\U0001f680",
    "../../../../etc/passwd",
    "<script>alert(1)</script>\x1b[31m",
    "a" * 20_000,
    "\n\n\r\n\t",
)
_HUGE: tuple[Any, ...] = (2**63, -(2**63) - 1, 10**40, 1e308, -0.0, 2**53 + 1, -1)
_BYTES = (b"\xff", b"\x00", b"\xc3", b"\xed\xa0\x80", b"\xf4\x90\x80\x80", b"\r", b"\x1f")


def mutated(record: bytes, rng: random.Random) -> bytes:
    """One record (a line, or a whole document) with something wrong in it."""
    try:
        value = json.loads(record)
    except (ValueError, RecursionError):
        return _broken(record, rng)
    if not isinstance(value, (dict, list)) or rng.random() < 0.25:
        return _broken(record, rng)
    for _ in range(rng.choice((1, 1, 2, 5))):
        found = list(places(value))
        if not found:
            break
        value = rng.choice(_CHANGES)(value, rng.choice(found), rng)
    text = json.dumps(value, ensure_ascii=rng.random() < 0.8, separators=(",", ":"))
    return text.encode("utf-8", "surrogatepass")


def _broken(record: bytes, rng: random.Random) -> bytes:
    """Bytes that need not be JSON any more."""
    at = rng.randrange(len(record) + 1)
    how = rng.randrange(5)
    if how == 0:
        return record[:at]
    if how == 1:
        return record[:at] + rng.choice(_BYTES) + record[at:]
    if how == 2:
        return record[:at] + record[at + rng.randint(1, 9) :]
    if how == 3:
        return record + record
    return b'{"a":' * rng.choice((3, 300, 3000)) + record


def _delete(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    holder = _at(value, path[:-1])
    if isinstance(holder, dict):
        smaller: Any = {key: below for key, below in holder.items() if key != path[-1]}
    else:
        smaller = [below for at, below in enumerate(holder) if at != path[-1]]
    return replaced(value, path[:-1], smaller)


def _double(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    holder = _at(value, path[:-1])
    if isinstance(holder, list):
        return replaced(value, path[:-1], [*holder, holder[path[-1]]])
    return replaced(value, path[:-1], {**holder, rng.choice(list(holder)): holder[path[-1]]})


def _retype(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    return replaced(value, path, rng.choice(ODD_VALUES))


def _enlarge(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    return replaced(value, path, rng.choice(_HUGE))


def _odd_text(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    text = rng.choice(_ODD_TEXTS)
    before = _at(value, path)
    if isinstance(before, str) and rng.random() < 0.5:
        at = rng.randrange(len(before) + 1)
        text = before[:at] + text + before[at:]
    return replaced(value, path, text)


def _nest(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    nested = _at(value, path)
    for _ in range(rng.choice((2, 20, 90))):
        nested = rng.choice(([nested], {"a": nested}))
    return replaced(value, path, nested)


def _take_from_elsewhere(value: Any, path: tuple[Any, ...], rng: random.Random) -> Any:
    other = rng.choice(list(places(value)))
    return replaced(value, path, _at(value, other))


def _at(value: Any, path: tuple[Any, ...]) -> Any:
    for key in path:
        value = value[key]
    return value


_CHANGES = (_delete, _double, _retype, _enlarge, _odd_text, _nest, _take_from_elsewhere)


def mutate_lines(data: bytes, share: float, rng: random.Random) -> tuple[bytes, int]:
    """A log in which a share of the records are mutated, doubled or in another place."""
    lines = data.split(b"\n")
    changed = 0
    for at, line in enumerate(lines):
        if not line or rng.random() > share:
            continue
        changed += 1
        how = rng.random()
        other = rng.randrange(len(lines))
        if how < 0.06:
            lines[at], lines[other] = lines[other], line
        elif how < 0.1:
            lines[at] = lines[other]
        else:
            lines[at] = mutated(line, rng)
    return b"\n".join(lines), changed


def mutate_document(data: bytes, rng: random.Random) -> tuple[bytes, int]:
    """A document with one thing wrong."""
    return mutated(data, rng), 1
