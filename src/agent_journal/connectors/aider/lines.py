"""Reading a text line by line with the same accounting as logs of JSON."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import TypeVar

import msgspec

from agent_journal.connectors.base import GROWING
from agent_journal.connectors.jsonl import MAX_RECORD, LogReader
from agent_journal.model import Piece

S = TypeVar("S", bound=msgspec.Struct)
_PADDING = b"\0 \t\r"
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(msgspec.Struct):
    """A line that is not blank, without its end."""

    text: str


class TextReader(LogReader[Line, S]):
    """Reads a text that grows by whole lines: every line that is not blank is a record."""

    record_type = Line

    def blank(self) -> None:
        """Called for each blank line."""

    def flush(self) -> Iterable[Piece]:
        """Return what was gathered so far, at the end of a part of the file."""
        return ()

    def _lines(self, lines: list[bytes], rest: BytesIO, rest_size: int) -> Iterator[Piece]:
        for line in self._whole(lines, rest, rest_size):
            yield from self._line(line)
            self.offset += len(line) + 1
        yield from self.flush()

    def _last_line(self, line: bytes, size: int) -> Iterator[Piece]:
        """A last line without LF is half written, unless the file is one that does not grow."""
        if self.file.role not in GROWING and size <= MAX_RECORD:
            yield from self._line(line)
            self.offset += len(line)
            yield from self.flush()

    def _line(self, line: bytes) -> Sequence[Piece]:
        size = len(line)
        if not self.offset:
            line = line.removeprefix(_BYTE_ORDER_MARK)
        if line[-1:] in (b"\r", b"\0"):
            line = line.rstrip(b"\r\0")
        if not line or (line[0] in _PADDING and not line.strip(_PADDING)):
            self._separated(size)
            self.blank()
            return ()
        if len(line) != size:
            self._separated(size - len(line))
        try:
            text = line.decode()
        except UnicodeDecodeError:
            text = line.decode("utf-8", "replace")
            reason = "not UTF-8: what cannot be read is shown as \ufffd"
            self.ledger.trouble(self.offset, "text", reason)
        return self._pieces(Line(text), len(line), line)
