"""What came with a message or a result: pictures as pictures when their bytes are at hand, all else
by name.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping
from html import escape

from agent_journal.export.html.parts import block
from agent_journal.export.prose import in_tag
from agent_journal.model import Attachment

_MAX_PAGE = 20_000_000  # bytes of pictures in one page
_STARTS = {b"\x89PNG\r\n\x1a\n": "image/png", b"\xff\xd8\xff": "image/jpeg", b"GIF8": "image/gif"}


class Album:
    """The pictures of a session by their hash, and how many of them could not be shown."""

    def __init__(self, pictures: Mapping[str, bytes]) -> None:
        self._pictures = pictures
        self._left = _MAX_PAGE
        self.shown = 0
        self.missing = 0

    def source(self, attachment: Attachment) -> str | None:
        """The picture as an address that holds it; None when it is none, or is not at hand."""
        data = self._pictures.get(attachment.sha256 or "")
        kind = None if data is None else picture_type(data)
        if data is None or kind is None or len(data) > self._left:
            self.missing += is_picture(attachment)
            return None
        self._left -= len(data)
        self.shown += 1
        return f"data:{kind};base64,{base64.b64encode(data).decode()}"


def picture_type(data: bytes) -> str | None:
    """The type of a picture by its first bytes, if it is one that holds no script: SVG is not."""
    if data[:4] == b"RIFF" and data[8:12] == b"WEBP":
        return "image/webp"
    return next((kind for start, kind in _STARTS.items() if data.startswith(start)), None)


def is_picture(attachment: Attachment) -> bool:
    """Whether something attached says that it is a picture."""
    return attachment.kind == "image" or (attachment.mime_type or "").startswith("image/")


def attached(attachment: Attachment, album: Album) -> str:
    """Something attached, as a page shows it."""
    what = attachment.name or attachment.path or attachment.mime_type or ""
    beside = ", ".join(
        filter(None, (attachment.note, f"{attachment.size:,} bytes" if attachment.size else ""))
    )
    label = (
        f"{in_tag(attachment.kind, 40)}: {in_tag(what)}" if what else in_tag(attachment.kind, 40)
    )
    label += f" ({in_tag(beside)})" if beside else ""
    source = album.source(attachment)
    if source is not None:
        image = f'<img src="{escape(source)}" alt="{label}" loading="lazy">'
        return f"<figure>{image}<figcaption>{label}</figcaption></figure>\n"
    if attachment.text:
        return f'<details class="note"><summary>{label}</summary>{block(attachment.text, "wrap")}</details>\n'
    return f'<p class="missing">{label}</p>\n'
