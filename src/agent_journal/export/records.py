"""Sessions as JSON, complete: one document, or one line for each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from agent_journal.model import Session
from agent_journal.model.exchange import Export, Head, Line, parts, without_lists

_encode = msgspec.json.Encoder().encode


def as_document(sessions: Sequence[Session], head: Head) -> Iterator[bytes]:
    """The sessions as one JSON document."""
    yield _encode(Export(**msgspec.structs.asdict(head), sessions=tuple(sessions)))
    yield b"\n"


def as_lines(sessions: Sequence[Session], head: Head) -> Iterator[bytes]:
    """The sessions as JSON lines."""
    yield _encode(head) + b"\n"
    for session in sessions:
        yield _encode(Line(session=without_lists(session))) + b"\n"
        for name, part in parts(session):
            yield _encode(Line(**{name: part})) + b"\n"  # type: ignore[arg-type]
