"""Which reader reads which file."""

from __future__ import annotations

from agent_journal.connectors.base import ROWS_MARK, FileIdentity, Reader
from agent_journal.connectors.cursor.documents import (
    DamagedReader,
    HistoryReader,
    PlanReader,
    PromptsReader,
    SiblingReader,
)
from agent_journal.connectors.cursor.extracts import CONVERSATION, PARENT, STORE
from agent_journal.connectors.cursor.items import COMPOSERS, DAMAGED, PROMPTS
from agent_journal.connectors.cursor.rows import (
    ComposerReader,
    ConversationReader,
    ListedReader,
)
from agent_journal.connectors.cursor.store import StoreReader
from agent_journal.connectors.cursor.transcripts import LinesReader, ListReader, TextReader
from agent_journal.connectors.kept import KeptReader


def make_reader(file: FileIdentity, state: bytes | None) -> Reader:
    """Return the reader for a file of this agent."""
    _, mark, extract_name = file.name.rpartition(ROWS_MARK)
    if mark:
        return _extract_reader(file, extract_name)
    if file.role == "log":
        return LinesReader(file, state)
    if file.role == "session":
        if file.name.endswith(".txt"):
            return TextReader(file)
        return ListReader(file)
    name = file.name.rpartition("/")[2]
    if name == "prompt_history.json":
        return HistoryReader(file)
    if name in ("workspace.json", "meta.json"):
        return SiblingReader(file)
    if name.endswith(".plan.md"):
        return PlanReader(file)
    return KeptReader(file, "file", "not a file of this agent")


def _extract_reader(file: FileIdentity, name: str) -> Reader:
    if name.startswith(CONVERSATION):
        return ConversationReader(file)
    if name.startswith(PARENT):
        return SiblingReader(file)
    if name == STORE:
        return StoreReader(file)
    if name == COMPOSERS:
        return ListedReader(file)
    if name == PROMPTS:
        return PromptsReader(file)
    if name.startswith(DAMAGED):
        return DamagedReader(file)
    return ComposerReader(file)
