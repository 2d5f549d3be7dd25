"""An error as every front door reports it; imported only when there is one."""

from __future__ import annotations

import os
from typing import Any, NamedTuple

from agent_journal.answers.answer import SCHEMA
from agent_journal.errors import CatalogDamaged, JournalError
from agent_journal.text.plain import safe


class Failure(NamedTuple):
    """An error as it is reported."""

    code: str
    message: str
    hint: str | None
    exit_code: int

    def envelope(self) -> dict[str, Any]:
        """Return the object that --json prints instead of an answer."""
        # The message may contain the name of a file or a session
        error = {"code": self.code, "message": safe(self.message), "hint": self.hint}
        return {"schema": SCHEMA, "error": error}


def failure_of(error: Exception) -> Failure:
    """Describe an exception for the person who asked."""
    error = _of_the_catalog(error) or error
    if isinstance(error, JournalError):
        return Failure(error.code, error.message, error.hint, error.exit_code)
    if isinstance(error, UnicodeEncodeError):
        hint = "session ids, projects and queries are text"
        return Failure("usage", f"{error.object!r} is not UTF-8", hint, exit_code=2)
    if isinstance(error, OSError):
        message = str(error.strerror or error)
        if error.filename:
            message = f"{error.filename}: {message}"
        return Failure("system", message, hint=None, exit_code=1)
    message = f"something went wrong in aj: {type(error).__name__}: {error}"
    hint = (
        "'aj verify' says whether the journal is damaged; else run it again with 'aj --debug …'\n"
        "and report what it prints"
    )
    return Failure("bug", message, hint, exit_code=1)


def _of_the_catalog(error: Exception) -> JournalError | None:
    """The error that a damaged catalog led to, whatever went wrong first."""
    if isinstance(error, (OSError, UnicodeEncodeError)):
        return None
    from agent_journal.config.loading import load
    from agent_journal.store.catalog.damage import note_damage
    from agent_journal.store.catalog.store import DB_NAME, explain

    try:
        index_path = load(os.environ).index_path
    except JournalError:
        return None
    if isinstance(error, CatalogDamaged):
        note_damage(index_path, error)
        return error
    if isinstance(error, JournalError):
        return error
    return explain(os.path.join(index_path, DB_NAME), error)
