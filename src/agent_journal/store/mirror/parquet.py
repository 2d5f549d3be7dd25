"""Writes Parquet: one row group, zstd, strings of few values as a dictionary.

By hand, because a sync must not wait for the import of a library that does it: DuckDB takes 0.14 s,
pyarrow as long, and writing a hundred rows here takes a millisecond. The format:
https://github.com/apache/parquet-format.
"""

from __future__ import annotations

import struct
import sys
from array import array
from collections.abc import Sequence
from typing import Any, Literal, NamedTuple

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

Kind = Literal["text", "int", "float", "bool", "time"]  # time: microseconds since 1970, UTC

_MAGIC = b"PAR1"
_LEVEL = 3
_ZSTD = 6
_PLAIN, _RLE, _DICTIONARY = 0, 3, 8  # encodings
_DATA_PAGE, _DICTIONARY_PAGE = 0, 2
_OPTIONAL = 1
_PHYSICAL = {"bool": 0, "int": 2, "time": 2, "float": 5, "text": 6}
_MOST_IN_DICTIONARY = 65_536
_WORTH_A_DICTIONARY = 3  # rows for each value of it


class Column(NamedTuple):
    """One column of a table, and what it holds in words."""

    name: str
    kind: Kind
    meaning: str


def encoded(columns: Sequence[Column], rows: Sequence[tuple[Any, ...]]) -> bytes:
    """A whole file with these rows; None is NULL."""
    parts, chunks, offset = [_MAGIC], [], len(_MAGIC)
    values = zip(*rows, strict=True) if rows else ((),) * len(columns)
    for column, cells in zip(columns, values, strict=True):
        data, chunk = _chunk(column, cells, offset)
        parts.append(data)
        chunks.append(chunk)
        offset += len(data)
    schema = [_struct((4, "aj"), (5, _Int(len(columns)))), *map(_element, columns)]
    group = _struct((1, chunks), (2, _Long(offset)), (3, _Long(len(rows))))
    footer = _struct(
        (1, _Int(1)), (2, schema), (3, _Long(len(rows))), (4, [group] if rows else []), (6, "aj")
    )
    return b"".join((*parts, footer, struct.pack("<I", len(footer)), _MAGIC))


def _chunk(column: Column, cells: Sequence[Any], offset: int) -> tuple[bytes, bytes]:
    """The pages of a column, and what the footer says of them."""
    there = [cell for cell in cells if cell is not None]
    levels = _levels(cells, len(there))
    dictionary = _dictionary(there) if column.kind == "text" else None
    pages, sizes = [], 0
    if dictionary is None:
        pages.append(_page(_DATA_PAGE, len(cells), _PLAIN, levels + _plain(column.kind, there)))
    else:
        places = array("B" if len(dictionary) <= 256 else "H", [dictionary[cell] for cell in there])
        pages.append(_page(_DICTIONARY_PAGE, len(dictionary), _PLAIN, _plain("text", dictionary)))
        pages.append(_page(_DATA_PAGE, len(cells), _DICTIONARY, levels + _places(places)))
    data = b"".join(page for page, _ in pages)
    sizes = sum(size for _, size in pages)
    encodings = [_Int(_PLAIN), _Int(_RLE)] + ([_Int(_DICTIONARY)] if dictionary is not None else [])
    first = [(11, _Long(offset))] if dictionary is not None else []
    meta = _struct(
        (1, _Int(_PHYSICAL[column.kind])),
        (2, encodings),
        (3, [column.name]),
        (4, _Int(_ZSTD)),
        (5, _Long(len(cells))),
        (6, _Long(sizes)),
        (7, _Long(len(data))),
        (9, _Long(offset + (len(pages[0][0]) if dictionary is not None else 0))),
        *first,
    )
    return data, _struct((2, _Long(offset)), (3, meta))


def _page(kind: int, count: int, encoding: int, data: bytes) -> tuple[bytes, int]:
    """A page with its header, and its size before compression."""
    packed = zstd.compress(data, _LEVEL)
    if kind == _DATA_PAGE:
        inner = (
            5,
            _struct((1, _Int(count)), (2, _Int(encoding)), (3, _Int(_RLE)), (4, _Int(_RLE))),
        )
    else:
        inner = (7, _struct((1, _Int(count)), (2, _Int(encoding))))
    header = _struct((1, _Int(kind)), (2, _Int(len(data))), (3, _Int(len(packed))), inner)
    return header + packed, len(header) + len(data)


def _levels(cells: Sequence[Any], there: int) -> bytes:
    """Which cells are not NULL, as a run of bits."""
    if there in (0, len(cells)):
        runs = _varint(len(cells) << 1) + (b"\1" if there else b"\0")
    else:
        runs = _bits([cell is not None for cell in cells])
    return struct.pack("<I", len(runs)) + runs


def _bits(flags: Sequence[bool]) -> bytes:
    groups = -(-len(flags) // 8)
    return _varint(groups << 1 | 1) + _packed(flags, groups)


def _packed(flags: Sequence[bool], size: int) -> bytes:
    text = "".join(["1" if flag else "0" for flag in reversed(flags)])
    return int(text or "0", 2).to_bytes(size, "little")


def _dictionary(texts: list[str]) -> dict[str, int] | None:
    """The values of a column by number, when there are few."""
    most = min(_MOST_IN_DICTIONARY, len(texts) // _WORTH_A_DICTIONARY)
    if len(set(texts[:1000])) > max(1, min(1000, len(texts)) // _WORTH_A_DICTIONARY):
        return None
    found = {text: place for place, text in enumerate(dict.fromkeys(texts))}
    return found if found and len(found) <= max(1, most) else None


def _places(places: array[int]) -> bytes:
    """Places in a dictionary: whole bytes, so nothing has to be shifted."""
    if sys.byteorder == "big":  # pragma: no cover
        places.byteswap()
    groups = -(-len(places) // 8)
    data = places.tobytes().ljust(groups * 8 * places.itemsize, b"\0")
    return bytes((8 * places.itemsize,)) + _varint(groups << 1 | 1) + data


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
    numbers: array[Any] = array("d", values) if kind == "float" else array("q", values)
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


# -- Thrift's compact protocol, as far as it is needed -----------------------------------------


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
    """A struct of fields in the order of their numbers; bytes are structs that are made already."""
    out, last = bytearray(), 0
    for number, value in fields:
        code = (1 if value else 2) if isinstance(value, bool) else _code(value)
        out.append((number - last) << 4 | code)
        last = number
        if not isinstance(value, bool):
            out += _value(value)
    out.append(0)
    return bytes(out)


def _code(value: Any) -> int:
    if isinstance(value, (_Int, _Long)):
        return value.code
    return 8 if isinstance(value, str) else 9 if isinstance(value, list) else 12


def _value(value: Any) -> bytes:
    if isinstance(value, (_Int, _Long)):
        return _varint(value << 1)  # zigzag; none is negative
    if isinstance(value, str):
        data = value.encode()
        return _varint(len(data)) + data
    if isinstance(value, list):
        code = _code(value[0]) if value else 12
        head = (
            bytes((len(value) << 4 | code,))
            if len(value) < 15
            else bytes((0xF0 | code,)) + _varint(len(value))
        )
        return head + b"".join(map(_value, value))
    return bytes(value)
