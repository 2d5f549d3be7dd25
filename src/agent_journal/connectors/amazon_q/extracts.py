"""The conversations in a database of Amazon Q or Kiro, each as one line.

{"table":"conversations","key":"/home/sam/pear","value":{"conversation_id":"5a…","history":[…]}}

The database also has a table of credentials: it is never read.
"""

from __future__ import annotations

import hashlib

import msgspec

from agent_journal.connectors.amazon_q import COPY_MARK
from agent_journal.connectors.base import Extract
from agent_journal.connectors.row_lines import Table, select, session_extract
from agent_journal.connectors.sqlite import opened, tables

_COLUMNS = ("key", "conversation_id", "value", "created_at", "updated_at")


class _Value(msgspec.Struct):
    conversation_id: str = ""


class _Row(msgspec.Struct):
    key: str = ""
    conversation_id: str = ""
    value: _Value | str = ""


_row = msgspec.json.Decoder(_Row).decode


def extracts(path: str, table: str) -> list[Extract]:
    """Return the conversations; of several with one id and one folder the last row counts.

    A conversation that was saved and loaded in another folder is there twice, with one id. They
    are copies of a session, and both are kept.
    """
    found: dict[str, dict[str, bytes]] = {}
    with opened(path) as database:
        if table in tables(database):
            for line in select(database, Table(table, _COLUMNS, json=("value",))):
                found.setdefault(_id_of(line), {})[_folder_of(line)] = line + b"\n"
    return [
        Extract(_name(session_id, folder, number), "session", session_id, 0, data)
        for session_id, copies in found.items()
        for number, (folder, data) in enumerate(sorted(copies.items()))
    ]


def _name(session_id: str, folder: str, number: int) -> str:
    """Return the name of a conversation; only other copies than the first one have a mark."""
    if number:
        session_id += COPY_MARK + hashlib.sha256(folder.encode()).hexdigest()[:8]
    return session_extract(session_id)


def _folder_of(line: bytes) -> str:
    try:
        return _row(line).key
    except (msgspec.DecodeError, RecursionError):
        return ""


def _id_of(line: bytes) -> str:
    """Return the id of a conversation; one that cannot be read is named by its folder."""
    try:
        row = _row(line)
    except (msgspec.DecodeError, RecursionError):
        return f"row-{hashlib.sha256(line).hexdigest()[:16]}"
    inner = row.value.conversation_id if isinstance(row.value, _Value) else ""
    if row.conversation_id or inner:
        return row.conversation_id or inner
    return f"folder-{hashlib.sha256(row.key.encode()).hexdigest()[:16]}"
