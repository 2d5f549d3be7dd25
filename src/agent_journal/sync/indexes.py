"""The indexes that follow the catalog; what each needs is imported when it has to catch up."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Protocol

from agent_journal.config.loading import Config
from agent_journal.errors import ConfigError, JournalError
from agent_journal.search.embedding import choose_embedder
from agent_journal.search.lexical import NAME, Lexical
from agent_journal.search.vector_files import NAME as VECTORS_NAME
from agent_journal.search.vectors import Vectors
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.items import (
    clear_tombstones,
    last_item,
    save_watermark,
    tombstones,
)
from agent_journal.store.catalog.store import DB_NAME, open_writer, translated, write_lock
from agent_journal.store.condemned import condemn
from agent_journal.store.incomplete import can_be_completed, is_incomplete, mark_incomplete
from agent_journal.store.lines.lines import NAME as LINES_NAME
from agent_journal.store.lines.lines import Lines
from agent_journal.store.mirror.mirror import Mirror

if TYPE_CHECKING:
    from agent_journal.search.items import Item
    from agent_journal.store.catalog.results import Resolve
    from agent_journal.sync.progress import Meter
    from agent_journal.sync.word_process import WordProcess


class Index(Protocol):
    """Something derived from the catalog's rows that catches up after each sync."""

    name: str
    path: str
    trouble: str  # what a person should know of it
    tell: Callable[[float], None]  # is told how much of a catch-up is done, from 0 to 1

    def reached(self, db: Connection) -> int:
        """Up to which item it has come; 0 when it has to be built from the beginning."""

    def drop(self) -> None:
        """Remove it; the next time it is built from the beginning."""

    def catch_up(self, db: Connection, watermark: int, gone: list[int]) -> int:
        """Add the items with ids above `watermark`, drop the `gone`, return how far it came.

        Repeating it after a crash does no harm.
        """


def catch_up(
    db: Connection,
    indexes: Iterable[Index],
    archive_path: str,
    meter: Meter | None = None,
    word_process: WordProcess | None = None,
) -> None:
    """Have each index catch up from its watermark, then move the watermark.

    One that lacks texts of the archive is rebuilt when they can be read again. If a process is at
    work on the words, the others catch up meanwhile.
    """
    indexes = list(indexes)
    if not indexes:
        return
    gone = tombstones(db)
    if word_process is not None:
        word_process.end()
        indexes.sort(key=lambda index: index.name == NAME)
    for index in indexes:
        if word_process is not None and _is_done_by(word_process, index):
            continue
        watermark = index.reached(db)
        if watermark and is_incomplete(index.path):
            _condemn_incomplete(db, index, archive_path)
            watermark = index.reached(db)
        if meter is not None:
            index.tell = meter.of_index(index.name)
        if gone or last_item(db) != watermark:
            reached = index.catch_up(db, watermark, gone)
            save_watermark(db, index.name, reached)
    if gone:
        clear_tombstones(db)


def _is_done_by(process: WordProcess, index: Index) -> bool:
    """Whether another process has completed an index; it no longer writes to it in any case."""
    if index.name == VECTORS_NAME:
        process.take_back_vectors()
        return False
    if index.name != NAME:
        return False
    if process.wait():
        index.trouble = process.trouble
        return True
    process.stop()
    return False


def catch_up_words(db: Connection, indexes: Iterable[Index], meter: Meter) -> None:
    """Have the index of words catch up before the others, with what was read so far.

    The list of what is gone stays for the others. Where it fails, it fails again at the end of the
    sync, when all files are kept.
    """
    for index in indexes:
        if index.name == NAME:
            index.tell = meter.of_index(index.name)
            with suppress(JournalError):
                reached = index.catch_up(db, index.reached(db), tombstones(db))
                save_watermark(db, index.name, reached)


def _condemn_incomplete(db: Connection, index: Index, archive_path: str) -> None:
    """Have an index rebuilt if texts that it lacks can be read now."""
    from agent_journal.store.quotes import open_quotes

    with open_quotes(db, archive_path) as quotes:
        is_outdated = can_be_completed(index.path, quotes)
    if is_outdated:
        condemn(index.path)


def catch_up_indexes(
    config: Config, wait: float = 60.0, seconds: float | None = None
) -> list[Index]:
    """Have all indexes catch up without looking for new sessions; `seconds` limits a slow model.

    All of them: the list of what is gone is emptied when every index has seen it.
    """
    with write_lock(config.home, wait):
        indexes = all_indexes(config, seconds)  # now: another process may have made one
        db = open_writer(config.index_path)
        try:
            with translated(os.path.join(config.index_path, DB_NAME)):
                catch_up(db, indexes, config.archive_path)
        finally:
            db.close()
    return indexes


def all_indexes(config: Config, seconds: float | None = None) -> list[Index]:
    """Every index of a journal, in the order they catch up; `seconds` limits a slow model."""
    indexes: list[Index] = [lexical(config)]
    made, _ = vectors(config, seconds)
    if made is not None:
        indexes.append(made)
    indexes.append(lines(config))
    parquet = mirror(config)
    if parquet.is_wanted():
        indexes.append(parquet)
    return indexes


def drop_others(config: Config, indexes: list[Index]) -> None:
    """Remove the indexes that are not among these."""
    names = {index.name for index in indexes}
    for index in all_indexes(config):
        if index.name not in names:
            index.drop()


def mirror(config: Config, folder: str | None = None) -> Mirror:
    """The mirror of a journal for other tools, or one in another folder."""
    if folder is None:
        folder = os.path.join(config.home, "parquet")
    return Mirror(folder, lambda db: _quotes(config.archive_path, db, folder))


def lines(config: Config) -> Lines:
    """The index of the lines that agents wrote."""
    folder = os.path.join(config.index_path, LINES_NAME)
    return Lines(config.index_path, lambda db: _quotes(config.archive_path, db, folder))


@contextmanager
def _quotes(archive_path: str, db: Connection, folder: str) -> Iterator[Resolve]:
    """What reads the archive for an index in a folder, which is marked if something is lost."""
    from agent_journal.store.quotes import open_quotes

    with open_quotes(db, archive_path) as quotes:
        yield quotes
        mark_incomplete(folder, quotes)


def vectors(config: Config, seconds: float | None = None) -> tuple[Vectors | None, str]:
    """The vectors of a journal, or why there are none."""
    embedder, why = choose_embedder(config)
    if embedder is None:
        return None, why
    trouble = ""
    if why:
        trouble = f"{why}; vectors are of {embedder.name.split()[0]} instead"
    precision = str(config.get("index.vector_precision"))
    return Vectors(config.index_path, embedder, precision, trouble=trouble, seconds=seconds), ""


def count_without_vector(config: Config, db: Connection) -> int:
    """How many texts of a journal have no vector yet; ConfigError when none are made."""
    made, why = vectors(config)
    if made is None:
        raise ConfigError(f"no vectors are made: {why}")
    return made.pending(db)


def lexical(config: Config, folder: str | None = None) -> Lexical:
    """The lexical index of a journal, or one in another folder."""
    heap_mb = int(str(config.get("index.lucene_ram_buffer_mb")))
    return lexical_in(folder or config.index_path, config.archive_path, heap_mb)


def lexical_in(folder: str, archive_path: str, heap_mb: int) -> Lexical:
    """The lexical index in a folder, of a journal with that archive."""
    path = os.path.join(folder, NAME)

    def items(db: Connection, after: int) -> Iterator[Item]:
        from agent_journal.search.items import new_items

        with _quotes(archive_path, db, path) as resolve:
            yield from new_items(db, after, resolve)

    return Lexical(folder, items, heap_mb)
