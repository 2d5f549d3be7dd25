"""Functions that SQL statements of the catalog use, beyond those of SQLite."""

from __future__ import annotations

import sqlite3


def add_functions(db: sqlite3.Connection) -> None:
    """Make the functions known to a connection."""
    db.create_function("folded", 1, _folded, deterministic=True)
    db.create_function("model_names", 1, _model_names, deterministic=True)


def _folded(text: str | None) -> str:
    """Lower case: SQLite's own lower() knows only the letters of English."""
    return (text or "").lower()


def _model_names(models: str | None) -> str:
    """The models of a session, each by the agent's name for it and by its plain name."""
    import json

    from agent_journal.text.names import model_name

    names: list[str] = json.loads(models or "[]")
    return " ".join((*names, *map(model_name, names)))
