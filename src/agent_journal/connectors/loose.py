"""JSON that was only looked at loosely when its line was decoded, and stores that stay small."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec

from agent_journal.connectors.jsonl import salvage

T = TypeVar("T", bound=msgspec.Struct)
V = TypeVar("V")
_decode = msgspec.json.Decoder().decode


def decode_any(raw: bytes | msgspec.Raw) -> Any:
    """Any JSON; also with bytes that are no UTF-8 or half surrogates, which typed decoding does not
    look at.
    """
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        value = json.loads(bytes(raw).decode("utf-8", "replace"))
        return _decode(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def tolerant(raw: bytes | msgspec.Raw, struct: type[T]) -> T:
    """A struct from what fits of some JSON; empty when nothing does."""
    try:
        return msgspec.json.decode(raw, type=struct)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    try:
        value = decode_any(raw)
        return salvage(value, struct)[0] if isinstance(value, dict) else struct()  # type: ignore[return-value]
    except (msgspec.DecodeError, ValueError, RecursionError):
        return struct()


def raw_text(raw: msgspec.Raw) -> str | None:
    """JSON text as the agent wrote it, None when the field was absent or null."""
    text = bytes(raw)
    return None if not text or text == b"null" else text.decode("utf-8", "replace")


def remember(store: dict[str, V], key: str, value: V, limit: int) -> None:
    """Puts a value into a store of bounded size; the oldest goes first."""
    store[key] = value
    while len(store) > limit:
        del store[next(iter(store))]
