"""Taking files into the journal that people hand over by name: exports, sessions from other
machines, single logs.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from agent_journal.config.loading import Config
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import (
    ROWS_MARK,
    TRANSCRIPTS,
    Connector,
    FoundFile,
    folder_of,
    stamp,
)
from agent_journal.connectors.vscode_chat import RANK_ROW
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import IS_TRANSCRIPT, FileRow, Files
from agent_journal.store.catalog.store import open_writer, translated, write_lock
from agent_journal.sync.extracts import CannotExtract, extracts_of
from agent_journal.sync.indexes import all_indexes
from agent_journal.sync.intake import Intake
from agent_journal.sync.projects import remember_projects
from agent_journal.sync.recognition import NotRecognised, Recognised, recognise, recognise_as
from agent_journal.sync.run import Index, catch_up, found_files, is_text
from agent_journal.sync.work import Progress, Work

_SUFFIXES = (".json", ".jsonl", ".jsonl.zst", ".aider.chat.history.md", ".aider.input.history")
# What a folder of an agent has in it: such a folder is read as a whole, with the files that belong
# together.
_MARKS = {
    "workspaceStorage": ("vscode-chat", "cursor"),
    "globalStorage": ("vscode-chat", "cursor"),
    "projects": ("claude-code", "cursor"),
    "session-state": ("copilot-cli",),
    "chats": ("cursor",),
    "sessions": ("codex",),
    "archived_sessions": ("codex",),
    "tmp": ("gemini",),
}
_COMMON = ("chats", "sessions", "tmp")  # names that say too little about the folder around them
_MAX_IDS = 500
_NO_TEXT = "its name is not UTF-8: rename it"


class Imported(NamedTuple):
    """What became of a file: `session` of `agent`, read or kept as a `copy`; or the reason why it
    was not taken.
    """

    path: str
    agent: str | None
    session: str | None
    status: str  # new, known, copy, refused; passed for what is no session in a folder
    reason: str | None = None


def import_files(
    config: Config,
    paths: Iterable[str],
    *,
    agent: str | None = None,
    wait: float = 60.0,
    progress: Callable[[Progress], None] | None = None,
    indexes: Iterable[Index] | None = None,
) -> list[Imported]:
    """Takes files, and everything recognised below folders, into the journal; as files of `agent`
    when it is given.
    """
    with write_lock(config.home, wait, None):
        db = open_writer(config.index_path)
        try:
            with translated(os.path.join(config.index_path, "journal.db")):
                found = _Import(db, config, agent, progress).run(paths)
                remember_projects(db)
                catch_up(db, all_indexes(config) if indexes is None else indexes)
                return found
        finally:
            db.close()


class _Import:
    def __init__(
        self,
        db: Connection,
        config: Config,
        agent: str | None,
        progress: Callable[[Progress], None] | None,
    ) -> None:
        self.db = db
        self.agent = agent
        self.files = Files(db)
        self.config = config
        self.progress = progress

    def run(self, paths: Iterable[str]) -> list[Imported]:
        results: list[Imported] = []
        work: list[tuple[Work, FileRow | None]] = []
        exports: list[tuple[str, Recognised]] = []
        found = (
            _walk(paths, results) if self.agent is None else _walk_as(paths, self.agent, results)
        )
        for path, is_named in found:
            if isinstance(path, Work):
                if not is_text(path.found.path):
                    results.append(
                        Imported(_printable(path.found.path), None, None, "refused", _NO_TEXT)
                    )
                    continue
                work.append((path, self.files.find(path.connector.name, path.found.path)))
                continue
            try:
                if not is_text(path):
                    raise NotRecognised(_NO_TEXT)
                recognised = self._recognised(path)
                if recognised.role == "export":
                    exports.append((path, recognised))
                    continue
                item = self._work(path, self._checked(recognised))
            except OSError as error:
                results.append(
                    Imported(_printable(path), None, None, "refused", error.strerror or str(error))
                )
            except NotRecognised as error:
                status = "refused" if is_named else "passed"
                results.append(Imported(_printable(path), None, None, status, str(error)))
            else:
                work.append((item, self.files.find(item.connector.name, item.found.path)))
        for item in self._exports(exports, results):
            work.append((item, self.files.find(item.connector.name, item.found.path)))
        parts = {row.id: row.version_id for item, _ in work for row in self._parts(item)}
        closed = [
            number for (number,) in self.db.execute("SELECT number FROM packs WHERE is_closed")
        ]
        archive = Archive(self.config.archive_path, closed)
        Intake(self.db, archive, False, self.progress).run([item for item, _ in work])
        taken = [
            self._result(item, before) for item, before in work if item.found.role in TRANSCRIPTS
        ]
        for row in (row for item, _ in work for row in self._parts(item)):
            status = (
                "known"
                if parts.get(row.id) == row.version_id
                else "copy"
                if row.status == "copy"
                else "new"
            )
            taken.append(Imported(row.path, row.agent, row.session, status))
        return [*results, *taken]

    def _exports(
        self, exports: list[tuple[str, Recognised]], results: list[Imported]
    ) -> Iterator[Work]:
        """What exports hold, those with most sessions first: a sub-agent that also stands alone is
        told once.
        """
        told: dict[tuple[str, str], tuple[str, str | None]] = {}
        for path, found in sorted(exports, key=lambda one: -len(one[1].sessions)):
            again = {told[found.agent, uid] for uid in found.sessions if (found.agent, uid) in told}
            try:
                other = next((place for place, main in again if main != found.session_id), None)
                if other is not None:
                    raise NotRecognised(f"what it tells is in {other}, too")
                yield self._work(path, self._checked(found))
            except OSError as error:
                results.append(
                    Imported(_printable(path), None, None, "refused", error.strerror or str(error))
                )
            except NotRecognised as error:
                results.append(Imported(_printable(path), None, None, "refused", str(error)))
            else:
                told |= {(found.agent, uid): (path, found.session_id) for uid in found.sessions}

    def _recognised(self, path: str) -> Recognised:
        return (
            self._joined(recognise(path)) if self.agent is None else recognise_as(path, self.agent)
        )

    def _parts(self, item: Work) -> list[FileRow]:
        """The sessions that were taken out of a database."""
        if item.found.role != "rows":
            return []
        mark = item.found.path + ROWS_MARK
        condition = f"agent = ? AND {IS_TRANSCRIPT} AND completeness > 0 AND substr(path, 1, ?) = ?"
        return self.files.all(condition, item.connector.name, len(mark), mark)

    def _work(self, path: str, found: Recognised) -> Work:
        """The file as what it holds now: another chat under the same name is another file to the
        journal.
        """
        folder, name = os.path.split(path)
        known = self.files.find(found.agent, path)
        stamped = stamp(os.stat(path))
        if known is not None and (known.session, known.role) == (found.session_id, found.role):
            file = FoundFile(path, known.name, known.role, *stamped, known.session, known.rank)
            return Work(get_connector(found.agent), known.root, file)
        source = None
        if known is not None:
            mark = hashlib.sha256((found.session_id or "").encode("utf-8", "replace")).hexdigest()[
                :8
            ]
            source, path, name = path, f"{path}#as-{mark}", f"{name}#as-{mark}"
        file = FoundFile(path, name, found.role, *stamped, found.session_id, found.rank)
        return Work(get_connector(found.agent), folder, file, source)

    def _joined(self, found: Recognised) -> Recognised:
        """An export all of whose turns are in a stored session is a copy of that session."""
        if not found.requests or len(found.requests) > _MAX_IDS:
            return found
        marks = ", ".join("?" * len(found.requests))
        row = self.db.execute(
            "SELECT s.uid FROM messages m JOIN sessions s ON s.id = m.session_id WHERE s.agent = 'vscode-chat' "
            f"AND m.uid IN ({marks}) GROUP BY s.id HAVING count(DISTINCT m.uid) = ? LIMIT 1",
            (*found.requests, len(set(found.requests))),
        ).fetchone()
        return found if row is None else Recognised("vscode-chat", "session", row[0], RANK_ROW)

    def _checked(self, found: Recognised) -> Recognised:
        """Refuses an export with a session that another file tells, unless the whole would be a
        copy.
        """
        is_copy = self.files.all(
            f"agent = ? AND session = ? AND {IS_TRANSCRIPT}", found.agent, found.session_id
        )
        for uid in () if is_copy else found.sessions:
            row = self.db.execute(
                "SELECT f.path FROM sessions s JOIN session_pieces p ON p.session_id = s.id "
                "JOIN files f ON f.id = p.file_id WHERE s.agent = ? AND s.uid = ? "
                f"AND f.{IS_TRANSCRIPT} AND f.status = 'read' LIMIT 1",
                (found.agent, uid),
            ).fetchone()
            if row is not None:
                raise NotRecognised(
                    f"the session {uid} in it is in the journal already, from {row[0]}"
                )
        return found

    def _result(self, item: Work, before: FileRow | None) -> Imported:
        row = self.files.find(item.connector.name, item.found.path)
        if row is None or row.version_id is None:
            return Imported(
                item.found.path, item.connector.name, None, "refused", "it could not be read"
            )
        query = "SELECT reason FROM problems WHERE file_id = ? AND kind IN ('file', 'reader')"
        problem = self.db.execute(query, (row.id,)).fetchone()
        if problem is not None:
            return Imported(row.path, row.agent, row.session, "refused", problem[0])
        if self.agent is not None and not list(self._sessions(row.id)):
            reason = f"nothing in it can be read as a session of {self.agent}; its bytes are kept"
            return Imported(row.path, row.agent, None, "refused", reason)
        is_known = (
            before is not None
            and before.version_id == row.version_id
            and before.status == row.status
        )
        is_known = is_known and (row.status == "copy" or before.read_offset == row.read_offset)  # type: ignore[union-attr]
        status = "known" if is_known else "copy" if row.status == "copy" else "new"
        session = row.session or next(iter(self._sessions(row.id)), None)
        return Imported(row.path, row.agent, session, status)

    def _sessions(self, file_id: int) -> Iterator[str]:
        query = "SELECT s.uid FROM session_pieces p JOIN sessions s ON s.id = p.session_id WHERE p.file_id = ?"
        yield from (uid for (uid,) in self.db.execute(query, (file_id,)))


def _walk(paths: Iterable[str], results: list[Imported]) -> Iterator[tuple[str | Work, bool]]:
    """The files there are, each once, and whether it was named: what is only found in a folder may
    be anything.

    Folders of an agent are listed as the agent's own, so that what belongs together is taken in
    together.
    """
    seen: set[str] = set()

    def unlisted(error: OSError) -> None:
        results.append(
            Imported(
                _printable(str(error.filename)), None, None, "refused", error.strerror or str(error)
            )
        )

    for path in paths:
        real = os.path.realpath(path)
        if not os.path.isdir(real):
            if real not in seen:
                seen.add(real)
                yield real, True
            continue
        if os.path.basename(real) in _MARKS and os.path.basename(real) not in _COMMON:
            real = os.path.dirname(
                real
            )  # the folder itself was named: the agent's is the one around it
        for folder, folders, names in os.walk(real, onerror=unlisted):
            folders.sort()
            for item in _as_agent(folder, folders):
                seen.add(item.found.path)
                yield item, False
            for name in sorted(names):
                inner = os.path.join(folder, name)
                if name.endswith(_SUFFIXES) and inner not in seen and os.path.isfile(inner):
                    seen.add(inner)
                    yield inner, False


def _walk_as(
    paths: Iterable[str], agent: str, results: list[Imported]
) -> Iterator[tuple[str | Work, bool]]:
    """The files there are, each once, as an agent's: a folder is one of its roots."""
    connector = get_connector(agent)
    for path in dict.fromkeys(os.path.realpath(path) for path in paths):
        if not os.path.isdir(path):
            yield path, True
            continue
        root = connector.normalize_root(path)
        for found in found_files(connector, root):
            if isinstance(found, FoundFile):
                yield Work(connector, folder_of(root), found), False
            else:
                results.append(
                    Imported(_printable(found.path), agent, None, "refused", found.reason)
                )


def _as_agent(folder: str, below: list[str]) -> Iterator[Work]:
    """The files of a folder that is some agent's, whose own folders are then not looked through."""
    taken: set[str] = set()
    for agent in dict.fromkeys(agent for name in below for agent in _MARKS.get(name, ())):
        connector = get_connector(agent)
        found = [file for file in connector.discover(folder) if isinstance(file, FoundFile)]
        if _is_of(agent, found):
            taken.update(name for name in below if agent in _MARKS.get(name, ()))
            yield from (Work(connector, folder, file) for file in found)
    below[:] = [name for name in below if name not in taken]


def _is_of(agent: str, found: list[FoundFile]) -> bool:
    """Whether files are really an agent's: many a folder is called `projects`."""
    transcripts = [file for file in found if file.role in TRANSCRIPTS]
    rows = [file.path for file in found if file.role == "rows"]
    if rows and agent != "cursor":
        return True
    if any(_holds_any(get_connector(agent), path) for path in rows):
        return True
    for file in transcripts[:5]:
        try:
            if recognise(file.path).agent == agent:
                return True
        except (NotRecognised, OSError):
            continue
    return False


def _holds_any(connector: Connector, path: str) -> bool:
    """Whether there is anything of the agent in a database: VS Code's are called like Cursor's."""
    try:
        return next(extracts_of(connector, path, {}), None) is not None
    except (CannotExtract, OSError):
        return False


def _printable(path: str) -> str:
    return path.encode("utf-8", "backslashreplace").decode()
