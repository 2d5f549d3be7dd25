"""A rollout that Codex compressed: `rollout-….jsonl.zst`, kept compressed and read through zstd.

Offsets of pieces refer to the decompressed text. The ledger accounts for the compressed bytes:
each kind of record gets the same share of them as of the text, from one pause to the next.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

import msgspec

from agent_journal.connectors.base import PAUSE, Content, FileIdentity, Part, Pause
from agent_journal.connectors.codex.rollout import RolloutReader
from agent_journal.connectors.ledger import Ledger
from agent_journal.model import Piece, Quote, Session

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

# A small file may decompress to any size. Sessions shrink to a tenth; a text beyond these limits is
# kept and not read.
MAX_TEXT = 2 * 2**30
MAX_RATIO = 200
_ANY_RATIO = 16 * 2**20  # bytes of text that may have any ratio
_STEP = 2**20  # bytes of text
_INPUT = 64 * 2**10  # compressed bytes


class DecompressedContent:
    """The text of a compressed file; `problem` says why it ends early."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self.size = content.size
        self.consumed = 0  # compressed bytes, of those that the text so far was made of
        self.problem: str | None = None

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """Yield the text from `start` on, chunk by chunk."""
        at = 0
        limit = min(MAX_TEXT, max(_ANY_RATIO, MAX_RATIO * self.size))
        try:
            for text in self._decompressed():
                end = at + len(text)
                if end > start:
                    yield text[max(0, start - at) : limit - at]
                if end > limit:
                    self.problem = _beyond(limit)
                    return
                at = end
        except (zstd.ZstdError, EOFError) as error:
            self.problem = f"cannot be decompressed: {error}"

    def _decompressed(self) -> Iterator[bytes]:
        decompressor = zstd.ZstdDecompressor()
        for compressed in self._pieces():
            while compressed or not (decompressor.needs_input or decompressor.eof):
                if decompressor.eof:
                    decompressor = zstd.ZstdDecompressor()  # another frame follows
                text = decompressor.decompress(compressed, max_length=_STEP)
                compressed = decompressor.unused_data if decompressor.eof else b""
                if text:
                    yield text
        if not decompressor.eof:
            self.problem = "cannot be decompressed: the file is truncated"

    def _pieces(self) -> Iterator[bytes]:
        """The compressed bytes in small pieces, so that what was consumed is known."""
        for chunk in self._content.chunks():
            for at in range(0, len(chunk), _INPUT):
                piece = chunk[at : at + _INPUT]
                self.consumed += len(piece)
                yield piece

    def companion(self, suffix: str) -> bytes | None:
        """Return None: a rollout has no companions."""
        return None

    def sibling(self, name: str) -> bytes | None:
        """Return None: a rollout is read without other files."""
        return None

    def has_sibling(self, name: str) -> bool:
        """Return False: a rollout is read without other files."""
        return False

    def is_first_part(self, part: Part) -> bool:
        """Return True: a rollout is a whole session."""
        return True

    def earlier_parts(self, part: Part) -> list[Part]:
        """Return nothing: a rollout is a whole session."""
        return []


def _beyond(limit: int) -> str:
    if limit == MAX_TEXT:
        why = f"more than {MAX_TEXT >> 30} GiB"
    else:
        why = f"more than {MAX_RATIO} times its size"
    return f"it is {why} when decompressed; kept, and read up to {limit >> 20} MiB"


def decompressed_head(compressed: bytes, limit: int) -> bytes:
    """Return the beginning of a compressed text, as far as it can be decompressed."""
    try:
        return zstd.ZstdDecompressor().decompress(compressed, max_length=limit)
    except zstd.ZstdError:
        return b""


class _TextReader(RolloutReader):
    def quote(self, text: str | None, where: tuple[int, int], *path: str | int) -> Quote | None:
        """Return None: the kept bytes are compressed and do not contain the text."""
        return None


class CompressedReader:
    """Reads a compressed rollout; it can be continued between two pauses, not after an append."""

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        self.ledger = Ledger()
        self.offset = 0
        self._troubles = 0  # in the text
        inner = None
        if state:
            saved = tuple[int, int, bytes]
            self.offset, self._troubles, inner = msgspec.msgpack.decode(state, type=saved)
        self._inner = _TextReader(file, inner)
        self.completeness = self._inner.completeness
        self._is_done = False

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Yield the pieces of all complete lines."""
        text = DecompressedContent(content)
        for piece in self._inner.read(text):
            if isinstance(piece, Pause):
                # The last byte is for the end: a few bytes may be the whole text
                self._account(min(text.consumed, content.size - 1))
                yield PAUSE
            else:
                yield piece
        self._account(content.size)
        self._is_done = True
        left = content.size - self.offset
        self.offset = content.size
        if text.problem:
            self.ledger.trouble(0, "zstd", text.problem)
            self.ledger.add("malformed", "zstd", left, text.problem.partition(":")[0])
        elif left:
            self.ledger.add("skipped", "zstd", left, "compression overhead", count=0)

    def _account(self, end: int) -> None:
        """Account for the compressed bytes up to `end` by the shares of the text."""
        self.completeness = self._inner.completeness
        counts = self._inner.ledger.counts
        total = sum(length for _, length in counts.values())
        size = end - self.offset
        for (status, kind, reason), (count, length) in counts.items():
            share = size * length // max(1, total)
            self.offset += share
            self.ledger.add(status, kind, share, reason, count)
        counts.clear()
        # There is always room for one more: why the text ends
        room = Ledger.MAX_TROUBLES - 1 - self._troubles
        for trouble in self._inner.ledger.troubles[:room]:
            self.ledger.trouble(*trouble)
            self._troubles += 1
        self._inner.ledger.troubles.clear()

    def sessions(self) -> Iterable[Session]:
        """Return the session of the file."""
        return self._inner.sessions()

    def save(self) -> bytes:
        """Return the state of the text; nothing at the end: a changed file is read as a whole."""
        if self._is_done:
            return b""
        return msgspec.msgpack.encode((self.offset, self._troubles, self._inner.save()))
