"""agent-journal: the journal of record for AI coding sessions."""

from __future__ import annotations

from typing import TYPE_CHECKING

__version__ = "0.2.0"
__all__ = ["Journal", "Query", "__version__"]

if TYPE_CHECKING:
    from agent_journal.journal import Journal
    from agent_journal.query.tree import Query


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> object:
    # Imported when first used: `aj --version` needs neither.
    if name == "Journal":
        from agent_journal.journal import Journal

        return Journal
    if name == "Query":
        from agent_journal.query.tree import Query

        return Query
    raise AttributeError(f"module 'agent_journal' has no attribute '{name}'")
