"""Rows of an SQL query as a table."""

from __future__ import annotations

import json
from typing import Any

from agent_journal.answers.rows import plain_value
from agent_journal.cli.output import echo, note, style, table, terminal_width, use_colour
from agent_journal.sql.database import Result
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line, safe

_WIDEST = 60
_NUMBERS = (
    "BIGINT",
    "INTEGER",
    "HUGEINT",
    "UBIGINT",
    "DOUBLE",
    "DECIMAL",
    "SMALLINT",
    "FLOAT",
)


def print_result(result: Result) -> None:
    """Print rows as a table; a single column of long texts line by line."""
    if _is_long_text(result):
        for row in result.rows:
            echo(safe(_shown(row[0])))
        return
    width = max(12, min(_WIDEST, terminal_width() // max(1, len(result.columns)) * 2))
    rows = [tuple(one_line(name, width) for name in result.columns)]
    for row in result.rows:
        rows.append(tuple(one_line(_shown(value), width) for value in row))
    align = "".join(_alignment(kind) for kind in result.types)
    head, *lines = table(rows, align)
    echo(style(head, "bold", on=use_colour()))
    for line in lines:
        echo(line)
    count = plural(len(result.rows), "row")
    if result.has_more:
        count = f"first {count}; use -n to show more"
    note(count)


def cell_text(value: Any) -> str:
    """Return a value as text: nothing for NULL, true and false as SQL has them."""
    plain = plain_value(value)
    if plain is None:
        return ""
    if isinstance(plain, str):
        return plain
    return json.dumps(plain, ensure_ascii=False)


def _is_long_text(result: Result) -> bool:
    """Whether there is a single column with line breaks: a query plan, a message."""
    if len(result.columns) != 1 or not result.rows:
        return False
    return "\n" in str(result.rows[0][0])


def _shown(value: Any) -> str:
    if isinstance(value, float):
        return f"{value:,.4f}".rstrip("0").rstrip(".")
    return cell_text(value)


def _alignment(kind: str) -> str:
    return "r" if kind.startswith(_NUMBERS) else "l"
