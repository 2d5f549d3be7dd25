"""The files beside the notebooks: `names.json` is read whole, sketches are kept unread.

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

    kind = "names"  # the file is one record of this kind

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
                    is_hint=True,  # a name alone is not a session
                )
                self.found_sessions.append(hint)
        return ()


def sketch_reader(file: FileIdentity) -> KeptReader:
    """A sketch is kept, and belongs to the session of the same name."""
    name = file.name.rpartition("/")[2]
    session_id = name.partition(".")[0]
    document = Document(session_id=session_id, name=name, kind="sketch")
    return KeptReader(file, "sketch", "", document)
