"""What `aj prune` does: choose, ask, hide, bring back, delete, and say so."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

import click

from agent_journal.answers.pruned import pruned_answer
from agent_journal.answers.session_list import find_sessions
from agent_journal.cli.output import ProgressBar, error_screen, note, print_json
from agent_journal.cli.table import Column, Table
from agent_journal.errors import Declined, NoSuchSession, UsageError
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.pruned_file import HIDDEN, PURGED, PURGING, Decision
from agent_journal.sync.from_archive import read_archive
from agent_journal.sync.pruning import (
    Plan,
    decide,
    find_decisions,
    lift,
    plan_pruning,
    with_sub_agents,
)
from agent_journal.sync.purging import purge as purge_sessions
from agent_journal.text.dates import to_micros
from agent_journal.text.human import human_size, human_time, plural, short_ids, short_path
from agent_journal.text.plain import safe, shell_word

_MOST_NAMED = 10
_STATES = {HIDDEN: "hidden", PURGING: "purge not finished", PURGED: "deleted"}


class Choice(NamedTuple):
    """Which sessions are meant: by ids, or by conditions."""

    ids: Sequence[str]
    query: Query
    older_than: datetime | None
    matching: str


def prune_chosen(choice: Choice, *, with_purge: bool, is_sure: bool, as_json: bool) -> int:
    """Hide sessions, and delete them where that is wanted; return the exit code."""
    with Journal.open() as journal:
        hidden = []
        if with_purge:
            hidden = _find(find_decisions(journal.config, HIDDEN, PURGING), choice.ids)
        if hidden and len(hidden) == len(choice.ids):
            return _purge(journal, hidden, is_sure, as_json)
        rows = _chosen_rows(journal, choice)
        if not rows:
            raise NoSuchSession("no session was found", "'aj ls' lists sessions")
        plan = plan_pruning(journal.db, rows)
        _show_plan(plan, with_purge)
        verb = "Delete" if with_purge else "Hide"
        _ask(f"{verb} {plural(len(rows), 'session')}?", is_sure)
        decide(journal.config, plan.decisions)
        journal.close()
        if with_purge:
            return _delete(journal, plan.decisions, as_json)
        _follow(journal)
    if as_json:
        shared = [row.path for row in plan.shared]
        print_json(pruned_answer(plan.decisions, shared=shared))
        return 0
    note(_hidden_note(plan.sessions))
    return 0


def purge_hidden(*, is_sure: bool, as_json: bool) -> int:
    """Delete everything that is hidden."""
    with Journal.open() as journal:
        chosen = find_decisions(journal.config, HIDDEN, PURGING)
        if not chosen:
            raise UsageError("nothing is hidden", "'aj prune ID' hides a session")
        return _purge(journal, [one for one in chosen if one.parent is None], is_sure, as_json)


def bring_back(ids: Sequence[str], *, is_purged: bool, as_json: bool) -> int:
    """Show hidden sessions again, or let deleted ones be read again."""
    states = (PURGED,) if is_purged else (HIDDEN, PURGING)
    with Journal.open() as journal:
        known = find_decisions(journal.config, *states)
        if not ids:
            raise UsageError("no session given", "name one or more ids, or 'all'")
        chosen = [decision for decision in known if decision.parent is None]
        if tuple(ids) != ("all",):
            chosen = _find(chosen, ids)
        if not chosen:
            raise _nothing_to_bring_back(journal, ids, is_purged)
        lifted = lift(with_sub_agents(known, chosen))
        decide(journal.config, lifted)
        journal.close()
        _follow(journal)
    if as_json:
        print_json(pruned_answer(lifted))
        return 0
    count = plural(len(chosen), "session")
    if is_purged:
        note(f"{count} may be read again: 'aj sync' does, while the agent's files exist")
    else:
        note(f"{count} brought back")
    return 0


def _nothing_to_bring_back(journal: Journal, ids: Sequence[str], is_purged: bool) -> NoSuchSession:
    """The error of ids that are not hidden, or not deleted."""
    if not is_purged and _find(find_decisions(journal.config, PURGED), ids):
        return NoSuchSession(
            "this session was deleted for good",
            f"'aj prune --forget {shell_word(ids[0])}' lets 'aj sync' read it again, "
            "while the agent's file exists",
        )
    return NoSuchSession("no such session was pruned", "'aj prune --list' lists them")


def list_pruned(as_json: bool) -> int:
    """Print what was pruned, the oldest decision first."""
    with Journal.open() as journal:
        known = find_decisions(journal.config)
    shown = [decision for decision in known if decision.parent is None]
    if as_json:
        print_json(pruned_answer(known))
        return 0
    if not shown:
        note("nothing was pruned")
        return 0
    names = short_ids([decision.session for decision in shown])
    listed = Table(
        [
            Column("id"),
            Column("pruned"),
            Column("agent", leaves=2),
            Column("state"),
            Column("size", is_number=True, leaves=1),
            Column("title", least=10),
        ]
    )
    for name, decision in zip(names, shown, strict=True):
        size = human_size(decision.size) if decision.size else ""
        when = human_time(decision.at)
        state = _STATES.get(decision.state, decision.state)  # one of a newer version
        listed.add(name, when, decision.agent, state, size, decision.title or "(no title)")
    listed.print()
    return 0


# -- choosing ----------------------------------------------------------------------------------


def _chosen_rows(journal: Journal, choice: Choice) -> list[SessionRow]:
    if choice.ids:
        found = {(row.agent, row.id): row for row in map(journal.row, choice.ids)}
        return list(found.values())
    rows = find_sessions(journal, choice.query, choice.matching).rows
    if choice.older_than is None:
        return list(rows)
    bound = to_micros(choice.older_than)
    assert bound is not None
    return [row for row in rows if _last_activity(row, bound) < bound]


def _last_activity(row: SessionRow, unknown: int) -> int:
    """When a session was last active; one without any time is not old."""
    when = row.ended_at
    if when is None:
        when = row.started_at
    if when is None:
        return unknown
    return when


def _find(known: Sequence[Decision], ids: Sequence[str]) -> list[Decision]:
    """The decisions about sessions that are named by an id, its beginning, or `agent:id`."""
    found = []
    for text in ids:
        agent, mark, uid = text.rpartition(":")
        matches = [
            decision
            for decision in known
            if decision.parent is None
            and decision.session.startswith(uid)
            and (not mark or decision.agent.startswith(agent))
        ]
        if len(matches) > 1:
            raise UsageError(f"{plural(len(matches), 'pruned session')} match '{text}'")
        found += matches
    return found


# -- saying and asking -------------------------------------------------------------------------


def _show_plan(plan: Plan, with_purge: bool) -> None:
    """Say what is to be hidden or deleted, and what cannot be."""
    names = short_ids([row.id for row in plan.sessions])
    named = _named_table(has_times=True)
    for name, row in list(zip(names, plan.sessions, strict=True))[:_MOST_NAMED]:
        when = human_time(row.ended_at or row.started_at)
        named.add(name, when, row.agent, row.title or "(no title)")
    _note_rows(named)
    if len(plan.sessions) > _MOST_NAMED:
        note(f"  and {len(plan.sessions) - _MOST_NAMED:,} more")
    parts = len(plan.decisions) - len(plan.sessions)
    files = plural(len(plan.file_ids), "file")
    sessions = plural(len(plan.sessions), "session")
    if parts:
        sessions += f" with {plural(parts, 'sub-agent')}"
    effect = "'aj prune --purge' would free"
    if with_purge:
        effect = "this frees"
    note(
        f"{sessions}: {files}, {human_size(plan.size)}; {effect} about "
        f"{human_size(plan.stored)} of the archive"
    )
    _name_shared([row.path for row in plan.shared])
    if plan.continued:
        others = ", ".join(map(safe, plan.continued[:3]))
        note(f"their messages are also in sessions that continue them and stay: {others}")


def _named_table(*, has_times: bool) -> Table:
    """A table for the sessions that are named before somebody is asked."""
    columns = [Column(""), Column(""), Column("", least=10)]
    if has_times:
        columns.insert(1, Column(""))
    return Table(columns, indent="  ")


def _note_rows(table: Table) -> None:
    for line in table.lines(error_screen()):
        note(line)


def _hidden_note(sessions: Sequence[SessionRow]) -> str:
    """Say what was done, and how it is undone."""
    pronoun = "it"
    undo = f"--undo {shell_word(short_ids([row.id for row in sessions])[0])}"
    if len(sessions) > 1:
        pronoun = "them"
        undo = "--undo ID"
    return (
        f"{plural(len(sessions), 'session')} hidden; 'aj prune {undo}' brings {pronoun} back, "
        f"'aj prune --purge' deletes {pronoun} for good"
    )


def _name_shared(paths: Sequence[str]) -> None:
    if not paths:
        return
    note("these files also hold other sessions, and their bytes stay in the archive:")
    for path in paths[:_MOST_NAMED]:
        note(f"  {safe(short_path(path))}")
    if len(paths) > _MOST_NAMED:
        note(f"  and {len(paths) - _MOST_NAMED:,} more")


def _ask(question: str, is_sure: bool) -> None:
    if is_sure:
        return
    if not sys.stdin.isatty():
        raise UsageError("there is no terminal to ask on", "--yes does it without asking")
    if not click.confirm(question, err=True):
        raise Declined("nothing was changed")


# -- doing -------------------------------------------------------------------------------------


def _purge(journal: Journal, chosen: list[Decision], is_sure: bool, as_json: bool) -> int:
    """Delete sessions that are hidden, once the person was asked."""
    named = _named_table(has_times=False)
    for decision in chosen[:_MOST_NAMED]:
        named.add(decision.session[:8], decision.agent, decision.title or "(no title)")
    _note_rows(named)
    if len(chosen) > _MOST_NAMED:
        note(f"  and {len(chosen) - _MOST_NAMED:,} more")
    size = human_size(sum(decision.size for decision in chosen))
    note(f"{plural(len(chosen), 'hidden session')}, {size} of files")
    _ask(f"Delete {plural(len(chosen), 'session')} for good?", is_sure)
    known = find_decisions(journal.config, HIDDEN, PURGING)
    return _delete(journal, with_sub_agents(known, chosen), as_json)


def _delete(journal: Journal, decisions: list[Decision], as_json: bool) -> int:
    _follow(journal)  # nothing of the sessions is read any more
    purged = purge_sessions(journal.config, decisions)
    _follow(journal)
    if as_json:
        print_json(pruned_answer(decisions, purged.freed, purged.shared))
        return 0
    note(
        f"{plural(purged.sessions, 'session')} deleted: {plural(purged.files, 'file')}, "
        f"{human_size(max(0, purged.freed))} of the archive freed"
    )
    note(
        f"proof: {plural(purged.packs, 'pack')} of the archive read, none has an entry of these "
        "files; the catalog was written again, the indexes were rebuilt"
    )
    _name_shared(purged.shared)
    note(
        "not deleted: the agents' own files, and copies in backups; the next 'aj backup' into a "
        "folder deletes them there"
    )
    return 0


def _follow(journal: Journal) -> None:
    """Have the catalog and the indexes follow what was decided."""
    bar = ProgressBar("reading")
    try:
        read_archive(journal.config, journal.env, bar)
    finally:
        bar.done()
    journal.refresh()
