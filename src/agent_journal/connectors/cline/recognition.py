"""Whether a document is a task or a session, and of which program."""

from __future__ import annotations

import os
from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.cline import MESSAGES, SENT, SHOWN
from agent_journal.connectors.cline.products import CLINE, Product, product_at
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.values import items, string

_KINDS = ("say", "ask")


def recognise_document(product: Product, path: str, document: Any) -> Recognition | None:
    """A list of what was shown or sent, or a session of the new store."""
    if product != (product_at(path) or CLINE):
        return None
    name = os.path.basename(path)
    if isinstance(document, dict):
        return _session(document, name)
    entries = items(document)
    if any(entry.get("type") in _KINDS and "ts" in entry for entry in entries[:1]):
        return Recognition("session", _task_id(path, name == SHOWN), rank=1)
    if name in SENT and any("role" in entry for entry in entries[:1]):
        return Recognition("session", _task_id(path, True))
    return None


def _session(document: dict[str, Any], name: str) -> Recognition | None:
    has_agent = document.get("agent") in ("lead", "subagent") or name.endswith(MESSAGES)
    session_id = string(document.get("sessionId"))
    if not has_agent or session_id is None or not isinstance(document.get("messages"), list):
        return None
    return Recognition("session", session_id)


def _task_id(path: str, is_in_folder: bool) -> str:
    """The id of a task: the name of its folder, where the file has its usual name."""
    if is_in_folder:
        return os.path.basename(os.path.dirname(path)) or stem(path)
    return stem(path)
