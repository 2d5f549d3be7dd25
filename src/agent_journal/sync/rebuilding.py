"""Rebuilding the catalog from the archive, and setting aside the one that was there."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from contextlib import closing
from typing import TypeVar

from agent_journal.config.loading import Config
from agent_journal.errors import CannotWrite, CatalogDamaged, JournalError
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import CatalogError
from agent_journal.store.catalog.files import Files
from agent_journal.store.catalog.marks import salvage_marks
from agent_journal.store.catalog.packs import closed_packs
from agent_journal.store.catalog.replacing import replace_database
from agent_journal.store.catalog.seen import salvage_seen
from agent_journal.store.catalog.store import (
    DB_NAME,
    open_reader,
    open_unchecked,
    refuse_newer,
    translated,
)
from agent_journal.sync.healing import describe_again

_NEW = "rebuilding"  # a folder
Result = TypeVar("Result")


def rebuild_catalog(
    config: Config, fill: Callable[[str], Result], *, is_damaged: bool
) -> tuple[Result, str]:
    """Rebuild the catalog beside the old one, which it replaces in the end.

    `fill` makes a catalog in a folder; after an interruption it continues there. Returns its result
    and what was done. The new catalog knows of no index: nobody uses one until it is rebuilt, too.
    A catalog of a newer version is never touched: that raises JournalTooNew.
    """
    refuse_newer(config.index_path)
    _describe_again(config, is_damaged)
    folder = os.path.join(config.index_path, _NEW)
    with translated(config.index_path):
        os.makedirs(config.index_path, mode=0o700, exist_ok=True)
        if not is_damaged or not os.path.exists(config.seen_path):
            _salvage(config)
    try:
        result = fill(folder)
    except CatalogDamaged:  # that of an interrupted rebuilding
        shutil.rmtree(folder)
        result = fill(folder)
    with translated(config.index_path):
        new = os.path.join(folder, DB_NAME)
        target = replace_database(config.index_path, new, is_damaged=is_damaged)
        shutil.rmtree(folder)
    done = "the catalog was rebuilt from the archive"
    if target is not None:
        done += f", the old one is {os.path.basename(target)}"
    return result, done


def _salvage(config: Config) -> None:
    """Keep the facts of the old catalog that are in no archive, as far as it can be read."""
    try:
        db = open_unchecked(config.index_path)
    except CatalogError:
        return
    if db is not None:
        with closing(db):
            salvage_seen(db, config.seen_path)
            salvage_marks(db, config.marks_path)


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
