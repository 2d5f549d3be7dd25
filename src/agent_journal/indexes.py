"""The indexes that follow the catalog. Light: what they need is imported when there is something to do."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import TYPE_CHECKING

from agent_journal.config import Config
from agent_journal.search.lexical import Lexical
from agent_journal.search.vectors import Vectors

if TYPE_CHECKING:
    from agent_journal.search.items import Item


def all_indexes(config: Config) -> list[Lexical | Vectors]:
    """Every index of a journal, in the order they are brought up."""
    return [lexical(config), *([vectors(config)] if config.get("index.vector.enabled") else [])]


def vectors(config: Config) -> Vectors:
    """The vectors of a journal."""
    return Vectors(config.index_path)


def lexical(config: Config) -> Lexical:
    """The lexical index of a journal."""

    def items(db: sqlite3.Connection, after: int) -> Iterator[Item]:
        from agent_journal.archive import Archive
        from agent_journal.catalog.files import Files
        from agent_journal.quotes import Quotes
        from agent_journal.search.items import new_items

        archive = Archive(config.archive_path)
        try:
            yield from new_items(db, after, Quotes(Files(db), archive))
        finally:
            archive.close()

    return Lexical(config.index_path, items)
