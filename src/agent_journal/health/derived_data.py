"""Checks what searches and queries read: every byte of it, and that it is what the catalog has.

What is damaged is marked, so that nobody uses it and the next sync rebuilds it.
"""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.errors import JournalDamaged
from agent_journal.search.lexical import SYNC_HINT, Lexical
from agent_journal.search.vectors import Vectors
from agent_journal.store.archive import Archive
from agent_journal.store.catalog import checks
from agent_journal.store.catalog.comparison import is_of_this_version
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.items import last_item
from agent_journal.store.condemned import condemn
from agent_journal.store.lines.checking import faults as faults_of_lines
from agent_journal.store.lines.lines import Lines
from agent_journal.store.mirror.checking import faults
from agent_journal.store.mirror.mirror import Mirror
from agent_journal.store.quotes import Quotes


def index_faults(files: Files, archive: Archive, index: Lexical) -> Iterator[str]:
    """What is wrong with the search index.

    What it holds is not checked when it has not caught up: the next sync updates it.
    """
    damage = index.find_damage()
    if damage is not None:
        index.condemn()
        yield f"{damage}: {SYNC_HINT}"
        return
    if not index.is_there():
        # An older version may have had its index elsewhere
        if is_of_this_version(files.db) and checks.find_watermark(files.db, index.name):
            yield f"it is missing: {SYNC_HINT}"
        return
    if checks.find_watermark(files.db, index.name) != last_item(files.db):
        return
    try:
        yield from _wrong_items(files, archive, index)
    except JournalDamaged as error:
        yield f"{error.message}: {error.hint}"


def _wrong_items(files: Files, archive: Archive, index: Lexical) -> Iterator[str]:
    from agent_journal.search.items import new_items
    from agent_journal.search.session_words import belongs

    expected: set[int] = set()
    sizes: dict[int, int] = {}  # of whole sessions
    for item in new_items(files.db, 0, Quotes(files, archive)):
        expected.add(item.id)
        if belongs(item):
            sizes[item.session] = sizes.get(item.session, 0) + len(item.text)
    indexed = index.ids()
    whole = index.session_contents()
    if max(whole.last, max(indexed, default=0)) > last_item(files.db):
        return  # a sync has just added to it
    found = [*_differences(expected, indexed), *_wrong_sessions(sizes, whole.sizes)]
    if found:
        index.condemn()
    yield from found


def _differences(expected: set[int], indexed: set[int]) -> Iterator[str]:
    if expected - indexed:
        yield f"{len(expected - indexed):,} items are missing: {SYNC_HINT}"
    if indexed - expected:
        yield f"{len(indexed - expected):,} items should not be there: {SYNC_HINT}"


def _wrong_sessions(expected: dict[int, int], indexed: dict[int, int]) -> Iterator[str]:
    wrong = dict(expected.items() ^ indexed.items())
    if wrong:
        yield f"{len(wrong):,} sessions as a whole have other words than they should: {SYNC_HINT}"


def vector_faults(db: Connection, vectors: Vectors) -> Iterator[str]:
    """What is wrong with the vectors."""
    damage = vectors.find_damage(db)
    if damage is not None:
        vectors.condemn()
        yield f"{damage}: the next 'aj sync' makes them again"


def line_faults(db: Connection, lines: Lines) -> Iterator[str]:
    """What is wrong with the index of the lines that agents wrote."""
    found = list(faults_of_lines(lines, db))
    if found:
        lines.condemn()
    for fault in found:
        yield f"{fault}: {SYNC_HINT}"


def mirror_faults(db: Connection, mirror: Mirror) -> Iterator[str]:
    """What is wrong with the tables of `aj sql`."""
    found = list(faults(mirror, db))
    if found:
        condemn(mirror.path)
    for fault in found:
        yield f"{fault}: the next query rebuilds them"
