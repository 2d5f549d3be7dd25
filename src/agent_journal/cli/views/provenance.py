"""How `aj provenance` shows the shares of a repository."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_journal.answers.answer import Answer
from agent_journal.cli.output import note
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.text.human import plural, short_ids
from agent_journal.text.plain import one_line

_CLASSES = ("written", "beside", "likely", "moved", "several")


def print_provenance(answer: Answer, *, plain: bool) -> None:
    """Print a row for each group: its lines, its share, and the classes of its lines."""
    if plain:
        table = Table(())
        for item in answer.items:
            numbers = (item["lines"], item["lines_of_sessions"], item["files"])
            table.add(item["key"] or "", *map(str, numbers))
        table.print(plain=True)
        return
    provenance_table(answer).print()
    _print_sum(answer)


def provenance_table(answer: Answer) -> Table:
    """Return a row for each group, as people read it."""
    shown = [name for name in _CLASSES if any(name in item["classes"] for item in answer.items)]
    by = answer.extra["by"]
    columns = [Column(by, least=12), Column("lines", is_number=True), Column("%", is_number=True)]
    columns += [Column(name, is_number=True, leaves=1) for name in shown]
    if by == "folder":
        columns.append(Column("none", is_number=True))
    table = Table(columns)
    names = {}
    if by == "session":
        names = _session_names(answer)
    for item in answer.items:
        share = f"{100 * item['share']:.0f}"
        cells: list[Cell | str] = [_name(item, names), f"{item['lines']:,}", share]
        cells += [f"{item['classes'].get(name, 0):,}" for name in shown]
        if by == "folder":
            cells.append(f"{item['classes'].get('-', 0):,}")
        table.add(*cells)
    return table


def _session_names(answer: Answer) -> dict[str, str]:
    """Return how each session is called: its agent, and the beginning of its id."""
    keys = [item["key"] for item in answer.items if item["key"] is not None]
    parts = [key.partition(":") for key in keys]
    shorts = short_ids([uid for _, _, uid in parts])
    named = [f"{agent} {short}" for (agent, _, _), short in zip(parts, shorts, strict=True)]
    return dict(zip(keys, named, strict=True))


def _name(item: Mapping[str, Any], names: Mapping[str, str]) -> Cell:
    if item["key"] is None:
        return Cell("no recorded session", ("dim",))
    text = one_line(names.get(item["key"], item["key"]))
    if item["title"]:
        text += f" “{one_line(item['title'], 40)}”"
    return Cell(text)


def _print_sum(answer: Answer) -> None:
    extra = answer.extra
    lines = plural(extra["lines"], "line")
    files = plural(extra["files"], "file")
    note(f"{extra['lines_of_sessions']:,} of {lines} in {files} written by recorded sessions")
    if extra["skipped"]:
        note(f"{plural(len(extra['skipped']), 'file')} without lines left out (--json names them)")
