"""Proves that the journal is what the agents wrote: every kept byte and every derived row.

Every kept frame is read and hashed; every file's ledger must add up to its size; and everything in
the catalog is derived again from the archive in a scratch database and compared session by session.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from typing import NamedTuple

import msgspec

from agent_journal.connectors.base import GROWING
from agent_journal.errors import JournalDamaged
from agent_journal.health.catalog import (
    differing_rows,
    have_same_bodies,
    refuse_damaged,
    rows_against_headers,
)
from agent_journal.health.cures import Cures, is_whole
from agent_journal.health.derived_data import (
    index_faults,
    line_faults,
    mirror_faults,
    vector_faults,
)
from agent_journal.health.on_disk import differing_files
from agent_journal.health.unfinished import Unfinished, unfinished
from agent_journal.search.lexical import Lexical
from agent_journal.search.vectors import Vectors
from agent_journal.store.archive import Archive
from agent_journal.store.catalog import checks
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.ledger import unfinished_files
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.loading import load_session
from agent_journal.store.catalog.marks import count_marks, wrong_marks
from agent_journal.store.catalog.packs import closed_packs
from agent_journal.store.catalog.results import Resolve
from agent_journal.store.catalog.seen import lost_versions, lost_versions_cure, wrong_facts
from agent_journal.store.gaps import contents, path_of
from agent_journal.store.incomplete import can_be_completed
from agent_journal.store.lines.lines import Lines
from agent_journal.store.mirror.mirror import Mirror
from agent_journal.store.quotes import Quotes
from agent_journal.sync.rederive import derived, read_by_older_version, without_connector
from agent_journal.sync.work import Progress

LINES = "the index of lines"
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
    marks: int  # stars, tags and titles that a person gave
    unknown: int
    malformed: int
    pending_bytes: int
    differences: list[Difference]
    # Their connectors are not installed: the bytes are proven, what was read from them is not.
    unread_agents: list[str]
    # An older version read their files: the bytes are proven, the rest after the next sync.
    outdated_agents: list[str]
    # The next sync goes on with them: the bytes are proven, the rest after that.
    unfinished_files: int
    cures: Cures
    lost_paths: set[str]  # of the files of which the archive has lost bytes


def verify(
    db: Connection,
    archive: Archive,
    progress: Callable[[Progress], None] | None = None,
    index: Lexical | None = None,
    mirror: Mirror | None = None,
    vectors: Vectors | None = None,
    lines: Lines | None = None,
    seen_path: str | None = None,
    marks_path: str | None = None,
) -> Verification:
    """Check the whole journal; CatalogDamaged when the catalog cannot be read at all."""
    refuse_damaged(db)
    files = Files(db)
    rows = files.all()
    damaged = list(_check_bytes(files, archive, rows, progress))
    kept = [*damaged, *_check_packs(db, archive), *_check_headers(files, archive, rows)]
    on_disk = [Difference(*found) for found in differing_files(files, rows)]
    indexes = [
        *_check_search(files, archive, index, vectors),
        *_check_lines(db, lines),
        *_check_mirror(db, mirror),
        *_check_complete(files, archive, index, lines, mirror),
    ]
    unread = without_connector(rows)
    outdated = read_by_older_version(rows)
    rest = unfinished(db, checks.known_sessions(db))
    derived_rows = [
        *_check_ledgers(files, rows),
        *_check_sums(db),
        *_check_rows(files, archive, rows, unread | outdated, rest),
    ]
    facts = list(_check_facts(db, seen_path))
    lost = list(_check_lost(db, seen_path))
    is_seen_damaged = any(fact.where == seen_path for fact in facts)
    is_catalog_wrong = bool(kept or derived_rows or (facts and not is_seen_damaged))
    marks = list(_check_marks(db, marks_path))
    is_disk_ahead = bool(on_disk or marks or is_seen_damaged)
    cures = _cures(db, archive, is_disk_ahead, is_catalog_wrong)
    totals = checks.totals(db)
    return Verification(
        files=sum(row.role != "rows" for row in rows),
        unkept_files=sum(_is_unkept(row) for row in rows),
        versions=totals.versions,
        bytes=totals.bytes,
        records=totals.records,
        sessions=totals.sessions,
        marks=count_marks(db),
        unknown=totals.unknown,
        malformed=totals.malformed,
        pending_bytes=totals.pending_bytes,
        differences=[*kept, *on_disk, *derived_rows, *indexes, *facts, *lost, *marks],
        unread_agents=sorted(unread),
        outdated_agents=sorted(outdated),
        unfinished_files=len(rest.ids),
        cures=cures,
        lost_paths={difference.where for difference in damaged},
    )


def _cures(db: Connection, archive: Archive, is_disk_ahead: bool, is_catalog_wrong: bool) -> Cures:
    """Whether the catalog is to be made again, or files are to be kept again."""
    is_archive_whole = not is_catalog_wrong or is_whole(db, archive)
    return Cures(
        comparison=is_disk_ahead or not is_archive_whole,
        rebuild=is_catalog_wrong and is_archive_whole,
    )


def _check_facts(db: Connection, seen_path: str | None) -> Iterator[Difference]:
    """Check what is in no archive, and is kept beside it."""
    if seen_path is not None:
        for wrong in wrong_facts(db, seen_path):
            yield Difference(*wrong)


def _check_lost(db: Connection, seen_path: str | None) -> Iterator[Difference]:
    """Check that the archive has every version that was ever kept."""
    if seen_path is None:
        return
    for path, number in lost_versions(db, seen_path):
        what = f"version {number} was kept once, and is not in the archive"
        yield Difference(path, f"{what}: {lost_versions_cure(seen_path)}")


def _check_marks(db: Connection, marks_path: str | None) -> Iterator[Difference]:
    """Check the stars, tags and titles that a person gave."""
    if marks_path is not None:
        for wrong in wrong_marks(db, marks_path):
            yield Difference(marks_path, wrong)


def _is_unkept(row: FileRow) -> bool:
    return row.version_id is None and row.role not in ("rows", "companion")


def _check_bytes(
    files: Files, archive: Archive, rows: list[FileRow], progress: Callable[[Progress], None] | None
) -> Iterator[Difference]:
    total = checks.kept_bytes(files.db)
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


def _check_packs(db: Connection, archive: Archive) -> Iterator[Difference]:
    """Check that the catalog knows everything that the packs contain."""
    known = checks.kept_versions(db)
    found = contents(archive, closed_packs(db))
    for gap in found.gaps:
        if gap.is_last:
            what = f"there is no entry of the archive from byte {gap.start} on"
        else:
            what = f"bytes {gap.start} to {gap.end} are not an entry of the archive"
        yield Difference(archive.path(gap.pack), what)
    missing = set()
    for described in found.described:
        path = path_of(described)
        if checks.KeptVersion(described.agent, path, described.version) not in known:
            missing.add(f"version {described.version} of {path}")
    for name in sorted(missing):
        yield Difference(name, "is in the archive but not in the catalog")


def _check_headers(files: Files, archive: Archive, rows: list[FileRow]) -> Iterator[Difference]:
    """Check that the catalog says of files what the headers in the archive say."""
    for wrong in rows_against_headers(files, archive, rows):
        yield Difference(*wrong)


def _check_search(
    files: Files, archive: Archive, index: Lexical | None, vectors: Vectors | None
) -> Iterator[Difference]:
    """Check the search index and the vectors."""
    if index is not None:
        for fault in index_faults(files, archive, index):
            yield Difference("the search index", fault)
    if vectors is not None:
        for fault in vector_faults(files.db, vectors):
            yield Difference("the vectors", fault)


def _check_lines(db: Connection, lines: Lines | None) -> Iterator[Difference]:
    """Check the index of the lines that agents wrote."""
    if lines is not None:
        for fault in line_faults(db, lines):
            yield Difference(LINES, fault)


def _check_mirror(db: Connection, mirror: Mirror | None) -> Iterator[Difference]:
    """Check the Parquet files that `aj sql` reads."""
    if mirror is None:
        return
    for fault in mirror_faults(db, mirror):
        yield Difference("the tables of aj sql", fault)


def _check_complete(
    files: Files,
    archive: Archive,
    index: Lexical | None,
    lines: Lines | None,
    mirror: Mirror | None,
) -> Iterator[Difference]:
    """Check that what is derived has all the texts that the archive has."""
    quotes = Quotes(files, archive)
    made = {"the search index": index, LINES: lines, "the tables of aj sql": mirror}
    for name, derived_data in made.items():
        if derived_data is not None and can_be_completed(derived_data.path, quotes):
            yield Difference(name, "made while the archive was damaged: run 'aj sync'")


def _check_sums(db: Connection) -> Iterator[Difference]:
    """Check that what `aj usage` and `aj stats` add up is what the rows say."""
    for table, count in checks.wrong_sums(db).items():
        yield Difference(f"the sums in {table}", f"{count:,} differ from the rows they add up")


def _check_ledgers(files: Files, rows: list[FileRow]) -> Iterator[Difference]:
    """Check that the ledger of every file accounts for all its bytes."""
    counted_bytes = checks.ledger_bytes(files.db)
    unreadable = checks.unreadable_files(files.db) | unfinished_files(files.db)
    for row in rows:
        version_id = row.read_version
        if version_id is None or row.status == "copy":
            version_id = row.version_id
        version = files.version(version_id)
        if version is None or row.id in unreadable:
            continue
        counted = counted_bytes.get(row.id, 0)
        if row.role in GROWING and row.status == "read":
            counted += version.size - row.read_offset  # the beginning of the next record
        if counted != version.size:
            yield Difference(row.path, f"the ledger accounts for {counted} of {version.size} bytes")


def _check_rows(
    files: Files, archive: Archive, rows: list[FileRow], ignored: set[str], rest: Unfinished
) -> Iterator[Difference]:
    """Derive everything again, and compare.

    In another order than a sync has: what files say must not depend on which came first.
    """
    with derived(files, archive, rows[::-1], rest.ids) as scratch:
        wrong_rows = list(differing_rows(files.db, scratch, ignored))
        is_same = not wrong_rows and not ignored and not rest.ids
        if is_same:
            is_same = have_same_bodies(files.db, scratch)
        ours = _digest(files.db, archive, with_sessions=not is_same)
        theirs = _digest(scratch, archive, with_sessions=not is_same)
        ours = _without_agents(ours, ignored, rows)
        theirs = _without_agents(theirs, ignored, rows)
        yield from _compare(rest.without(ours), rest.without(theirs))
        for wrong in wrong_rows:
            if not rest.covers(wrong.where):
                yield Difference(*wrong)


def _without_agents(
    digests: dict[str, str], agents: set[str], rows: list[FileRow]
) -> dict[str, str]:
    """Return the digests without those of agents that cannot be read."""
    paths = {row.path.replace(os.sep, "/") for row in rows if row.agent in agents}
    return {
        name: value
        for name, value in digests.items()
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


def digest(db: Connection, archive: Archive) -> dict[str, str]:
    """Return a hash of everything derived in a catalog, by name; equal journals have equal ones."""
    return _digest(db, archive, with_sessions=True)


def _digest(db: Connection, archive: Archive, *, with_sessions: bool) -> dict[str, str]:
    found: dict[str, str] = {}
    if with_sessions:
        resolve = Quotes(Files(db), archive)
        for row in checks.known_sessions(db):
            row = row.without_marks()
            found[f"{row.agent}:{row.id}"] = _session_digest(db, row, resolve)
    for rows in checks.derived_rows(db):
        text = repr(rows.rows)
        found[f"{rows.table} of {rows.path}"] = hashlib.sha256(text.encode()).hexdigest()
    return {name.replace(os.sep, "/"): value for name, value in found.items()}


def _session_digest(db: Connection, row: SessionRow, resolve: Resolve) -> str:
    session = load_session(db, row, resolve)
    usage = checks.usage_keys(db, row.row_id)
    # Which project a folder belongs to depends on the disk, not on the archive.
    listed = row._replace(row_id=0, project=None)
    return hashlib.sha256(_encode((session, usage, listed))).hexdigest()
