"""Rows of a query."""

from __future__ import annotations

from typing import Any

from agent_journal.sql.database import Database


def rows(database: Database, query: str) -> list[tuple[Any, ...]]:
    return database.ask(query).rows
