"""Which reader reads which file."""

from __future__ import annotations

from agent_journal.connectors.base import FileIdentity, Reader
from agent_journal.connectors.cline import MESSAGES, SENT
from agent_journal.connectors.cline.products import Product
from agent_journal.connectors.cline.sent import SentReader
from agent_journal.connectors.cline.store import StoreReader
from agent_journal.connectors.cline.task_lists import TaskListReader
from agent_journal.connectors.cline.tasks import TaskReader
from agent_journal.connectors.kept import KeptReader


def make_reader(product: Product, file: FileIdentity) -> Reader:
    """Return the reader for a file."""
    name = file.name.rpartition("/")[2]
    if name in SENT:
        return SentReader(product, file)
    if file.role == "document":
        return TaskListReader(product, file)
    if file.role == "kept":
        return KeptReader(file, "side file", "read together with the messages beside it")
    if name.endswith(MESSAGES):
        return StoreReader(product, file)
    return TaskReader(product, file)
