"""What was found damaged before, and has not been healed or verified since."""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.config.loading import Config
from agent_journal.store.catalog.damage import (
    is_comparison_noted,
    noted_damage,
    noted_findings,
)
from agent_journal.store.condemned import is_condemned
from agent_journal.sync.indexes import all_indexes


def noted_advice(config: Config) -> Iterator[str]:
    """Return what to do about damage of the journal that is noted."""
    findings = noted_findings(config.index_path)
    if findings is not None:
        yield (
            f"the last 'aj verify' found damage of the journal ({findings}): "
            "run 'aj sync', which heals what it can, then 'aj verify' again"
        )
    elif _is_noted(config):
        yield "the journal was found damaged: run 'aj sync', which heals what it can"


def _is_noted(config: Config) -> bool:
    if noted_damage(config.index_path) is not None or is_comparison_noted(config.index_path):
        return True
    return any(is_condemned(index.path) for index in all_indexes(config))
