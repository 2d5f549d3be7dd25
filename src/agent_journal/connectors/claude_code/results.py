"""Results of tools: text, images, status, and the file that long output went to.

    {"type":"tool_result","tool_use_id":"toolu_1","content":"Exit code 1\\nno such file",
     "is_error":true}

`toolUseResult` on the same line repeats the output in the tool's own shape; it is decoded only for
tools where it adds something.
"""

from __future__ import annotations

import binascii
import hashlib
import re
from base64 import b64decode
from typing import Any

import msgspec

from agent_journal.connectors.claude_code.records import ImageSource
from agent_journal.connectors.values import string
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
# How a result begins whose text is in a file
_SPILLED_STARTS = ("<persisted-output>", "Error: result (")
_SPILLED = re.compile(
    r"<persisted-output>[^/\\]{0,400}? saved to: ([^\n]+)"
    r"|Error: result \([^()\n]{1,80}\) exceeds maximum allowed tokens\."
    r" Output has been saved to ([^\n]+)"
)
_EXIT_CODE = "Exit code "
_MAX_EXIT_CODE = 12


def result_content(content: Any) -> tuple[str, tuple[Attachment, ...]]:
    """The text and the attachments of a result, which may be a string, blocks or one object."""
    if isinstance(content, str):
        return content, ()
    if content is None:
        return "", ()
    if not isinstance(content, list):
        content = [content]
    texts: list[str] = []
    attachments: list[Attachment] = []
    for part in content:
        _add_part(part, texts, attachments)
    return "\n".join(text for text in texts if text), tuple(attachments)


def quotable_text(content: Any, index: int) -> tuple[str | None, tuple[str | int, ...]]:
    """The text of a result that is a single string, and the path to it in the record.

    The text is None when it has to be put together from several.
    """
    path: tuple[str | int, ...] = ("message", "content", index, "content")
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        content = content[0].get("text")
        path = (*path, 0, "text")
    if not isinstance(content, str):
        return None, path
    return content, path


def _add_part(part: Any, texts: list[str], attachments: list[Attachment]) -> None:
    if isinstance(part, str):
        texts.append(part)
        return
    if not isinstance(part, dict):
        return
    kind = part.get("type")
    text = part.get("text")
    if isinstance(text, str):
        texts.append(text)
    elif kind in ("image", "document"):
        attachments.append(media(kind, part.get("source"), part.get("title")))
    elif kind == "tool_reference":
        texts.append(string(part.get("tool_name")) or "")
    elif kind in ("search_result", "web_search_result", "web_fetch_result"):
        _add_search_result(part, texts, attachments)
    elif isinstance(part.get("error_code"), str):
        texts.append(f"Error: {part['error_code']}")
    else:
        texts.append(msgspec.json.encode(part).decode())


def _add_search_result(
    part: dict[str, Any], texts: list[str], attachments: list[Attachment]
) -> None:
    text, nested = result_content(part.get("content"))
    texts += [string(part.get(key)) or "" for key in ("title", "url", "source")]
    texts.append(text)
    attachments.extend(nested)


def media(kind: str, raw: Any, title: Any = None) -> Attachment:
    """An image or document as an attachment: its type and hash, never its bytes."""
    name = title
    if not isinstance(title, str):
        name = None
    try:
        source = _image_source(raw)
    except (msgspec.DecodeError, ValueError):
        return Attachment(kind=kind, name=name, note="of an unknown shape")
    mime_type = source.media_type
    if source.data is None:
        return Attachment(kind=kind, name=name, mime_type=mime_type, path=source.url)
    try:
        data = _content(source.data, source.type)
    except (binascii.Error, ValueError):
        return Attachment(kind=kind, name=name, mime_type=mime_type, note="not valid base64")
    digest = hashlib.sha256(data).hexdigest()
    return Attachment(kind=kind, name=name, mime_type=mime_type, size=len(data), sha256=digest)


def _image_source(raw: Any) -> ImageSource:
    if isinstance(raw, msgspec.Raw):
        return _source.decode(raw)
    return msgspec.convert(raw, ImageSource)


def _content(data: str, kind: str | None) -> bytes:
    if kind == "text":
        return data.encode()
    return b64decode(data)


def result_status(is_error: Any, denial: str | None, text: str) -> ToolStatus:
    """How a call ended, by the flags of the result and, for older versions, its text."""
    if denial == "interrupted":
        return "interrupted"
    if denial:
        return "denied"
    if not is_error:
        return "ok"
    if text.startswith(_INTERRUPTED):
        return "interrupted"
    if text.startswith(_REFUSED):
        return "denied"
    return "error"


def exit_code(status: ToolStatus, text: str) -> int | None:
    """The exit code of a failed command, which its output begins with."""
    if status != "error" or not text.startswith(_EXIT_CODE):
        return None
    start = len(_EXIT_CODE)
    words = text[start : start + _MAX_EXIT_CODE].split(maxsplit=1)
    if not words or not words[0].lstrip("-").isdecimal():
        return None
    return int(words[0])


def spilled_to(text: str, session_id: str) -> str | None:
    """The kept file with the whole output, when it is in this session's own folder.

    Other paths are not followed.
    """
    if not text.startswith(_SPILLED_STARTS):
        return None
    found = _SPILLED.match(text[:4000])
    if found is None:
        return None
    path = (found[1] or found[2]).strip().rstrip(".")
    parts = path.replace("\\", "/").rsplit("/", 3)
    if len(parts) < 4:
        return None
    _, session_folder, folder, name = parts
    if session_folder != session_id or folder != "tool-results" or name in ("", ".", ".."):
        return None
    return f"tool-results/{name}"


def feedback(text: str) -> str | None:
    """The reason a person gave for refusing a call."""
    return text.partition(_FEEDBACK)[2].strip() or None


def agent_id_in(text: str) -> str | None:
    """The sub-agent named in a result's last lines, for versions without a structured result."""
    words = text[-400:].partition("agentId: ")[2].split(maxsplit=1)
    if not words or not words[0].replace("-", "").replace("_", "").isalnum():
        return None
    return words[0]
