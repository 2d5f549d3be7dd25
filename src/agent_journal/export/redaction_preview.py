"""What a redacted export leaves out: how many secrets of which kind, and where."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.export.family import Member, without_member_secrets
from agent_journal.model import Session

_MARK = re.compile(r"\[redacted ([^\]\n]{1,60})\]")
_LONGEST_LINE = 300
# What is said more than once, or where something was found: no text of the session
_UNSAID = frozenset(("file", "offset", "length", "seq", "record_ids"))


class RedactedLine(NamedTuple):
    """A line as it is in the export, with a note in place of each secret."""

    session_id: str
    position: int | None  # of the message; None for what is in no message
    place: str  # the part of the model
    line: str


class RedactionPreview(NamedTuple):
    """What is taken out of a session and its sub-agents."""

    kinds: Counter[str]  # how many secrets of which kind
    lines: list[RedactedLine]
    homes: int  # texts in which home folders become ~


def redaction_preview(family: Sequence[Member], home: str, most: int) -> RedactionPreview:
    """Redact a family as an export does, and return what changed; at most so many lines."""
    kinds: Counter[str] = Counter()
    lines: list[RedactedLine] = []
    homes = 0
    for member in family:
        before, after = member.session, without_member_secrets(member, home).session
        for position, place, old, new in _changes(before, after):
            found = _MARK.findall(new)
            kept = Counter(_MARK.findall(old))
            taken = Counter(found) - kept
            kinds += taken
            if not taken:
                homes += 1
                continue
            marked = [line for line in new.split("\n") if _MARK.search(line)]
            room = max(0, most - len(lines))
            lines += [
                RedactedLine(before.id, position, place, _around_mark(line))
                for line in marked[:room]
            ]
    return RedactionPreview(kinds, lines, homes)


def _around_mark(line: str) -> str:
    """The part of a long line that has its first mark."""
    if len(line) <= _LONGEST_LINE:
        return line
    mark = _MARK.search(line)
    start = max(0, mark.start() - _LONGEST_LINE // 2) if mark else 0
    return f"…{line[start : start + _LONGEST_LINE]}…"


_Change = tuple[int | None, str, str, str]  # the position, the place, the text before and after


def _changes(before: Session, after: Session) -> Iterator[_Change]:
    """The texts that are others after redaction."""
    for old, new in zip(before.messages, after.messages, strict=True):
        for place, text, redacted in _different("", _plain(old), _plain(new)):
            yield old.seq, f"{old.kind} {place}", text, redacted
    old_rest = _plain(msgspec.structs.replace(before, messages=()))
    new_rest = _plain(msgspec.structs.replace(after, messages=()))
    for place, text, redacted in _different("", old_rest, new_rest):
        yield None, place, text, redacted


def _plain(value: Any) -> Any:
    return msgspec.to_builtins(value, builtin_types=(datetime,))


def _different(place: str, old: Any, new: Any) -> Iterator[tuple[str, str, str]]:
    if isinstance(old, str) and isinstance(new, str):
        if old != new:
            yield place, old, new
    elif isinstance(old, dict) and isinstance(new, dict):
        for name, value in old.items():
            if name not in _UNSAID:
                yield from _different(name, value, new.get(name))
    elif isinstance(old, (list, tuple)) and isinstance(new, (list, tuple)):
        for one, other in zip(old, new, strict=False):
            yield from _different(place, one, other)
