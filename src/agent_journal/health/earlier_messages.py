"""Messages that only an earlier version of a session's file has: the agent rewrote the file."""

from __future__ import annotations

import math
import time
from bisect import bisect_left
from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.connectors.base import Connector
from agent_journal.errors import JournalDamaged
from agent_journal.query.tree import Query
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.listing import SessionRow, list_sessions
from agent_journal.store.catalog.loading import texts_by_kind
from agent_journal.store.catalog.versions import Version
from agent_journal.sync.copies import holds_many_sessions
from agent_journal.sync.rederive import derived
from agent_journal.text.plain import shell_word

_MOST_FILES = 200  # of an agent, the newest first
_MOST_SECONDS = 5.0  # of CPU time, for an agent
_MOST_BYTES = 64 * 2**20  # of a version: reading more takes several seconds


class EarlierMessages(NamedTuple):
    """A session, and a version of its file with messages that no later version has."""

    session: str
    title: str | None
    path: str
    version: int
    messages: int  # prompts and answers
    command: str  # shows them, or writes the file


class Comparison(NamedTuple):
    """What the earlier versions of an agent's files have, and how many were not looked at."""

    found: list[EarlierMessages]
    uncompared_files: int


def compare_versions(
    files: Files, archive_path: str, connector: Connector, *, is_thorough: bool = False
) -> Comparison:
    """Compare the earlier versions of an agent's transcripts with what is shown.

    Only the newest files, for some seconds, and no huge versions, unless it `is_thorough`.
    """
    rows = files.rewritten(connector.name)
    chosen = rows
    limits = _Limits(math.inf, math.inf)
    if not is_thorough:
        chosen = rows[:_MOST_FILES]
        limits = _Limits(time.process_time() + _MOST_SECONDS, _MOST_BYTES)
    found: list[EarlierMessages] = []
    compared = 0
    shown = _ShownSessions(files, connector)
    archive = Archive(archive_path)
    try:
        for row in chosen:
            comparer = _FileComparer(files, archive, row, shown)
            found += comparer.earlier_messages(limits)
            if comparer.is_done:
                compared += 1
    finally:
        archive.close()
    return Comparison(found, len(rows) - compared)


class _Limits(NamedTuple):
    """When to stop, as process_time() says it, and how large a version may be."""

    until: float
    size: float

    def allow(self, version: Version) -> bool:
        """Whether a version may be read."""
        return time.process_time() <= self.until and version.size <= self.size


class _ShownSessions:
    """The sessions of an agent that are shown."""

    def __init__(self, files: Files, connector: Connector) -> None:
        self.are_in_histories = holds_many_sessions(connector)
        known = _sessions(files.db, connector.name)
        self._by_id = {session.id: session for session in known}
        self._by_start = {}
        if self.are_in_histories:
            # A history that lost its beginning has other ids
            self._by_start = {_start(session): session for session in known}

    def find(self, earlier: SessionRow) -> SessionRow | None:
        """The session that is shown of one that an earlier version has."""
        found = self._by_id.get(earlier.id)
        return found or self._by_start.get(_start(earlier))


def _start(session: SessionRow) -> tuple[str | None, int | None]:
    return session.project_path, session.started_at


def _sessions(db: Connection, agent: str) -> list[SessionRow]:
    return list_sessions(db, Query(agent=agent, include_all=True))


class _FileComparer:
    """Compares the versions of one file, the newest first."""

    def __init__(self, files: Files, archive: Archive, row: FileRow, shown: _ShownSessions) -> None:
        self.is_done = True  # all versions were looked at
        self._files = files
        self._archive = archive
        self._row = row
        self._shown = shown
        # What later versions say, by session; read once it is needed
        self._newer: dict[str, set[str]] | None = None

    def earlier_messages(self, limits: _Limits) -> Iterator[EarlierMessages]:
        """Yield what each earlier version has and no later one."""
        for version in reversed(self._files.versions(self._row.id)):
            if version.id == self._row.version_id or not version.size:
                continue
            if not limits.allow(version):
                self.is_done = False
                continue
            try:
                yield from self._only_in(version)
            except JournalDamaged:
                continue  # that is reported elsewhere

    def _only_in(self, version: Version) -> Iterator[EarlierMessages]:
        row = self._row._replace(version_id=version.id)
        with derived(self._files, self._archive, [row]) as scratch:
            for earlier in _sessions(scratch, row.agent):
                shown = self._shown.find(earlier)
                if shown is None and self._shown.are_in_histories:
                    continue  # the session as a whole is reported elsewhere
                missing = self._missing(texts_by_kind(scratch, earlier.row_id), earlier.id, shown)
                if missing:
                    number = version.number
                    title = (shown or earlier).title
                    command = self._command(shown, number)
                    session = (shown or earlier).id
                    yield EarlierMessages(session, title, row.path, number, missing, command)

    def _missing(self, said: dict[str, set[str]], session: str, shown: SessionRow | None) -> int:
        """How many messages of a session are neither shown nor in a later version."""
        prompts = said.get("prompt", set())
        answers = said.get("answer", set())
        if shown is not None:
            texts = _all_texts(self._files.db, shown)
            prompts = prompts - texts
            answers = _without_beginnings(answers, texts)
        if not prompts and not answers:
            return 0
        newer = self._newer_texts()
        texts = newer.setdefault(session, set())
        if shown is None:  # the file may have it under another id now
            texts = set().union(*newer.values())
        missing = (prompts - texts) | _without_beginnings(answers, texts)
        newer[session] |= missing
        return len(missing)

    def _newer_texts(self) -> dict[str, set[str]]:
        """What later versions say when the file is read alone, as the earlier ones are.

        With its other files, a session may be without what those have, too.
        """
        if self._newer is None:
            self._newer = {}
            with derived(self._files, self._archive, [self._row]) as scratch:
                for session in _sessions(scratch, self._row.agent):
                    self._newer[session.id] = _all_texts(scratch, session)
        return self._newer

    def _command(self, shown: SessionRow | None, version: int) -> str:
        """How to see a version: 'aj show' knows those of the first log of a session."""
        if shown is None:
            return "aj restore --all --all-versions -o DIR"
        logs = self._files.logs_of(shown.agent, shown.id)
        if logs and logs[0].id == self._row.id:
            return f"aj show {shell_word(shown.id)} --version {version}"
        return f"aj restore {shell_word(shown.id)} --all-versions -o DIR"


def _all_texts(db: Connection, session: SessionRow) -> set[str]:
    return set().union(*texts_by_kind(db, session.row_id).values())


def _without_beginnings(texts: set[str], others: set[str]) -> set[str]:
    """Those texts with which no other one begins: an answer may be kept while it is written."""
    in_order = sorted(others)
    missing = set()
    for text in texts:
        at = bisect_left(in_order, text)
        if at == len(in_order) or not in_order[at].startswith(text):
            missing.add(text)
    return missing
