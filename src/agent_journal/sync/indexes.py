"""The indexes that follow the catalog. Light: what they need is imported when there is something to
do.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING

from agent_journal.config.loading import Config
from agent_journal.search.embedding import choose_embedder
from agent_journal.search.lexical import Lexical
from agent_journal.search.vectors import Vectors
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.mirror.mirror import Mirror

if TYPE_CHECKING:
    from agent_journal.search.items import Item
    from agent_journal.store.catalog.loading import Resolve


def all_indexes(config: Config, seconds: float | None = None) -> list[Lexical | Vectors | Mirror]:
    """Every index of a journal, in the order they are brought up; `seconds` are for a slow model."""
    made, _ = vectors(config, seconds)
    copied = mirror(config)
    return [
        lexical(config),
        *([made] if made is not None else []),
        *([copied] if copied.is_wanted() else []),
    ]


def mirror(config: Config) -> Mirror:
    """The mirror of a journal for other tools."""
    return Mirror(os.path.join(config.home, "parquet"), lambda db: _quotes(config, db))


def _quotes(config: Config, db: Connection) -> AbstractContextManager[Resolve]:
    from agent_journal.store.quotes import open_quotes

    return open_quotes(db, config.archive_path)


def vectors(config: Config, seconds: float | None = None) -> tuple[Vectors | None, str]:
    """The vectors of a journal, or why there are none."""
    embedder, why = choose_embedder(config)
    if embedder is None:
        return None, why
    trouble = why and f"{why}; vectors are of {embedder.name.split()[0]} instead"
    precision = str(config.get("index.vector_precision"))
    return Vectors(config.index_path, embedder, precision, trouble=trouble, seconds=seconds), ""


def lexical(config: Config) -> Lexical:
    """The lexical index of a journal."""

    def items(db: Connection, after: int) -> Iterator[Item]:
        from agent_journal.search.items import new_items

        with _quotes(config, db) as resolve:
            yield from new_items(db, after, resolve)

    return Lexical(config.index_path, items, int(str(config.get("index.lucene_ram_buffer_mb"))))
