"""The original records of a session, some at a time: a log may have hundreds of megabytes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_journal.store.content import KeptContent
from agent_journal.store.records import RecordSource

_WINDOW = 256 * 1024  # bytes that are looked at for the beginnings of earlier records
_GROWTH = 4


class RecordPlace(NamedTuple):
    """A record: the number of its source among those of the session, and its first byte."""

    source: int
    offset: int


class RawRecord(NamedTuple):
    """A line of a kept file; of a long one only its beginning is in `data`."""

    place: RecordPlace
    path: str
    size: int
    data: bytes


class RecordPage(NamedTuple):
    """Records that follow each other, and where the pages beside it begin."""

    records: list[RawRecord]
    before: RecordPlace | None
    after: RecordPlace | None


class _Line(NamedTuple):
    offset: int
    size: int
    data: bytes


def read_page(
    sources: Sequence[RecordSource], place: RecordPlace, count: int, most_bytes: int
) -> RecordPage:
    """The records from a place on; of each at most so many bytes."""
    found: list[RawRecord] = []
    after = None
    for record in _records_from(sources, place, most_bytes):
        if len(found) == count:
            after = record.place
            break
        found.append(record)
    return RecordPage(found, _page_before(sources, place, count), after)


def _records_from(
    sources: Sequence[RecordSource], place: RecordPlace, most_bytes: int
) -> Iterator[RawRecord]:
    for number in range(place.source, len(sources)):
        content = sources[number].content
        for stretch in sources[number].stretches:
            start = stretch.start
            if number == place.source:
                start = max(start, place.offset)
            for line in _lines(content, start, stretch.end, most_bytes):
                where = RecordPlace(number, line.offset)
                yield RawRecord(where, content.row.path, line.size, line.data)


def _page_before(
    sources: Sequence[RecordSource], place: RecordPlace, count: int
) -> RecordPlace | None:
    """Where the page before a place begins; None at the first record."""
    first = None
    left = count
    for number in range(min(place.source, len(sources) - 1), -1, -1):
        content = sources[number].content
        for stretch in reversed(sources[number].stretches):
            end = stretch.end
            if number == place.source:
                end = min(end, place.offset)
            if end <= stretch.start:
                continue
            offsets = _last_lines(content, stretch.start, end, left)
            first = RecordPlace(number, offsets[0])
            left -= len(offsets)
            if left <= 0:
                return first
    return first


def _last_lines(content: KeptContent, start: int, end: int, count: int) -> list[int]:
    """Where the last lines between two bytes begin: one at least."""
    size = _WINDOW
    while True:
        begin = max(start, end - size)
        offsets = [line.offset for line in _lines(content, begin, end, 0)]
        if begin > start:
            offsets = offsets[1:]  # the first one is a part of a line
        if begin == start or len(offsets) >= count:
            return offsets[-count:]
        size *= _GROWTH


def _lines(content: KeptContent, start: int, end: int, most_bytes: int) -> Iterator[_Line]:
    """The lines between two bytes, without their ends."""
    if start >= end:
        return
    at = line_start = start
    data = bytearray()
    for chunk in content.chunks(start):
        chunk = chunk[: end - at]
        begin = 0
        newline = chunk.find(b"\n")
        while newline >= 0:
            data += chunk[begin : min(newline, begin + most_bytes - len(data))]
            yield _Line(line_start, at + newline - line_start, bytes(data))
            data.clear()
            begin = newline + 1
            line_start = at + begin
            newline = chunk.find(b"\n", begin)
        data += chunk[begin : begin + most_bytes - len(data)]
        at += len(chunk)
        if at >= end:
            break
    if line_start < at:
        yield _Line(line_start, at - line_start, bytes(data))
