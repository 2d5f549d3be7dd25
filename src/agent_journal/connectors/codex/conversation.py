"""What was said: prompts, answers, reasoning, summaries, interruptions, as functions of the reader
and the record.

A `response_item` of the role user is what a person typed, or context that Codex put there:
`<environment_context>…`, `# AGENTS.md instructions…`. Both look alike, so the text decides.
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
from agent_journal.model import MessageKind, Piece, ToolCall

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_FOLDER = re.compile(
    r"<environment_context>\s*(?:<cwd>([^<\n]{1,4096})</cwd>|Current working directory: ([^\n]{1,4096}))"
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
_EXIT = re.compile(r"Exit code: (-?\d{1,9})")
_REQUEST = "## My request for Codex:"  # editors put the open files before it


# -- prompts -----------------------------------------------------------------------------------


def message(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A message as the model was sent it."""
    found = content_of(item.content)
    api_id = string(item.id)
    if item.role == "assistant":
        return said(reader, found, SENT, api_id)
    if item.role == "user":
        return asked(reader, found, SENT, api_id)
    reader.close()
    return (reader.message("system", "injected", found.text, found.attachments, api_id),)


def user_said(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A prompt as the person sees it."""
    text = item.message if isinstance(item.message, str) else ""
    return asked(reader, Content(text, shown_images(item.images, item.local_images)), SHOWN, None)


def asked(
    reader: RolloutReader, found: Content, origin: int, api_id: str | None
) -> Iterable[Piece]:
    """A text of the role user, once."""
    reader.close()
    text = found.text
    kind = kind_of(text)
    told = text or " ".join(picture.sha256 or picture.path or "" for picture in found.attachments)
    if not reader.is_new("u", told, origin):
        reader.skipped(reader.kind, "told by another record")
        return ()
    if kind == "shell":
        return _shell(reader, text)
    if kind != "prompt":
        if reader.state.cwd is None and (folder := _FOLDER.search(text)):
            reader.state.cwd = folder[1] or folder[2]  # of versions that wrote it nowhere else
        return (reader.message("user", kind, text, found.attachments, api_id),)
    state = reader.state
    state.prompt = reader.place
    if state.title is None:
        state.title = title_of(text.rpartition(_REQUEST)[2])
    return (
        reader.message(
            "user", "injected" if state.is_subagent else kind, text, found.attachments, api_id
        ),
    )


def kind_of(text: str) -> MessageKind:
    """What a text of the role user is: context that Codex put there, or a prompt."""
    text = text.strip()
    if not text.startswith(("<", "# AGENTS")):
        return "prompt"
    wrapped = _WRAPPED.fullmatch(text)
    if wrapped is not None:
        return _KINDS.get(wrapped[1], "injected")
    if text.startswith("<skill>"):
        return "skill"
    return "injected" if text.startswith(_STARTS) else "prompt"


def _shell(reader: RolloutReader, text: str) -> Iterable[Piece]:
    """The person's own command (`!ls`) with what it printed."""
    found = _SHELL.search(text)
    command, result = (found[1], found[2]) if found else (text, None)
    exit_code = _EXIT.search(result) if result else None
    code = int(exit_code[1]) if exit_code else None
    call = ToolCall(
        session_id=reader.id,
        id=reader.place,
        message_id=reader.place,
        name="shell",
        kind="shell",
        arguments=json_text({"command": command}),
        result=result,
        status="failed" if code else "ok" if result is not None else None,
        exit_code=code,
        started_at=reader.when,
        record_ids=(reader.place,),
        offset=reader.at,
        length=reader.length,
    )
    return (reader.message("user", "shell", command), call)


# -- answers -----------------------------------------------------------------------------------


def said(reader: RolloutReader, found: Content, origin: int, api_id: str | None) -> Iterable[Piece]:
    """A text of the model, once."""
    if not found.text and not found.attachments:
        reader.skipped(reader.kind, "empty")
        return ()
    if not reader.is_new("a", found.text, origin):
        reader.skipped(reader.kind, "told by another record")
        return ()
    return (reader.answer(TEXT, text=found.text, attachments=found.attachments, api_id=api_id),)


def agent_said(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """An answer as the person sees it."""
    return said(reader, Content(item.message if isinstance(item.message, str) else ""), SHOWN, None)


def thought(
    reader: RolloutReader, texts: list[str], origin: int, api_id: str | None
) -> Iterable[Piece]:
    """Reasoning, each part once."""
    new = [text for text in texts if reader.is_new("r", text, origin)]
    if not new:
        reader.skipped(reader.kind, "told by another record" if texts else "encrypted")
        return ()
    return (reader.answer(REASONING, reasoning="\n\n".join(new), api_id=api_id),)


def reasoning(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Reasoning as the model was sent it: its summary, and in full where the provider tells."""
    parts = [*items(item.summary), *items(item.content)]
    return thought(
        reader,
        [text for part in parts if (text := string(part.get("text")))],
        SENT,
        string(item.id),
    )


def agent_thought(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Reasoning as the person sees it, part by part."""
    text = string(item.text)
    return thought(reader, [text] if text else [], SHOWN, None)


# -- and around them ---------------------------------------------------------------------------


def compacted(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A summary took the place of earlier messages, which all stay in the file."""
    reader.close()
    text = string(item.message)
    if text is None:
        return (reader.event("context compacted; the summary is encrypted"),)
    return (reader.message("system", "compaction", text),)


def agent_message(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """What one agent wrote to another."""
    payload = payload_of(reader.line)
    found = content_of(payload.get("content") or payload.get("message"))
    names = [string(payload.get(key)) for key in ("author", "recipient")]
    head = " to ".join(name for name in names if name)
    text = f"{head}: {found.text}" if head else found.text
    return (reader.message("system", "notification", text, found.attachments),)


def error(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """An error the person saw."""
    payload = payload_of(reader.line)
    told = string(payload.get("message")) or string(mapping(payload.get("error")).get("message"))
    return (reader.message("system", "error", told or string(payload.get("error")) or "error"),)


def aborted(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The turn was stopped."""
    reader.close()
    reason = string(payload_of(reader.line).get("reason")) or "stopped"
    return (reader.message("user" if reason == "interrupted" else "system", "interrupt", reason),)


def turn_ended(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The end of a turn, which repeats the last answer; only an error is new."""
    reader.close()
    failure = payload_of(reader.line).get("error")
    if not failure:
        reader.skipped(reader.kind, "a marker that repeats the last answer")
        return ()
    told = string(mapping(failure).get("message")) or json_text(failure) or "error"
    return (reader.message("system", "error", told),)


def named(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The person gave the session a name."""
    name = title_of(payload_of(reader.line).get("thread_name"))
    reader.state.name = name or reader.state.name
    return (reader.event(f"named {name}" if name else "name taken away"),)
