"""A rollout that Codex compressed: `rollout-….jsonl.zst`, read through zstd, kept as it is.

Places (`offset`) are those of the unpacked text. The account is of the bytes that are kept: each
kind of record has the share of them that it has of the text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import Content, FileIdentity, Pause
from agent_journal.connectors.codex.rollout import RolloutReader
from agent_journal.connectors.ledger import Ledger
from agent_journal.model import Piece, Quote, Session

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

MAX_TEXT = 8 * 2**30  # bytes: a small file may unpack to any size
_STEP = 2**20


class Unpacked:
    """The text of a compressed file; `problem` says why it ended early."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self.size = content.size
        self.problem: str | None = None

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The text, piece by piece; always from its beginning."""
        try:
            yield from self._unpacked()
        except (zstd.ZstdError, EOFError, ValueError) as error:
            self.problem = f"cannot be unpacked: {error}"

    def _unpacked(self) -> Iterator[bytes]:
        size = 0
        unpacker = zstd.ZstdDecompressor()
        for packed in self._content.chunks():
            while packed or not (unpacker.needs_input or unpacker.eof):
                if unpacker.eof:
                    unpacker = zstd.ZstdDecompressor()  # frames may follow each other
                text = unpacker.decompress(packed, max_length=_STEP)
                packed = unpacker.unused_data if unpacker.eof else b""
                size += len(text)
                if size > MAX_TEXT:
                    raise ValueError(f"larger than {MAX_TEXT >> 30} GiB")
                if text:
                    yield text
        if not unpacker.eof:
            self.problem = "cannot be unpacked: it is cut off"

    def companion(self, suffix: str) -> bytes | None:
        """A rollout has no companions."""
        return None

    def sibling(self, name: str) -> bytes | None:
        """A rollout is read alone."""
        return None


def unpacked_head(packed: bytes, limit: int) -> bytes:
    """The beginning of a compressed text, as far as it can be unpacked."""
    try:
        return zstd.ZstdDecompressor().decompress(packed, max_length=limit)
    except zstd.ZstdError:
        return b""


class _Inner(RolloutReader):
    def quote(self, text: str | None, where: tuple[int, int], *path: str | int) -> Quote | None:
        """None: the text does not stand in the kept bytes as it is."""
        return None


class CompressedReader:
    """Reads a compressed rollout whole."""

    def __init__(self, file: FileIdentity) -> None:
        self.ledger = Ledger()
        self.offset = 0
        self.completeness = 0
        self._inner = _Inner(file, None)

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of all whole lines."""
        text = Unpacked(content)
        for piece in self._inner.read(text):
            if not isinstance(piece, Pause):
                yield piece
        self.offset = content.size
        self.completeness = self._inner.completeness
        for trouble in self._inner.ledger.troubles:
            self.ledger.trouble(*trouble)
        if text.problem:
            self.ledger.trouble(0, "zstd", text.problem)
        self._share(content.size, text.problem)

    def _share(self, size: int, problem: str | None) -> None:
        """Accounts for the kept bytes by the shares of the text."""
        counts = self._inner.ledger.counts
        total = sum(length for _, length in counts.values())
        left = size
        for (status, kind, reason), (count, length) in counts.items():
            share = min(left, size * length // total)
            left -= share
            self.ledger.add(status, kind, share, reason, count)
        if problem:
            self.ledger.add("malformed", "zstd", left, "cannot be unpacked")
        elif left or not counts:
            self.ledger.add("skipped", "zstd", left, "how the text is packed", count=0)

    def sessions(self) -> Iterable[Session]:
        """The session of the file."""
        return self._inner.sessions()

    def save(self) -> bytes:
        """A compressed file is never continued."""
        return b""
