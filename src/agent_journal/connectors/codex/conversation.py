"""What was said: prompts, answers, reasoning, summaries and interruptions.

A `response_item` of the role user is what a person typed, or context that Codex added:
`<environment_context>…`, `# AGENTS.md instructions…`. Only the text tells them apart.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agent_journal.connectors.codex import rollbacks
from agent_journal.connectors.codex.agents import without_envelope
from agent_journal.connectors.codex.contents import Content, content_of, shown_images
from agent_journal.connectors.codex.context import cut, folder_in, kind_of
from agent_journal.connectors.codex.records import (
    REASONING,
    SENT,
    SHOWN,
    TEXT,
    Item,
    Record,
    digest_of,
    json_text,
    payload_of,
)
from agent_journal.connectors.converted import converted_text
from agent_journal.connectors.values import items, mapping, string, title_of
from agent_journal.model import Message, MessageKind, Piece, Role, ToolCall, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_SHELL = re.compile(r"<command>\n?(.*?)\n?</command>\s*<result>\n?(.*?)\n?</result>", re.DOTALL)
_EXIT_CODE = re.compile(r"Exit code: (-?\d{1,9})")
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
    kind = kind_of(content.text)
    if kind == "shell":
        return _shell_command(reader, content.text, source)
    context, words = cut(content)
    if not context:
        return _prompt(reader, content, source, api_id)
    if not words:
        return _added(reader, content, kind, source, api_id)
    prompt = _prompt(reader, Content(words, content.attachments), source, api_id)
    added = _added(reader, Content(context), "injected", source, None, part="#context")
    if prompt or added:
        reader.mapped(reader.kind)
    return (*added, *prompt)


def _prompt(
    reader: RolloutReader, content: Content, source: int, api_id: str | None
) -> tuple[Message, ...]:
    state = reader.state
    images = " ".join(image.sha256 or image.path or "" for image in content.attachments)
    is_new = reader.note_text("u", content.text or images, source)
    digest = digest_of(content.text)
    if not is_new:
        more_images = content.attachments[state.prompt_images :]
        if not more_images or digest != state.prompt_digest or state.prompt is None:
            reader.skipped(reader.kind, _REPEATS)
            return ()
        # Only one of the records of a prompt may have its images
        state.prompt_images = len(content.attachments)
        prompt = reader.message("user", "prompt", "", more_images, api_id)
        return (replace(prompt, id=state.prompt),)
    rollbacks.note_prompt(state, content.text)
    state.prompt = reader.record_id
    state.prompt_digest = digest
    state.prompt_images = len(content.attachments)
    kind: MessageKind = "injected" if state.is_subagent else "prompt"
    return (reader.message("user", kind, content.text, content.attachments, api_id),)


def _added(
    reader: RolloutReader,
    content: Content,
    kind: MessageKind,
    source: int,
    api_id: str | None,
    part: str = "",
) -> tuple[Message, ...]:
    """Read what Codex, an editor or another agent added to the conversation."""
    is_new = reader.note_text("u", content.text, source)
    if not is_new:
        reader.skipped(reader.kind, _REPEATS)
        return ()
    state = reader.state
    state.cwd = state.cwd or folder_in(content.text)
    if kind == "prompt":
        kind = "injected"
    text = content.text
    converted = converted_text(text)
    if converted is not None:
        kind, text = converted
        return (reader.message("user", kind, text, content.attachments, api_id, part),)
    if kind == "notification":
        text = without_envelope(text)
        if state.is_subagent:
            state.spoken.note_prompt(text)
    return (reader.message("user", kind, text, content.attachments, api_id, part),)


def _shell_command(reader: RolloutReader, text: str, source: int) -> Iterable[Piece]:
    """Read a command that the person ran (`!ls`), with its output."""
    is_new = reader.note_text("u", text, source)
    if not is_new:
        reader.skipped(reader.kind, _REPEATS)
        return ()
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
    reader.state.spoken.note_answer(content.text)
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
    reader.state.is_in_turn = False
    reason = string(payload_of(reader.line).get("reason")) or "stopped"
    role: Role = "user" if reason == "interrupted" else "system"
    return (reader.message(role, "interrupt", reason),)


def turn_ended(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the end of a turn: it repeats the last answer, and only an error is new."""
    reader.end_answer()
    reader.state.is_in_turn = False
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
