"""Writes Parquet: one row group, zstd, strings with few distinct values as a dictionary.

It is written here because a sync must not wait for the import of a library: DuckDB takes 0.14 s,
pyarrow as long, and writing a hundred rows here takes a millisecond. The format:
https://github.com/apache/parquet-format.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Iterable, Sequence
from typing import Any, Literal, NamedTuple

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

Kind = Literal["text", "int", "float", "bool", "time"]  # time: microseconds since 1970, UTC

_MAGIC = b"PAR1"
_LEVEL = 3
_ZSTD = 6
# Encodings
_PLAIN = 0
_RLE = 3
_DICTIONARY = 8
# Kinds of pages
_DATA_PAGE = 0
_DICTIONARY_PAGE = 2
_OPTIONAL = 1
_PHYSICAL = {"bool": 0, "int": 2, "time": 2, "float": 5, "text": 6}
_ARRAY_CODES = {"int": "q", "time": "q", "float": "d"}
_MOST_IN_DICTIONARY = 65_536
_WORTH_A_DICTIONARY = 3  # rows for each value of it


class Column(NamedTuple):
    """One column of a table, and what it holds in words."""

    name: str
    kind: Kind
    meaning: str


class _Chunk(NamedTuple):
    """The pages of a column, and its description for the footer."""

    data: bytes
    meta: bytes


class _Page(NamedTuple):
    """A page with its header, and its size before compression."""

    data: bytes
    full_size: int


def encoded(columns: Sequence[Column], rows: Sequence[tuple[Any, ...]]) -> bytes:
    """A whole file with these rows; None is NULL."""
    values: Iterable[Sequence[Any]] = [()] * len(columns)
    if rows:
        values = zip(*rows, strict=True)
    chunks = []
    offset = len(_MAGIC)
    for column, cells in zip(columns, values, strict=True):
        chunk = _chunk(column, cells, offset)
        chunks.append(chunk)
        offset += len(chunk.data)
    schema = [_struct((4, "aj"), (5, _Int(len(columns)))), *map(_element, columns)]
    metas = [chunk.meta for chunk in chunks]
    groups = []
    if rows:
        groups.append(_struct((1, metas), (2, _Long(offset)), (3, _Long(len(rows)))))
    footer = _struct((1, _Int(1)), (2, schema), (3, _Long(len(rows))), (4, groups), (6, "aj"))
    data = b"".join(chunk.data for chunk in chunks)
    return b"".join((_MAGIC, data, footer, struct.pack("<I", len(footer)), _MAGIC))


def _chunk(column: Column, cells: Sequence[Any], offset: int) -> _Chunk:
    values = [cell for cell in cells if cell is not None]
    levels = _levels(cells, len(values))
    dictionary = None
    if column.kind == "text":
        dictionary = _dictionary(values)
    encodings = [_Int(_PLAIN), _Int(_RLE)]
    data_offset = offset
    # The field with the offset of the dictionary, where there is one
    dictionary_offset: list[tuple[int, Any]] = []
    if dictionary is None:
        content = levels + _plain(column.kind, values)
        pages = [_page(_DATA_PAGE, len(cells), _PLAIN, content)]
    else:
        content = levels + _indices([dictionary[value] for value in values], len(dictionary))
        first = _page(_DICTIONARY_PAGE, len(dictionary), _PLAIN, _plain("text", dictionary))
        pages = [first, _page(_DATA_PAGE, len(cells), _DICTIONARY, content)]
        encodings.append(_Int(_DICTIONARY))
        data_offset += len(first.data)
        dictionary_offset.append((11, _Long(offset)))
    data = b"".join(page.data for page in pages)
    meta = _struct(
        (1, _Int(_PHYSICAL[column.kind])),
        (2, encodings),
        (3, [column.name]),
        (4, _Int(_ZSTD)),
        (5, _Long(len(cells))),
        (6, _Long(sum(page.full_size for page in pages))),
        (7, _Long(len(data))),
        (9, _Long(data_offset)),
        *dictionary_offset,
    )
    return _Chunk(data, _struct((2, _Long(offset)), (3, meta)))


def _page(kind: int, count: int, encoding: int, data: bytes) -> _Page:
    packed = zstd.compress(data, _LEVEL)
    inner: list[tuple[int, Any]] = [(1, _Int(count)), (2, _Int(encoding))]
    number = 7
    if kind == _DATA_PAGE:
        inner += [(3, _Int(_RLE)), (4, _Int(_RLE))]
        number = 5
    sizes = ((2, _Int(len(data))), (3, _Int(len(packed))))
    header = _struct((1, _Int(kind)), *sizes, (number, _struct(*inner)))
    return _Page(header + packed, len(header) + len(data))


def _levels(cells: Sequence[Any], count: int) -> bytes:
    """Which cells are not NULL, as a run of bits; `count` of them are not."""
    if count == 0:
        runs = _varint(len(cells) << 1) + b"\0"
    elif count == len(cells):
        runs = _varint(len(cells) << 1) + b"\1"
    else:
        runs = _bits([cell is not None for cell in cells])
    return struct.pack("<I", len(runs)) + runs


def _bits(flags: Sequence[bool]) -> bytes:
    groups = -(-len(flags) // 8)
    return _varint(groups << 1 | 1) + _packed(flags, groups)


def _packed(flags: Sequence[bool], size: int) -> bytes:
    # As text, which Python converts faster than a loop over the bits would
    text = "".join(["01"[flag] for flag in reversed(flags)])
    return int(text or "0", 2).to_bytes(size, "little")


def _dictionary(texts: list[str]) -> dict[str, int] | None:
    """The distinct values of a column with their numbers; None when there are too many."""
    sample = texts[:1000]
    if len(set(sample)) > max(1, len(sample) // _WORTH_A_DICTIONARY):
        return None
    found = {text: number for number, text in enumerate(dict.fromkeys(texts))}
    most = max(1, min(_MOST_IN_DICTIONARY, len(texts) // _WORTH_A_DICTIONARY))
    if not found or len(found) > most:
        return None
    return found


def _indices(numbers: list[int], distinct: int) -> bytes:
    """Numbers of values in a dictionary: in whole bytes, so that nothing has to be shifted."""
    code = "H"
    if distinct <= 256:
        code = "B"
    indices = array(code, numbers)
    if sys.byteorder == "big":  # pragma: no cover
        indices.byteswap()
    groups = -(-len(indices) // 8)
    data = indices.tobytes().ljust(groups * 8 * indices.itemsize, b"\0")
    return bytes((8 * indices.itemsize,)) + _varint(groups << 1 | 1) + data


def _plain(kind: Kind, values: Any) -> bytes:
    if kind == "text":
        pack = struct.Struct("<I").pack
        parts: list[bytes] = []
        for text in values:
            data = text.encode("utf-8", "replace")
            parts += (pack(len(data)), data)
        return b"".join(parts)
    if kind == "bool":
        return _packed([bool(value) for value in values], -(-len(values) // 8))
    numbers: array[Any] = array(_ARRAY_CODES[kind], values)
    if sys.byteorder == "big":  # pragma: no cover
        numbers.byteswap()
    return numbers.tobytes()


def _element(column: Column) -> bytes:
    """A column in the schema."""
    more: list[tuple[int, Any]] = []
    if column.kind == "text":
        more = [(6, _Int(0)), (10, _struct((1, _struct())))]
    elif column.kind == "time":
        unit = _struct((2, _struct()))
        more = [(6, _Int(10)), (10, _struct((8, _struct((1, True), (2, unit)))))]
    return _struct((1, _Int(_PHYSICAL[column.kind])), (3, _Int(_OPTIONAL)), (4, column.name), *more)


# -- the part of Thrift's compact protocol that is needed --------------------------------------

_TRUE = 1
_FALSE = 2
_BINARY = 8
_LIST = 9
_STRUCT = 12


class _Int(int):
    code = 5


class _Long(int):
    code = 6


def _varint(number: int) -> bytes:
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def _struct(*fields: tuple[int, Any]) -> bytes:
    """A struct of fields in the order of their numbers; bytes are structs that are encoded."""
    out = bytearray()
    last = 0
    for number, value in fields:
        out.append((number - last) << 4 | _code(value))
        last = number
        out += _value(value)
    out.append(0)
    return bytes(out)


def _code(value: Any) -> int:
    if isinstance(value, (_Int, _Long)):
        return value.code
    if isinstance(value, bool):
        return _TRUE if value else _FALSE
    if isinstance(value, str):
        return _BINARY
    if isinstance(value, list):
        return _LIST
    return _STRUCT


def _value(value: Any) -> bytes:
    if isinstance(value, bool):
        return b""  # the code says it all
    if isinstance(value, (_Int, _Long)):
        return _varint(value << 1)  # zigzag; none is negative
    if isinstance(value, str):
        data = value.encode()
        return _varint(len(data)) + data
    if isinstance(value, list):
        return _list_head(value) + b"".join(map(_value, value))
    return bytes(value)


def _list_head(values: list[Any]) -> bytes:
    code = _STRUCT
    if values:
        code = _code(values[0])
    if len(values) < 15:
        return bytes((len(values) << 4 | code,))
    return bytes((0xF0 | code,)) + _varint(len(values))
