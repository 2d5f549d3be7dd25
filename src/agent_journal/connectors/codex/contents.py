"""Lists of content: `[{"type":"input_text","text":"what is
this?"},{"type":"input_image","image_url":"data:…"}]`.
"""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.values import items, string, strings
from agent_journal.model import Attachment

# Stands before and after a picture, for the model
_AROUND_IMAGE = re.compile(r"</?image(?: [^>]*)?>")
_PICTURES = ("input_image", "image", "local_image", "localImage", "inputImage")


class Content(NamedTuple):
    """The text of a list of content and what came with it."""

    text: str
    attachments: tuple[Attachment, ...] = ()


def content_of(value: object) -> Content:
    """Text and pictures of a message or a result."""
    if isinstance(value, str):
        return Content(value)
    texts: list[str] = []
    attached: list[Attachment] = []
    for part in items(value):
        text, kind = part.get("text"), part.get("type")
        if kind in _PICTURES:
            attached.append(_picture(part))
        elif isinstance(text, str):
            if not _AROUND_IMAGE.fullmatch(text.strip()):
                texts.append(text)
        elif string(kind) and kind != "encrypted_content":
            attached.append(
                Attachment(
                    kind=str(kind), name=string(part.get("name")), path=string(part.get("path"))
                )
            )
    return Content("\n\n".join(text for text in texts if text), tuple(dict.fromkeys(attached)))


def _picture(part: dict[str, Any]) -> Attachment:
    url = part.get("image_url") or part.get("imageUrl") or part.get("url")
    if isinstance(url, dict):
        url = url.get("url")
    path = string(part.get("path"))
    if isinstance(part.get("data"), str):
        asset = decoded_asset(part["data"], part.get("mimeType"))
        return Attachment(
            kind="image", mime_type=asset.mime_type, size=asset.size, sha256=asset.sha256
        )
    return image(url) if isinstance(url, str) else Attachment(kind="image", path=path)


def image(url: str) -> Attachment:
    """A picture by its URL: the hash of what a data URL holds, else where it lies."""
    if not url.startswith("data:"):
        return Attachment(kind="image", note=url[:1000])
    head, _, data = url.partition(",")
    asset = decoded_asset(data, head[5:].partition(";")[0])
    return Attachment(kind="image", mime_type=asset.mime_type, size=asset.size, sha256=asset.sha256)


def shown_images(images: object, local_images: object) -> tuple[Attachment, ...]:
    """The pictures of a `user_message`: URLs, and paths of files on this machine."""
    found = [image(url) for url in strings(images)]
    found += [Attachment(kind="image", path=path) for path in strings(local_images)]
    return tuple(dict.fromkeys(found))
