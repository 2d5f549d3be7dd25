"""Sessions that only an earlier version of their file has: a history was begun again or trimmed."""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.config.loading import Config
from agent_journal.connectors.base import Connector
from agent_journal.health.rescued import Rescued
from agent_journal.query.tree import Query
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.listing import SessionRow, list_sessions
from agent_journal.sync.copies import holds_many_sessions


def only_in_earlier_versions(db: Connection, config: Config, connector: Connector) -> list[Rescued]:
    """Return the sessions of earlier versions that the journal no longer has."""
    if not holds_many_sessions(connector):
        return []
    known = list_sessions(db, Query(agent=connector.name))
    ids = {session.id for session in known}
    # A history that lost its beginning has other ids
    starts = {(session.project_path, session.started_at) for session in known}
    found: dict[str, Rescued] = {}
    for earlier in _earlier_versions(Files(db), connector.name):
        for session in _sessions_of(db, config, earlier):
            start = (session.project_path, session.started_at)
            if session.id not in ids and start not in starts:
                left = Rescued(session.id, session.title, earlier.path, earlier.path)
                found[session.id] = left
    return list(found.values())


def _earlier_versions(files: Files, agent: str) -> Iterator[FileRow]:
    """Yield a row for each earlier version of a transcript, as if it were the newest one."""
    for row in files.rewritten_transcripts(agent):
        for version in files.versions(row.id):
            if version.id != row.version_id and version.size:
                yield row._replace(version_id=version.id)


def _sessions_of(db: Connection, config: Config, row: FileRow) -> list[SessionRow]:
    from agent_journal.store.archive import Archive
    from agent_journal.sync.rederive import derived

    with derived(Files(db), Archive(config.archive_path), [row]) as scratch:
        return list_sessions(scratch, Query())
