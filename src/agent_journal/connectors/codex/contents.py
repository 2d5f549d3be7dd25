"""Lists of content: `[{"type":"input_text","text":"hi"},{"type":"input_image",…}]`."""

from __future__ import annotations

import re
from typing import Any, NamedTuple

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.values import items, string, strings
from agent_journal.model import Attachment

# Texts before and after an image, for the model
_AROUND_IMAGE = re.compile(r"</?image(?: [^>]*)?>")
_IMAGES = ("input_image", "image", "local_image", "localImage", "inputImage")


class Content(NamedTuple):
    """The text of a list of content, and what came with it; `parts` is the text part by part."""

    text: str
    attachments: tuple[Attachment, ...] = ()
    parts: tuple[str, ...] = ()


def content_of(value: object) -> Content:
    """Return the text and the attachments of a message or a result."""
    if isinstance(value, str):
        return Content(value)
    texts: list[str] = []
    attachments: list[Attachment] = []
    for part in items(value):
        text = part.get("text")
        kind = part.get("type")
        if kind in _IMAGES:
            attachments.append(_image(part))
        elif isinstance(text, str):
            if text and not _AROUND_IMAGE.fullmatch(text.strip()):
                texts.append(text)
        elif string(kind) and kind != "encrypted_content":
            name = string(part.get("name"))
            attachments.append(Attachment(kind=str(kind), name=name, path=string(part.get("path"))))
    return Content("\n\n".join(texts), tuple(dict.fromkeys(attachments)), tuple(texts))


def _image(part: dict[str, Any]) -> Attachment:
    if isinstance(part.get("data"), str):
        return _decoded_image(part["data"], part.get("mimeType"))
    url = part.get("image_url") or part.get("imageUrl") or part.get("url")
    if isinstance(url, dict):
        url = url.get("url")
    if isinstance(url, str):
        return _linked_image(url)
    return Attachment(kind="image", path=string(part.get("path")))


def _linked_image(url: str) -> Attachment:
    """Return the image of a URL: of a data URL the hash of its content, else the URL."""
    if not url.startswith("data:"):
        return Attachment(kind="image", note=url[:1000])
    head, _, data = url.partition(",")
    mime_type = head.removeprefix("data:").partition(";")[0]
    return _decoded_image(data, mime_type)


def _decoded_image(data: str, mime_type: object) -> Attachment:
    asset = decoded_asset(data, mime_type)
    return Attachment(kind="image", mime_type=asset.mime_type, size=asset.size, sha256=asset.sha256)


def shown_images(images: object, local_images: object) -> tuple[Attachment, ...]:
    """Return the images of a `user_message`: URLs, and paths of local files."""
    found = [_linked_image(url) for url in strings(images)]
    found += [Attachment(kind="image", path=path) for path in strings(local_images)]
    return tuple(dict.fromkeys(found))
