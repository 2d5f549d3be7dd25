"""Setting the derived part of a journal aside, so that a sync rebuilds it from the archive."""

from __future__ import annotations

import os

from agent_journal.config.loading import Config
from agent_journal.store.catalog.damage import set_aside
from agent_journal.store.catalog.store import refuse_newer, translated
from agent_journal.sync.indexes import all_indexes


def clear_derived(config: Config) -> str:
    """Set the catalog aside and drop the indexes that follow it; says what becomes of them.

    A catalog of a newer version is never touched: that raises JournalTooNew.
    """
    refuse_newer(config.index_path)
    with translated(config.index_path):
        os.makedirs(config.index_path, mode=0o700, exist_ok=True)
        for index in all_indexes(config):
            index.drop()
        target = set_aside(config.index_path)
    if target is None:
        return "the catalog was rebuilt from the archive"
    return f"the catalog was rebuilt from the archive, the old one is {os.path.basename(target)}"
