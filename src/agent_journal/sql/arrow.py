"""Arrow tables: they need a library that is not installed with agent-journal."""

from __future__ import annotations

from importlib.util import find_spec

from agent_journal.errors import JournalError


def need_pyarrow() -> None:
    """Raise JournalError when pyarrow is not installed."""
    if find_spec("pyarrow") is None:
        raise JournalError(
            "pyarrow is not installed",
            "pip install '.[arrow]' in a clone of agent-journal, or pip install pyarrow",
        )
