"""The files of the agents in the catalog: what is known of each, which bytes are kept, what its
ledger says.
"""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.connectors.base import FileRole
from agent_journal.connectors.ledger import Ledger

if TYPE_CHECKING:  # a sync with nothing to do never opens the archive
    from agent_journal.store.archive import Archive, Packed, Place

# Tables whose rows belong to one file and are made anew when it is read anew; by session where that
# has the index.
_BY_SESSION = ("messages", "tool_calls", "events", "file_edits", "usage", "todo_lists", "documents")
_BY_FILE = (
    "plans",
    "history",
    "daily_stats",
    "blocks",
    "ledger",
    "problems",
    "session_pieces",
    "dependencies",
)


# Of these, the tables whose rows an index or the mirror may hold: their ids become tombstones.
_FOUND_BY_SESSION = ("messages", "tool_calls", "events", "file_edits", "todo_lists", "usage")
_FOUND_BY_FILE = ("plans", "history")
IS_TRANSCRIPT = "role IN ('log', 'replay', 'session', 'export')"  # connectors.base.TRANSCRIPTS
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


class Version(NamedTuple):
    """One state of a file's bytes: the newest grows, older ones are what it was before it was
    rewritten.
    """

    id: int
    file_id: int
    number: int
    size: int
    mtime_ns: int | None
    captured_at: int | None


class Files:
    """The table of files and the tables that hang on it."""

    def __init__(self, db: sqlite3.Connection) -> None:
        self.db = db

    def current(self, agent: str, roots: Sequence[str]) -> dict[str, Stamp]:
        """Path to fingerprint of every file on disk, found under these roots, with nothing left to
        do.
        """
        query = (
            "SELECT path, size, mtime_ns, inode FROM files WHERE agent = ? AND is_current = 1 AND vanished_at IS NULL "
            f"AND root IN ({', '.join('?' * len(roots))})"
        )
        return {row[0]: row[1:] for row in self.db.execute(query, (agent, *roots))}

    def invalidate_old(self, agent: str, reader_version: int) -> None:
        """After an upgrade of a reader, everything it read is read anew."""
        key = f"reader of {agent}"
        row = self.db.execute("SELECT value FROM meta WHERE key = ?", (key,)).fetchone()
        if row is None or row[0] != reader_version:
            update = "UPDATE files SET is_current = 0 WHERE agent = ? AND reader_version <> ?"
            self.db.execute(update, (agent, reader_version))
            self.db.execute("INSERT OR REPLACE INTO meta VALUES (?, ?)", (key, reader_version))

    def find(self, agent: str, path: str) -> FileRow | None:
        """The row of a path."""
        row = self.db.execute(
            f"SELECT {_COLUMNS} FROM files WHERE path = ? AND agent = ?", (path, agent)
        ).fetchone()
        return FileRow(*row) if row else None

    def get(self, file_id: int) -> FileRow:
        """The row of an id."""
        return FileRow(
            *self.db.execute(f"SELECT {_COLUMNS} FROM files WHERE id = ?", (file_id,)).fetchone()
        )

    def all(self, condition: str = "1", *values: object) -> list[FileRow]:
        """All rows that meet a condition, by id."""
        query = f"SELECT {_COLUMNS} FROM files WHERE {condition} ORDER BY id"
        return [FileRow(*row) for row in self.db.execute(query, values)]

    def ensure(
        self,
        agent: str,
        root: str,
        name: str,
        path: str,
        role: FileRole,
        session: str | None,
        rank: int,
    ) -> FileRow:
        """The row of a path, made when it is new."""
        row = self.find(agent, path)
        if row is not None:
            return row
        self.db.execute(
            "INSERT INTO files (agent, root, name, path, role, session, rank, first_seen) VALUES (?,?,?,?,?,?,?,?)",
            (agent, root, name, path, role, session, rank, now_micros()),
        )
        row = self.find(agent, path)
        assert row is not None
        return row

    def state(self, file_id: int) -> bytes | None:
        """The state its reader was saved with."""
        state: bytes | None = self.db.execute(
            "SELECT state FROM files WHERE id = ?", (file_id,)
        ).fetchone()[0]
        return state

    def update(self, file_id: int, **columns: object) -> None:
        """Sets columns of a row."""
        assignments = ", ".join(f"{column} = ?" for column in columns)
        self.db.execute(
            f"UPDATE files SET {assignments} WHERE id = ?", (*columns.values(), file_id)
        )

    def mark_vanished(self, ids: Iterable[int]) -> None:
        """Remembers that these files are gone from disk; nothing else changes."""
        now = now_micros()
        self.db.executemany(
            "UPDATE files SET vanished_at = ? WHERE id = ?", [(now, file_id) for file_id in ids]
        )

    # -- rows derived from a file --------------------------------------------------------------

    def sessions_of(self, file_id: int) -> list[int]:
        """The sessions a file has pieces of."""
        query = "SELECT session_id FROM session_pieces WHERE file_id = ?"
        return [row[0] for row in self.db.execute(query, (file_id,))]

    def drop_rows(self, file_id: int) -> set[str]:
        """Removes everything read from a file, keeping its bytes; the usage keys that were removed."""
        keys: set[str] = set()
        for session_id in self.sessions_of(file_id):
            place = (session_id, file_id)
            for table in _FOUND_BY_SESSION:
                self.db.execute(
                    f"INSERT OR IGNORE INTO tombstones SELECT id FROM {table} WHERE session_id = ? AND file_id = ?",
                    place,
                )
            query = "SELECT key FROM usage WHERE session_id = ? AND file_id = ?"
            keys.update(key for (key,) in self.db.execute(query, place))
            for table in _BY_SESSION:
                self.db.execute(f"DELETE FROM {table} WHERE session_id = ? AND file_id = ?", place)
        for table in _FOUND_BY_FILE:
            self.db.execute(
                f"INSERT OR IGNORE INTO tombstones SELECT id FROM {table} WHERE file_id = ?",
                (file_id,),
            )
        for table in _BY_FILE:
            self.db.execute(f"DELETE FROM {table} WHERE file_id = ?", (file_id,))
        self.update(file_id, read_version=None, read_offset=0, state=None, is_current=0)
        return keys

    def add_ledger(self, row: FileRow, ledger: Ledger) -> None:
        """Adds what was counted since the last time."""
        self.db.executemany(
            "INSERT INTO ledger VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
            "count = count + excluded.count, bytes = bytes + excluded.bytes",
            [(row.id, *entry, count, size) for entry, (count, size) in ledger.counts.items()],
        )
        self.add_problems(row, ledger.troubles)
        ledger.counts.clear()
        ledger.troubles.clear()

    def add_problems(self, row: FileRow, troubles: Iterable[tuple[int | None, str, str]]) -> None:
        """Remembers places of trouble, up to a number per file."""
        (there,) = self.db.execute(
            "SELECT count(*) FROM problems WHERE file_id = ?", (row.id,)
        ).fetchone()
        room = max(0, Ledger.MAX_TROUBLES - there)
        self.db.executemany(
            "INSERT INTO problems VALUES (NULL, ?, ?, ?, ?, ?, ?)",
            [(row.id, row.path, row.agent, *trouble) for trouble in list(troubles)[:room]],
        )

    def depend(self, row: FileRow, paths: Iterable[str]) -> None:
        """Remembers which other files a file was read with."""
        rows = [(path, row.agent, row.id) for path in paths]
        self.db.executemany("INSERT OR IGNORE INTO dependencies VALUES (?, ?, ?)", rows)

    def has_said(self, file_id: int) -> bool:
        """Whether anything was ever read from a file."""
        query = "SELECT 1 FROM ledger WHERE file_id = ? AND status IN ('mapped', 'unknown') AND count > 0 LIMIT 1"
        return self.db.execute(query, (file_id,)).fetchone() is not None

    def dependencies(self, file_id: int) -> list[str]:
        """The paths of the files that a file was read with, also of those that were not there."""
        return [
            path
            for (path,) in self.db.execute(
                "SELECT path FROM dependencies WHERE file_id = ?", (file_id,)
            )
        ]

    def read_with(self, file_id: int) -> list[int]:
        """The files that a file was read with, as far as they are kept."""
        query = (
            "SELECT f.id FROM dependencies d JOIN files f ON f.path = d.path AND f.agent = d.agent "
            "WHERE d.file_id = ? AND f.version_id IS NOT NULL"
        )
        return [found for (found,) in self.db.execute(query, (file_id,))]

    def unsettle_dependents(self, row: FileRow) -> set[int]:
        """The files that were read with this one; they are to be read anew, also after a crash."""
        query = "SELECT file_id FROM dependencies WHERE path = ? AND agent = ?"
        ids = {file_id for (file_id,) in self.db.execute(query, (row.path, row.agent))}
        self.db.executemany(
            "UPDATE files SET is_current = 0 WHERE id = ?", [(file_id,) for file_id in ids]
        )
        return ids

    # -- kept bytes ----------------------------------------------------------------------------

    def version(self, version_id: int | None) -> Version | None:
        """A version by id."""
        row = self.db.execute("SELECT * FROM versions WHERE id = ?", (version_id,)).fetchone()
        return Version(*row) if row else None

    def versions(self, file_id: int) -> list[Version]:
        """All versions of a file, oldest first."""
        query = "SELECT * FROM versions WHERE file_id = ? ORDER BY number"
        return [Version(*row) for row in self.db.execute(query, (file_id,))]

    def new_version(self, file_id: int, mtime_ns: int, number: int | None = None) -> Version:
        """Starts a version, after the last one unless the number is known; the highest number is
        the file's state.
        """
        query = "SELECT coalesce(max(number), 0) FROM versions WHERE file_id = ?"
        (last,) = self.db.execute(query, (file_id,)).fetchone()
        number = last + 1 if number is None else number
        insert = "INSERT INTO versions (file_id, number, size, mtime_ns, captured_at) VALUES (?, ?, 0, ?, ?)"
        version_id = self.db.execute(insert, (file_id, number, mtime_ns, now_micros())).lastrowid
        if number > last:
            self.update(file_id, version_id=version_id)
        version = self.version(version_id)
        assert version is not None
        return version

    def update_version(self, version_id: int, **columns: object) -> None:
        """Sets columns of a version."""
        assignments = ", ".join(f"{column} = ?" for column in columns)
        self.db.execute(
            f"UPDATE versions SET {assignments} WHERE id = ?", (*columns.values(), version_id)
        )

    def store_frame(
        self,
        archive: Archive,
        row: FileRow,
        version: Version,
        start: int,
        packed: Packed,
        anew: bool = False,
    ) -> None:
        """Keeps a chunk of a version: in the archive, unless the same bytes are there, and in the
        tables.
        """
        from agent_journal.store.archive import FrameHeader

        known = self.db.execute(
            "SELECT id FROM frames WHERE sha256 = ?", (packed.sha256,)
        ).fetchone()
        header = FrameHeader(
            row.agent,
            row.root,
            row.name,
            row.role,
            row.session,
            row.rank,
            version.number,
            start,
            packed.size,
            packed.sha256.hex(),
            version.mtime_ns or 0,
        )
        place = archive.append(header, b"" if known and not anew else packed.frame)
        self.link_frame(version.id, start, packed.sha256, packed.size, place)

    def link_frame(
        self, version_id: int, start: int, sha256: bytes, size: int, place: Place
    ) -> None:
        """Records that `size` bytes at `start` of a version are the frame of that sha256, now at
        `place` if stored.
        """
        if place.stored:
            self.db.execute(
                "INSERT INTO frames VALUES (NULL, ?, ?, ?, ?, ?) ON CONFLICT DO UPDATE SET "
                "pack = excluded.pack, offset = excluded.offset, stored = excluded.stored",
                (sha256, size, *place),
            )
        self.db.execute(
            "INSERT OR REPLACE INTO version_frames SELECT ?, ?, id FROM frames WHERE sha256 = ?",
            (version_id, start, sha256),
        )

    def forget_lost_frames(self, pack: int, length: int) -> None:
        """What lay in a pack beyond `length` is lost; the files it belonged to are looked at again."""
        lost = "SELECT id FROM frames WHERE pack = ? AND offset + stored > ?"
        self.db.execute(
            "UPDATE files SET is_current = 0 WHERE version_id IN "
            f"(SELECT version_id FROM version_frames WHERE frame_id IN ({lost}))",
            (pack, length),
        )
        self.db.execute(f"DELETE FROM frames WHERE id IN ({lost})", (pack, length))

    def holes(self, version: Version) -> list[tuple[int, int]]:
        """The bytes of a version that the archive has lost: from, to."""
        found = []
        at = 0
        for start, size, _, _ in self.frames(version.id):
            if start > at:
                found.append((at, start))
            at = start + size
        return [*found, (at, version.size)] if at < version.size else found

    def frames(self, version_id: int, start: int = 0) -> Iterator[tuple[int, int, bytes, Place]]:
        """(start, size, sha256, place) of the frames of a version that hold bytes from `start` on."""
        from agent_journal.store.archive import Place

        query = (
            "SELECT v.start, f.size, f.sha256, f.pack, f.offset, f.stored FROM version_frames v "
            "JOIN frames f ON f.id = v.frame_id WHERE v.version_id = ? AND v.start + f.size > ? ORDER BY v.start"
        )
        for at, size, sha256, *place in self.db.execute(query, (version_id, start)).fetchall():
            yield at, size, sha256, Place(*place)


def now_micros() -> int:
    """The time now, as the catalog stores it."""
    return time.time_ns() // 1000
