"""The index of lines of a journal, for answers that say who wrote a line."""

from __future__ import annotations

from agent_journal.errors import CannotWrite, JournalDamaged
from agent_journal.journal import Journal
from agent_journal.store.lines.lines import Lines

_WAIT = 60.0  # seconds for another process to end its sync


def line_index(journal: Journal) -> Lines:
    """The index; it is made first where no sync has done that since it was dropped."""
    from agent_journal.sync.indexes import catch_up_indexes, lines

    index = lines(journal.config)
    if not index.reached(journal.db):
        journal.close()
        try:
            catch_up_indexes(journal.config, _WAIT)
        except CannotWrite as error:
            raise JournalDamaged(
                "the journal has no index of lines, and cannot be written",
                "run 'aj sync' where it can be written",
            ) from error
    return index
