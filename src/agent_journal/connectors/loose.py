"""JSON that was not checked when its line was decoded, and dicts of bounded size."""

from __future__ import annotations

import json
from typing import Any, TypeVar

import msgspec

from agent_journal.connectors.json_repair import decode_text, salvage

T = TypeVar("T", bound=msgspec.Struct)
V = TypeVar("V")
_decode = msgspec.json.Decoder().decode


def decode_any(raw: bytes | msgspec.Raw) -> Any:
    """Decode any JSON, also with what msgspec.Raw lets pass: broken UTF-8, lone surrogates, and
    numbers out of range.
    """
    try:
        return _decode(raw)
    except (msgspec.DecodeError, UnicodeDecodeError):
        value = decode_text(bytes(raw).decode("utf-8", "replace"))
        return _decode(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))


def tolerant(raw: bytes | msgspec.Raw, struct: type[T]) -> T:
    """A struct from what fits of some JSON; empty if nothing does."""
    try:
        return msgspec.json.decode(raw, type=struct)
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    try:
        value = decode_any(raw)
        if isinstance(value, dict):
            salvaged, _ = salvage(value, struct)
            return salvaged  # type: ignore[return-value]
    except (msgspec.DecodeError, ValueError, RecursionError):
        pass
    return struct()


def raw_text(raw: msgspec.Raw) -> str | None:
    """JSON as the agent wrote it; None if the field was absent or null."""
    text = bytes(raw)
    if not text or text == b"null":
        return None
    return text.decode("utf-8", "replace")


def remember(store: dict[str, V], key: str, value: V, limit: int) -> None:
    """Put a value into a dict of bounded size, and remove the oldest if it is full."""
    store[key] = value
    while len(store) > limit:
        del store[next(iter(store))]
