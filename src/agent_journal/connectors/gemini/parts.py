"""Content as the Gemini API has it: a text, a part, or a list of parts.

[{"text":"What is in @a.png?"},
 {"inlineData":{"mimeType":"image/png","data":"iVBOR…"}},
 {"functionCall":{"name":"ls"}}]
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.values import mapping, string
from agent_journal.model import Attachment

# What `@path` in a prompt refers to follows the prompt as separate parts, between these lines.
_FILES_BEGIN = "--- Content from referenced files ---"
_FILES_END = "--- End of content ---"
_FILE = re.compile(r"\s*(?:Content from @?([^\n]{1,4096}?):|--- ([^\n]{1,4096}?) ---)\n*")


class Parts:
    """The parts of some content, sorted by kind."""

    def __init__(self, content: Any) -> None:
        self.attachments: list[Attachment] = []
        self.calls: list[dict[str, Any]] = []
        self.responses: list[dict[str, Any]] = []
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._path: str | None = None  # of the file whose content comes next
        self._is_file = False
        if not isinstance(content, list):
            content = [content]
        for part in content:
            self._add(part)

    @property
    def text(self) -> str:
        """The texts in order."""
        return "".join(self._texts)

    @property
    def thoughts(self) -> str:
        """The parts that are marked as thoughts."""
        return "".join(self._thoughts)

    def _add(self, part: Any) -> None:
        if isinstance(part, str):
            self._add_text(part)
        elif not isinstance(part, dict):
            return
        elif isinstance(part.get("text"), str):
            if part.get("thought") is True:
                self._thoughts.append(part["text"])
            else:
                self._add_text(part["text"])
        elif isinstance(part.get("functionCall"), dict):
            self.calls.append(part["functionCall"])
        elif isinstance(part.get("functionResponse"), dict):
            self.responses.append(part["functionResponse"])
        elif part:
            self.attachments.append(attachment(part))

    def _add_text(self, text: str) -> None:
        stripped = text.strip()
        if stripped.startswith(_FILES_BEGIN):
            self._is_file = True
        elif not self._is_file:
            self._texts.append(text)
        elif stripped.startswith(_FILES_END):
            self._is_file = False
        else:
            found = _FILE.match(text)
            if found is not None:
                self._path = found[1] or found[2]
                text = text[found.end() :]
            if text.strip():
                self.attachments.append(Attachment(kind="file", path=self._path, text=text))
                self._path = None


def attachment(part: dict[str, Any]) -> Attachment:
    """Return a part that is not text: a picture, a file elsewhere, or an unknown kind."""
    inline = mapping(part.get("inlineData"))
    if inline:
        asset = decoded_asset(inline.get("data"), inline.get("mimeType"))
        return Attachment(
            kind=_kind(asset.mime_type),
            name=string(inline.get("displayName")),
            mime_type=asset.mime_type,
            size=asset.size,
            sha256=asset.sha256,
            note="not valid base64" if asset.size is None else None,
        )
    elsewhere = mapping(part.get("fileData"))
    if elsewhere:
        mime = string(elsewhere.get("mimeType"))
        return Attachment(kind=_kind(mime), mime_type=mime, path=string(elsewhere.get("fileUri")))
    return Attachment(kind=next(iter(part), "part")[:80], text=as_json(part))


def _kind(mime: str | None) -> str:
    kind = (mime or "").partition("/")[0]
    return kind if kind in ("image", "audio", "video") else "document"


def as_json(value: Any) -> str:
    """Return a value as JSON, as the agent might have written it."""
    return msgspec.json.encode(value).decode("utf-8", "replace")
