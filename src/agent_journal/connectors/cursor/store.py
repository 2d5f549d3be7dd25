"""Reads a store of the command line: blobs by the hash of their content, taken out of `store.db` as
JSON lines.

blobs:<sha256>   {"role":"assistant","content":[{"type":"tool-call",…}]}: a message, as JSON
blobs:<sha256>   protobuf whose fields name blobs of 32 bytes: what the model was given for one
request, in order meta:0           JSON in hex:
{"agentId","latestRootBlobId","name","createdAt","lastUsedModel"}

Each request lists the whole conversation again, until it was summarised: then only the summary and
what came after.
"""

from __future__ import annotations

import base64
from collections.abc import Iterable, Iterator
from typing import Any

import msgspec

from agent_journal.connectors.base import Content
from agent_journal.connectors.cursor.conversation import Row
from agent_journal.connectors.cursor.script import Entry, State, blocks_of, pieces_of, session_of
from agent_journal.connectors.cursor.talk import moment
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import items, mapping, one_line, string
from agent_journal.model import Piece, Session

_HASH = 32
_UNNAMED = "New Agent"
_row = msgspec.json.Decoder(Row).decode


class StoreReader(DocumentReader):
    """Reads one store."""

    kind = "store"
    max_size = 256 * 2**20

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The messages in their order; those of no request that is left are hidden."""
        messages: dict[str, dict[str, Any]] = {}
        trees: dict[str, bytes] = {}
        meta: dict[str, Any] = {}
        for line in filter(None, data.split(b"\n")):
            row = _row(line)
            table, _, key = row.key.partition(":")
            if table == "meta":
                meta = _meta(row) or meta
            elif (message := _message(row)) is not None:
                messages[key] = message
            else:
                trees[key] = _bytes(row)
        session_id = self.file.session_id or string(meta.get("agentId")) or self.file.name
        order, shown = _order(messages, trees, string(meta.get("latestRootBlobId")))
        state = State()
        found = [
            piece
            for key in order
            for piece in pieces_of(
                _entry(key, messages[key], key not in shown), session_id, state, self.ledger
            )
        ]
        self.ledger.add("mapped", "message", 0, count=len(messages))
        self.ledger.add(
            "skipped", "tree", 0, "the order of messages, read with them", count=len(trees)
        )
        if trees and not messages:
            self.ledger.trouble(0, self.kind, "no message in this store that this version can read")
        self.completeness = state.completeness
        self.found_sessions = [
            _session(session_id, state, meta, _json(content.sibling("meta.json")))
        ]
        return found


def _order(
    messages: dict[str, dict[str, Any]], trees: dict[str, bytes], latest: str | None
) -> tuple[list[str], set[str]]:
    """All messages, oldest first, and those of the longest and of the latest request: the others
    were made anew.
    """
    lists = {
        key: [ref for ref in _references(tree) if ref in messages] for key, tree in trees.items()
    }
    longest = max(lists.values(), key=len, default=[])
    shown = {*longest, *lists.get(latest or "", [])}
    order = dict.fromkeys(ref for refs in lists.values() for ref in refs)
    if not shown:
        return list(messages), set(messages)
    return [*order, *(key for key in messages if key not in order)], shown


def _references(tree: bytes) -> Iterator[str]:
    """The hashes that a protobuf message holds, in their order; what is none ends it."""
    at = 0
    while at < len(tree):
        tag, at = _number(tree, at)
        wire = tag & 7
        if wire == 2:
            size, at = _number(tree, at)
            if size == _HASH and at + size <= len(tree):
                yield tree[at : at + size].hex()
            at += size
        elif wire == 0:
            _, at = _number(tree, at)
        elif wire in (1, 5):
            at += 8 if wire == 1 else 4
        else:
            return


def _number(data: bytes, at: int) -> tuple[int, int]:
    value = shift = 0
    while at < len(data) and shift < 64:
        value |= (data[at] & 0x7F) << shift
        at += 1
        if not data[at - 1] & 0x80:
            return value, at
        shift += 7
    return 0, len(data)


def _message(row: Row) -> dict[str, Any] | None:
    if not row.value and not (row.text or "").startswith("{"):
        return None
    try:
        value = row.object()
    except ValueError:
        return None
    return value if value and string(value.get("role")) else None


def _bytes(row: Row) -> bytes:
    if row.base64 is not None:
        try:
            return base64.b64decode(row.base64)
        except ValueError:
            return b""
    return (row.text or "").encode("utf-8", "replace")


def _meta(row: Row) -> dict[str, Any]:
    """The facts of a store: hex of JSON, or plain JSON."""
    text = row.text if row.text is not None else _json_text(bytes(row.value))
    try:
        return mapping(decode_document(bytes.fromhex(text)))
    except ValueError:
        return _json(text.encode("utf-8", "replace")) or _json(bytes(row.value))


def _json_text(value: bytes) -> str:
    told = _decoded(value)
    return told if isinstance(told, str) else value.decode("utf-8", "replace")


def _json(data: bytes | None) -> dict[str, Any]:
    return mapping(_decoded(data))


def _decoded(data: bytes | None) -> Any:
    try:
        return decode_document(data) if data else None
    except ValueError:
        return None


def _entry(key: str, message: dict[str, Any], is_hidden: bool) -> Entry:
    blocks = blocks_of(message.get("content"))
    options = (message, *items(message.get("content")))
    names = (string(_options(part).get("modelName")) for part in options)
    role = string(message.get("role")) or "assistant"
    return Entry(key, role, blocks, None, next(filter(None, names), None), is_hidden)


def _options(part: dict[str, Any]) -> dict[str, Any]:
    return mapping(mapping(part.get("providerOptions")).get("cursor"))


def _session(
    session_id: str, state: State, meta: dict[str, Any], beside: dict[str, Any]
) -> Session:
    name = one_line(string(meta.get("name")) or string(beside.get("title")) or "")
    model = string(meta.get("lastUsedModel"))
    if model and model not in ("default", *state.models):
        state.models.append(model)
    session = session_of(
        session_id, state, project_path=string(beside.get("cwd")), host_app="Cursor CLI"
    )
    if name and name != _UNNAMED:
        session = msgspec.structs.replace(session, title=name, title_rank=40, title_source="name")
    created = moment(meta.get("createdAt")) or moment(beside.get("createdAtMs"))
    return msgspec.structs.replace(
        session, started_at=created, ended_at=moment(beside.get("updatedAtMs")) or created
    )
