"""The pictures of a session, back from the kept bytes: the model knows their hash, the agent's file
has the base64.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from collections.abc import Iterable, Iterator, Sequence

from agent_journal.errors import JournalDamaged
from agent_journal.export.family import Member
from agent_journal.model import Session
from agent_journal.store.archive import Archive
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.files import Files

_MAX = 6_000_000  # characters of one picture
# PNG, JPEG, GIF and WebP begin like this in base64; JSON may write / as \/.
_BASE64 = re.compile(rb"(?:iVBORw0KGgo|(?:\\?/)9j(?:\\?/)|R0lGOD|UklGR)[A-Za-z0-9+/\\]{40,}={0,2}")


def find_pictures(db: Connection, archive: Archive, family: Sequence[Member]) -> dict[str, bytes]:
    """The pictures that the messages and calls of a family name, by their sha256."""
    found: dict[str, bytes] = {}
    for member in family:
        wanted = _hashes(member.session) - found.keys()
        if wanted:
            for data in _pictures(Files(db), archive, _files_of(db, member.row.row_id)):
                mark = hashlib.sha256(data).hexdigest()
                if mark in wanted:
                    found[mark] = data
    return found


def _hashes(session: Session) -> set[str]:
    ours = (one for message in session.messages for one in message.attachments)
    theirs = (
        one
        for message in session.messages
        for call in message.tool_calls
        for one in call.attachments
    )
    return {one.sha256 for group in (ours, theirs) for one in group if one.sha256}


def _files_of(db: Connection, session_id: int) -> list[int]:
    query = " UNION ".join(
        f"SELECT file_id FROM {table} WHERE session_id = ?1" for table in ("messages", "tool_calls")
    )
    return [file_id for (file_id,) in db.execute(query, (session_id,))]


def _pictures(files: Files, archive: Archive, ids: Iterable[int]) -> Iterator[bytes]:
    for file_id in ids:
        row = files.get(file_id)
        version = row.version_id if row.read_version is None else row.read_version
        carried = b""  # a picture may lie across frames
        for _, _, sha256, place in files.frames(version) if version is not None else ():
            try:
                data = carried + archive.read(place, sha256)
            except JournalDamaged:
                carried = b""
                continue
            end = 0
            for match in _BASE64.finditer(data):
                if match.end() < len(data):
                    end = match.end()
                    yield from _decoded(match[0])
            carried = _unfinished(data, end)
        yield from (
            picture for match in _BASE64.finditer(carried) for picture in _decoded(match[0])
        )


def _unfinished(data: bytes, end: int) -> bytes:
    """The end of a frame that may be the beginning of a picture, unless it is longer than we show."""
    tail = data[max(end, len(data) - _MAX) :]
    start = tail.rfind(b'"')
    return tail[start:] if start >= 0 else tail


def _decoded(text: bytes) -> Iterator[bytes]:
    if len(text) <= _MAX:
        try:
            yield binascii.a2b_base64(text.replace(b"\\/", b"/").rstrip(b"\\"))
        except binascii.Error:
            return
