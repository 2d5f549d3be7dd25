"""The results of tool calls: texts in the catalog, or places in kept files."""

from __future__ import annotations

from typing import Protocol

from agent_journal.model import Quote, ToolCall
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.records import find_document


class Resolve(Protocol):
    """Reads texts from the archive; None when it has lost them."""

    def __call__(self, file_id: int, quote: Quote) -> str | None:
        """The text of a quote in a file."""

    def document(self, file_id: int, most: int | None = None) -> str | None:
        """The text of a kept file, or of its first bytes; None when it is not a text."""


def recorded_result(call: ToolCall, file_id: int, resolve: Resolve) -> str | None:
    """The result as the agent's log, the file with that id, has it."""
    if call.result is None and call.result_at is not None:
        return resolve(file_id, call.result_at)
    return call.result


def spilled_result(
    db: Connection, session_id: int, call: ToolCall, resolve: Resolve, most: int | None = None
) -> str | None:
    """The whole result from the file that it was saved to; None when that is not kept."""
    if call.spilled_to is None:
        return None
    file_id = find_document(db, session_id, call.spilled_to)
    if file_id is None:
        return None
    return resolve.document(file_id, most)
