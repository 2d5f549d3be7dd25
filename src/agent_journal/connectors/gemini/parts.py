"""Content as the Gemini API has it: a text, a part, or a list of parts.

[{"text":"What is in
@a.png?"},{"inlineData":{"mimeType":"image/png","data":"iVBOR…"}},{"functionCall":{"name":"ls"}}]
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.values import mapping, string
from agent_journal.model import Attachment

# What `@path` in a prompt pulls in follows the prompt as parts of their own, between these lines.
_FILES_BEGIN = "--- Content from referenced files ---"
_FILES_END = "--- End of content ---"
_FILE = re.compile(r"\s*(?:Content from @?([^\n]{1,4096}?):|--- ([^\n]{1,4096}?) ---)\n*")


class Parts:
    """What some content holds, sorted by kind."""

    def __init__(self, content: Any) -> None:
        self.attachments: list[Attachment] = []
        self.calls: list[dict[str, Any]] = []
        self.responses: list[dict[str, Any]] = []
        self._texts: list[str] = []
        self._thoughts: list[str] = []
        self._path: str | None = None  # of the file whose content comes next
        self._is_file = False
        for part in content if isinstance(content, list) else [content]:
            self._add(part)

    @property
    def text(self) -> str:
        """The texts, as they follow each other."""
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
                self._path, text = found[1] or found[2], text[found.end() :]
            if text.strip():
                self.attachments.append(Attachment(kind="file", path=self._path, text=text))
                self._path = None


def attachment(part: dict[str, Any]) -> Attachment:
    """A part that is no text: a picture, a file elsewhere, or a kind that is not known."""
    inline, elsewhere = mapping(part.get("inlineData")), mapping(part.get("fileData"))
    if inline:
        asset = decoded_asset(inline.get("data"), inline.get("mimeType"))
        name = string(inline.get("displayName"))
        note = None if asset.size is not None else "not valid base64"
        kind = _kind(asset.mime_type)
        return Attachment(
            kind=kind,
            name=name,
            mime_type=asset.mime_type,
            size=asset.size,
            sha256=asset.sha256,
            note=note,
        )
    if elsewhere:
        mime = string(elsewhere.get("mimeType"))
        return Attachment(kind=_kind(mime), mime_type=mime, path=string(elsewhere.get("fileUri")))
    return Attachment(kind=next(iter(part), "part")[:80], text=as_json(part))


def _kind(mime: str | None) -> str:
    kind = (mime or "").partition("/")[0]
    return kind if kind in ("image", "audio", "video") else "document"


def as_json(value: Any) -> str:
    """A value as the agent might have written it."""
    return msgspec.json.encode(value).decode("utf-8", "replace")
