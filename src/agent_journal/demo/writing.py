"""What the demo's writers share: ids, times, token counts and files. Nothing is random."""

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

# Paths in the sessions name this person's home, not the folder of the demo: it reads better, and
# never changes.
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
    """Token counts of a conversation: everything before the last call is read from the cache."""

    def __init__(self, context: int) -> None:
        self.context = context
        self.unread = 0  # characters that came in since the last call

    def hear(self, text: str) -> None:
        """Count text that the next call sends for the first time."""
        self.unread += len(text)

    def call(self, answer: str, thought: str) -> Tokens:
        """Return the tokens of one call that answers with `answer` after thinking `thought`."""
        reasoning = len(thought) // 4
        output = len(answer) // 4 + reasoning + 8
        tokens = Tokens(
            fresh=4 + self.unread % 9,
            cache_read=self.context,
            cache_write=self.unread // 4 + 31,
            output=output,
            reasoning=reasoning,
        )
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
        """Advance, by not quite whole seconds."""
        self.now += timedelta(seconds=seconds, milliseconds=int(seconds * 37) % 83 + 1)
        return self.now


def uuid(*seed: object) -> str:
    """Return a UUID that looks random and depends on the seed only."""
    return str(UUID(bytes=_digest(seed)[:16], version=4))


def token(prefix: str, *seed: object) -> str:
    """Return an id like those of the APIs: a prefix and 22 letters and digits."""
    return prefix + "".join(_LETTERS[byte % len(_LETTERS)] for byte in _digest(seed)[:22])


def hexadecimal(length: int, *seed: object) -> str:
    """Return so many hexadecimal digits."""
    return _digest(seed).hex()[:length]


def iso(when: datetime) -> str:
    """Return a time as JavaScript writes it."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def project_path(story: Story) -> str:
    """Return the project's folder."""
    return f"{PERSON}/work/{story.project}"


def with_full_paths(call: Call, project: str) -> dict[str, Any]:
    """Return a call's input as agents write it: with absolute paths."""
    given = dict(call.input)
    for name in ("file_path", "path"):
        if name in given:
            given[name] = f"{project}/{given[name]}"
    return given


def compact(record: object) -> str:
    """Return a record as one line, as JSON.stringify writes it."""
    return json.dumps(record, ensure_ascii=False, separators=(",", ":"))


def put(path: str, text: str, when: datetime) -> None:
    """Write a file that was last changed at that time."""
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="\n") as file:
        file.write(text)
    touch(path, when)


def touch(path: str, when: datetime) -> None:
    """Set a file's time."""
    os.utime(path, (when.timestamp(), when.timestamp()))


def hunks(before: str, after: str) -> Iterator[dict[str, Any]]:
    """Yield what an edit changed, as Claude Code records it (and close to a unified diff)."""
    import difflib

    hunk: dict[str, Any] | None = None
    for line in difflib.unified_diff(before.splitlines(), after.splitlines(), lineterm="", n=3):
        if line.startswith("@@"):
            if hunk:
                yield hunk
            _, old, new, _ = line.split()  # @@ -1,3 +1,4 @@
            old_start, old_lines = _range(old)
            new_start, new_lines = _range(new)
            hunk = {
                "oldStart": old_start,
                "oldLines": old_lines,
                "newStart": new_start,
                "newLines": new_lines,
                "lines": [],
            }
        elif hunk:
            hunk["lines"].append(line)
    if hunk:
        yield hunk


def _range(text: str) -> tuple[int, int]:
    """Return the first line and the number of lines of `-1,3`; a missing number is 1."""
    start, _, count = text[1:].partition(",")
    return int(start), int(count or 1)


def _digest(seed: tuple[object, ...]) -> bytes:
    return hashlib.sha256("\0".join(map(str, seed)).encode()).digest()
