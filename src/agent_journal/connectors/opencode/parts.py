"""The parts of a message, sorted by what they are.

{"type":"text","text":"I will look.","time":{…}}
{"type":"text","text":"The following tool was executed by the user","synthetic":true}
{"type":"reasoning","text":"First I …"}
{"type":"file","mime":"image/png","filename":"a.png","url":"data:image/png;base64,…"}
{"type":"step-finish","reason":"stop","tokens":{…},"cost":0.003318}
"""

from __future__ import annotations

from typing import Any, NamedTuple

from agent_journal.connectors.assets import decoded_asset
from agent_journal.connectors.row_lines import json_column
from agent_journal.connectors.values import mapping, string
from agent_journal.model import Attachment

# They say where a step begins, which files of the project it changed, and under which git hash
_BOOKKEEPING = ("step-start", "snapshot", "patch")


class Part(NamedTuple):
    """A part, its id and its number in the message; `is_quotable` when it is JSON in the file."""

    id: str
    number: int
    values: dict[str, Any]
    is_quotable: bool = False


class Parts:
    """The parts of a message by what they are."""

    def __init__(self, parts: list[Part]) -> None:
        self.texts: list[str] = []
        self.injected: list[str] = []  # by the harness
        self.reasoning: list[str] = []
        self.attachments: list[Attachment] = []
        self.tools: list[Part] = []
        self.steps: list[Part] = []
        self.subtasks: list[Part] = []
        self.retries: list[Part] = []
        self.compactions: list[Part] = []
        self.others: list[Part] = []
        for part in parts:
            self._sort(part)

    def _sort(self, part: Part) -> None:
        named = {
            "tool": self.tools,
            "step-finish": self.steps,
            "subtask": self.subtasks,
            "retry": self.retries,
            "compaction": self.compactions,
        }
        kind = part.values.get("type")
        if kind == "text":
            self._add_text(part.values)
        elif kind == "reasoning":
            self.reasoning.append(string(part.values.get("text")) or "")
        elif kind in ("file", "agent"):
            self.attachments.append(attachment(part.values))
        elif kind in named:
            named[kind].append(part)
        elif kind not in _BOOKKEEPING:
            self.others.append(part)

    def _add_text(self, values: dict[str, Any]) -> None:
        text = string(values.get("text")) or ""
        if values.get("synthetic") is True or values.get("ignored") is True:
            self.injected.append(text)
        else:
            self.texts.append(text)


def joined(texts: list[str]) -> str:
    """Return texts as paragraphs."""
    return "\n\n".join(filter(None, texts))


def decoded_parts(rows: Any) -> tuple[list[Part], list[str]]:
    """Return the parts in the row of a message, and what is wrong with others."""
    parts: list[Part] = []
    troubles: list[str] = []
    for number, row in enumerate(rows if isinstance(rows, list) else []):
        values = mapping(row).get("data")
        try:
            decoded = json_column(values)
        except ValueError as error:
            troubles.append(f"a part that is {error}")
            continue
        if isinstance(decoded, dict):
            name = string(mapping(row).get("id")) or f"part-{number}"
            parts.append(Part(name, number, decoded, isinstance(values, dict)))
        else:
            troubles.append("a part that is not a JSON object")
    return parts, troubles


def attachment(values: dict[str, Any]) -> Attachment:
    """Return a file, a picture or an agent that was named in a message."""
    if values.get("type") == "agent":
        return Attachment(kind="agent", name=string(values.get("name")))
    url = string(values.get("url")) or ""
    mime_type = string(values.get("mime"))
    path = string(mapping(values.get("source")).get("path"))
    if path is None and url.startswith("file://"):
        path = url.removeprefix("file://").partition("?")[0]
    asset = decoded_asset(_data_of(url), mime_type)
    kind = "image" if (mime_type or "").startswith("image/") else "file"
    return Attachment(
        kind=kind,
        name=string(values.get("filename")),
        path=path,
        mime_type=mime_type,
        size=asset.size,
        sha256=asset.sha256,
    )


def _data_of(url: str) -> str | None:
    head, comma, data = url.partition(",")
    if comma and head.startswith("data:") and head.endswith(";base64"):
        return data
    return None
