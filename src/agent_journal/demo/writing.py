"""What the demo's writers share: ids, times, token counts and files. Nothing is random, so a demo
can be compared.
"""

from __future__ import annotations

import hashlib
import json
import os
import string
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple
from uuid import UUID

from agent_journal.demo.steps import Call, Story

# Paths in the sessions name this person's home, not the folder the demo lies in: it reads better,
# and never changes.
PERSON = "/home/sam"
_LETTERS = string.ascii_letters + string.digits


class Tokens(NamedTuple):
    """What one API call was billed for."""

    fresh: int
    cache_read: int
    cache_write: int
    output: int
    reasoning: int


class Meter:
    """Token counts that grow as a conversation does: all that was said before is read from the
    cache.
    """

    def __init__(self, context: int) -> None:
        self.context = context
        self.unread = 0  # characters that came in since the last call

    def hear(self, text: str) -> None:
        """Counts text that the next call sends for the first time."""
        self.unread += len(text)

    def call(self, said: str, thought: str) -> Tokens:
        """One call that answers with `said` after thinking `thought`."""
        reasoning = len(thought) // 4
        output = len(said) // 4 + reasoning + 8
        tokens = Tokens(4 + self.unread % 9, self.context, self.unread // 4 + 31, output, reasoning)
        self.context += tokens.cache_write + tokens.output
        self.unread = 0
        return tokens


class Clock:
    """The time in a session."""

    def __init__(self, story: Story, now: datetime) -> None:
        hour, minute = map(int, story.time.split(":"))
        day = now - timedelta(days=story.days_ago)
        self.now = day.replace(hour=hour, minute=minute, second=7, microsecond=218_000)

    def tick(self, seconds: float) -> datetime:
        """Moves on, by not quite whole seconds."""
        self.now += timedelta(seconds=seconds, milliseconds=int(seconds * 37) % 83 + 1)
        return self.now


def uuid(*seed: object) -> str:
    """A UUID that looks random and depends on the seed only."""
    return str(UUID(bytes=_digest(seed)[:16], version=4))


def token(prefix: str, *seed: object) -> str:
    """An id as the APIs make them: a prefix and 22 letters and digits."""
    return prefix + "".join(_LETTERS[byte % len(_LETTERS)] for byte in _digest(seed)[:22])


def hexadecimal(length: int, *seed: object) -> str:
    """So many hexadecimal digits."""
    return _digest(seed).hex()[:length]


def iso(when: datetime) -> str:
    """A time as JavaScript writes it."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def project_path(story: Story) -> str:
    """The project's folder."""
    return f"{PERSON}/work/{story.project}"


def with_full_paths(call: Call, project: str) -> dict[str, Any]:
    """A call's input as agents write it: paths from the root."""
    return {
        name: f"{project}/{value}" if name in ("file_path", "path") else value
        for name, value in call.input.items()
    }


def compact(record: object) -> str:
    """A record as one line, as JSON.stringify writes it."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def put(path: str, text: str, when: datetime) -> None:
    """Writes a file that was last changed at that time."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    touch(path, when)


def touch(path: str, when: datetime) -> None:
    """Sets a file's time."""
    os.utime(path, (when.timestamp(), when.timestamp()))


def hunks(before: str, after: str) -> Iterator[dict[str, Any]]:
    """What an edit changed, as Claude Code records it (and close to a unified diff)."""
    import difflib

    hunk: dict[str, Any] | None = None
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3):
        if line.startswith("@@"):
            if hunk:
                yield hunk
            old, new = ([int(part) for part in place[1:].split(",")] for place in line.split()[1:3])
            hunk = {
                "oldStart": old[0],
                "oldLines": (old[1:] or [1])[0],
                "newStart": new[0],
                "newLines": (new[1:] or [1])[0],
                "lines": [],
            }
        elif hunk:
            hunk["lines"].append(line)
    if hunk:
        yield hunk


def _digest(seed: tuple[object, ...]) -> bytes:
    return hashlib.sha256("\0".join(map(str, seed)).encode()).digest()
