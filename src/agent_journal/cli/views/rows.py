"""Rows of an SQL query as a table."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agent_journal.answers.rows import plain_value
from agent_journal.cli.output import echo, note
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.sql.database import Result
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line, safe

if TYPE_CHECKING:
    from agent_journal.sql.making import Field

_LEAST_TEXT = 12  # columns to which a text is cut before a whole column is left out
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


def print_result(result: Result, plain: bool = False) -> None:
    """Print rows as a table; a single column of long texts line by line."""
    if _is_long_text(result) and not plain:
        for row in result.rows:
            echo(safe(_shown(row[0])))
        return
    table = _table(result)
    table.print(plain)
    if table.left_out:
        left_out = f"{plural(len(table.left_out), 'column')} of {len(result.columns)} left out"
        note(f"{left_out}; --plain prints all of them")
    count = plural(len(result.rows), "row")
    if result.has_more:
        count = f"first {count}; use -n to show more"
    note(count)


def _table(result: Result) -> Table:
    columns = []
    for place, (name, kind) in enumerate(zip(result.columns, result.types, strict=True)):
        if kind.startswith(_NUMBERS):
            columns.append(Column(one_line(name), is_number=True, leaves=place))
        else:
            columns.append(Column(one_line(name), least=_LEAST_TEXT, leaves=place))
    table = Table(columns)
    for row in result.rows:
        table.add(*(Cell(_shown(value), plain=cell_text(value)) for value in row))
    return table


def described(columns: Sequence[Field], indent: str = "") -> Table:
    """Return the columns of a view with their types and what they mean."""
    table = Table((Column(""), Column(""), Column("", wraps=True)), indent)
    for column in columns:
        kind = column.type.replace(" WITH TIME ZONE", "TZ")
        table.add(column.name, kind, column.meaning)
    return table


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
