"""The requests of a large session, which stay JSON until they are read one after the other.

Decoded, a session takes more memory than its line, which is needed until all of it is decoded.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import msgspec
from msgspec import UNSET, Raw, UnsetType

from agent_journal.connectors.json_repair import decode_any

INITIAL = 0  # the kind of a line that is the whole session
LARGE = 16 * 2**20  # bytes of a line


class LogLine(msgspec.Struct):
    """One line of a log; an absent `v` does not mean the same as null."""

    kind: Any = None
    k: Any = None
    v: Any = UNSET
    i: Any = None


class _Packed(msgspec.Struct):
    """A line whose value is not decoded yet."""

    kind: Any = None
    k: Any = None
    v: Raw | UnsetType = UNSET
    i: Any = None


_small_line = msgspec.json.Decoder(LogLine).decode
_large_line = msgspec.json.Decoder(_Packed).decode
_members = msgspec.json.Decoder(dict[str, Raw]).decode
_elements = msgspec.json.Decoder(list[Raw]).decode


def decode_line(line: bytes) -> LogLine:
    """A line of a log; in a large one, the requests of the session stay JSON.

    Raises what decoding raises, also if one of the requests cannot be decoded.
    """
    if len(line) < LARGE:
        return _small_line(line)
    packed = _large_line(line)
    value: Any = packed.v
    if packed.kind == INITIAL and _begins_with(value, b"{"):
        value = {name: _member(name, member) for name, member in _members(value).items()}
    return LogLine(packed.kind, packed.k, unpacked(value), packed.i)


def _member(name: str, value: Raw) -> Any:
    if name == "requests" and _begins_with(value, b"["):
        return [_checked(request) for request in _elements(value)]
    return decode_any(value)


def _begins_with(value: Any, sign: bytes) -> bool:
    return isinstance(value, Raw) and memoryview(value)[:1] == sign


def _checked(request: Raw) -> Any:
    """A request as JSON that can be decoded; anything else than an object is decoded."""
    value = decode_any(request)
    if isinstance(value, dict):
        return request
    return value


def unpacked(value: Any) -> Any:
    """A value, decoded if it is a request that was left as JSON."""
    if isinstance(value, Raw):
        return decode_any(value)
    return value


def each_request(requests: Iterable[Any]) -> Iterator[dict[str, Any]]:
    """The requests of a document, each decoded when it is its turn."""
    for request in map(unpacked, requests):
        if isinstance(request, dict):
            yield request
