"""The bytes as the agents wrote them, kept in append-only packs.

A pack is a sequence of entries: a fixed prefix, a JSON header that says which bytes of which
version of which file these are, and a zstd frame. Packs describe themselves, so that a lost catalog
can be rebuilt from them. Nothing is ever cut off: after a crash the next writer leaves the torn end
alone and begins a new pack.
"""

from __future__ import annotations

import errno
import json
import os
import re
import stat
import struct
import sys
import zlib
from collections.abc import Iterable, Iterator
from typing import IO, Any, NamedTuple

from agent_journal.connectors.base import FileRole
from agent_journal.errors import CannotWrite, JournalDamaged, permission_hint
from agent_journal.model.light_msgspec import msgspec

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

CHUNK = 4 * 2**20  # raw bytes per frame: twice the window of zstd level 3; larger ones gain nothing
PACK_LIMIT = 512 * 2**20
LEVEL = 3
_PREFIX = struct.Struct("<4sIII")  # magic, header size, frame size, crc32 of the header
_MAGIC = b"AJP1"
_TRACES = (_MAGIC, b"\x28\xb5\x2f\xfd", b'"sha256":"')  # an entry, its frame, its header
_BLOCK = 2**20
_MOST_HEADER = 2**20  # bytes; a larger one is damaged
_MOST_FRAME = 2 * CHUNK
_decode_header = msgspec.json.Decoder(dict[str, Any]).decode  # six times as fast as json
_HEADER_END = re.compile(rb'"mtime_ns":-?[0-9]+\}')
RESTORE_HINT = (
    "run 'aj sync --full' while the agent's files still exist, or restore the archive from a backup"
)


class Place(NamedTuple):
    """Where a frame is: pack number, offset of the frame itself, its size there."""

    pack: int
    offset: int
    stored: int


class FrameHeader(NamedTuple):
    """Which bytes a frame holds: `size` bytes from `start` of a version of a file of an agent."""

    agent: str
    root: str
    name: str
    role: FileRole
    session: str | None
    rank: int
    version: int
    start: int
    size: int
    sha256: str
    mtime_ns: int


class Packed(NamedTuple):
    """A chunk ready to be written."""

    sha256: bytes
    size: int
    frame: bytes


def pack_chunk(data: bytes) -> Packed:
    """Hashes and compresses one chunk."""
    import hashlib  # not needed to read the catalog, and slow to import

    return Packed(hashlib.sha256(data).digest(), len(data), zstd.compress(data, LEVEL))


class Archive:
    """The folder of packs.

    There is one writer at a time (the caller holds the write lock); readers need no lock.
    """

    def __init__(self, folder: str, closed: Iterable[int] = ()) -> None:
        self.folder = folder
        self._closed = frozenset(closed)  # packs with a torn end: never written again
        self._out: IO[bytes] | None = None
        self._number = 0
        self._readers: dict[int, IO[bytes]] = {}

    # -- reading -------------------------------------------------------------------------------

    def read(self, place: Place, sha256: bytes) -> bytes:
        """The raw bytes of a frame; raises JournalDamaged when the pack does not hold them."""
        if self._out is not None and place.pack == self._number:
            self._out.flush()
        try:
            data = zstd.decompress(self.stored(place))
        except (OSError, zstd.ZstdError, EOFError) as error:
            raise self._damaged(place, str(error)) from error
        import hashlib

        if hashlib.sha256(data).digest() != sha256:
            raise self._damaged(place, "it does not have the sha256 it was kept with")
        return data

    def stored(self, place: Place) -> bytes:
        """The bytes of a frame as they are in the pack."""
        pack = self._reader(place.pack)
        pack.seek(place.offset)
        return pack.read(place.stored)

    def _damaged(self, place: Place, reason: str) -> JournalDamaged:
        return JournalDamaged(
            f"{self.path(place.pack)} is damaged at byte {place.offset}: {reason}",
            RESTORE_HINT,
        )

    def holds(self, place: Place, sha256: bytes) -> bool:
        """Whether a frame is there and whole."""
        try:
            self.read(place, sha256)
        except JournalDamaged:
            return False
        return True

    def path(self, number: int) -> str:
        """The file of a pack."""
        return os.path.join(self.folder, f"{number:06d}.pack")

    def lengths(self) -> dict[int, int]:
        """The packs there are, with their sizes."""
        try:
            names = sorted(os.listdir(self.folder))
        except FileNotFoundError:
            return {}
        packs = {}
        for name in names:
            number, extension = os.path.splitext(name)
            if extension == ".pack" and number.isdigit():
                packs[int(number)] = pack_size(self.path(int(number)))
        return packs

    def scan(self, number: int, start: int) -> Iterator[Entry]:
        """The whole entries of a pack from `start`.

        Damage is skipped: the next entry after it is found by its mark.
        """
        if not pack_size(self.path(number)):
            return
        with open(self.path(number), "rb") as pack:
            size = os.fstat(pack.fileno()).st_size
            at = start
            while at < size:
                entry = _entry_at(pack, number, at, size)
                if entry is not None:
                    yield entry
                    at = entry.end
                else:
                    at = _next_mark(pack, at + 1)

    def is_torn(self, number: int, start: int) -> bool:
        """Whether the end of a pack from `start` is an entry that was not written whole."""
        with open(self.path(number), "rb") as pack:
            return _is_torn(pack, start)

    def has_traces(self, number: int, start: int) -> bool:
        """Whether anything of an entry is in a pack from `start` on."""
        with open(self.path(number), "rb") as pack:
            pack.seek(start)
            rest = pack.read(_MOST_FRAME)
        is_long = len(rest) == _MOST_FRAME
        return is_long or any(trace in rest for trace in _TRACES)

    def _reader(self, number: int) -> IO[bytes]:
        if number not in self._readers:
            if not pack_size(self.path(number)):
                raise OSError(errno.EINVAL, "it is empty, or not a file")  # a pipe would wait
            reader = open(self.path(number), "rb", buffering=0)  # noqa: SIM115  closed by close()
            self._readers[number] = reader
        return self._readers[number]

    # -- writing -------------------------------------------------------------------------------

    def append(self, header: FrameHeader, frame: bytes) -> Place:
        """Write an entry at the end; an empty frame: the bytes are kept under the same sha256."""
        before = encode_entry(header, frame)
        out = self._output()
        offset = out.tell()
        try:
            out.write(before)
            out.write(frame)
        except OSError as error:
            raise cannot_write(self.path(self._number), error) from error
        return Place(self._number, offset + len(before), len(frame))

    def flush(self) -> dict[int, int]:
        """Make what was written durable; the new length of the pack, for the catalog to commit."""
        if self._out is None:
            return {}
        try:
            self._out.flush()
            os.fsync(self._out.fileno())
        except OSError as error:
            raise cannot_write(self.path(self._number), error) from error
        return {self._number: self._out.tell()}

    def close(self) -> None:
        """Close the files; what was not flushed may be lost, as after a crash."""
        if self._out is not None:
            try:
                self._out.close()
            except OSError:
                pass  # the disk is full: flush() has said so, or the caller is already failing
            self._out = None
        for reader in self._readers.values():
            reader.close()
        self._readers.clear()

    def _output(self) -> IO[bytes]:
        if self._out is not None and self._out.tell() >= PACK_LIMIT:
            self.flush()
            self._out.close()
            self._out = None
            self._number += 1
        if self._out is None:
            self._out = self._open_last()
        return self._out

    def _open_last(self) -> IO[bytes]:
        lengths = self.lengths()
        number = self._number or max(lengths, default=1)
        if lengths.get(number, 0) >= PACK_LIMIT or number in self._closed:
            number += 1
        self._number = number
        try:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            descriptor = os.open(self.path(number), os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            return open(descriptor, "ab", buffering=_BLOCK)
        except OSError as error:
            raise cannot_write(self.path(number), error) from error


def encoded_size(header: FrameHeader) -> int:
    """How many bytes an entry takes besides its frame."""
    return _PREFIX.size + len(_encoded(header))


def encode_entry(header: FrameHeader, frame: bytes) -> bytes:
    """What is written of an entry before its frame."""
    encoded = _encoded(header)
    return _PREFIX.pack(_MAGIC, len(encoded), len(frame), zlib.crc32(encoded)) + encoded


def _encoded(header: FrameHeader) -> bytes:
    text = json.dumps(header._asdict(), separators=(",", ":"), ensure_ascii=False)
    return text.encode("utf-8", "replace")


def pack_size(path: str) -> int:
    """The size of a pack; 0 for a folder or a pipe that has its name: its bytes are lost."""
    found = os.stat(path)
    if not stat.S_ISREG(found.st_mode):
        return 0
    return found.st_size


class Entry(NamedTuple):
    """One whole entry of a pack."""

    header: FrameHeader
    place: Place
    start: int
    end: int


def _entry_at(pack: IO[bytes], number: int, at: int, size: int) -> Entry | None:
    pack.seek(at)
    prefix = pack.read(_PREFIX.size)
    if len(prefix) < _PREFIX.size:
        return None
    magic, header_size, frame_size, check = _PREFIX.unpack(prefix)
    end = at + _PREFIX.size + header_size + frame_size
    if magic != _MAGIC or header_size > _MOST_HEADER:
        return None
    header = pack.read(header_size)
    if zlib.crc32(header) != check:
        return None
    try:
        described = FrameHeader(**_decode_header(header))
        bytes.fromhex(described.sha256)
    except (ValueError, TypeError):
        return None  # bytes of a frame that look like an entry
    if end > size:
        # Torn, unless only the size of the frame is damaged
        frame_size -= end - size
        end = size
        is_sure = False
        if frame_size <= 0:
            return None
    else:
        pack.seek(end)
        is_sure = end == size or pack.read(len(_MAGIC)) == _MAGIC
    place = Place(number, end - frame_size, frame_size)
    if not is_sure and not _holds(pack, place, described.sha256):
        return None
    return Entry(described, place, start=at, end=end)


def _holds(pack: IO[bytes], place: Place, sha256: str) -> bool:
    """Whether a frame is whole: nothing that looks like an entry follows it, or it has no end."""
    import hashlib

    if place.stored == 0:
        return True  # the next entry is damaged, this one has no bytes
    if not 0 < place.stored <= _MOST_FRAME:
        return False
    pack.seek(place.offset)
    try:
        data = zstd.decompress(pack.read(place.stored))
    except (zstd.ZstdError, EOFError):
        return False
    return hashlib.sha256(data).hexdigest() == sha256


def _is_torn(pack: IO[bytes], at: int) -> bool:
    """Whether an entry begins at a place and its end is missing, as after a crash."""
    pack.seek(at)
    rest = pack.read(_MOST_FRAME)
    if not any(rest):
        return True  # the disk had made room for it
    if not rest.startswith(_MAGIC):
        return _MAGIC.startswith(rest)
    if len(rest) < _PREFIX.size:
        return True
    _, header_size, _, check = _PREFIX.unpack(rest[: _PREFIX.size])
    header = rest[_PREFIX.size : _PREFIX.size + header_size]
    if len(header) < header_size:
        return _HEADER_END.search(header) is None
    is_whole: bool = zlib.crc32(header) == check
    return is_whole


def _next_mark(pack: IO[bytes], at: int) -> int:
    """Where the next entry may begin; the end of the pack when there is none."""
    pack.seek(at)
    while True:
        block = pack.read(_BLOCK)
        found = block.find(_MAGIC)
        if found >= 0:
            return at + found
        at += len(block)
        if len(block) < _BLOCK:
            return at
        at -= len(_MAGIC) - 1  # the mark may begin in this block and end in the next
        pack.seek(at)


def cannot_write(path: str, error: OSError) -> CannotWrite:
    """The error for a journal file that cannot be written, with the cure."""
    if error.errno in (errno.ENOSPC, errno.EDQUOT):
        return CannotWrite(
            f"no space left while writing {path}", "free some space and run 'aj sync' again"
        )
    return CannotWrite(f"cannot write {path}: {error.strerror or error}", permission_hint(error))
