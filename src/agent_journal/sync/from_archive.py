"""Reading what the archive has, without looking at the folders of agents."""

from __future__ import annotations

import os
from collections.abc import Callable
from functools import partial

from agent_journal.config.loading import Config
from agent_journal.connectors.base import Env
from agent_journal.sync.indexes import all_indexes
from agent_journal.sync.report import Report
from agent_journal.sync.run import sync
from agent_journal.sync.work import Progress


def read_archive(
    config: Config,
    env: Env,
    progress: Callable[[Progress], None] | None = None,
    wait: float = 60.0,
) -> Report:
    """Bring the catalog and its indexes up to date with the archive."""
    settings = config.without_sources()
    return sync(
        settings,
        env,
        progress=progress,
        wait=wait,
        find_indexes=partial(all_indexes, settings),
    )


def is_index_apart(config: Config) -> bool:
    """Whether the settings keep the index outside of the journal's folder."""
    folder = os.path.realpath(config.home) + os.sep
    return not os.path.realpath(config.index_path).startswith(folder)
