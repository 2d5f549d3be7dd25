"""What can be read of odd JSON: whole objects on a broken line, broken text, odd values, numbers
out of range.
"""

from __future__ import annotations

import functools
import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple, get_args, get_type_hints

import msgspec

PADDING = b"\0 \t\r\n"
# What decoding and encoding raise for JSON that is broken, too deep, or has numbers of thousands of
# digits.
UNREADABLE = (msgspec.DecodeError, RecursionError, ValueError, OverflowError)
decode_any = msgspec.json.Decoder().decode

_TEXT_PADDING = " \t\r\0"
_MAX_MARKS = 32


def _number(text: str) -> float | None:
    """A number with a point or an exponent; None when it is too large, as in JavaScript's JSON."""
    number = float(text)
    if math.isfinite(number):
        return number
    return None


def _integer(text: str) -> int | None:
    """A whole number; None when it has more digits than Python takes."""
    try:
        return int(text)
    except ValueError:
        return None


def _no_number(text: str) -> None:
    """None in place of NaN and Infinity, which are not JSON."""


# One number out of range must not cost a whole session, or a record
_tolerant = json.JSONDecoder(parse_float=_number, parse_int=_integer, parse_constant=_no_number)
decode_text = _tolerant.decode


class Segment(NamedTuple):
    """A part of a line: its bytes from `start` to `end`, and its JSON.

    `json` is None for a damaged part, and empty for one that only separates.
    """

    start: int
    end: int
    json: bytes | None


def segments(line: bytes, record_starts: tuple[str, ...]) -> Iterator[Segment]:
    """The parts of a line that is not one plain record: objects, damage and padding.

    A part never depends on what follows it, so a line read in two steps gives the same as read at
    once.
    """
    try:
        if isinstance(decode_any(line), dict):
            yield Segment(0, len(line), line)
            return
    except UNREADABLE:
        pass
    # Broken bytes become surrogates, so that positions in the text map to positions in the bytes.
    text = line.decode("utf-8", "surrogateescape")
    at = 0
    byte = 0
    while at < len(text):
        found = _next_object(text, at, record_starts)
        if found.start > at:
            between = text[at : found.start]
            end = byte + _byte_length(between)
            yield Segment(byte, end, None if between.strip(_TEXT_PADDING) else b"")
            byte = end
        if found.value is None:
            return
        end = byte + _byte_length(text[found.start : found.end])
        yield Segment(byte, end, _valid_json(line[byte:end], found.value))
        byte = end
        at = found.end


class _FoundObject(NamedTuple):
    """An object in a text; the value is None if there is no more."""

    start: int
    end: int
    value: dict[str, Any] | None


def _next_object(text: str, at: int, record_starts: tuple[str, ...]) -> _FoundObject:
    here = at
    while here < len(text) and text[here] in _TEXT_PADDING:
        here += 1
    for start in (here, *_marks(text, here + 1, record_starts)):
        try:
            value, end = _tolerant.raw_decode(text, start)
            if isinstance(value, dict):
                _valid_json(text[start:end].encode("utf-8", "surrogateescape"), value)
                return _FoundObject(start, end, value)
        except UNREADABLE:
            continue
    return _FoundObject(len(text), len(text), None)


def _marks(text: str, at: int, record_starts: tuple[str, ...]) -> list[int]:
    """The last places where a record may begin after damage.

    A crash can join the beginning of one record to the next.
    """
    places: set[int] = set()
    for mark in record_starts:
        places.update(_last_places(text, mark, at))
    return sorted(places)[-_MAX_MARKS:]


def _last_places(text: str, mark: str, at: int) -> Iterator[int]:
    end = len(text)
    for _ in range(_MAX_MARKS):
        place = text.rfind(mark, at, end)
        if place < 0:
            return
        yield place
        end = place + len(mark) - 1


def _byte_length(text: str) -> int:
    if text.isascii():
        return len(text)
    return len(text.encode("utf-8", "surrogateescape"))


def _valid_json(part: bytes, value: object) -> bytes:
    """The JSON unchanged, or with U+FFFD in place of broken UTF-8 and lone surrogates."""
    try:
        decode_any(part)
    except UNREADABLE:
        text = json.dumps(value, ensure_ascii=False)
        part = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        decode_any(part)
    return part


def decode_document(data: bytes) -> Any:
    """Decode JSON, with U+FFFD in place of broken UTF-8 and lone surrogates, and None in place of
    numbers out of range.

    Raises ValueError if it is not JSON.
    """
    data = data.removeprefix(b"\xef\xbb\xbf").strip(PADDING)
    try:
        return decode_any(data)
    except UNREADABLE as error:
        try:
            value = decode_text(data.decode("utf-8", "replace"))
            return decode_any(_valid_json(b"", value))
        except UNREADABLE:
            raise ValueError(f"not JSON: {error}") from error


# -- objects with values of other types --------------------------------------------------------


class _Field(NamedTuple):
    """A field of a struct: its name there, its type, and the struct that it holds."""

    name: str
    hint: Any
    nested: type[msgspec.Struct] | None
    has_raw: bool  # whether parts of it stay JSON

    def fit(self, value: Any) -> Any:
        """The value as the field has it; msgspec.ValidationError if it does not fit."""
        if self.has_raw:
            return msgspec.json.decode(msgspec.json.encode(value), type=self.hint)
        return msgspec.convert(value, type=self.hint, str_keys=True)


@functools.cache
def _fields(struct: type[msgspec.Struct]) -> dict[str, _Field]:
    """The fields of a struct by their names in JSON.

    Cached: working out the types takes longer than decoding a record.
    """
    hints = get_type_hints(struct, include_extras=True)
    return {
        field.encode_name: _Field(
            field.name,
            hints[field.name],
            _struct_in(hints[field.name]),
            _has_raw(hints[field.name]),
        )
        for field in msgspec.structs.fields(struct)
    }


def _has_raw(hint: Any) -> bool:
    from msgspec.inspect import type_info

    try:
        return "RawType" in repr(type_info(hint))
    except RecursionError:  # of a type that holds itself
        return True


def salvage(
    value: dict[str, Any], struct: type[msgspec.Struct]
) -> tuple[msgspec.Struct, list[str]]:
    """A struct from what fits of an object, and the names of the fields that did not fit."""
    fitting: dict[str, Any] = {}
    dropped: list[str] = []
    fields = _fields(struct)
    for encode_name, part in value.items():
        field = fields.get(encode_name)
        if field is None:
            continue
        if isinstance(part, dict) and field.nested is not None:
            fitting[field.name], below = _salvaged_part(part, field)
            dropped += [f"{encode_name}.{name}" for name in below]
            continue
        try:
            fitting[field.name] = field.fit(part)
        except UNREADABLE:
            dropped.append(encode_name)
    return struct(**fitting), dropped


def _salvaged_part(value: dict[str, Any], field: _Field) -> tuple[Any, list[str]]:
    assert field.nested is not None
    try:
        return field.fit(value), []
    except UNREADABLE:
        return salvage(value, field.nested)


def _struct_in(hint: Any) -> type[msgspec.Struct] | None:
    """The struct a field holds, also if it may be None."""
    for kind in (hint, *get_args(hint)):
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return kind
    return None
