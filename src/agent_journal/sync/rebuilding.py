"""Setting the derived part of a journal aside, so that a sync rebuilds it from the archive."""

from __future__ import annotations

import os
from contextlib import closing

from agent_journal.config.loading import Config
from agent_journal.errors import CannotWrite, JournalError
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import CatalogError
from agent_journal.store.catalog.damage import set_aside
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.packs import closed_packs
from agent_journal.store.catalog.seen import salvage_seen
from agent_journal.store.catalog.store import (
    DB_NAME,
    open_reader,
    open_unchecked,
    refuse_newer,
    translated,
)
from agent_journal.sync.healing import describe_again
from agent_journal.sync.indexes import all_indexes


def clear_derived(config: Config, *, is_damaged: bool) -> str:
    """Set the catalog aside and drop the indexes that follow it; says what becomes of them.

    A catalog of a newer version is never touched: that raises JournalTooNew.
    """
    refuse_newer(config.index_path)
    _describe_again(config, is_damaged)
    with translated(config.index_path):
        os.makedirs(config.index_path, mode=0o700, exist_ok=True)
        _salvage(config)
        for index in all_indexes(config):
            index.drop()
        target = set_aside(config.index_path)
    if target is None:
        return "the catalog was rebuilt from the archive"
    return f"the catalog was rebuilt from the archive, the old one is {os.path.basename(target)}"


def _salvage(config: Config) -> None:
    """Keep the facts of the old catalog that are in no archive, as far as it can be read."""
    try:
        db = open_unchecked(config.index_path)
    except CatalogError:
        return
    if db is not None:
        with closing(db):
            salvage_seen(db, config.seen_path)


def _describe_again(config: Config, is_damaged: bool) -> None:
    """Save what only the catalog knows: what was behind damaged headers of the archive."""
    try:
        with translated(os.path.join(config.index_path, DB_NAME)):
            _describe_from(config, is_damaged)
    except CannotWrite:
        raise
    except JournalError:
        return  # the catalog cannot be read


def _describe_from(config: Config, is_damaged: bool) -> None:
    db = open_reader(config.index_path)
    if db is None:
        return
    try:
        archive = Archive(config.archive_path, closed_packs(db))
        describe_again(Files(db), archive, is_trusted=not is_damaged)
    finally:
        db.close()
