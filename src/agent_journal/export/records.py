"""Sessions as JSON, complete: one document, or one line for each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from agent_journal.model import Session
from agent_journal.model.exchange import Export, Head, Line, OwnMark, parts, without_lists
from agent_journal.store.marks_file import Mark
from agent_journal.text.dates import from_micros

_encode = msgspec.json.Encoder().encode


def exported_mark(mark: Mark) -> OwnMark:
    """A star, tag or title as it is exported."""
    return OwnMark(
        agent=mark.agent,
        session_id=mark.session_id,
        kind=mark.kind,
        value=mark.value,
        at=from_micros(mark.at),
    )


def as_document(
    sessions: Sequence[Session], head: Head, marks: Sequence[OwnMark] = ()
) -> Iterator[bytes]:
    """The sessions as one JSON document."""
    facts = msgspec.structs.asdict(head)
    yield _encode(Export(**facts, sessions=tuple(sessions), marks=tuple(marks)))
    yield b"\n"


def as_lines(
    sessions: Sequence[Session], head: Head, marks: Sequence[OwnMark] = ()
) -> Iterator[bytes]:
    """The sessions as JSON lines."""
    yield _encode(head) + b"\n"
    for session in sessions:
        yield _encode(Line(session=without_lists(session))) + b"\n"
        for name, part in parts(session):
            yield _encode(Line(**{name: part})) + b"\n"  # type: ignore[arg-type]
    for mark in marks:
        yield _encode(Line(mark=mark)) + b"\n"
