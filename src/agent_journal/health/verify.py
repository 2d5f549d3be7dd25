"""Proof that the journal is what the agents wrote: the archive byte by byte, the catalog row by
row.

Every kept frame is read and hashed; every file's ledger must add up to its size; and everything in
the catalog is derived again from the archive in a scratch database and compared session by session.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from itertools import groupby
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import GROWING
from agent_journal.errors import JournalDamaged
from agent_journal.search.lexical import Lexical
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.items import last_item
from agent_journal.store.catalog.listing import SESSION_COLUMNS, SessionRow
from agent_journal.store.catalog.loading import Resolve, load_session
from agent_journal.store.catalog.sums import SUMS
from agent_journal.store.mirror.checking import faults
from agent_journal.store.mirror.mirror import Mirror
from agent_journal.store.quotes import Quotes
from agent_journal.sync.rederive import derived, without_connector
from agent_journal.sync.work import Progress

_ANEW = "delete {}, the next query makes them anew"
_encode = msgspec.msgpack.Encoder(order="deterministic").encode


class Difference(NamedTuple):
    """Something that is not as it should be."""

    where: str
    what: str


class Verification(NamedTuple):
    """What was proven, and what was not."""

    files: int
    unkept_files: int
    versions: int
    bytes: int
    records: int
    sessions: int
    unknown: int
    malformed: int
    pending_bytes: int
    differences: list[Difference]
    # Whose connectors are gone: their bytes are proven, what they say is not
    unread_agents: list[str]


def verify(
    db: Connection,
    archive: Archive,
    progress: Callable[[Progress], None] | None = None,
    index: Lexical | None = None,
    mirror: Mirror | None = None,
) -> Verification:
    """Checks the whole journal."""
    files = Files(db)
    rows = files.all()
    differences = [
        *_check_bytes(files, archive, rows, progress),
        *_check_packs(files, archive),
        *_check_ledgers(files, rows),
    ]
    differences += _check_index(files, archive, index)
    differences += _check_sums(db)
    if mirror is not None:
        differences += [
            Difference("the tables of aj sql", f"{what}: {_ANEW.format(mirror.path)}")
            for what in faults(mirror, db)
        ]
    with derived(files, archive, rows) as scratch:
        unread = without_connector(rows)
        ours = _without(digest(db, archive), unread, rows)
        differences += _compare(ours, digest(scratch, archive))
    count = db.execute("SELECT coalesce(sum(count), 0) FROM ledger").fetchone()[0]
    by_status = dict(db.execute("SELECT status, sum(count) FROM ledger GROUP BY status"))
    versions, size = db.execute("SELECT count(*), coalesce(sum(size), 0) FROM versions").fetchone()
    sessions = db.execute("SELECT count(*) FROM sessions WHERE is_known = 1").fetchone()[0]
    pending = db.execute(_PENDING).fetchone()[0]
    unkept = sum(row.version_id is None and row.role not in ("rows", "companion") for row in rows)
    unknown, malformed = by_status.get("unknown", 0), by_status.get("malformed", 0)
    count_of_files = sum(row.role != "rows" for row in rows)
    return Verification(
        count_of_files,
        unkept,
        versions,
        size,
        count,
        sessions,
        unknown,
        malformed,
        pending,
        differences,
        sorted(unread),
    )


_PENDING = (
    "SELECT coalesce(sum(v.size - f.read_offset), 0) FROM files f JOIN versions v ON v.id = f.version_id "
    "WHERE f.status = 'read' AND f.role IN ('log', 'replay')"
)


def _check_bytes(
    files: Files, archive: Archive, rows: list[FileRow], progress: Callable[[Progress], None] | None
) -> Iterator[Difference]:
    total = files.db.execute("SELECT coalesce(sum(size), 0) FROM versions").fetchone()[0]
    done = 0
    for row in rows:
        for version in files.versions(row.id):
            if progress is not None:
                progress(Progress(done, total, row.path))
            for reason in _damage(files, archive, version.id, version.size):
                yield Difference(row.path, f"version {version.number}: {reason}")
            done += version.size


def _damage(files: Files, archive: Archive, version_id: int, size: int) -> Iterator[str]:
    at = 0
    for start, length, sha256, place in files.frames(version_id):
        if start != at:
            yield f"bytes {at} to {start} are not in the archive"
        try:
            archive.read(place, sha256)
        except JournalDamaged as error:
            yield f"bytes {start} to {start + length}: {error.message}"
        at = start + length
    if at != size:
        yield f"{at} bytes are in the archive, the file had {size}"


def _check_packs(files: Files, archive: Archive) -> Iterator[Difference]:
    """Everything that was ever kept is known: what the packs say of themselves, against the tables."""
    known = set(
        files.db.execute(
            "SELECT f.agent, f.path, v.number FROM versions v JOIN files f ON f.id = v.file_id"
        ).fetchall()
    )
    missing: dict[str, None] = {}
    told: set[tuple[str, str, int]] = set()
    closed = {number for (number,) in files.db.execute("SELECT number FROM packs WHERE is_closed")}
    for number in sorted(archive.lengths()):
        end = 0
        for entry in archive.scan(number, 0):
            if entry.start > end:
                yield Difference(
                    archive.path(number),
                    f"bytes {end} to {entry.start} are no entry of the archive",
                )
            end = entry.end
            header = entry.header
            path = os.path.join(header.root, *header.name.split("/"))
            told.add((header.agent, path, header.version))
            if (header.agent, path, header.version) not in known:
                missing[f"version {header.version} of {path}"] = None
        if end < archive.lengths()[number] and number not in closed:
            yield Difference(
                archive.path(number), f"from byte {end} on there is no entry of the archive"
            )
    yield from (Difference(what, "is in the archive but not in the catalog") for what in missing)


def _check_index(files: Files, archive: Archive, index: Lexical | None) -> Iterator[Difference]:
    """Everything that can be found is in the search index, and nothing else; one that is behind is
    not looked at.
    """
    if index is None or not index.is_there():
        return
    query = "SELECT item_id FROM watermarks WHERE name = ?"
    watermark = files.db.execute(query, (index.name,)).fetchone()
    if watermark is None or watermark[0] != last_item(files.db):
        return
    from agent_journal.search.items import new_items

    expected = {item.id for item in new_items(files.db, 0, Quotes(files, archive))}
    there = index.ids()
    for what, ids in (("missing in", expected - there), ("too many in", there - expected)):
        if ids:
            yield Difference(
                "the search index",
                f"{len(ids):,} items are {what} it: 'aj sync --rebuild' makes it anew",
            )


def _check_sums(db: Connection) -> Iterator[Difference]:
    """What `aj usage` and `aj stats` add up is what the rows say."""
    for table, query in SUMS.items():
        rows = query.format(which="1")
        (wrong,) = db.execute(
            f"SELECT (SELECT count(*) FROM (SELECT * FROM {table} EXCEPT {rows})) "
            f"+ (SELECT count(*) FROM ({rows} EXCEPT SELECT * FROM {table}))"
        ).fetchone()
        if wrong:
            yield Difference(f"the sums in {table}", f"{wrong:,} of them are not those of the rows")


def _check_ledgers(files: Files, rows: list[FileRow]) -> Iterator[Difference]:
    sums = dict(files.db.execute("SELECT file_id, sum(bytes) FROM ledger GROUP BY file_id"))
    failed = {
        row[0]
        for row in files.db.execute("SELECT file_id FROM problems WHERE kind IN ('file', 'reader')")
    }
    for row in rows:
        is_newest = row.read_version is None or row.status == "copy"
        version = files.version(row.version_id if is_newest else row.read_version)
        if version is None or row.id in failed:
            continue
        pending = (
            version.size - row.read_offset if row.role in GROWING and row.status == "read" else 0
        )
        counted = sums.get(row.id, 0) + pending
        if counted != version.size:
            yield Difference(row.path, f"the ledger accounts for {counted} of {version.size} bytes")


def _without(digest: dict[str, str], agents: set[str], rows: list[FileRow]) -> dict[str, str]:
    """What a catalog says, but for the agents that nobody can read."""
    paths = {row.path.replace(os.sep, "/") for row in rows if row.agent in agents}
    return {
        name: value
        for name, value in digest.items()
        if name.partition(":")[0] not in agents and name.partition(" of ")[2] not in paths
    }


def _compare(ours: dict[str, str], derived: dict[str, str]) -> Iterator[Difference]:
    for name in sorted({*ours, *derived}):
        if name not in derived:
            yield Difference(name, "is in the catalog but does not follow from the archive")
        elif name not in ours:
            yield Difference(name, "follows from the archive but is not in the catalog")
        elif ours[name] != derived[name]:
            yield Difference(name, "differs from what the archive says")


def _digests(db: Connection, archive: Archive) -> Iterator[tuple[str, str]]:
    """A name and a hash of everything in the catalog that is derived."""
    resolve = Quotes(Files(db), archive)
    for row in db.execute(
        f"SELECT {SESSION_COLUMNS} FROM sessions s WHERE is_known = 1"
    ).fetchall():
        session_row = SessionRow(*row)
        yield f"{session_row.agent}:{session_row.id}", _session_digest(db, session_row, resolve)
    ledger = (
        "SELECT f.path, l.status, l.kind, l.reason, l.count, l.bytes FROM ledger l JOIN files f ON f.id = l.file_id "
        "WHERE f.role <> 'companion' ORDER BY 1, 2, 3, 4"
    )
    history = "SELECT f.path, h.position, h.body FROM history h JOIN files f ON f.id = h.file_id ORDER BY 1, 2"
    stats = "SELECT f.path, d.date, d.body FROM daily_stats d JOIN files f ON f.id = d.file_id ORDER BY 1, 2"
    problems = (
        "SELECT f.path, p.kind, p.reason FROM problems p JOIN files f ON f.id = p.file_id "
        "WHERE p.kind NOT IN ('file', 'reader') ORDER BY 1, 2, 3"
    )
    tables = (
        ("ledger", ledger),
        ("history", history),
        ("daily statistics", stats),
        ("problems", problems),
    )
    for name, query in tables:
        for path, rows in groupby(db.execute(query), key=lambda row: row[0]):
            yield (
                f"{name} of {path}",
                hashlib.sha256(repr([row[1:] for row in rows]).encode()).hexdigest(),
            )


def _session_digest(db: Connection, row: SessionRow, resolve: Resolve) -> str:
    session = load_session(db, row, resolve)
    # seq only orders rows, and two files of a session may be read in either order.
    session = replace(
        session,
        messages=tuple(replace(message, seq=None) for message in session.messages),
        events=tuple(replace(event, seq=None) for event in session.events),
        file_edits=tuple(
            sorted((replace(edit, seq=None) for edit in session.file_edits), key=_encode)
        ),
    )
    usage = db.execute(
        "SELECT key, origin, counted FROM usage WHERE session_id = ? ORDER BY 1, 2, 3",
        (row.row_id,),
    )
    # Which project a folder is of stands on the disk, not in the archive
    totals = row._replace(row_id=0, project=None)
    return hashlib.sha256(_encode((session, usage.fetchall(), totals))).hexdigest()


def digest(db: Connection, archive: Archive) -> dict[str, str]:
    """Everything derived in a catalog, by name: two journals that say the same have the same
    digest.
    """
    return {name.replace(os.sep, "/"): value for name, value in _digests(db, archive)}
