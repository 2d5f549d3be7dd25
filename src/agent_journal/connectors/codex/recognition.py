"""Whether a file is a rollout of Codex, compressed or not."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from agent_journal.connectors.base import Recognition
from agent_journal.connectors.codex import session_of
from agent_journal.connectors.recognition import first_records, stem
from agent_journal.connectors.values import string

_MAX_HEAD = 2**23  # bytes
_ZSTD = b"\x28\xb5\x2f\xfd"
_TYPES = frozenset(("session_meta", "response_item", "event_msg", "turn_context", "compacted"))
_Record = dict[str, Any]


def recognise(path: str, head: bytes) -> Recognition | None:
    """Recognise a rollout by its types of records; a compressed one is read as a whole."""
    if not head.startswith(_ZSTD):
        return _recognise_lines(path, head)
    from agent_journal.connectors.codex.compressed import decompressed_head

    found = _recognise_lines(path, decompressed_head(head, max(len(head), _MAX_HEAD)))
    if found is None:
        return None
    return found._replace(role="session")


def _recognise_lines(path: str, head: bytes) -> Recognition | None:
    records = first_records(head)
    wrapped = [
        record
        for record in records
        if string(record.get("type")) in _TYPES and isinstance(record.get("payload"), dict)
    ]
    old_head = _old_head(records)
    if not wrapped and old_head is None:
        return None
    metas = [record["payload"] for record in wrapped if record["type"] == "session_meta"]
    meta = next(iter(metas), old_head) or {}
    session_id = session_of(os.path.basename(path)) or string(meta.get("id"))
    return Recognition("log", session_id or stem(path))


def _old_head(records: Sequence[_Record]) -> _Record | None:
    """Return the first line of a file from before August 2025, when the head had no type."""
    if not records or "type" in records[0] or not {"id", "timestamp"} <= records[0].keys():
        return None
    for record in records:
        if record.get("record_type") == "state" or "instructions" in record:
            return records[0]
    return None
