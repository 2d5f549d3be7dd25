"""Files that are archived and never parsed."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import Content, FileIdentity, Pause
from agent_journal.connectors.ledger import Ledger
from agent_journal.model import Document, Piece, Session


class KeptReader:
    """Accounts for a file that is archived and handed out by name, without looking inside."""

    completeness = 0

    def __init__(
        self, file: FileIdentity, kind: str, reason: str, document: Document | None = None
    ) -> None:
        self.file = file
        self.ledger = Ledger()
        self.offset = 0
        self._kind = kind
        self._reason = reason
        self._document = document

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Where the file belongs."""
        self.offset = content.size
        if self._document is None:
            self.ledger.add("skipped", self._kind, content.size, self._reason)
            return
        self.ledger.add("mapped", self._kind, content.size)
        yield self._document

    def sessions(self) -> Iterable[Session]:
        """A kept file says nothing about its session."""
        return ()

    def save(self) -> bytes:
        """Kept files are never continued."""
        return b""
