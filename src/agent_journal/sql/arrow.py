"""Tables for programs that use Arrow."""

from __future__ import annotations

from importlib.util import find_spec

from agent_journal.errors import JournalError


def require_pyarrow() -> None:
    """Raise an error that says how to install pyarrow, unless it is there."""
    if find_spec("pyarrow") is None:
        raise JournalError(
            "pyarrow is not installed",
            "pip install '.[arrow]' in a clone of agent-journal, or pip install pyarrow",
        )
