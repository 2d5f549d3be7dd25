"""A rollout that Codex compressed: `rollout-….jsonl.zst`, kept compressed and read through zstd.

Offsets of pieces refer to the decompressed text. The ledger accounts for the compressed bytes:
each kind of record gets the same share of them as of the text.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import Content, FileIdentity, Part, Pause
from agent_journal.connectors.codex.rollout import RolloutReader
from agent_journal.connectors.ledger import Ledger
from agent_journal.model import Piece, Quote, Session

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

MAX_TEXT = 8 * 2**30  # bytes; a small file may decompress to any size
_STEP = 2**20


class DecompressedContent:
    """The text of a compressed file; `problem` says why it ends early."""

    def __init__(self, content: Content) -> None:
        self._content = content
        self.size = content.size
        self.problem: str | None = None

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """Yield the text, chunk by chunk; always from the beginning."""
        try:
            yield from self._decompressed()
        except (zstd.ZstdError, EOFError, ValueError) as error:
            self.problem = f"cannot be decompressed: {error}"

    def _decompressed(self) -> Iterator[bytes]:
        size = 0
        decompressor = zstd.ZstdDecompressor()
        for compressed in self._content.chunks():
            while compressed or not (decompressor.needs_input or decompressor.eof):
                if decompressor.eof:
                    decompressor = zstd.ZstdDecompressor()  # another frame follows
                text = decompressor.decompress(compressed, max_length=_STEP)
                compressed = decompressor.unused_data if decompressor.eof else b""
                size += len(text)
                if size > MAX_TEXT:
                    raise ValueError(f"larger than {MAX_TEXT >> 30} GiB")
                if text:
                    yield text
        if not decompressor.eof:
            self.problem = "cannot be decompressed: the file is truncated"

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
    """Reads a compressed rollout, always as a whole."""

    def __init__(self, file: FileIdentity) -> None:
        self.ledger = Ledger()
        self.offset = 0
        self.completeness = 0
        self._inner = _TextReader(file, None)

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Yield the pieces of all complete lines."""
        text = DecompressedContent(content)
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
        """Account for the compressed bytes by the shares of the text."""
        counts = self._inner.ledger.counts
        total = sum(length for _, length in counts.values())
        left = size
        for (status, kind, reason), (count, length) in counts.items():
            share = min(left, size * length // total)
            left -= share
            self.ledger.add(status, kind, share, reason, count)
        if problem:
            self.ledger.add("malformed", "zstd", left, "cannot be decompressed")
        elif left or not counts:
            self.ledger.add("skipped", "zstd", left, "compression overhead", count=0)

    def sessions(self) -> Iterable[Session]:
        """Return the session of the file."""
        return self._inner.sessions()

    def save(self) -> bytes:
        """Return nothing: a compressed file is never continued."""
        return b""
