"""`aj doctor --expiring`: which sessions their agents will delete, and whether they are kept."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from agent_journal.answers.expiring_words import how_kept, is_named_by_file, title_of, when_deleted
from agent_journal.cli.output import agent_colour, echo, note, print_json, style, use_colour
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.health.expiring import Expiring, find_expiring
from agent_journal.journal import Journal
from agent_journal.text.human import human_size, plural, short_ids

_SHOWN = 20
_COLUMNS = (
    Column("deleted"),
    Column("kept"),
    Column("id"),
    Column("agent", leaves=1),
    Column("title", least=20),
)


def print_expiring(show_all: bool, as_json: bool) -> int:
    """List the sessions, the first to be deleted first; return 1 when one is in danger."""
    with Journal.open() as journal:
        found = find_expiring(journal.find_db(), journal.config, journal.env)
    if as_json:
        from agent_journal.answers.expiring import expiring_answer

        print_json(expiring_answer(found))
    else:
        _print(found, show_all)
    return int(any(item.is_in_danger for item in found))


def _print(found: Sequence[Expiring], show_all: bool) -> None:
    if not found:
        echo("no agent on this machine deletes sessions")
        return
    for line in _verdict(found):
        echo(line)
    echo()
    shown = found
    if sys.stdout.isatty() and not show_all:
        shown = found[:_SHOWN]
    table = Table(_COLUMNS)
    # Of a sub-agent the last part, as other lists have it
    ids = short_ids([(item.session or "?").rpartition("/")[2] for item in shown])
    for short, item in zip(ids, shown, strict=True):
        table.add(
            when_deleted(item),
            Cell(how_kept(item.state), _kept_styles(item)),
            Cell(short, ("cyan",)),
            Cell(item.agent, (agent_colour(item.agent),)),
            Cell(title_of(item), is_path=is_named_by_file(item)),
        )
    table.print()
    if len(shown) < len(found):
        note(f"{len(shown):,} of {plural(len(found), 'session')}; --all shows all")


def _verdict(found: Sequence[Expiring]) -> list[str]:
    """Say what to do, or that nothing has to be done."""
    colour = use_colour()
    due = [item for item in found if item.is_due]
    danger = [item for item in due if item.is_in_danger]
    unkept = [item for item in found if not item.state.is_kept]
    within = f"{plural(len(due), 'session')} will be deleted within a week"
    if danger:
        line = f"{within}, {len(danger):,} not fully kept: run 'aj sync'"
        return [style("→ ", "yellow", on=colour) + line]
    lines = [style("nothing needs attention", "green", on=colour)]
    if due:
        lines[0] += f": {within}, all kept"
    else:
        lines[0] += ": no session will be deleted within a week"
    if unkept:
        size = human_size(sum(item.state.unkept_bytes for item in unkept))
        lines.append(f"{size} in {plural(len(unkept), 'session')} not kept yet: run 'aj sync'")
    return lines


def _kept_styles(item: Expiring) -> tuple[str, ...]:
    if item.state.is_kept:
        return ("green",)
    if item.is_in_danger:
        return ("red",)
    return ("yellow",)
