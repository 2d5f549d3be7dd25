"""The history of a session: messages, the context that came with them, and calls with results."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.checklists import checklist
from agent_journal.connectors.gemini.parts import as_json
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.replacements import as_created
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import count, first_string, items, mapping, string
from agent_journal.model import (
    Attachment,
    Event,
    FileEdit,
    Message,
    MessageKind,
    Piece,
    Role,
    ToolCall,
    ToolStatus,
    Usage,
)

AGENT = "continue"
_STATUSES: dict[str, ToolStatus] = {
    "generating": "running",
    "generated": "running",
    "calling": "running",
    "done": "ok",
    "errored": "error",
    "canceled": "interrupted",
}
_KINDS: dict[str, tuple[Role, MessageKind]] = {
    "user": ("user", "prompt"),
    "assistant": ("assistant", "answer"),
    "system": ("system", "system_prompt"),
}
_EXIT = re.compile(r"Error \(exit code (\d{1,6})\)")
_CHECKLIST = "Checklist"
_DIFF = "\nDiff:\n"  # in the result of an edit
_MICRO_DOLLARS_PER_CENT = 10_000


class History:
    """Reads the items of a history in their order. Their place is their id: they have no other."""

    def __init__(self, session_id: str, ledger: Ledger) -> None:
        self.session_id = session_id
        self.title = SpokenTitle()
        self.models: dict[str, None] = {}
        self._ledger = ledger

    def item(self, item: Any, number: int) -> list[Piece]:
        """Return the pieces of an item."""
        message = mapping(mapping(item).get("message"))
        if not message:
            self._ledger.add("malformed", "item", 0, "without a message")
            self._ledger.trouble(None, "item", f"item {number} of the history has no message")
            return []
        return list(self._pieces(item, message, number))

    def _pieces(
        self, item: dict[str, Any], message: dict[str, Any], number: int
    ) -> Iterator[Piece]:
        role = str(message.get("role"))[:80]
        summary = string(item.get("conversationSummary"))
        if role in _KINDS:
            yield from self._message(item, message, number)
        elif role == "tool":
            yield from self._result(message)
        else:
            self._ledger.add("unknown", role, 0)
            yield Event(session_id=self.session_id, type=role, raw=as_json(item))
        if summary is not None:
            yield Message(
                session_id=self.session_id,
                id=f"{number}-summary",
                role="user",
                kind="compaction",
                text=summary,
            )

    def _message(
        self, item: dict[str, Any], message: dict[str, Any], number: int
    ) -> Iterator[Piece]:
        role, kind = _KINDS[message["role"]]
        text, attachments = _content(message.get("content"))
        attachments += [_context(value) for value in items(item.get("contextItems"))]
        if kind == "prompt":
            self.title.note_prompt(text)
        elif kind == "answer":
            self.title.note_answer(text)
        usage = self._usage(message, str(number))
        found = Message(
            session_id=self.session_id,
            id=str(number),
            role=role,
            kind=kind,
            text=text,
            reasoning=_reasoning(item),
            model=usage.model if usage else None,
            usage=usage,
            attachments=tuple(attachments),
        )
        yield found
        for place, value in enumerate(_calls(item, message)):
            yield from self._call(value, found.id, place)

    def _usage(self, message: dict[str, Any], name: str) -> Usage | None:
        """Return the tokens of an answer; what was cached is a part of what was sent."""
        tokens = mapping(message.get("usage"))
        sent = count(tokens.get("prompt_tokens"))
        received = count(tokens.get("completion_tokens"))
        if sent is None and received is None:
            return None
        model = string(tokens.get("model"))
        if model:
            self.models.setdefault(model)
        cached = count(mapping(tokens.get("prompt_tokens_details")).get("cached_tokens"))
        details = mapping(tokens.get("completion_tokens_details"))
        fresh = sent
        if sent is not None and cached is not None and cached <= sent:
            fresh = sent - cached
        return Usage(
            session_id=self.session_id,
            key=f"{self.session_id}:{name}",
            message_id=name,
            model=model,
            input_tokens=fresh,
            cache_read_tokens=cached,
            output_tokens=received,
            reasoning_tokens=count(details.get("reasoning_tokens")),
            cost_micro_usd=_cost(tokens.get("cost_cents")),
        )

    # -- calls ---------------------------------------------------------------------------------

    def _call(self, state: dict[str, Any], message_id: str, place: int) -> Iterator[Piece]:
        called = mapping(state.get("toolCall"))
        function = mapping(called.get("function"))
        name = string(function.get("name"))
        arguments = string(function.get("arguments"))
        result = _output(state.get("output"))
        status = _STATUSES.get(str(state.get("status")))
        exit_code = None
        if status == "error":
            exit_code = _exit_code(result or "")
        call = ToolCall(
            session_id=self.session_id,
            id=string(state.get("toolCallId")) or f"{message_id}#{place}",
            message_id=message_id,
            name=name,
            kind=tool_kind(name),
            arguments=arguments,
            result=result,
            status="failed" if exit_code else status,
            exit_code=exit_code,
        )
        yield call
        values = mapping(state.get("parsedArgs")) or _decoded(arguments)
        edit = _edit(call, values)
        if edit is not None:
            yield edit
        if call.name == _CHECKLIST and call.status == "ok":
            todos = checklist(string(values.get("checklist")) or "", self.session_id)
            if todos is not None:
                yield todos

    def _result(self, message: dict[str, Any]) -> Iterator[Piece]:
        """Yield a result that is a message of its own."""
        call_id = string(message.get("toolCallId"))
        if call_id is None:
            return
        text, attachments = _content(message.get("content"))
        yield ToolCall(
            session_id=self.session_id,
            id=call_id,
            result=text,
            attachments=tuple(attachments),
        )


def _calls(item: dict[str, Any], message: dict[str, Any]) -> list[dict[str, Any]]:
    """The calls of an answer with their states; without these, only what was asked is known."""
    states = items(item.get("toolCallStates"))
    known = {string(state.get("toolCallId")) for state in states}
    asked = [
        {"toolCallId": call.get("id"), "toolCall": call}
        for call in items(message.get("toolCalls"))
        if string(call.get("id")) not in known
    ]
    return [*states, *asked]


def _content(content: object) -> tuple[str, list[Attachment]]:
    """The text of a message, and what is not text in it."""
    if isinstance(content, str):
        return content, []
    texts = []
    attachments = []
    for part in items(content):
        text = string(part.get("text"))
        if text is not None:
            texts.append(text)
        elif part:
            kind = "image" if part.get("type") == "imageUrl" else str(part.get("type"))[:80]
            attachments.append(Attachment(kind=kind))
    return "\n\n".join(texts), attachments


def _context(item: dict[str, Any]) -> Attachment:
    """Something that the person, or a rule, put beside a prompt."""
    return Attachment(
        kind="context", name=first_string(item, "name"), text=first_string(item, "content")
    )


def _reasoning(item: dict[str, Any]) -> str:
    reasoning = item.get("reasoning")
    return string(reasoning) or string(mapping(reasoning).get("text")) or ""


def _output(output: object) -> str | None:
    """The texts of a result; None while there is none."""
    if not isinstance(output, list):
        return None
    texts = [string(item.get("content")) for item in items(output)]
    return "\n".join(text for text in texts if text is not None)


def _exit_code(text: str) -> int | None:
    found = _EXIT.search(text)
    return int(found[1]) if found else None


def _cost(cents: object) -> int | None:
    """The cost of an answer; Continue writes 0 where it knows no price."""
    if isinstance(cents, bool) or not isinstance(cents, (int, float)):
        return None
    if not 0 < cents < 10**6:
        return None
    return round(cents * _MICRO_DOLLARS_PER_CENT)


def _decoded(arguments: str | None) -> dict[str, Any]:
    try:
        return mapping(msgspec.json.decode(arguments or "{}"))
    except (msgspec.DecodeError, ValueError, RecursionError):
        return {}


def _edit(call: ToolCall, values: dict[str, Any]) -> FileEdit | None:
    """The change that a call made: the whole text of a file, or what was replaced in it."""
    path = first_string(values, "filepath", "file_path", "path")
    if call.kind != "edit" or call.status != "ok" or path is None:
        return None
    edit = FileEdit(
        session_id=call.session_id, path=path, message_id=call.message_id, call_id=call.id
    )
    content = first_string(values, "content", "contents")
    if (call.result or "").startswith("Successfully created"):
        edit = as_created(replace(edit, after=content))
    if edit.after is not None:
        return edit
    if content is not None:
        return replace(edit, after=content, lines_added=len(content.splitlines()))
    _, _, diff = (call.result or "").partition(_DIFF)
    if diff:
        return _with_diff(edit, diff)
    old = (string(values.get("old_string")) or "").splitlines()
    new = (string(values.get("new_string")) or "").splitlines()
    if not old and not new:
        return edit
    lines = ["@@ @@", *(f"-{line}" for line in old), *(f"+{line}" for line in new)]
    return _with_diff(edit, "\n".join(lines))


def _with_diff(edit: FileEdit, diff: str) -> FileEdit:
    lines = [line for line in diff.split("\n") if not line.startswith(("+++ ", "--- "))]
    return replace(
        edit,
        diff=diff,
        lines_added=sum(line.startswith("+") for line in lines),
        lines_removed=sum(line.startswith("-") for line in lines),
    )
