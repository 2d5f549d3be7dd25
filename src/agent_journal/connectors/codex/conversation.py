"""What was said: prompts, answers, reasoning, summaries and interruptions.

A `response_item` of the role user is what a person typed, or context that Codex added:
`<environment_context>…`, `# AGENTS.md instructions…`. Only the text tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.codex.contents import Content, content_of, shown_images
from agent_journal.connectors.codex.records import (
    REASONING,
    SENT,
    SHOWN,
    TEXT,
    Item,
    Record,
    json_text,
    payload_of,
)
from agent_journal.connectors.values import items, mapping, string, title_of
from agent_journal.model import MessageKind, Piece, Role, ToolCall, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_FOLDER = re.compile(
    r"<environment_context>\s*"
    r"(?:<cwd>([^<\n]{1,4096})</cwd>|Current working directory: ([^\n]{1,4096}))"
)
_STARTS = (
    "# AGENTS.md instructions",
    "<environment_context>",
    "<user_instructions>",
    "<turn_aborted>",
    "<permissions instructions>",
    "<INSTRUCTIONS>",
    "<skill>",
)
_WRAPPED = re.compile(r"<([a-z]+_[a-z_]+)(?: [^>]*)?>.*</[\w -]+>", re.DOTALL)
_KINDS: dict[str, MessageKind] = {
    "hook_prompt": "hook",
    "skill": "skill",
    "subagent_notification": "notification",
    "user_shell_command": "shell",
}
_SHELL = re.compile(r"<command>\n?(.*?)\n?</command>\s*<result>\n?(.*?)\n?</result>", re.DOTALL)
_EXIT_CODE = re.compile(r"Exit code: (-?\d{1,9})")
# Editors put the open files before it
_REQUEST = "## My request for Codex:"
_REPEATS = "repeats another record"


# -- prompts -----------------------------------------------------------------------------------


def message(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a message as the model was sent it."""
    content = content_of(item.content)
    api_id = string(item.id)
    if item.role == "assistant":
        return model_text(reader, content, SENT, api_id)
    if item.role == "user":
        return user_text(reader, content, SENT, api_id)
    reader.end_answer()
    return (reader.message("system", "injected", content.text, content.attachments, api_id),)


def user_message(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a prompt as the person saw it."""
    images = shown_images(item.images, item.local_images)
    return user_text(reader, Content(string(item.message) or "", images), SHOWN, None)


def user_text(
    reader: RolloutReader, content: Content, source: int, api_id: str | None
) -> Iterable[Piece]:
    """Read a text of the role user, unless another source recorded it already."""
    reader.end_answer()
    text = content.text
    images = " ".join(image.sha256 or image.path or "" for image in content.attachments)
    is_new = reader.note_text("u", text or images, source)
    if not is_new:
        reader.skipped(reader.kind, _REPEATS)
        return ()
    state = reader.state
    kind = kind_of(text)
    if kind == "shell":
        return _shell_command(reader, text)
    if kind == "prompt":
        state.prompt = reader.record_id
        if state.title is None:
            state.title = title_of(text.rpartition(_REQUEST)[2])
        if state.is_subagent:
            kind = "injected"
    elif state.cwd is None:
        state.cwd = _folder_in(text)
    return (reader.message("user", kind, text, content.attachments, api_id),)


def kind_of(text: str) -> MessageKind:
    """Return what a text of the role user is: a prompt, or context that Codex added."""
    text = text.strip()
    if not text.startswith(("<", "# AGENTS")):
        return "prompt"
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        return _KINDS.get(wrapped[1], "injected")
    if text.startswith("<skill>"):
        return "skill"
    if text.startswith(_STARTS):
        return "injected"
    return "prompt"


def _folder_in(text: str) -> str | None:
    """Return the working folder in a context; some versions recorded it nowhere else."""
    folder = _FOLDER.search(text)
    if folder is None:
        return None
    return folder[1] or folder[2]


def _shell_command(reader: RolloutReader, text: str) -> Iterable[Piece]:
    """Read a command that the person ran (`!ls`), with its output."""
    command = text
    result: str | None = None
    exit_code: int | None = None
    status: ToolStatus | None = None
    match = _SHELL.search(text)
    if match is not None:
        command = match[1]
        result = match[2]
        exit_match = _EXIT_CODE.search(result)
        if exit_match is not None:
            exit_code = int(exit_match[1])
        status = "failed" if exit_code else "ok"
    call = ToolCall(
        session_id=reader.id,
        id=reader.record_id,
        message_id=reader.record_id,
        name="shell",
        kind="shell",
        arguments=json_text({"command": command}),
        result=result,
        status=status,
        exit_code=exit_code,
        started_at=reader.timestamp,
        record_ids=(reader.record_id,),
        offset=reader.record_offset,
        length=reader.record_length,
    )
    return (reader.message("user", "shell", command), call)


# -- answers -----------------------------------------------------------------------------------


def model_text(
    reader: RolloutReader, content: Content, source: int, api_id: str | None
) -> Iterable[Piece]:
    """Read a text of the model, unless another source recorded it already."""
    if not content.text and not content.attachments:
        reader.skipped(reader.kind, "empty")
        return ()
    is_new = reader.note_text("a", content.text, source)
    if not is_new:
        reader.skipped(reader.kind, _REPEATS)
        return ()
    return (reader.answer(TEXT, text=content.text, attachments=content.attachments, api_id=api_id),)


def shown_answer(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read an answer as the person saw it."""
    return model_text(reader, Content(string(item.message) or ""), SHOWN, None)


def reasoning_texts(
    reader: RolloutReader, texts: list[str], source: int, api_id: str | None
) -> Iterable[Piece]:
    """Read the parts of a reasoning that no other source recorded yet."""
    new = []
    for text in texts:
        is_new = reader.note_text("r", text, source)
        if is_new:
            new.append(text)
    if not texts:
        reader.skipped(reader.kind, "encrypted")
        return ()
    if not new:
        reader.skipped(reader.kind, _REPEATS)
        return ()
    return (reader.answer(REASONING, reasoning="\n\n".join(new), api_id=api_id),)


def reasoning(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read reasoning as the model was sent it: a summary, and the whole where it is recorded."""
    parts = [*items(item.summary), *items(item.content)]
    texts = [text for part in parts if (text := string(part.get("text")))]
    return reasoning_texts(reader, texts, SENT, string(item.id))


def shown_reasoning(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a part of a reasoning as the person saw it."""
    text = string(item.text)
    texts = [text] if text else []
    return reasoning_texts(reader, texts, SHOWN, None)


# -- around them -------------------------------------------------------------------------------


def compacted(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a summary that replaced earlier messages for the model; the file still has them."""
    reader.end_answer()
    text = string(item.message)
    if text is None:
        return (reader.event("context compacted; the summary is encrypted"),)
    return (reader.message("system", "compaction", text),)


def agent_message(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read what one agent wrote to another."""
    payload = payload_of(reader.line)
    content = content_of(payload.get("content") or payload.get("message"))
    names = [string(payload.get(key)) for key in ("author", "recipient")]
    text = content.text
    if any(names):
        text = " to ".join(name for name in names if name) + f": {text}"
    return (reader.message("system", "notification", text, content.attachments),)


def error(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read an error that the person saw."""
    payload = payload_of(reader.line)
    text = (
        string(payload.get("message"))
        or string(mapping(payload.get("error")).get("message"))
        or string(payload.get("error"))
        or "error"
    )
    return (reader.message("system", "error", text),)


def aborted(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of a turn that was stopped."""
    reader.end_answer()
    reason = string(payload_of(reader.line).get("reason")) or "stopped"
    role: Role = "user" if reason == "interrupted" else "system"
    return (reader.message(role, "interrupt", reason),)


def turn_ended(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of a turn: it repeats the last answer, and only an error is new."""
    reader.end_answer()
    failure = payload_of(reader.line).get("error")
    if not failure:
        reader.skipped(reader.kind, "a marker that repeats the last answer")
        return ()
    text = string(mapping(failure).get("message")) or json_text(failure) or "error"
    return (reader.message("system", "error", text),)


def named(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read a name that the person gave the session."""
    name = title_of(payload_of(reader.line).get("thread_name"))
    if name is None:
        return (reader.event("name removed"),)
    reader.state.name = name
    return (reader.event(f"named {name}"),)
