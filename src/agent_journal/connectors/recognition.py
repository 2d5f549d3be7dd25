"""What connectors share to recognise files that people import by name."""

from __future__ import annotations

import os
from functools import lru_cache
from typing import Any

from agent_journal.connectors.jsonl import decode_document

_MAX_RECORDS = 200
_BLANK = b"\xef\xbb\xbf\0 \t\r\n"  # a byte order mark, NUL padding and white space


def stem(path: str) -> str:
    """The name of a file without its last suffix."""
    name = os.path.basename(path)
    return name.rpartition(".")[0] or name


def without_padding(head: bytes) -> bytes:
    """The beginning of a file from the first byte that says something."""
    return head.lstrip(_BLANK)


def begins_as_json(head: bytes) -> bool:
    """Whether a file begins with an object or a list."""
    return without_padding(head)[:1] in (b"{", b"[")


# Every connector asks for the records of the same file, one after the other.
@lru_cache(maxsize=1)
def first_records(head: bytes) -> tuple[dict[str, Any], ...]:
    """The objects in the first lines of a file; nothing when it does not begin with JSON."""
    if not begins_as_json(head):
        return ()
    records = []
    for line in head.split(b"\n")[:_MAX_RECORDS]:
        try:
            record = decode_document(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    return tuple(records)
