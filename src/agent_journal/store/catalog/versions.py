"""The kept bytes of files: versions, and the frames of the archive that they are made of."""

from __future__ import annotations

import time
from collections.abc import Iterator
from sqlite3 import Connection
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.store.catalog.packs import note_loss, note_undescribed

if TYPE_CHECKING:  # a sync with nothing to do never opens the archive
    from agent_journal.store.archive import FrameHeader, Place


class Version(NamedTuple):
    """One state of a file's bytes.

    The newest grows; older ones are what the file was before it was rewritten.
    """

    id: int
    file_id: int
    number: int
    size: int
    mtime_ns: int | None
    captured_at: int | None


_COLUMNS = ", ".join(Version._fields)


class Frame(NamedTuple):
    """`size` bytes of a version from `start` on, and where the archive holds them."""

    start: int
    size: int
    sha256: bytes
    place: Place

    @property
    def end(self) -> int:
        """Where the next frame starts."""
        return self.start + self.size


class KeptFrame(NamedTuple):
    """A frame of a version as an entry of the archive describes it."""

    version_id: int
    header: FrameHeader
    sha256: bytes
    place: Place


class Versions:
    """The tables of versions and frames."""

    def __init__(self, db: Connection) -> None:
        self.db = db

    def version(self, version_id: int | None) -> Version | None:
        """A version by id."""
        query = f"SELECT {_COLUMNS} FROM versions WHERE id = ?"
        row = self.db.execute(query, (version_id,)).fetchone()
        return Version(*row) if row else None

    def versions(self, file_id: int) -> list[Version]:
        """All versions of a file, oldest first."""
        query = f"SELECT {_COLUMNS} FROM versions WHERE file_id = ? ORDER BY number"
        return [Version(*row) for row in self.db.execute(query, (file_id,))]

    def last_number(self, file_id: int) -> int:
        """The number of the newest version of a file; 0 when there is none."""
        query = "SELECT coalesce(max(number), 0) FROM versions WHERE file_id = ?"
        number: int = self.db.execute(query, (file_id,)).fetchone()[0]
        return number

    def new_version(self, file_id: int, mtime_ns: int, number: int | None = None) -> Version:
        """Start a version, after the last one unless the number is known.

        The version with the highest number is the file's state.
        """
        last = self.last_number(file_id)
        if number is None:
            number = last + 1
        cursor = self.db.execute(
            "INSERT INTO versions (file_id, number, size, mtime_ns, captured_at) "
            "VALUES (?, ?, 0, ?, ?)",
            (file_id, number, mtime_ns, now_micros()),
        )
        if number > last:
            update = "UPDATE files SET version_id = ? WHERE id = ?"
            self.db.execute(update, (cursor.lastrowid, file_id))
        version = self.version(cursor.lastrowid)
        assert version is not None
        return version

    def update_version(self, version_id: int, *, size: int, mtime_ns: int) -> None:
        """Record how far a version has been kept."""
        self.db.execute(
            "UPDATE versions SET size = ?, mtime_ns = ? WHERE id = ?", (size, mtime_ns, version_id)
        )

    def set_capture(self, file_id: int, number: int, captured_at: int | None) -> None:
        """Record when a version was kept, if that is known."""
        if captured_at is not None:
            update = "UPDATE versions SET captured_at = ? WHERE file_id = ? AND number = ?"
            self.db.execute(update, (captured_at, file_id, number))

    # -- frames --------------------------------------------------------------------------------

    def has_frame(self, sha256: bytes) -> bool:
        """Whether the archive holds these bytes, as far as the catalog knows."""
        query = "SELECT 1 FROM frames WHERE sha256 = ? AND stored > 0"
        return self.db.execute(query, (sha256,)).fetchone() is not None

    def link_frame(
        self, version_id: int, start: int, sha256: bytes, size: int, place: Place
    ) -> None:
        """Record that a version has the frame of that sha256 at `start`.

        A `place` without bytes means that the archive held them before, or has lost them.
        """
        if place.stored:
            if self._is_lost(sha256):
                note_undescribed(self.db)  # other versions have them again, too
            self.db.execute(
                "INSERT INTO frames (sha256, size, pack, offset, stored) VALUES (?, ?, ?, ?, ?) "
                "ON CONFLICT DO UPDATE SET "
                "pack = excluded.pack, offset = excluded.offset, stored = excluded.stored",
                (sha256, size, place.pack, place.offset, place.stored),
            )
        elif not self.has_frame(sha256):
            note_loss(self.db)
            self.db.execute(
                "INSERT OR IGNORE INTO frames (sha256, size, pack, offset, stored) "
                "VALUES (?, ?, 0, 0, 0)",
                (sha256, size),
            )
        self.db.execute(
            "INSERT OR REPLACE INTO version_frames (version_id, start, frame_id) "
            "SELECT ?, ?, id FROM frames WHERE sha256 = ?",
            (version_id, start, sha256),
        )

    def _is_lost(self, sha256: bytes) -> bool:
        query = "SELECT 1 FROM frames WHERE sha256 = ? AND stored = 0"
        return self.db.execute(query, (sha256,)).fetchone() is not None

    def mark_lost_frames(self, pack: int, length: int) -> None:
        """Mark what a pack held beyond `length`; the files it belonged to are looked at again.

        What they had is remembered: bytes with the same sha256 heal them, wherever they are found.
        """
        lost = "SELECT id FROM frames WHERE pack = ? AND offset + stored > ?"
        self.db.execute(
            "UPDATE files SET is_current = 0 WHERE version_id IN "
            f"(SELECT version_id FROM version_frames WHERE frame_id IN ({lost}))",
            (pack, length),
        )
        self.db.execute(
            f"UPDATE frames SET pack = 0, offset = 0, stored = 0 WHERE id IN ({lost})",
            (pack, length),
        )

    def move_frames(self, places: dict[bytes, Place]) -> None:
        """Record where frames are in packs that were rewritten."""
        self.db.executemany(
            "UPDATE frames SET pack = ?, offset = ?, stored = ? WHERE sha256 = ?",
            [(*place, sha256) for sha256, place in places.items()],
        )

    def frames(self, version_id: int, start: int = 0) -> Iterator[Frame]:
        """The frames of a version that hold bytes from `start` on, in order."""
        condition = "v.start + f.size > ? AND f.stored > 0"
        return self._frames_where(version_id, condition, start)

    def lost_frames(self, version_id: int) -> Iterator[Frame]:
        """The frames of a version whose bytes the archive has lost, in order."""
        return self._frames_where(version_id, "f.stored = 0")

    def _frames_where(self, version_id: int, condition: str, *values: object) -> Iterator[Frame]:
        from agent_journal.store.archive import Place

        query = (
            "SELECT v.start, f.size, f.sha256, f.pack, f.offset, f.stored "
            "FROM version_frames v JOIN frames f ON f.id = v.frame_id "
            f"WHERE v.version_id = ? AND {condition} ORDER BY v.start"
        )
        rows = self.db.execute(query, (version_id, *values)).fetchall()
        for at, size, sha256, pack, offset, stored in rows:
            yield Frame(at, size, sha256, Place(pack, offset, stored))

    def kept_frames(self) -> Iterator[KeptFrame]:
        """All frames of all versions, in the order in which they were kept; also lost ones."""
        from agent_journal.store.archive import FrameHeader, Place

        query = (
            "SELECT v.id, r.sha256, r.pack, r.offset, r.stored, "
            "f.agent, f.root, f.name, f.role, f.session, f.rank, v.number, l.start, r.size, "
            "lower(hex(r.sha256)), coalesce(v.mtime_ns, 0) "
            "FROM version_frames l JOIN frames r ON r.id = l.frame_id "
            "JOIN versions v ON v.id = l.version_id JOIN files f ON f.id = v.file_id "
            "ORDER BY r.id, v.id, l.start"
        )
        for version_id, sha256, pack, offset, stored, *header in self.db.execute(query):
            place = Place(pack, offset, stored)
            yield KeptFrame(version_id, FrameHeader(*header), sha256, place)

    def holes(self, version: Version) -> list[tuple[int, int]]:
        """The bytes of a version that the archive has lost: from, to."""
        found = []
        at = 0
        for frame in self.frames(version.id):
            if frame.start > at:
                found.append((at, frame.start))
            at = frame.end
        if at < version.size:
            found.append((at, version.size))
        return found

    def has_holes(self) -> bool:
        """Whether the archive has lost bytes of any version."""
        rows = self.db.execute(f"SELECT {_COLUMNS} FROM versions").fetchall()
        return any(self.holes(Version(*row)) for row in rows)


def copy_versions(db: Connection, other: Connection, file_id: int, last_version: int) -> None:
    """Copy the versions of a file up to one of them into another catalog, with their frames."""
    versions = (
        f"SELECT {_COLUMNS} FROM versions WHERE file_id = ?1 "
        "AND number <= (SELECT number FROM versions WHERE id = ?2)"
    )
    for row in db.execute(versions, (file_id, last_version)).fetchall():
        version = Version(*row)
        other.execute(f"INSERT INTO versions ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?)", version)
        frames = db.execute(
            "SELECT f.id, f.sha256, f.size, f.pack, f.offset, f.stored FROM frames f "
            "JOIN version_frames v ON v.frame_id = f.id WHERE v.version_id = ?",
            (version.id,),
        )
        other.executemany(
            "INSERT OR IGNORE INTO frames (id, sha256, size, pack, offset, stored) "
            "VALUES (?, ?, ?, ?, ?, ?)",
            frames,
        )
        links = db.execute(
            "SELECT version_id, start, frame_id FROM version_frames WHERE version_id = ?",
            (version.id,),
        )
        other.executemany(
            "INSERT INTO version_frames (version_id, start, frame_id) VALUES (?, ?, ?)", links
        )


def now_micros() -> int:
    """The time now, as the catalog stores it."""
    return time.time_ns() // 1000
