"""Hiding sessions the user wants to be rid of, and bringing them back."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_journal.config.loading import Config
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.listing import SessionRow, descendants_of, find_session_row
from agent_journal.store.catalog.parts import Parts
from agent_journal.store.catalog.pruned import (
    continued_by,
    kept_size,
    original_size,
    session_files,
)
from agent_journal.store.catalog.store import write_lock
from agent_journal.store.catalog.versions import now_micros
from agent_journal.store.pruned_file import (
    HIDDEN,
    LIFTED,
    NAME,
    Decision,
    append_decisions,
    file_key,
    read_decisions,
)

_WAIT = 60.0  # seconds for a sync to end


class Plan(NamedTuple):
    """What pruning some sessions means."""

    sessions: list[SessionRow]  # without their sub-agents
    decisions: list[Decision]
    file_ids: set[int]  # of the files with nothing else in them
    size: int  # bytes of these files
    stored: int  # bytes that they use in the archive
    shared: list[FileRow]  # files that also have something else
    continued: list[str]  # sessions that begin with messages of these


def plan_pruning(db: Connection, rows: Sequence[SessionRow]) -> Plan:
    """What is to be hidden when these sessions are, each with its sub-agents."""
    files = Files(db)
    now = now_micros()
    decisions: dict[tuple[str, str], Decision] = {}
    own: dict[int, FileRow] = {}
    shared: dict[int, FileRow] = {}
    families: dict[int, str] = {}
    for row in rows:
        children = descendants_of(db, row)
        family = {row.row_id: row.id, **{child.row_id: child.id for child in children}}
        families |= family
        found = session_files(files, row.agent, row.id, family)
        own |= {file.id: file for file in found.own}
        shared |= {file.id: file for file in found.shared}
        decision = Decision(
            row.agent,
            row.id,
            HIDDEN,
            now,
            title=row.title,
            folder=row.project_path or row.repository,
            own=_keys(found.own),
            shared=_keys(found.shared),
            size=original_size(db, {file.id for file in found.own}),
            parts=_parts(db, row.agent, found.own),
        )
        decisions[decision.key] = decision
        for child in children:
            part = Decision(child.agent, child.id, HIDDEN, now, parent=row.id)
            decisions.setdefault(part.key, part)
    return Plan(
        sessions=list(rows),
        decisions=list(decisions.values()),
        file_ids=set(own),
        size=original_size(db, own),
        stored=kept_size(db, own),
        shared=[file for file_id, file in shared.items() if file_id not in own],
        continued=continued_by(db, families),
    )


def as_here(db: Connection, decision: Decision) -> Decision:
    """A decision of another journal, with the files that the session has in this one."""
    row = find_session_row(db, decision.agent, decision.session)
    if row is None or not decision.is_in_force:
        return decision
    (here, *_) = plan_pruning(db, [row]).decisions
    own = {*decision.own, *here.own}
    shared = {*decision.shared, *here.shared} - own
    parts = {*decision.parts, *here.parts}
    return decision._replace(
        own=tuple(sorted(own)), shared=tuple(sorted(shared)), parts=tuple(sorted(parts))
    )


def _keys(rows: Iterable[FileRow]) -> tuple[str, ...]:
    return tuple(sorted({file_key(row.agent, row.path) for row in rows}))


def _parts(db: Connection, agent: str, rows: Iterable[FileRow]) -> tuple[tuple[str, str], ...]:
    return tuple(sorted(Parts(db, agent).as_kept(row.id for row in rows)))


def decide(config: Config, decisions: Iterable[Decision]) -> None:
    """Write decisions down; the next sync, also of the archive alone, follows them."""
    with write_lock(config.home, _WAIT):
        append_decisions(decisions_path(config), decisions)


def lift(decisions: Iterable[Decision]) -> list[Decision]:
    """What brings sessions back."""
    now = now_micros()
    return [decision._replace(state=LIFTED, at=max(now, decision.at + 1)) for decision in decisions]


def with_sub_agents(all_decisions: Iterable[Decision], chosen: list[Decision]) -> list[Decision]:
    """Decisions together with those about sub-agents of their sessions."""
    keys = {decision.key for decision in chosen}
    parts = [
        decision
        for decision in all_decisions
        if decision.parent is not None and (decision.agent, decision.parent) in keys
    ]
    return [*chosen, *parts]


def find_decisions(config: Config, *states: str) -> list[Decision]:
    """The decisions in force, or those in some states, oldest first."""
    return read_decisions(decisions_path(config)).in_force(*states)


def decisions_path(config: Config) -> str:
    """The file of the decisions."""
    return os.path.join(config.home, NAME)
