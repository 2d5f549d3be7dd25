"""Lists of tasks: what they say about a task, besides the sums of its requests.

taskHistory.json, _index.json, history_item.json, and the row of the extension in `state.vscdb`, of
which nothing else is read: it may hold keys.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import Content, Extract, FileIdentity
from agent_journal.connectors.cline.products import Product
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.sqlite import TOO_LARGE, Changed, opened, tables
from agent_journal.connectors.values import first_string, items, mapping, string, title_of
from agent_journal.model import Piece, Session

_TASK_TITLE_RANK = 5  # the beginning of the first prompt, which the task itself tells better
_TRIES = 3


class TaskListReader(DocumentReader):
    """Reads a list of tasks, or the entry of one."""

    kind = "list of tasks"

    def __init__(self, product: Product, file: FileIdentity) -> None:
        super().__init__(file)
        self._product = product

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return nothing; what is said about tasks goes into `found_sessions`."""
        document = decode_document(data)
        if not isinstance(document, (list, dict)):
            raise ValueError("not a list of tasks")
        for entry in _entries(document):
            task_id = string(entry.get("id"))
            if task_id is not None:
                self.found_sessions.append(self._hint(task_id, entry))
        return ()

    def _hint(self, task_id: str, entry: dict[str, Any]) -> Session:
        title = title_of(entry.get("task"))
        return Session(
            agent=self._product.agent,
            id=task_id,
            title=title,
            title_rank=_TASK_TITLE_RANK if title else 0,
            title_source="task" if title else None,
            project_path=first_string(entry, "cwdOnTaskInitialization", "workspace"),
            parent_id=string(entry.get("parentTaskId")),
            agent_name=string(entry.get("mode")) if entry.get("parentTaskId") else None,
            is_hint=True,
        )


def _entries(document: Any) -> list[dict[str, Any]]:
    if isinstance(document, list):
        return items(document)
    if isinstance(document.get("entries"), list):
        return items(document["entries"])
    return [document]


def extracts(path: str, product: Product) -> tuple[list[Extract], str | None]:
    """The list of tasks in the database of an editor, and what is wrong with it.

    Raises ValueError if the database cannot be read.
    """
    found: list[Any] = []
    damage = None
    try:
        for value in _values(path, product):
            found += _task_history(value)
    except sqlite3.DataError:
        damage = f"the value of {product.title} is {TOO_LARGE}"
    except sqlite3.Error as error:
        raise ValueError(f"not a readable SQLite database: {error}") from error
    if not found:
        return [], damage
    data = b"[" + b",\n".join(map(msgspec.json.encode, found)) + b"]\n"
    return [Extract(product.extract, "document", None, 0, data)], damage


def _values(path: str, product: Product) -> list[bytes]:
    """What the extensions of the product keep in the database."""
    for _ in range(_TRIES - 1):
        try:
            return list(_read_values(path, product))
        except Changed:
            continue
    return list(_read_values(path, product))


def _read_values(path: str, product: Product) -> Iterator[bytes]:
    with opened(path) as database:
        if "ItemTable" not in tables(database):
            return
        for key in product.extensions:
            query = "SELECT value FROM ItemTable WHERE key = ?"
            row = database.execute(query, (key,)).fetchone()
            if row is not None and isinstance(row[0], bytes):
                yield row[0]


def _task_history(value: bytes) -> list[Any]:
    try:
        return items(mapping(decode_document(value)).get("taskHistory"))
    except ValueError:
        return []
