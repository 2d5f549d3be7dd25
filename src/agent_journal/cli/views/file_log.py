"""How `aj log` shows the sessions of a file."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from agent_journal.answers.answer import Answer
from agent_journal.cli.output import agent_colour, note
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.cli.views.blame import short_day, short_names
from agent_journal.text.human import human_count, plural
from agent_journal.text.plain import one_line, safe

_COLUMNS = (
    Column("session"),  # not cut: its end is the id, which other commands take
    Column("last edit"),
    Column("edits", is_number=True, leaves=3),
    Column("added", is_number=True, leaves=1),
    Column("removed", is_number=True, leaves=2),
    Column("left", is_number=True),
    Column("first prompt", least=12),
)


def print_file_log(answer: Answer, *, plain: bool) -> None:
    """Print a row for each session."""
    if plain:
        _plain_table(answer).print(plain=True)
        return
    if answer.items:
        file_log_table(answer).print()
        known = f"{answer.extra['lines_of_sessions']:,}"
        note(f"{known} of {plural(answer.extra['lines'], 'line')} written by recorded sessions")


def file_log_table(answer: Answer) -> Table:
    """Return a row for each session, the newest first."""
    names = short_names(answer.items)
    table = Table(_COLUMNS)
    for item in answer.items:
        table.add(
            Cell(f"{safe(item['agent'])} {names[item['session']]}", (agent_colour(item["agent"]),)),
            short_day(item["last_edit_at"]),
            str(item["edits"]),
            human_count(item["lines_added"]),
            human_count(item["lines_removed"]),
            human_count(item["lines_left"]),
            _what(item),
        )
    return table


def _what(item: Mapping[str, Any]) -> str:
    """Return the first prompt, and what is to be known of the edits."""
    parts = []
    if item["prompts"]:
        parts.append(f"“{one_line(item['prompts'][0]['text'], 60)}”")
    if item["edits_undone"]:
        parts.append(f"{plural(item['edits_undone'], 'edit')} undone")
    if item["edits_without_text"]:
        parts.append(f"{plural(item['edits_without_text'], 'edit')} without text")
    return "; ".join(parts)


def _plain_table(answer: Answer) -> Table:
    table = Table(())
    for item in answer.items:
        table.add(
            item["agent"],
            item["session"],
            item["last_edit_at"] or "",
            str(item["edits"]),
            _number(item["lines_added"]),
            _number(item["lines_removed"]),
            str(item["lines_left"]),
            one_line(item["title"]),
        )
    return table


def _number(number: int | None) -> str:
    if number is None:
        return ""
    return str(number)
