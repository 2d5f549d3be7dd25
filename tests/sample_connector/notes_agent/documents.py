"""What lies beside the notebooks: `names.json` is read whole, sketches are kept as they are.

{"roses": "Roses in winter"}
"""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.kept import KeptReader
from agent_journal.connectors.values import mapping, title_of
from agent_journal.model import Document, Piece, Session


class NamesReader(DocumentReader):
    """The names a person gave to notebooks."""

    kind = "names"  # of the one record the file is, in the account

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """No pieces; what the file says about sessions goes into `found_sessions`."""
        for session_id, name in mapping(decode_document(data)).items():
            title = title_of(name)
            if title:
                hint = Session(
                    agent="notes-agent",
                    id=session_id,
                    title=title,
                    title_rank=60,  # of several titles the highest rank wins
                    title_source="name",
                    is_hint=True,  # a name alone makes no session
                )
                self.found_sessions.append(hint)
        return ()


def sketch_reader(file: FileIdentity) -> KeptReader:
    """A sketch is kept, and handed out with the session its name tells."""
    name = file.name.rpartition("/")[2]
    return KeptReader(
        file, "sketch", "", Document(session_id=name.partition(".")[0], name=name, kind="sketch")
    )
