"""What came back from tools: text, images, status, where long output went.

    {"type":"tool_result","tool_use_id":"toolu_1","content":"Exit code 1\\nno such file","is_error":true}

`toolUseResult` on the same line repeats the output in a shape of the tool's own; it is opened only for tools where it
adds something.
"""

from __future__ import annotations

import binascii
import hashlib
from base64 import b64decode
from typing import Any

import msgspec

from agent_journal.connectors.claude_code.records import ImageSource
from agent_journal.model import Attachment, ToolStatus

_source = msgspec.json.Decoder(ImageSource)
_REFUSED = (
    "The user doesn't want to proceed with this tool use",
    "The user doesn't want to take this action right now",
    "Permission to use ",
    "User rejected",
)
_INTERRUPTED = ("[Request interrupted by user", "[Tool call interrupted")
_FEEDBACK = "the user said:\n"
_SPILLED = "<persisted-output>"
_SAVED_TO = "saved to: "
_EXIT_CODE = "Exit code "


def result_content(content: Any) -> tuple[str, tuple[Attachment, ...]]:
    """The text and the attachments of a result, which may be a string, blocks or one object."""
    if isinstance(content, str):
        return content, ()
    if content is None:
        return "", ()
    texts: list[str] = []
    attachments: list[Attachment] = []
    for part in content if isinstance(content, list) else [content]:
        _add_part(part, texts, attachments)
    return "\n".join(text for text in texts if text), tuple(attachments)


def told_at(content: Any, index: int) -> tuple[str | None, tuple[str | int, ...]]:
    """The text of a result that is one string, and the path to it in the record; no text when it is
    put together.
    """
    path: tuple[str | int, ...] = ("message", "content", index, "content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content, path = content[0].get("text"), (*path, 0, "text")
    return content if isinstance(content, str) else None, path


def _add_part(part: Any, texts: list[str], attachments: list[Attachment]) -> None:
    if not isinstance(part, dict):
        texts.append(part if isinstance(part, str) else "")
        return
    kind, text = part.get("type"), part.get("text")
    if isinstance(text, str):
        texts.append(text)
    elif kind in ("image", "document"):
        attachments.append(media(kind, part.get("source"), part.get("title")))
    elif kind == "tool_reference":
        texts.append(_string(part.get("tool_name")))
    elif kind in ("search_result", "web_search_result", "web_fetch_result"):
        texts.append(
            "\n".join(filter(None, (_string(part.get(key)) for key in ("title", "url", "source"))))
        )
        _add_nested(part.get("content"), texts, attachments)
    elif isinstance(part.get("error_code"), str):
        texts.append(f"Error: {part['error_code']}")
    else:
        texts.append(msgspec.json.encode(part).decode())


def _add_nested(content: Any, texts: list[str], attachments: list[Attachment]) -> None:
    text, found = result_content(content)
    texts.append(text)
    attachments.extend(found)


def media(kind: str, raw: Any, title: Any = None) -> Attachment:
    """An image or document as an attachment: what it is and its hash, never its bytes."""
    name = title if isinstance(title, str) else None
    try:
        source = (
            _source.decode(raw)
            if isinstance(raw, msgspec.Raw)
            else msgspec.convert(raw, ImageSource)
        )
    except (msgspec.DecodeError, ValueError):
        return Attachment(kind=kind, name=name, note="of an unknown shape")
    if source.data is None:
        return Attachment(kind=kind, name=name, mime_type=source.media_type, path=source.url)
    if source.type == "text":
        data = source.data.encode()
    else:
        try:
            data = b64decode(source.data)
        except (binascii.Error, ValueError):
            return Attachment(
                kind=kind, name=name, mime_type=source.media_type, note="not valid base64"
            )
    digest = hashlib.sha256(data).hexdigest()
    return Attachment(
        kind=kind, name=name, mime_type=source.media_type, size=len(data), sha256=digest
    )


def result_status(is_error: Any, denial: str | None, text: str) -> ToolStatus:
    """How a call ended, by the flags of the result and, for older versions, its text."""
    if denial:
        return "interrupted" if denial == "interrupted" else "denied"
    if not is_error:
        return "ok"
    if text.startswith(_INTERRUPTED):
        return "interrupted"
    return "denied" if text.startswith(_REFUSED) else "error"


def exit_code(text: str) -> int | None:
    """The exit code a failed command begins its output with."""
    if not text.startswith(_EXIT_CODE):
        return None
    digits = text[len(_EXIT_CODE) : len(_EXIT_CODE) + 12].split(maxsplit=1)
    return int(digits[0]) if digits and digits[0].lstrip("-").isdecimal() else None


def spilled_to(text: str, session_id: str) -> str | None:
    """The kept file with the whole output, when it lies in this session's own folder; other paths
    are not followed.
    """
    if not text.startswith(_SPILLED):
        return None
    path = text[:4000].partition(_SAVED_TO)[2].partition("\n")[0].strip().replace("\\", "/")
    parts = path.rsplit("/", 3)
    if (
        len(parts) < 4
        or parts[-2] != "tool-results"
        or parts[-3] != session_id
        or parts[-1] in ("", ".", "..")
    ):
        return None
    return f"tool-results/{parts[-1]}"


def feedback(text: str) -> str | None:
    """What the person said when refusing."""
    said = text.partition(_FEEDBACK)[2].strip()
    return said or None


def agent_id_in(text: str) -> str | None:
    """The sub-agent a result names in its last lines, as versions without a structured result do."""
    named = text[-400:].partition("agentId: ")[2].split(maxsplit=1)
    return named[0] if named and named[0].replace("-", "").replace("_", "").isalnum() else None


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
