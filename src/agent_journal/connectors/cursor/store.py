"""Reads a store of the command line: the blobs of `store.db` as JSON lines, by their hash.

blobs:<sha256>   a message as JSON: {"role":"assistant","content":[{"type":"tool-call",…}]}
blobs:<sha256>   a tree: protobuf with the hashes of what the model was sent for one request
meta:0           JSON in hex: {"agentId","latestRootBlobId","name","createdAt","lastUsedModel"}

Each request lists the whole conversation again, until that was summarised: then only the summary
and what came after it.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import Content
from agent_journal.connectors.cursor.blocks import (
    TranscriptRecord,
    TranscriptState,
    blocks_of,
    pieces_of,
    session_of,
)
from agent_journal.connectors.cursor.rows import Row
from agent_journal.connectors.cursor.sessions import NAME_RANK
from agent_journal.connectors.cursor.times import time_of
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.sqlite import TOO_LARGE
from agent_journal.connectors.values import items, mapping, one_line, string
from agent_journal.model import Piece, Session

_HASH_SIZE = 32
_TOO_LARGE = b',"too_large":true}\n'
_UNNAMED = "New Agent"
# The wire types of protobuf
_VARINT = 0
_FIXED_64 = 1
_BYTES = 2
_FIXED_32 = 5
_row = msgspec.json.Decoder(Row).decode


class _Store(NamedTuple):
    """The content of a store."""

    messages: dict[str, dict[str, Any]]
    trees: dict[str, bytes]
    meta: dict[str, Any]


class StoreReader(DocumentReader):
    """Reads one store."""

    kind = "store"
    max_size = 256 * 2**20

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the messages in their order; those of requests that were done again are hidden."""
        store = _read_rows(data)
        session_id = self.file.session_id or string(store.meta.get("agentId")) or self.file.name
        order, shown = _order(store)
        state = TranscriptState()
        pieces: list[Piece] = []
        for key in order:
            record = _record(key, store.messages[key], is_hidden=key not in shown)
            pieces += pieces_of(record, session_id, state, self.ledger)
        self.ledger.add("mapped", "message", 0, count=len(store.messages))
        self.ledger.add("skipped", "tree", 0, "the order of the messages", count=len(store.trees))
        if store.trees and not store.messages:
            self.ledger.trouble(0, self.kind, "no message in this store that this version can read")
        if _TOO_LARGE in data:
            self.ledger.trouble(0, self.kind, f"a value is {TOO_LARGE}")
        self.completeness = state.completeness
        meta_json = _json(content.sibling("meta.json"))
        self.found_sessions = [_session(session_id, state, store.meta, meta_json)]
        return pieces


def _read_rows(data: bytes) -> _Store:
    messages: dict[str, dict[str, Any]] = {}
    trees: dict[str, bytes] = {}
    meta: dict[str, Any] = {}
    for line in filter(None, data.split(b"\n")):
        row = _row(line)
        table, _, key = row.key.partition(":")
        if table == "meta":
            meta = _meta(row) or meta
            continue
        message = _message(row)
        if message is not None:
            messages[key] = message
        else:
            trees[key] = _bytes(row)
    return _Store(messages, trees, meta)


# -- the order of messages ---------------------------------------------------------------------


def _order(store: _Store) -> tuple[list[str], set[str]]:
    """Return all messages, oldest first, and those that are shown.

    The longest and the latest request are shown; the messages of no other were done again.
    """
    messages = store.messages
    lists = {
        key: [hash_ for hash_ in _references(tree) if hash_ in messages]
        for key, tree in store.trees.items()
    }
    longest = max(lists.values(), key=len, default=[])
    latest = lists.get(string(store.meta.get("latestRootBlobId")) or "", [])
    shown = {*longest, *latest}
    if not shown:
        return list(messages), set(messages)
    listed = dict.fromkeys(hash_ for hashes in lists.values() for hash_ in hashes)
    unlisted = [key for key in messages if key not in listed]
    return [*listed, *unlisted], shown


def _references(tree: bytes) -> Iterator[str]:
    """Yield the hashes in a protobuf message, up to the first byte that is not protobuf."""
    at = 0
    while at < len(tree):
        tag, at = _varint(tree, at)
        wire_type = tag & 7
        if wire_type == _BYTES:
            size, at = _varint(tree, at)
            if size == _HASH_SIZE and at + size <= len(tree):
                yield tree[at : at + size].hex()
            at += size
        elif wire_type == _VARINT:
            _, at = _varint(tree, at)
        elif wire_type == _FIXED_64:
            at += 8
        elif wire_type == _FIXED_32:
            at += 4
        else:
            return


def _varint(data: bytes, at: int) -> tuple[int, int]:
    """Return the number at a place and the place after it; the end of the data when it is cut."""
    value = 0
    shift = 0
    while at < len(data) and shift < 64:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if not byte & 0x80:
            return value, at
        shift += 7
    return 0, len(data)


# -- rows --------------------------------------------------------------------------------------


def _message(row: Row) -> dict[str, Any] | None:
    """Return the message of a row; None when it is something else."""
    if not row.value and not (row.text or "").startswith("{"):
        return None
    try:
        value = row.object()
    except ValueError:
        return None
    if not value or not string(value.get("role")):
        return None
    return value


def _bytes(row: Row) -> bytes:
    if row.base64 is None:
        return (row.text or "").encode("utf-8", "replace")
    try:
        return base64.b64decode(row.base64)
    except ValueError:
        return b""


def _meta(row: Row) -> dict[str, Any]:
    """Return the facts of a store: hex of JSON, or plain JSON."""
    text = row.text
    if text is None:
        text = _json_text(bytes(row.value))
    try:
        return mapping(decode_document(bytes.fromhex(text)))
    except ValueError:
        return _json(text.encode("utf-8", "replace")) or _json(bytes(row.value))


def _json_text(value: bytes) -> str:
    decoded = _decoded(value)
    if isinstance(decoded, str):
        return decoded
    return value.decode("utf-8", "replace")


def _json(data: bytes | None) -> dict[str, Any]:
    return mapping(_decoded(data))


def _decoded(data: bytes | None) -> Any:
    if not data:
        return None
    try:
        return decode_document(data)
    except ValueError:
        return None


# -- messages and the session ------------------------------------------------------------------


def _record(key: str, message: dict[str, Any], *, is_hidden: bool) -> TranscriptRecord:
    return TranscriptRecord(
        key=key,
        role=string(message.get("role")) or "assistant",
        blocks=blocks_of(message.get("content")),
        model=_model(message),
        is_hidden=is_hidden,
    )


def _model(message: dict[str, Any]) -> str | None:
    """Return the model that a message names in its options, or in those of a block."""
    for part in (message, *items(message.get("content"))):
        options = mapping(mapping(part.get("providerOptions")).get("cursor"))
        name = string(options.get("modelName"))
        if name is not None:
            return name
    return None


def _session(
    session_id: str, state: TranscriptState, meta: dict[str, Any], meta_json: dict[str, Any]
) -> Session:
    """Return the session; `meta_json` is the content of the `meta.json` next to the store."""
    model = string(meta.get("lastUsedModel"))
    if model and model not in ("default", *state.models):
        state.models.append(model)
    session = session_of(
        session_id, state, project_path=string(meta_json.get("cwd")), host_app="Cursor CLI"
    )
    name = one_line(string(meta.get("name")) or string(meta_json.get("title")) or "")
    if name and name != _UNNAMED:
        session = replace(session, title=name, title_rank=NAME_RANK, title_source="name")
    created = time_of(meta.get("createdAt")) or time_of(meta_json.get("createdAtMs"))
    ended = time_of(meta_json.get("updatedAtMs")) or created
    return replace(session, started_at=created, ended_at=ended)
