"""`session`: one session with everything in it. Its shape is `agent_journal.model.Session`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_journal.answers.answer import SCHEMA

if TYPE_CHECKING:
    from agent_journal.model import Session


def session_json(session: Session) -> Iterator[bytes]:
    """Yield the answer as JSON: encoded at once, as a session may have many megabytes."""
    import msgspec

    yield b'{"schema":%d,"kind":"session","items":[' % SCHEMA
    yield msgspec.json.encode(session)
    yield b'],"page":{"state":"complete","total":1,"limit":null},"problems":0}\n'
