"""`tables`: the tables that SQL queries can use."""

from __future__ import annotations

from typing import TypedDict

from agent_journal.answers.answer import Answer, whole_answer


class TableColumn(TypedDict):
    """A column of a table."""

    name: str
    type: str
    meaning: str


class TableItem(TypedDict):
    """One table."""

    table: str
    columns: list[TableColumn]


def tables_answer() -> Answer:
    """Return every table with its columns."""
    from agent_journal.sql.making import tables

    items = []
    for name, fields in tables().items():
        columns = [
            TableColumn(name=field.name, type=field.type, meaning=field.meaning) for field in fields
        ]
        items.append(TableItem(table=name, columns=columns))
    return whole_answer("tables", items)
