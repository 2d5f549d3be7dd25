"""Readers for the two shapes of file agents write: logs of JSON lines, and small whole documents.

Rules for lines, learnt from real files: split on LF only (U+2028 occurs raw inside strings), CRLF
and blank lines and NUL padding are separators, a last line without LF that does not parse is "not
yet", two objects may share a line, a crash may glue the start of one record to the next, and one
bad line is one problem, never a lost session.
"""

from __future__ import annotations

import functools
import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, ClassVar, Generic, NamedTuple, TypeVar, get_args, get_type_hints

import msgspec

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Pause
from agent_journal.connectors.ledger import Ledger, Status
from agent_journal.errors import JournalError
from agent_journal.model import Piece, Quote, Session

MAX_RECORD = 256 * 2**20
QUOTED_FROM = 1024  # characters: shorter results cost less than the way to them
MAX_DOCUMENT = 64 * 2**20
_PADDING = b"\0 \t\r\n"
_MAX_MARKS = 32
_raw_decoder = json.JSONDecoder()
# What decoding and encoding raise for JSON that is broken, too deep, or has numbers of thousands of
# digits.
_UNREADABLE = (msgspec.DecodeError, RecursionError, ValueError, OverflowError)
_NO_VERDICT: tuple[Status, str, str] = ("unknown", "?", "")
_decode_any = msgspec.json.Decoder().decode

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

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        self.file = file
        self.ledger = Ledger()
        self.offset = 0
        self.state: S = self.state_type()  # type: ignore[assignment]
        if state is not None:
            saved = tuple[int, self.state_type]  # type: ignore[name-defined]
            self.offset, self.state = msgspec.msgpack.decode(state, type=saved)
        self._verdict = _NO_VERDICT
        # Whether the record at hand is a line of its own, as it stands in the file
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
        """The place of a long text that stands word for word at `path` of the record at hand."""
        if text is None or len(text) < QUOTED_FROM or not self._is_plain:
            return None
        return Quote(*where, path)

    # -- the loop ------------------------------------------------------------------------------

    def save(self) -> bytes:
        """Offset and state, to continue with."""
        return msgspec.msgpack.encode((self.offset, self.state))

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of all whole lines from `offset` on."""
        rest: list[bytes] = []  # the beginning of a line that has not ended yet
        rest_size = 0
        for chunk in content.chunks(self.offset):
            lines = chunk.split(b"\n")
            tail = lines.pop()
            if not lines:
                rest.append(chunk)
                rest_size += len(chunk)
                if rest_size > MAX_RECORD:
                    rest = []  # the bytes are in the archive; the reader only counts them
                continue
            yield from self._lines(lines, rest, rest_size)
            rest, rest_size = ([tail], len(tail)) if tail else ([], 0)
            yield PAUSE
        if rest_size:
            yield from self._last_line(b"".join(rest), rest_size)

    def _whole(self, lines: list[bytes], rest: list[bytes], rest_size: int) -> list[bytes]:
        """The lines with the beginning of the first put before it; without the first when it is far
        too long.
        """
        self._separated(len(lines))
        if rest_size > MAX_RECORD:
            self._too_long(rest_size + len(lines[0]))
            self.offset += 1
            return lines[1:]
        if rest:
            lines[0] = b"".join([*rest, lines[0]])
        return lines

    def _lines(self, lines: list[bytes], rest: list[bytes], rest_size: int) -> Iterator[Piece]:
        decode = self._decode
        for line in self._whole(lines, rest, rest_size):
            try:
                record = decode(line) if line[-1:] == b"}" else None  # else padding, CRLF, damage
            except _UNREADABLE:
                record = None
            if record is None:
                self._is_plain = False
                yield from self._odd_line(line)
            else:
                self._is_plain = True
                yield from self._pieces(record, len(line), line)  # type: ignore[arg-type]
            self.offset += len(line) + 1

    def _last_line(self, line: bytes, size: int) -> Iterator[Piece]:
        """A last line without LF: read when it is a whole object, else left for the next sync."""
        if size > MAX_RECORD:
            return  # far too long, but it may still grow: accounted for when it ends
        text = line.strip(_PADDING)
        try:
            if text and not isinstance(_decode_any(text), dict):
                return
        except _UNREADABLE:
            return
        self._is_plain = False
        yield from self._odd_line(line)
        self.offset += len(line)

    def _pieces(self, record: R, size: int, line: bytes, at: int = 0) -> Sequence[Piece]:
        """The pieces of a record of `size` bytes in the file; `line` is its JSON, perhaps mended."""
        self._verdict = _NO_VERDICT
        try:
            pieces = self.record(record, self.offset + at, size, line)
            if not isinstance(pieces, (tuple, list)):
                pieces = tuple(pieces)
        except JournalError:
            raise  # damage of our own, met while another file was looked at
        except Exception as error:  # a reader's mistake must cost one record, not the session
            reason = (
                str(error)
                if type(error) is ValueError
                else f"cannot be read: {type(error).__name__}: {error}"
            )
            self._malformed(size, reason, self._verdict[1])
            return ()
        sums = self.ledger.counts.get(self._verdict)
        if sums is None:
            status, kind, reason = self._verdict
            self.ledger.add(status, kind, size, reason)
        else:  # what add() would do, for every record of every log
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
        """Bytes between records. They are no records: only their size counts, in however many parts
        they came.
        """
        if size:
            self.ledger.add(
                "skipped", "separator", size, "line ends, blank lines, padding", count=0
            )

    def _odd_line(self, line: bytes) -> Iterator[Piece]:
        text = line.strip(_PADDING)
        self._separated(len(line) - len(text))
        if not text:
            return
        lead = len(line) - len(line.lstrip(_PADDING))
        for start, end, part in _segments(text, self.record_starts):
            if part is None:
                self._malformed(
                    end - start,
                    "not JSON" if text[start : start + 1] == b"{" else "not a JSON object",
                )
            elif part:
                yield from self._pieces(self._salvaged(part), end - start, part, lead + start)
            else:
                self._separated(end - start)

    def _salvaged(self, part: bytes) -> R:
        try:
            record = self._decode(part)
        except _UNREADABLE:
            record, dropped = salvage(_decode_any(part), self.record_type)
            for field in dropped:
                self.ledger.trouble(self.offset, "field", f"unexpected value in '{field}'")
        return record  # type: ignore[return-value]


# A part of a line: from, to, and its JSON; None for what is damaged, nothing for what only
# separates.
_Segment = tuple[int, int, bytes | None]


def _segments(text: bytes, starts: tuple[str, ...]) -> Iterator[_Segment]:
    """A line that is not one plain record: objects one after the other, with damage and padding
    between them.

    What comes first never depends on what follows, so a line read in two parts gives the same as
    read at once.
    """
    try:
        if isinstance(_decode_any(text), dict):
            yield 0, len(text), text
            return
    except _UNREADABLE:
        pass
    # So that places in it are places in the bytes
    decoded = text.decode("utf-8", "surrogateescape")
    at = byte = 0
    while at < len(decoded):
        start, found = _next_object(decoded, at, starts)
        if start > at:
            skipped = decoded[at:start]
            size = _byte_length(skipped)
            yield byte, byte + size, None if skipped.strip(" \t\r\0") else b""
            byte += size
        if found is None:
            return
        value, at = found
        size = _byte_length(decoded[start:at])
        yield byte, byte + size, _cleaned(text[byte : byte + size], value)
        byte += size


def _next_object(
    decoded: str, at: int, starts: tuple[str, ...]
) -> tuple[int, tuple[dict[str, Any], int] | None]:
    """Where the next whole object begins, and the object with its end; the end of the line when
    there is none.
    """
    here = at
    while here < len(decoded) and decoded[here] in " \t\r\0":
        here += 1
    for start in (here, *_marks(decoded, here + 1, starts)):
        try:
            value, end = _raw_decoder.raw_decode(decoded, start)
            if isinstance(value, dict):
                _cleaned(decoded[start:end].encode("utf-8", "surrogateescape"), value)
                return start, (value, end)
        except _UNREADABLE:
            continue
    return len(decoded), None


def _marks(decoded: str, at: int, starts: tuple[str, ...]) -> list[int]:
    """The last places where a record may begin behind damage: a crash glues the start of one to the
    next.
    """
    return sorted({place for mark in starts for place in _last_places(decoded, mark, at)})[
        -_MAX_MARKS:
    ]


def _last_places(decoded: str, mark: str, at: int) -> Iterator[int]:
    end = len(decoded)
    for _ in range(_MAX_MARKS):
        place = decoded.rfind(mark, at, end)
        if place < 0:
            return
        yield place
        end = place + len(mark) - 1


def _byte_length(text: str) -> int:
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogateescape"))


def _cleaned(part: bytes, value: object) -> bytes:
    """The JSON as it stands, or, where it has broken UTF-8 or lone surrogates, with U+FFFD in their
    place.
    """
    try:
        _decode_any(part)
    except _UNREADABLE:
        text = json.dumps(value, ensure_ascii=False)
        part = text.encode("utf-16", "surrogatepass").decode("utf-16", "replace").encode()
        _decode_any(part)
    return part


def decode_document(data: bytes) -> Any:
    """Whole JSON, also with broken UTF-8 or lone surrogates (U+FFFD in their place); ValueError
    when it is none.
    """
    data = data.removeprefix(b"\xef\xbb\xbf").strip(_PADDING)
    try:
        return _decode_any(data)
    except _UNREADABLE as error:
        try:
            value = json.loads(data.decode("utf-8", "replace"))
            return _decode_any(_cleaned(b"", value))
        except _UNREADABLE:
            raise ValueError(f"not JSON: {error}") from error


class _Field(NamedTuple):
    """A field of a struct: its name there, its name in JSON, and its type."""

    name: str
    encode_name: str
    hint: Any


@functools.cache
def _fields(struct: type[msgspec.Struct]) -> list[_Field]:
    """The fields of a struct. Cached: working out the types takes longer than decoding a record."""
    hints = get_type_hints(struct, include_extras=True)
    return [
        _Field(field.name, field.encode_name, hints[field.name])
        for field in msgspec.structs.fields(struct)
    ]


def salvage(
    value: dict[str, Any], struct: type[msgspec.Struct]
) -> tuple[msgspec.Struct, list[str]]:
    """A struct from what fits of an object, and the names of the fields that did not fit."""
    fitting: dict[str, Any] = {}
    dropped: list[str] = []
    for field in _fields(struct):
        if field.encode_name not in value:
            continue
        part = value[field.encode_name]
        try:
            fitting[field.name] = msgspec.json.decode(msgspec.json.encode(part), type=field.hint)
        except _UNREADABLE:
            nested = _struct_in(field.hint)
            if isinstance(part, dict) and nested is not None:
                fitting[field.name], below = salvage(part, nested)
                dropped += [f"{field.encode_name}.{name}" for name in below]
            else:
                dropped.append(field.encode_name)
    return struct(**fitting), dropped


def _struct_in(hint: Any) -> type[msgspec.Struct] | None:
    """The struct a field holds, also when it may be None."""
    for kind in (hint, *get_args(hint)):
        if isinstance(kind, type) and issubclass(kind, msgspec.Struct):
            return kind
    return None


class DocumentReader:
    """Reads a small file whole. A subclass writes `pieces` (and `sessions`, when the file tells
    about one).
    """

    kind: str = "document"
    max_size = MAX_DOCUMENT
    completeness = 0

    def __init__(self, file: FileIdentity, state: bytes | None = None) -> None:
        self.file = file
        self.ledger = Ledger()
        self.offset = 0
        self.found_sessions: list[Session] = []
        self.left_out = ""  # why a document that could be read is not, set by `pieces`

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The pieces of the document; may raise ValueError with the reason it cannot be read."""
        raise NotImplementedError

    def sessions(self) -> Iterable[Session]:
        """What the document says about a session, set by `pieces` through `self.found_sessions`."""
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
            reason = (
                str(error)
                if type(error) is ValueError
                else f"cannot be read: {type(error).__name__}: {error}"
            )
            self.found_sessions = []
            self._malformed(len(data), reason)
        else:
            self.ledger.add(
                "skipped" if self.left_out else "mapped", self.kind, len(data), self.left_out
            )

    def _malformed(self, size: int, reason: str) -> None:
        self.ledger.add("malformed", self.kind, size, reason.partition(":")[0])
        self.ledger.trouble(0, self.kind, reason)
