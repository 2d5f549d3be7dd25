"""Readers for the two shapes of file agents write: logs of JSON lines, and small whole documents.

Rules for lines, learnt from real files: split on LF only (U+2028 occurs raw inside strings); CRLF,
blank lines and NUL padding are separators; a last line without LF that does not parse is not
finished yet; two objects may share a line; a crash may join the start of one record to the next;
and one bad line is one problem, never a lost session.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import BytesIO
from typing import Any, ClassVar, Generic, TypeVar

import msgspec

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause
from agent_journal.connectors.json_repair import (
    PADDING,
    UNREADABLE,
    decode_any,
    decode_document,
    salvage,
    segments,
)
from agent_journal.connectors.ledger import Ledger, Status
from agent_journal.errors import JournalError
from agent_journal.model import Piece, Quote, Session

__all__ = ["DocumentReader", "LogReader", "decode_document", "salvage"]

MAX_RECORD = 256 * 2**20
QUOTED_FROM = 1024  # characters: a shorter result takes less space than a reference to it
MAX_DOCUMENT = 64 * 2**20
_NO_VERDICT: tuple[Status, str, str] = ("unknown", "?", "")

R = TypeVar("R", bound=msgspec.Struct)
S = TypeVar("S", bound=msgspec.Struct)


class LogReader(Generic[R, S]):
    """Reads a log record by record and accounts for each.

    A subclass names its record and state structs and writes `record`, which returns the pieces of
    one record after calling exactly one of `mapped`, `skipped`, `unknown` (a record that calls none
    counts as unknown).
    """

    record_type: ClassVar[type[msgspec.Struct]]
    state_type: ClassVar[type[msgspec.Struct]]
    # To find a record behind damage
    record_starts: ClassVar[tuple[str, ...]] = ('{"type":', '{"parentUuid":')
    completeness = 0
    # Whether of two copies the one with more bytes that are not damaged is the more complete one
    is_ranked_by_bytes: ClassVar[bool] = False

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        self.file = file
        self.ledger = Ledger()
        self.offset = 0
        self.state: S = self.state_type()  # type: ignore[assignment]
        if state is not None:
            saved = tuple[int, self.state_type]  # type: ignore[name-defined]
            self.offset, self.state = msgspec.msgpack.decode(state, type=saved)
        self._verdict = _NO_VERDICT
        # Whether the current record is a whole line of the file, unchanged
        self._is_plain = False
        self._decode = msgspec.json.Decoder(self.record_type).decode

    # -- for the subclass to write -------------------------------------------------------------

    def record(self, record: R, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one record."""
        raise NotImplementedError

    def sessions(self) -> Iterable[Session]:
        """What the file says about its sessions so far."""
        raise NotImplementedError

    # -- for the subclass to call --------------------------------------------------------------

    def mapped(self, kind: str) -> None:
        """This record became part of the model."""
        self._verdict = ("mapped", kind, "")

    def skipped(self, kind: str, reason: str) -> None:
        """This record is known and left out, because of `reason`."""
        self._verdict = ("skipped", kind, reason)

    def unknown(self, kind: str) -> None:
        """This record is of a kind this version does not know; yield an Event with its raw JSON."""
        self._verdict = ("unknown", kind, "")

    def quote(self, text: str | None, where: tuple[int, int], *path: str | int) -> Quote | None:
        """The place of a long text, which is at `path` of the current record word for word."""
        if text is None or len(text) < QUOTED_FROM or not self._is_plain:
            return None
        return Quote(*where, path)

    # -- the loop ------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Offset and state, to continue with."""
        return msgspec.msgpack.encode((self.offset, self.state))

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of all whole lines from `offset` on."""
        # The beginning of a line that has not ended yet. It may have hundreds of megabytes, which a
        # list of chunks would have twice when they are joined; BytesIO gives out its own bytes.
        rest = BytesIO()
        rest_size = 0
        for chunk in content.chunks(self.offset):
            lines = chunk.split(b"\n")
            tail = lines.pop()
            if not lines:
                rest.write(chunk)
                rest_size += len(chunk)
                if rest_size > MAX_RECORD:
                    rest = BytesIO()  # the bytes are in the archive; the reader only counts them
                continue
            yield from self._lines(lines, rest, rest_size)
            rest = BytesIO()
            rest.write(tail)
            rest_size = len(tail)
            yield PAUSE
        if rest_size:
            line = rest.getvalue()
            rest.close()
            yield from self._last_line(line, rest_size)

    def _whole(self, lines: list[bytes], rest: BytesIO, rest_size: int) -> list[bytes]:
        """The lines, the first with its beginning; without the first if it is far too long."""
        self._separated(len(lines))
        if rest_size > MAX_RECORD:
            self._too_long(rest_size + len(lines[0]))
            self.offset += 1
            return lines[1:]
        if rest_size:
            rest.write(lines[0])
            lines[0] = rest.getvalue()
            rest.close()
        return lines

    def _lines(self, lines: list[bytes], rest: BytesIO, rest_size: int) -> Iterator[Piece]:
        decode = self._decode
        for line in self._whole(lines, rest, rest_size):
            record = None
            if line.endswith(b"}"):  # all others are padding, CRLF or damage
                try:
                    record = decode(line)
                except UNREADABLE:
                    pass
            self._is_plain = record is not None
            if record is not None:
                yield from self._pieces(record, len(line), line)  # type: ignore[arg-type]
            elif b"{" in line:
                yield from self._odd_line(line)
            else:
                self._line_without_object(line)
            self.offset += len(line) + 1

    def _last_line(self, line: bytes, size: int) -> Iterator[Piece]:
        """A last line without LF: read when it is a whole object, else left for the next sync."""
        if size > MAX_RECORD:
            return  # far too long, but it may still grow: accounted for when it ends
        text = line.strip(PADDING)
        try:
            if text and not isinstance(decode_any(text), dict):
                return
        except UNREADABLE:
            return
        self._is_plain = False
        yield from self._odd_line(line)
        self.offset += len(line)

    def _pieces(self, record: R, size: int, line: bytes, at: int = 0) -> Sequence[Piece]:
        """The pieces of a record of `size` bytes; `line` is its JSON, repaired if need be."""
        self._verdict = _NO_VERDICT
        try:
            pieces = self.record(record, self.offset + at, size, line)
            if not isinstance(pieces, (tuple, list)):
                pieces = tuple(pieces)
        except JournalError:
            raise  # our own journal is damaged, not this file
        except Exception as error:  # a mistake of a reader must cost one record, not the session
            self._malformed(size, _reason(error), self._verdict[1])
            return ()
        sums = self.ledger.counts.get(self._verdict)
        if sums is None:
            status, kind, reason = self._verdict
            self.ledger.add(status, kind, size, reason)
        else:  # what add() would do; inlined because it runs for every record of every log
            sums[0] += 1
            sums[1] += size
        return pieces

    # -- damage --------------------------------------------------------------------------------

    def _malformed(self, size: int, reason: str, kind: str = "line") -> None:
        self.ledger.add("malformed", kind, size, reason.partition(":")[0])
        self.ledger.trouble(self.offset, kind, reason)

    def _too_long(self, size: int) -> None:
        self._malformed(size, f"a line of more than {MAX_RECORD >> 20} MiB")
        self.offset += size

    def _separated(self, size: int) -> None:
        """Account for bytes between records, which count by their size only."""
        if size:
            reason = "line ends, blank lines, padding"
            self.ledger.add("skipped", "separator", size, reason, count=0)

    def _padded(self, line: bytes, text: bytes) -> None:
        """Account for what surrounds the text of a line."""
        self._separated(len(line) - len(text))

    def _line_without_object(self, line: bytes) -> None:
        """Account for a line that cannot hold a record; a damaged file may have millions."""
        text = line.strip(PADDING)
        self._padded(line, text)
        if text:
            self._malformed(len(text), "not a JSON object")

    def _odd_line(self, line: bytes) -> Iterator[Piece]:
        text = line.strip(PADDING)
        self._padded(line, text)
        if not text:
            return
        lead = len(line) - len(line.lstrip(PADDING))
        value = _object_in(text)
        if value is not None:  # values of other types, mostly
            yield from self._pieces(self._fitted(value), len(text), text, lead)
            return
        for segment in segments(text, self.record_starts):
            start = segment.start
            size = segment.end - start
            if segment.json:
                record = self._salvaged(segment.json)
                yield from self._pieces(record, size, segment.json, lead + start)
            elif segment.json is not None:
                self._separated(size)
            elif text.startswith(b"{", start):
                self._malformed(size, "not JSON")
            else:
                self._malformed(size, "not a JSON object")

    def _salvaged(self, part: bytes) -> R:
        try:
            return self._decode(part)  # type: ignore[return-value]
        except UNREADABLE:
            return self._fitted(decode_any(part))

    def _fitted(self, value: dict[str, Any]) -> R:
        """What fits of a record with values of other types."""
        record, dropped = salvage(value, self.record_type)
        for field in dropped:
            self.ledger.trouble(self.offset, "field", f"unexpected value in '{field}'")
        return record  # type: ignore[return-value]


class DocumentReader:
    """Reads a small file whole. A subclass writes `pieces`, which may fill `found_sessions`."""

    kind: str = "document"
    max_size = MAX_DOCUMENT
    completeness = 0

    def __init__(self, file: FileIdentity, state: bytes | None = None) -> None:
        self.file = file
        self.ledger = Ledger()
        self.offset = 0
        self.found_sessions: list[Session] = []
        self.left_out = ""  # set by `pieces`: why a document is left out that can be read

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The pieces of the document; may raise ValueError with the reason it cannot be read."""
        raise NotImplementedError

    def sessions(self) -> Iterable[Session]:
        """What the document says about sessions."""
        return self.found_sessions

    def save(self) -> bytes:
        """Documents are never continued."""
        return b""

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of the whole document, or a problem."""
        self.offset = content.size
        if content.size > self.max_size:
            self._malformed(content.size, f"larger than {self.max_size >> 20} MiB; kept, not read")
            return
        data = b"".join(content.chunks())
        self.offset = len(data)
        try:
            yield from list(self.pieces(data, content))
        except JournalError:
            raise
        except Exception as error:
            self.found_sessions = []
            self._malformed(len(data), _reason(error))
        else:
            status: Status = "skipped" if self.left_out else "mapped"
            self.ledger.add(status, self.kind, len(data), self.left_out)

    def _malformed(self, size: int, reason: str) -> None:
        self.ledger.add("malformed", self.kind, size, reason.partition(":")[0])
        self.ledger.trouble(0, self.kind, reason)


def _object_in(text: bytes) -> dict[str, Any] | None:
    """The object that a text is; None when it is anything else."""
    try:
        value = decode_any(text)
    except UNREADABLE:
        return None
    return value if isinstance(value, dict) else None


def _reason(error: Exception) -> str:
    """Why a record or document cannot be read; readers raise ValueError with a reason to show."""
    if type(error) is ValueError:
        return str(error)
    return f"cannot be read: {type(error).__name__}: {error}"
