"""Attachments: pictures as pictures when their bytes are known, all else by name."""

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
        self.reset(pictures)

    def reset(self, pictures: Mapping[str, bytes]) -> None:
        """Starts a new page."""
        self._pictures = pictures
        self._left = _MAX_PAGE
        self.shown = 0
        self.missing = 0

    def source(self, attachment: Attachment) -> str | None:
        """The picture as a `data:` address; None when it is not one, or its bytes are not known."""
        content = self._pictures.get(attachment.sha256 or "", b"")
        kind = picture_type(content)
        if kind is None or len(content) > self._left:
            if is_picture(attachment):
                self.missing += 1
            return None
        self._left -= len(content)
        self.shown += 1
        return f"data:{kind};base64,{base64.b64encode(content).decode()}"


def picture_type(content: bytes) -> str | None:
    """The type of a picture by its first bytes, if it is one that holds no script: SVG is not."""
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    for start, kind in _STARTS.items():
        if content.startswith(start):
            return kind
    return None


def is_picture(attachment: Attachment) -> bool:
    """Whether something attached says that it is a picture."""
    return attachment.kind == "image" or (attachment.mime_type or "").startswith("image/")


def attached(attachment: Attachment, album: Album) -> str:
    """Something attached, as a page shows it."""
    label = _label(attachment)
    source = album.source(attachment)
    if source is not None:
        image = f'<img src="{escape(source)}" alt="{label}" loading="lazy">'
        return f"<figure>{image}<figcaption>{label}</figcaption></figure>\n"
    if attachment.text:
        text = block(attachment.text, "wrap")
        return f'<details class="note"><summary>{label}</summary>{text}</details>\n'
    return f'<p class="missing">{label}</p>\n'


def _label(attachment: Attachment) -> str:
    label = in_tag(attachment.kind, 40)
    name = attachment.name or attachment.path or attachment.mime_type
    if name:
        label += f": {in_tag(name)}"
    facts = [attachment.note] if attachment.note else []
    if attachment.size:
        facts.append(f"{attachment.size:,} bytes")
    if facts:
        label += f" ({in_tag(', '.join(facts))})"
    return label
