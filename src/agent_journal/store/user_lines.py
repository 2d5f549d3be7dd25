"""Files of appended lines that say something of sessions, such as `marks.jsonl`.

A line is a checksum and a JSON list that has the agent and the id of a session among its members.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator

MARKS = "marks.jsonl"


def merge_lines(path: str, other: str) -> int:
    """Append the lines of another file that a file does not have, and return how many.

    Each line says when it was written: the newest about something counts, in whichever order.
    """
    known = set(_lines(path))
    new = [line for line in dict.fromkeys(_lines(other)) if line not in known]
    if not new:
        return 0
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
    with open(descriptor, "ab") as file:
        file.write(b"".join(line + b"\n" for line in new))
        file.flush()
        os.fsync(file.fileno())
    return len(new)


def _lines(path: str) -> Iterator[bytes]:
    """The lines of a file that are whole."""
    try:
        with open(path, "rb") as file:
            lines = file.read().split(b"\n")
    except FileNotFoundError:
        return
    for line in lines[:-1]:
        if _members(line):
            yield line


def _members(line: bytes) -> list[object]:
    _, _, text = line.partition(b" ")
    try:
        members = json.loads(text)
    except (ValueError, RecursionError):
        return []
    if not isinstance(members, list):
        return []
    return members
