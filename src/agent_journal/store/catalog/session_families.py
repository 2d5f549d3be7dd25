"""Sessions with their sub-agents, as sets of rows."""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.store.catalog.connection import Connection

_PARENTS = (
    "SELECT s.id, p.id FROM sessions s JOIN sessions p ON p.uid = s.parent_uid "
    "AND p.agent = s.agent WHERE s.parent_uid IS NOT NULL"
)

_ORIGINS = (
    "SELECT s.id, o.id FROM sessions s JOIN sessions o ON o.uid = s.fork_of "
    "AND o.agent = s.agent WHERE s.fork_of IS NOT NULL"
)


def with_sub_agents(db: Connection, rows: Iterable[int]) -> set[int]:
    """Some sessions, their sub-agents, and theirs."""
    found = set(rows)
    if not found:
        return found
    children: dict[int, list[int]] = {}
    for child, parent in db.execute(_PARENTS):
        children.setdefault(parent, []).append(child)
    waiting = list(found)
    while waiting:
        for child in children.get(waiting.pop(), ()):
            if child not in found:
                found.add(child)
                waiting.append(child)
    return found


def with_copies(db: Connection, rows: Iterable[int]) -> set[int]:
    """Some sessions with what repeats their conversations: forks, sub-agents, and theirs."""
    found = with_sub_agents(db, rows)
    forks: dict[int, list[int]] = {}
    if found:
        for fork, origin in db.execute(_ORIGINS):
            forks.setdefault(origin, []).append(fork)
    new = found
    while new:
        new = with_sub_agents(db, [fork for row in new for fork in forks.get(row, ())]) - found
        found |= new
    return found


def rows_of_sessions(db: Connection, uid: str) -> set[int]:
    """The rows of the sessions with an id, of whichever agent."""
    rows = db.execute("SELECT id FROM sessions WHERE uid = ?", (uid,))
    return {row_id for (row_id,) in rows}
