"""Sessions as the rows of `aj ls`."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from agent_journal.answers.session_list import SessionList, length_of
from agent_journal.cli.output import agent_colour
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.cli.views.marks import own_marks, shown_star, shown_tags
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.human import ENDINGS, human_duration, human_time, plural
from agent_journal.text.plain import one_line, safe

if TYPE_CHECKING:
    from agent_journal.usage.listed_costs import SessionCost

_COLUMNS = {
    "id": Column("id"),
    "active": Column("active"),
    "agent": Column("agent", leaves=3),
    "project": Column("project", least=8, most=20, leaves=1),
    "prompts": Column("prompts", is_number=True, leaves=2),
    "messages": Column("messages", is_number=True),
    "length": Column("length", is_number=True),
    "cost": Column("cost", is_number=True, leaves=4),
    "title": Column("title", least=32),
}
_LONGEST_NAME = 30  # letters of the name of a sub-agent


class SessionTable:
    """A list of sessions; `order` is what it is sorted by."""

    def __init__(
        self,
        found: SessionList,
        costs: Mapping[int, SessionCost],
        order: str,
    ) -> None:
        self._found = found
        self._costs = costs
        self._order = order

    def table(self, ids: Sequence[str]) -> Table:
        """Return the table that a person reads, with short ids."""
        names = self._column_names()
        columns = [_COLUMNS[name] for name in names]
        if self._order in names:  # what the list is sorted by always stays
            place = names.index(self._order)
            columns[place] = columns[place]._replace(leaves=0)
        table = Table(columns, has_piped_head=False)
        titles = self._titles()
        for row, short_id, title in zip(self._found.rows, ids, titles, strict=True):
            middle = [self._cell(row, name) for name in names[1:-1]]
            table.rows.append([Cell(short_id, ("cyan",)), *middle, title])
        return table

    def plain_table(self) -> Table:
        """Return a table of all values for programs."""
        table = Table(())
        for row in self._found.rows:
            table.add(
                row.id,
                _iso_time(row.ended_at or row.started_at),
                row.agent,
                row.project_path or row.project_dir or "",
                str(row.prompt_count),
                str(row.message_count),
                self._dollars(row),
                ", ".join((*own_marks(row), *_marks(row))),
                row.title or "",
            )
        return table

    def _column_names(self) -> list[str]:
        names = ["id", "active", "agent", "project", "prompts"]
        if self._order == "messages":
            names.append("messages")
        if self._order == "longest":
            names.append("length")
        if self._costs:
            names.append("cost")
        return [*names, "title"]

    def _cell(self, row: SessionRow, name: str) -> Cell:
        if name == "active":
            return Cell(human_time(row.ended_at or row.started_at), ("dim",))
        if name == "agent":
            return Cell(row.agent, (agent_colour(row.agent),))
        if name == "project":
            return Cell(_project(row))
        if name == "prompts":
            return Cell(f"{row.prompt_count:,}")
        if name == "messages":
            return Cell(f"{row.message_count:,}")
        if name == "length":
            return Cell(_length(row))
        return Cell(str(self._costs.get(row.row_id, "?")))

    def _dollars(self, row: SessionRow) -> str:
        cost = self._costs.get(row.row_id)
        if cost is None:
            return "?"
        return f"{cost.micro_usd / 1e6:.6f}"

    def _titles(self) -> list[Cell]:
        """Return the titles; that of a sub-agent after its name, and below its parent's."""
        titles = []
        listed: set[tuple[str, str]] = set()
        for row in self._found.rows:
            is_of_person = row.agent_name is None or row.prompt_count > 0
            if row.parent_id is None and is_of_person:
                title = _main_title(row, self._found.children.get((row.agent, row.id), 0))
            else:
                title = _sub_agent_title(row, (row.agent, row.parent_id) in listed)
            titles.append(title)
            if self._order == "newest":  # in other orders nothing is below its parent
                listed.add((row.agent, row.id))
        return titles


def _main_title(row: SessionRow, sub_agents: int) -> Cell:
    after = shown_tags(row)
    if sub_agents:
        after += f"  +{plural(sub_agents, 'sub-agent')}"
    for mark in _marks(row):
        after += f"  ({mark})"
    return Cell(shown_star(row) + (row.title or "(no title)"), after=after)


def _marks(row: SessionRow) -> list[str]:
    """Return what is special about a session."""
    marks = []
    if row.is_automated:
        marks.append("automated")
    if row.ended_as in ENDINGS:
        marks.append(ENDINGS[row.ended_as])
    return marks


def _sub_agent_title(row: SessionRow, is_below_parent: bool) -> Cell:
    name = one_line(row.agent_name, _LONGEST_NAME) or "sub-agent"
    before = f"{name}: "
    if is_below_parent:
        before = f"└ {name}: "
    elif row.parent_id is not None:
        before = f"{name} of {safe(row.parent_id)[:8]}: "
    return Cell(shown_star(row) + before + (row.title or "(no title)"), after=shown_tags(row))


def _project(row: SessionRow) -> str:
    if not row.project_path:
        return row.project_dir or ""
    path = row.project_path.rstrip("/\\").replace("\\", "/")
    return os.path.basename(path) or row.project_path


def _length(row: SessionRow) -> str:
    length = length_of(row)
    if length is None:
        return "?"
    return human_duration(length // 1000)


def _iso_time(micros: int | None) -> str:
    if micros is None:
        return "?"
    from agent_journal.answers.answer import iso_time

    return iso_time(micros) or "?"
