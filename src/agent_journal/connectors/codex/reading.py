"""Which reader reads which file."""

from __future__ import annotations

from agent_journal.connectors.base import FileIdentity, Reader
from agent_journal.connectors.codex.compressed import CompressedReader
from agent_journal.connectors.codex.indexes import HistoryReader, NamesReader
from agent_journal.connectors.codex.rollout import RolloutReader


def reader_for(file: FileIdentity, state: bytes | None) -> Reader:
    """Return the reader for a file, by its name and role."""
    name = file.name.rpartition("/")[2]
    if name == "history.jsonl":
        return HistoryReader(file, state)
    if name == "session_index.jsonl":
        return NamesReader(file)
    if file.role == "session":
        return CompressedReader(file, state)
    return RolloutReader(file, state)
