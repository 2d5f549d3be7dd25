"""Which reader reads which file."""

from __future__ import annotations

from agent_journal.connectors.base import ROWS_MARK, FileIdentity, Reader
from agent_journal.connectors.cursor.conversation import (
    ComposerReader,
    ConversationReader,
    ListedReader,
)
from agent_journal.connectors.cursor.documents import (
    BesideReader,
    DamagedReader,
    HistoryReader,
    PlanReader,
    PromptsReader,
)
from agent_journal.connectors.cursor.extracts import CONVERSATION, STORE
from agent_journal.connectors.cursor.items import COMPOSERS, DAMAGED, PROMPTS
from agent_journal.connectors.cursor.store import StoreReader
from agent_journal.connectors.cursor.transcripts import LinesReader, ListReader, TextReader
from agent_journal.connectors.kept import KeptReader


def make_reader(file: FileIdentity, state: bytes | None) -> Reader:
    """The reader for a file of this agent."""
    _, is_row, part = file.name.rpartition(ROWS_MARK)
    if is_row:
        return _of_rows(file, part)
    if file.role == "log":
        return LinesReader(file, state)
    if file.role == "session":
        return TextReader(file) if file.name.endswith(".txt") else ListReader(file)
    name = file.name.rpartition("/")[2]
    if name == "prompt_history.json":
        return HistoryReader(file)
    if name in ("workspace.json", "meta.json"):
        return BesideReader(file)
    if name.endswith(".plan.md"):
        return PlanReader(file)
    return KeptReader(file, "file", "not a file of this agent")


def _of_rows(file: FileIdentity, part: str) -> Reader:
    if part.startswith(CONVERSATION):
        return ConversationReader(file)
    if part == STORE:
        return StoreReader(file)
    if part == COMPOSERS:
        return ListedReader(file)
    if part == PROMPTS:
        return PromptsReader(file)
    if part.startswith(DAMAGED):
        return DamagedReader(file)
    return ComposerReader(file)
