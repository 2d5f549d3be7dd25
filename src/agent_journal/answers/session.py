"""`session`: one session with everything in it. Its shape is `agent_journal.model.Session`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NotRequired, TypedDict

from agent_journal.answers.answer import SCHEMA, iso_time

if TYPE_CHECKING:
    from agent_journal.model import Session
    from agent_journal.store.catalog.session_row import SessionRow


class SessionExtra(TypedDict):
    """What a person said of the session, and its agent's title."""

    starred_at: str | None
    own_tags: list[str]
    agent_title: str | None
    cursor: NotRequired[str | None]


def session_json(session: Session, row: SessionRow) -> Iterator[bytes]:
    """Yield the answer as JSON: encoded at once, as a session may have many megabytes."""
    import msgspec

    extra = SessionExtra(
        starred_at=iso_time(row.starred_at),
        own_tags=row.own_tag_names(),
        agent_title=row.agent_title,
    )

    yield b'{"schema":%d,"kind":"session","items":[' % SCHEMA
    yield msgspec.json.encode(session)
    yield b'],"page":{"state":"complete","total":1,"limit":null},"problems":0,'
    yield msgspec.json.encode(extra)[1:] + b"\n"
