"""Pictures of sessions: by their hash, out of the kept bytes, and only what begins like a picture.

The page has addresses of pictures instead of their bytes, so that one that is not looked at costs
nothing.
"""

from __future__ import annotations

import hashlib
import re
from collections import OrderedDict
from threading import Lock
from urllib.parse import urlencode

from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import Response

from agent_journal.export.html.attachments import Album, is_picture, picture_type
from agent_journal.export.pictures import pictures_of
from agent_journal.journal import Journal
from agent_journal.model import Attachment
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.web.context import context_of

_HASH = re.compile("[0-9a-f]{64}")
_TYPES = (None, "image/png", "image/jpeg", "image/gif", "image/webp")
_MOST_KEPT = 32_000_000  # bytes of pictures that wait to be asked for


class LinkedAlbum(Album):
    """The pictures of a session as addresses."""

    def __init__(self, row: SessionRow) -> None:
        super().__init__({})
        self._session = f"{row.agent}:{row.id}"

    def source(self, attachment: Attachment) -> str | None:
        """The address of a picture; None when it is not one."""
        digest = attachment.sha256 or ""
        if not is_picture(attachment) or attachment.mime_type not in _TYPES:
            return None
        if not _HASH.fullmatch(digest):
            return None
        return f"/picture/{digest}?{urlencode({'session': self._session})}"


class Pictures:
    """Finds pictures; those that were passed on the way are kept for a while."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._kept: OrderedDict[str, bytes] = OrderedDict()
        self._size = 0

    def find(self, journal: Journal, row: SessionRow, digest: str) -> bytes | None:
        """The picture of a session with this hash; None when the session has none."""
        with self._lock:  # a page asks for several of a session: one reading finds all
            if digest in self._kept:
                self._kept.move_to_end(digest)
                return self._kept[digest]
            for picture in pictures_of(journal.db, journal.archive, row.row_id):
                found = hashlib.sha256(picture).hexdigest()
                self._keep(found, picture)
                if found == digest:
                    return picture
        return None

    def _keep(self, digest: str, picture: bytes) -> None:
        if digest in self._kept:
            return
        self._kept[digest] = picture
        self._size += len(picture)
        while self._size > _MOST_KEPT and len(self._kept) > 1:
            _, oldest = self._kept.popitem(last=False)
            self._size -= len(oldest)


_PICTURES = Pictures()


def picture(request: Request) -> Response:
    """A picture of a session."""
    digest = request.path_params["sha256"]
    if not _HASH.fullmatch(digest):
        raise HTTPException(404)
    with context_of(request).journal() as journal:
        row = journal.row(request.query_params.get("session", ""))
        content = _PICTURES.find(journal, row, digest)
    kind = picture_type(content or b"")
    if content is None or kind is None:
        return Response(status_code=204)  # the page shows what it is called instead
    return Response(content, media_type=kind, headers={"content-disposition": "inline"})
