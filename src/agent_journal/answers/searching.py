"""Runs a search for every front door: a query, narrowed by options, becomes hits."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.errors import JournalDamaged, JournalError, UsageError
from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.query.tree import Node, Parsed
    from agent_journal.search.finding import Found
    from agent_journal.search.vectors import Vectors

MODES = ("lexical", "semantic", "hybrid")
MOST_HITS = 10_000


class Wanted(NamedTuple):
    """What is searched for, and how much of it."""

    parsed: Parsed
    mode: str
    limit: int
    per_session: bool = True


def with_conditions(
    parsed: Parsed,
    *,
    agents: Sequence[str] = (),
    project: str | None = None,
    since: str | None = None,
    until: str | None = None,
) -> Parsed:
    """Return the query narrowed by options; UsageError when a time cannot be read."""
    from agent_journal.query.tree import Dates, Field, Value, bounds

    nodes: list[Node] = []
    if agents:
        nodes.append(Field("agent", tuple(Value(name) for name in agents)))
    if project:
        nodes.append(Field("project", (Value(project),)))
    if since or until:
        dates = Dates(since, until)
        try:
            bounds(dates, datetime.now(UTC))
        except ValueError as error:
            raise UsageError(str(error)) from error
        nodes.append(dates)
    return narrowed(parsed, nodes)


def narrowed(parsed: Parsed, conditions: Sequence[Node]) -> Parsed:
    """Return the query with more conditions, all of which must hold."""
    from agent_journal.query.tree import And

    if not conditions:
        return parsed
    nodes: tuple[Node, ...] = ()
    if isinstance(parsed.tree, And):
        nodes = parsed.tree.nodes
    elif parsed.tree is not None:
        nodes = (parsed.tree,)
    nodes = (*nodes, *conditions)
    if len(nodes) == 1:
        return parsed._replace(tree=nodes[0])
    return parsed._replace(tree=And(nodes))


def search_index(journal: Journal, wanted: Wanted, tell: Callable[[str], None]) -> Found:
    """Search a journal that has an index of words; `tell` gets what a person should know."""
    from agent_journal.search.finding import Searcher
    from agent_journal.store.incomplete import INCOMPLETE, is_incomplete
    from agent_journal.sync.indexes import lexical, vectors

    index = lexical(journal.config)
    mode = wanted.mode
    meaning = None
    if mode != "lexical":
        meaning, reason = vectors(journal.config)
        if mode == "semantic" and meaning is None:
            tell(f"{reason}; searching for words instead")
            mode = "lexical"
    try:
        searcher = Searcher(journal.db, index, meaning, journal.session_costs)
        found = searcher.find(
            wanted.parsed, mode, per_session=wanted.per_session, limit=wanted.limit
        )
    except JournalDamaged as error:
        from agent_journal.sync.temporary_index import is_needed

        if not is_needed(journal.config, error):
            raise
        return search_unwritable(journal, error, wanted, tell)
    if meaning is not None:
        _tell_of_vectors(journal, meaning, tell)
    if is_incomplete(index.path):
        tell(f"results of tools are missing in the search index: {INCOMPLETE}")
    return found


def search_unwritable(
    journal: Journal, error: JournalError, wanted: Wanted, tell: Callable[[str], None]
) -> Found:
    """Search for words with an index that is made for this search only."""
    from agent_journal.search.finding import Searcher
    from agent_journal.sync.temporary_index import estimated_seconds

    tell(
        f"{error.message}; making a temporary one for words only, in about "
        f"{estimated_seconds(journal.config)} s (to avoid this, run 'aj sync' where the journal "
        "can be written)"
    )
    searcher = Searcher(journal.db, journal.temporary_index(), None, journal.session_costs)
    return searcher.find(
        wanted.parsed, "lexical", per_session=wanted.per_session, limit=wanted.limit
    )


def _tell_of_vectors(journal: Journal, meaning: Vectors, tell: Callable[[str], None]) -> None:
    if meaning.trouble:
        tell(meaning.trouble)
    pending = meaning.pending(journal.db)
    if pending:
        tell(
            f"{pending:,} texts have no vector yet and are found by words only "
            "(run 'aj sync --embed')"
        )
