"""Whether a file is a transcript of Cursor: lines, a list, plain text, or rows of a database."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.cursor import RANK_INLINE, RANK_ROWS, RANK_STORE, RANK_TRANSCRIPT
from agent_journal.connectors.cursor.extracts import CONVERSATION, PARENT, STORE
from agent_journal.connectors.cursor.items import COMPOSER, COMPOSERS, DAMAGED, PROMPTS, TAB
from agent_journal.connectors.recognition import first_records, stem, without_padding
from agent_journal.connectors.restored_rows import extract_name
from agent_journal.connectors.values import file_name, string

_HEAD = 2**20
_ID_KEYS = ("composerId", "tabId")
_TEXT_STARTS = (b"user:\n", b"user:\r\n", b"assistant:\n")


def recognise(path: str, head: bytes) -> Recognition | None:
    """Recognise rows of a database, a transcript of JSON lines, or plain text."""
    if extract_name(path) is not None:
        rows = recognise_extract(path)
        if rows is None or rows.role != "session":
            return None
        return rows
    if without_padding(head).startswith(_TEXT_STARTS):
        return Recognition("session", stem(path), RANK_TRANSCRIPT)
    messages = [
        record["message"]
        for record in first_records(head)
        if record.get("role") in ("user", "assistant") and isinstance(record.get("message"), dict)
    ]
    if any(isinstance(message.get("content"), (list, str)) for message in messages):
        return Recognition("log", stem(path), RANK_TRANSCRIPT)
    return None


def recognise_document(path: str, document: Any) -> Recognition | None:
    """Recognise a list of messages; lists with `parts` are checkpoints of Gemini CLI."""
    if not isinstance(document, list):
        return None
    for message in document:
        if isinstance(message, dict) and message.get("role") == "user" and "parts" not in message:
            return Recognition("session", stem(path), RANK_TRANSCRIPT)
    return None


def recognise_extract(path: str) -> Recognition | None:
    """Recognise rows of a database that were restored, by the name of the extract."""
    name = extract_name(path) or ""
    if name in (COMPOSERS, PROMPTS) or name.startswith((PARENT, DAMAGED)):
        return Recognition("document", None)
    if name == STORE:
        return Recognition("session", os.path.basename(os.path.dirname(path)), RANK_STORE)
    if name.startswith(CONVERSATION):
        return Recognition("session", _session_id(path, name, CONVERSATION), RANK_ROWS)
    for start in (COMPOSER, TAB):
        if name.startswith(start):
            return Recognition("session", _session_id(path, name, start), RANK_INLINE)
    return None


def _session_id(path: str, name: str, start: str) -> str:
    """Return the id in the name; from the rows where it has letters that names cannot have."""
    named = stem(name).removeprefix(start)
    if "~" not in named:
        return named
    ids = [found for found in _ids_in_rows(path) if file_name(found) == named]
    return next(iter(ids), named)


def _ids_in_rows(path: str) -> Iterator[str]:
    """Yield what may be the id of a conversation, in its rows or in its document."""
    try:
        with open(path, "rb") as file:
            records = first_records(file.read(_HEAD))
    except OSError:
        return
    for record in records:
        _, _, rest = (string(record.get("key")) or "").partition(":")
        named = (string(record.get(key)) for key in _ID_KEYS)
        before_message = (rest.rpartition(":")[0], rest.partition(":")[0])
        yield from filter(None, (rest, *before_message, *named))
