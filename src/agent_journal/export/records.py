"""Sessions as JSON, complete: one document, or one line for each part."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import msgspec

from agent_journal import __version__
from agent_journal.exchange import FORMAT, VERSION, Export, Head, Line, parts, without_lists
from agent_journal.model import Session

_encode = msgspec.json.Encoder().encode


def as_document(sessions: Sequence[Session], is_redacted: bool, left_out: tuple[str, ...]) -> Iterator[bytes]:
    """The sessions as one JSON document."""
    yield _encode(
        Export(
            format=FORMAT, version=VERSION, made_by=f"agent-journal {__version__}", is_redacted=is_redacted,
            left_out=left_out, sessions=tuple(sessions),
        )
    )  # fmt: skip
    yield b"\n"


def as_lines(sessions: Sequence[Session], is_redacted: bool, left_out: tuple[str, ...]) -> Iterator[bytes]:
    """The sessions as JSON lines."""
    made_by = f"agent-journal {__version__}"
    head = Head(format=FORMAT, version=VERSION, made_by=made_by, is_redacted=is_redacted, left_out=left_out)
    yield _encode(head) + b"\n"
    for session in sessions:
        yield _encode(Line(session=without_lists(session))) + b"\n"
        for name, part in parts(session):
            yield _encode(Line(**{name: part})) + b"\n"  # type: ignore[arg-type]
