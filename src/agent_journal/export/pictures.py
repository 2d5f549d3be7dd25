"""The pictures of a session, from the kept bytes.

The model knows a picture by its hash; the agent's file has it in base64.
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
from agent_journal.store.catalog.files import FileRow, Files
from agent_journal.store.catalog.session_files import files_with_pictures

_MAX = 6_000_000  # characters of one picture
# PNG, JPEG, GIF and WebP begin like this in base64; JSON may write / as \/.
_BASE64 = re.compile(rb"(?:iVBORw0KGgo|(?:\\?/)9j(?:\\?/)|R0lGOD|UklGR)[A-Za-z0-9+/\\]{40,}={0,2}")


def find_pictures(db: Connection, archive: Archive, family: Sequence[Member]) -> dict[str, bytes]:
    """The pictures that the messages and calls of a family name, by their sha256."""
    found: dict[str, bytes] = {}
    for member in family:
        wanted = _hashes(member.session) - found.keys()
        if not wanted:
            continue
        for picture in pictures_of(db, archive, member.row.row_id):
            digest = hashlib.sha256(picture).hexdigest()
            if digest in wanted:
                found[digest] = picture
    return found


def pictures_of(db: Connection, archive: Archive, row_id: int) -> Iterator[bytes]:
    """All pictures in the files of a session, given by its row."""
    files = Files(db)
    for file_id in files_with_pictures(db, row_id):
        yield from _pictures(files, archive, files.get(file_id))


def _hashes(session: Session) -> set[str]:
    hashes: set[str] = set()
    for message in session.messages:
        attachments = [*message.attachments]
        for call in message.tool_calls:
            attachments += call.attachments
        hashes.update(attachment.sha256 for attachment in attachments if attachment.sha256)
    return hashes


def _pictures(files: Files, archive: Archive, row: FileRow) -> Iterator[bytes]:
    """All pictures in the version of a file that was read."""
    version = row.version_id if row.read_version is None else row.read_version
    if version is None:
        return
    carried = b""  # a picture may reach from one frame into the next
    for _, _, sha256, place in files.frames(version):
        try:
            content = carried + archive.read(place, sha256)
        except JournalDamaged:
            carried = b""
            continue
        end = 0
        for match in _BASE64.finditer(content):
            if match.end() < len(content):
                end = match.end()
                yield from _decoded([match[0]])
        carried = _unfinished(content, end)
    yield from _decoded(match[0] for match in _BASE64.finditer(carried))


def _unfinished(content: bytes, end: int) -> bytes:
    """The end of a frame that may be the beginning of a picture that is not too long."""
    tail = content[max(end, len(content) - _MAX) :]
    start = tail.rfind(b'"')
    return tail[start:] if start >= 0 else tail


def _decoded(texts: Iterable[bytes]) -> Iterator[bytes]:
    for text in texts:
        if len(text) > _MAX:
            continue
        try:
            yield binascii.a2b_base64(text.replace(b"\\/", b"/").rstrip(b"\\"))
        except binascii.Error:
            continue
