"""What may wait for tantivy's thread, which is slower than the texts come."""

from __future__ import annotations

_QUEUE = 10_000  # documents that tantivy lets wait, however large they are
_MOST = 32_000_000  # characters in them


class Backlog:
    """Counts what is given to a writer: when it is full, a commit waits until all is indexed."""

    def __init__(self) -> None:
        self._documents = 0
        self._size = 0

    def add(self, size: int) -> None:
        """Count a document with so many characters."""
        if self._documents == _QUEUE:  # before another one is taken, the oldest is indexed
            self.clear()
        self._documents += 1
        self._size += size

    @property
    def is_full(self) -> bool:
        """Whether so much may be waiting that memory matters."""
        return self._size > _MOST

    def clear(self) -> None:
        """Begin again, after a commit."""
        self._documents = 0
        self._size = 0
