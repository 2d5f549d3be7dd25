"""The files of the agents in the catalog: what is known of each, and which it was read with."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from sqlite3 import Connection
from typing import NamedTuple

from agent_journal.connectors.base import FileRole
from agent_journal.store.catalog.versions import Versions, now_micros

IS_TRANSCRIPT = "role IN ('log', 'replay', 'session', 'export')"  # connectors.base.TRANSCRIPTS
_WAS_READ = "(status = 'copy' OR (status = 'read' AND read_version IS NOT NULL))"
# The order of the files of a session, whichever came first: its transcripts, then the others
IN_ORDER = f"NOT f.{IS_TRANSCRIPT}, f.name, f.path"
# What a file has to do with another one: it asked for its bytes, whether it exists, or for both
_READ_WITH = 0
_WAITED_FOR = 1
_BUILT_ON = 2
Stamp = tuple[int, int, int]  # size, mtime_ns, inode


class FileRow(NamedTuple):
    """One row of the table of files."""

    id: int
    agent: str
    root: str
    name: str
    path: str
    role: FileRole
    session: str | None
    rank: int
    completeness: int
    size: int | None
    mtime_ns: int | None
    inode: int | None
    version_id: int | None
    read_version: int | None
    read_offset: int
    reader_version: int | None
    status: str
    is_current: int
    first_seen: int | None
    vanished_at: int | None


_COLUMNS = ", ".join(FileRow._fields)


class Files(Versions):
    """The table of files, with the versions and frames of each."""

    def current(self, agent: str, roots: Sequence[str]) -> dict[str, Stamp]:
        """Path to fingerprint of every file under these roots that needs no work."""
        query = (
            "SELECT path, size, mtime_ns, inode FROM files "
            "WHERE agent = ? AND is_current = 1 AND vanished_at IS NULL "
            f"AND root IN ({', '.join('?' * len(roots))})"
        )
        rows = self.db.execute(query, (agent, *roots))
        return {path: (size, mtime_ns, inode) for path, size, mtime_ns, inode in rows}

    def invalidate_old(self, agent: str, reader_version: int) -> None:
        """After an upgrade of a reader, have everything it read before read again.

        It may also take more out of databases than before: their own rows have no reader.
        """
        key = f"reader of {agent}"
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is None or row[0] != reader_version:
            update = (
                "UPDATE files SET is_current = 0 "
                "WHERE agent = ? AND (reader_version <> ? OR role = 'rows')"
            )
            self.db.execute(update, (agent, reader_version))
            insert = "INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)"
            self.db.execute(insert, (key, reader_version))

    def invalidate(self, path: str) -> None:
        """Have the file at a path read again."""
        self.db.execute("UPDATE files SET is_current = 0 WHERE path = ?", (path,))

    # -- rows ----------------------------------------------------------------------------------

    def find(self, agent: str, path: str) -> FileRow | None:
        """The row of a path."""
        query = f"SELECT {_COLUMNS} FROM files WHERE path = ? AND agent = ?"
        row = self.db.execute(query, (path, agent)).fetchone()
        return FileRow(*row) if row else None

    def get(self, file_id: int) -> FileRow:
        """The row of an id."""
        query = f"SELECT {_COLUMNS} FROM files WHERE id = ?"
        return FileRow(*self.db.execute(query, (file_id,)).fetchone())

    def all(self) -> list[FileRow]:
        """All rows, by id."""
        return self.where("1")

    def where(self, condition: str, *values: object) -> list[FileRow]:
        """The rows that meet a condition in SQL, by id; for this package only."""
        query = f"SELECT {_COLUMNS} FROM files WHERE {condition} ORDER BY id"
        return [FileRow(*row) for row in self.db.execute(query, values)]

    def outdated(self, agent: str) -> list[FileRow]:
        """The files of an agent that are to be looked at again."""
        return self.where("agent = ? AND is_current = 0", agent)

    def kept(self) -> list[FileRow]:
        """All files whose bytes are in the archive."""
        return self.where("version_id IS NOT NULL")

    def extracts(self, agent: str, prefix: str) -> list[FileRow]:
        """The extracts of a database that were there the last time; `prefix` begins their paths."""
        condition = "agent = ? AND vanished_at IS NULL AND substr(path, 1, ?) = ?"
        return self.where(condition, agent, len(prefix), prefix)

    def at_path(self, path: str) -> list[FileRow]:
        """The rows of a path, of every agent."""
        return self.where("path = ?", path)

    def roots(self) -> list[tuple[str, str]]:
        """Each agent with each of its roots."""
        query = "SELECT DISTINCT agent, root FROM files ORDER BY agent, root"
        return [(agent, root) for agent, root in self.db.execute(query)]

    def agents(self) -> list[str]:
        """The agents that have files."""
        # Three small indexes have them all; of the files that are there, each agent is looked up
        # after the one before. DISTINCT alone would look at every file.
        there = "is_current = 1 AND vanished_at IS NULL"
        query = (
            f"WITH RECURSIVE found (agent) AS (SELECT min(agent) FROM files WHERE {there} "
            "UNION ALL SELECT (SELECT min(f.agent) FROM files f WHERE f.agent > found.agent "
            f"AND {there}) FROM found WHERE found.agent IS NOT NULL) "
            "SELECT agent FROM found WHERE agent IS NOT NULL "
            "UNION SELECT agent FROM files WHERE is_current = 0 "
            "UNION SELECT agent FROM files WHERE vanished_at IS NOT NULL"
        )
        return [agent for (agent,) in self.db.execute(query)]

    def paths_of(self, agent: str) -> list[str]:
        """The paths of all files of an agent."""
        query = "SELECT path FROM files WHERE agent = ?"
        return [path for (path,) in self.db.execute(query, (agent,))]

    def rewritten_transcripts(self, agent: str) -> list[FileRow]:
        """The transcripts of an agent of which earlier versions are kept."""
        several = "SELECT file_id FROM versions GROUP BY file_id HAVING count(*) > 1"
        condition = f"agent = ? AND {IS_TRANSCRIPT} AND session IS NOT NULL AND id IN ({several})"
        return self.where(condition, agent)

    def rewritten(self, agent: str) -> list[FileRow]:
        """The transcripts with several versions, also of sub-agents; the newest version first."""
        columns = ", ".join(f"f.{column}" for column in FileRow._fields)
        query = (
            f"SELECT {columns} FROM files f JOIN versions v ON v.file_id = f.id "
            f"WHERE f.agent = ? AND f.{IS_TRANSCRIPT} GROUP BY f.id HAVING count(*) > 1 "
            "ORDER BY max(v.captured_at) DESC, f.id"
        )
        return [FileRow(*row) for row in self.db.execute(query, (agent,))]

    # -- rows of a session ---------------------------------------------------------------------

    def logs_of(self, agent: str, session: str) -> list[FileRow]:
        """The transcripts that a session is read from."""
        condition = f"agent = ? AND session = ? AND {IS_TRANSCRIPT} AND status = 'read'"
        return self.where(condition, agent, session)

    def copies_of(self, agent: str, session: str) -> list[FileRow]:
        """The files of a session that are kept and not read: another one of them is."""
        return self.where("agent = ? AND session = ? AND status = 'copy'", agent, session)

    def transcripts_of(self, agent: str, session: str) -> list[FileRow]:
        """The transcripts of a session that were read, or are copies of the one that was.

        A file that has not been read yet (after the catalog was lost) is not among them.
        """
        condition = f"agent = ? AND session = ? AND {IS_TRANSCRIPT} AND {_WAS_READ}"
        return self.where(condition, agent, session)

    def other_transcripts(self, agent: str) -> list[FileRow]:
        """The transcripts that are not read because of another one, or perhaps not read whole."""
        several = (
            f"SELECT session FROM files WHERE agent = ?1 AND {IS_TRANSCRIPT} AND {_WAS_READ} "
            "AND session IS NOT NULL GROUP BY session HAVING count(*) > 1"
        )
        # Exports have the sessions of histories, which are called after the first of many
        condition = (
            f"agent = ?1 AND {IS_TRANSCRIPT} AND {_WAS_READ} AND session IS NOT NULL "
            f"AND (status = 'copy' OR session IN ({several}))"
        )
        return self.where(condition, agent)

    def exports(self, agent: str) -> list[FileRow]:
        """The exports of an agent's sessions that were read, or are copies."""
        condition = f"agent = ? AND role = 'export' AND session IS NOT NULL AND {_WAS_READ}"
        return self.where(condition, agent)

    def is_in_own_file(self, agent: str, session: str | None) -> bool:
        """Whether a session is read from a file that its agent wrote: not from an export."""
        query = (
            "SELECT 1 FROM sessions s JOIN session_pieces p ON p.session_id = s.id "
            "JOIN files f ON f.id = p.file_id WHERE s.agent = ? AND s.uid = ? "
            f"AND f.{IS_TRANSCRIPT} AND f.role <> 'export' LIMIT 1"
        )
        return self.db.execute(query, (agent, session)).fetchone() is not None

    def transcripts_with(self, session_id: int) -> list[FileRow]:
        """The transcripts that hold pieces of a session (by the id of its row)."""
        pieces = "SELECT file_id FROM session_pieces WHERE session_id = ?"
        return self.where(f"{IS_TRANSCRIPT} AND status = 'read' AND id IN ({pieces})", session_id)

    def ids_of(self, session_id: int) -> list[int]:
        """The files that hold pieces of a session (by the id of its row)."""
        query = "SELECT file_id FROM session_pieces WHERE session_id = ?"
        return [file_id for (file_id,) in self.db.execute(query, (session_id,))]

    def sessions_of(self, file_id: int) -> list[int]:
        """The sessions a file has pieces of."""
        query = "SELECT session_id FROM session_pieces WHERE file_id = ?"
        return [session_id for (session_id,) in self.db.execute(query, (file_id,))]

    def has_session(self, row: FileRow, session: str) -> bool:
        """Whether a file has pieces of a session."""
        query = (
            "SELECT 1 FROM session_pieces p JOIN sessions s ON s.id = p.session_id "
            "WHERE p.file_id = ? AND s.agent = ? AND s.uid = ?"
        )
        return self.db.execute(query, (row.id, row.agent, session)).fetchone() is not None

    def has_edits(self, file_id: int) -> bool:
        """Whether a file has edits of a session."""
        query = (
            "SELECT 1 FROM file_edits WHERE file_id = ?1 AND session_id IN "
            "(SELECT session_id FROM session_pieces WHERE file_id = ?1) LIMIT 1"
        )
        return self.db.execute(query, (file_id,)).fetchone() is not None

    def has_side_rows(self, file_id: int) -> bool:
        """Whether a file has messages, tokens, plans, todo lists, prompts or statistics."""
        of_sessions = (
            "SELECT 1 FROM session_pieces p JOIN {table} t ON t.session_id = p.session_id "
            "AND t.file_id = p.file_id WHERE p.file_id = ?1"
        )
        queries = [of_sessions.format(table=table) for table in ("todo_lists", "messages", "usage")]
        for table in ("plans", "history", "daily_stats"):
            queries.append(f"SELECT 1 FROM {table} WHERE file_id = ?1")
        query = f"SELECT {' OR '.join(f'EXISTS ({one})' for one in queries)}"
        return bool(self.db.execute(query, (file_id,)).fetchone()[0])

    # -- writing -------------------------------------------------------------------------------

    def ensure(
        self,
        *,
        agent: str,
        root: str,
        name: str,
        path: str,
        role: FileRole,
        session: str | None,
        rank: int,
    ) -> FileRow:
        """The row of a path, inserted when it is new."""
        row = self.find(agent, path)
        if row is not None:
            return row
        self.db.execute(
            "INSERT INTO files (agent, root, name, path, role, session, rank, first_seen) "
            "VALUES (?, ?, ?, ?, ?, ?, ?, ?)",
            (agent, root, name, path, role, session, rank, now_micros()),
        )
        row = self.find(agent, path)
        assert row is not None
        return row

    def state(self, file_id: int) -> bytes | None:
        """The state its reader was saved with."""
        query = "SELECT state FROM files WHERE id = ?"
        state: bytes | None = self.db.execute(query, (file_id,)).fetchone()[0]
        return state

    def update(self, file_id: int, **columns: object) -> None:
        """Set columns of a row."""
        assignments = ", ".join(f"{column} = ?" for column in columns)
        self.db.execute(
            f"UPDATE files SET {assignments} WHERE id = ?", (*columns.values(), file_id)
        )

    def mark_current(self, file_id: int, stamp: Stamp) -> None:
        """Record that a file with this fingerprint needs no more work."""
        size, mtime_ns, inode = stamp
        self.update(
            file_id, size=size, mtime_ns=mtime_ns, inode=inode, is_current=1, vanished_at=None
        )

    def mark_vanished(self, ids: Iterable[int]) -> None:
        """Record that these files are gone from disk; nothing else changes."""
        now = now_micros()
        self.db.executemany(
            "UPDATE files SET vanished_at = ? WHERE id = ?", [(now, file_id) for file_id in ids]
        )

    # -- files that are read together ----------------------------------------------------------

    def add_dependencies(
        self, row: FileRow, asked: Iterable[str], looked_for: Iterable[str] = ()
    ) -> None:
        """Record which other files a file was read with, and whose existence it depends on."""
        kinds = dict.fromkeys(asked, _READ_WITH)
        for path in looked_for:
            kinds[path] = _BUILT_ON if path in kinds else _WAITED_FOR
        self.db.executemany(
            "INSERT INTO dependencies (path, agent, file_id, on_existence) "
            "VALUES (?, ?, ?, ?) ON CONFLICT DO UPDATE SET on_existence = ? "
            "WHERE on_existence <> excluded.on_existence",
            [(path, row.agent, row.id, kind, _BUILT_ON) for path, kind in kinds.items()],
        )

    def dependencies(self, file_id: int) -> list[str]:
        """The paths of the files that a file was read with, also of those that did not exist."""
        query = "SELECT path FROM dependencies WHERE file_id = ?"
        return [path for (path,) in self.db.execute(query, (file_id,))]

    def read_with(self, file_id: int) -> list[int]:
        """The files that a file was read with, as far as they are kept."""
        query = (
            "SELECT f.id FROM dependencies d JOIN files f ON f.path = d.path AND f.agent = d.agent "
            "WHERE d.file_id = ? AND f.version_id IS NOT NULL"
        )
        return [found for (found,) in self.db.execute(query, (file_id,))]

    def invalidate_dependents(self, row: FileRow, *, is_new: bool = False) -> set[int]:
        """The files that were read with this one; they are read again, also after a crash.

        Those that depend on its existence only: from the beginning, if it `is_new`. Those that ask
        for both: always, because lines that were read say something else now.
        """
        ids = self._dependents(row, _READ_WITH)
        self.db.executemany(
            "UPDATE files SET is_current = 0 WHERE id = ?", [(file_id,) for file_id in ids]
        )
        waiting = self._dependents(row, _BUILT_ON)
        if is_new:
            waiting |= self._dependents(row, _WAITED_FOR)
        # As if an older version of the reader had read them
        self.db.executemany(
            "UPDATE files SET is_current = 0, reader_version = 0 "
            "WHERE id = ? AND reader_version IS NOT NULL",
            [(file_id,) for file_id in waiting],
        )
        return ids | waiting

    def _dependents(self, row: FileRow, kind: int) -> set[int]:
        query = "SELECT file_id FROM dependencies WHERE path = ? AND agent = ? AND on_existence = ?"
        found = self.db.execute(query, (row.path, row.agent, kind))
        return {file_id for (file_id,) in found}


def copy_files(db: Connection, rows: Iterable[FileRow]) -> None:
    """Insert rows of another catalog's files."""
    marks = ", ".join("?" * len(FileRow._fields))
    db.executemany(f"INSERT INTO files ({_COLUMNS}) VALUES ({marks})", rows)
