"""Messages of a session, as pieces of the model: the same for logs, checkpoints and documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import replace

from agent_journal.connectors.gemini.calls import call_id, todo_list, tool_call
from agent_journal.connectors.gemini.edits import file_edit
from agent_journal.connectors.gemini.parts import Parts
from agent_journal.connectors.gemini.records import Header, MessageRecord
from agent_journal.connectors.values import count, items, mapping, string, title_of
from agent_journal.model import (
    Attachment,
    Event,
    Message,
    MessageKind,
    Piece,
    Quote,
    Role,
    Session,
    ToolCall,
    Usage,
)
from agent_journal.text.dates import parse_time

AGENT = "gemini"
ANSWERS = ("gemini", "model")
NOTICES = ("info", "warning", "error")
# What the harness says in the person's name.
_INJECTED: tuple[tuple[str, MessageKind], ...] = (
    ("System: Please continue", "injected"),
    ("This is the Gemini CLI. We are setting up the context", "injected"),
    ("<session_context>", "injected"),
    ("<hook_context>", "hook"),
    ("<state_snapshot>", "compaction"),
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
Quoting = Callable[[str | None, tuple[int, int], tuple[str | int, ...]], Quote | None]


class Spot(NamedTuple):
    """Where a message stands: its record, the way to it in the record, and whether it was rewound."""

    offset: int | None = None
    length: int | None = None
    path: tuple[str | int, ...] = ()
    is_hidden: bool = False


class Talk:
    """Reads one session's messages, and gathers what they say about the session."""

    def __init__(self, session_id: str, quote: Quoting | None = None) -> None:
        self.session_id = session_id
        self.prompt: str | None = None
        self.models: dict[str, None] = {}
        self.times: tuple[datetime, datetime] | None = None
        self.messages = 0
        self._quote = quote
        self._answered: set[str] = set()  # calls whose result is told already

    def pieces(self, record: MessageRecord, message_id: str, spot: Spot) -> Iterator[Piece]:
        """The pieces of a message; `is_known` tells beforehand whether it is one."""
        when = parse_time(record.timestamp)
        self._note(when)
        content = Parts(record.content if record.content is not None else record.parts)
        if record.type in ANSWERS:
            yield from self._answer(record, message_id, content, when, spot)
        elif record.type == "user":
            yield from self._prompt(record, message_id, content, when, spot)
        else:
            yield Event(
                session_id=self.session_id,
                type=str(record.type),
                id=message_id,
                text=content.text,
                timestamp=when,
                offset=spot.offset,
                length=spot.length,
            )

    def _prompt(
        self,
        record: MessageRecord,
        message_id: str,
        content: Parts,
        when: datetime | None,
        spot: Spot,
    ) -> Iterator[Piece]:
        for response in content.responses:
            yield from self._late_result(response, when)
        shown = Parts(record.display_content).text if record.display_content is not None else ""
        text, attached = content.text, content.attachments
        if shown.strip() and shown.strip() != text.strip():
            attached = [
                *attached,
                *([Attachment(kind="expanded", text=text)] if text.strip() else []),
            ]
            text = shown
        if not text and not attached and content.responses:
            return
        start = text.lstrip()
        kind: MessageKind = next(
            (kind for mark, kind in _INJECTED if start.startswith(mark)), "prompt"
        )
        if kind == "prompt" and self.prompt is None and not spot.is_hidden:
            self.prompt = title_of(text)
        yield self._message(
            message_id, "user", kind, when, spot, text=text, attachments=tuple(attached)
        )

    def _answer(
        self,
        record: MessageRecord,
        message_id: str,
        content: Parts,
        when: datetime | None,
        spot: Spot,
    ) -> Iterator[Piece]:
        model = string(record.model)
        if model:
            self.models.setdefault(model)
        calls = items(record.tool_calls)
        known = {call_id(value, message_id, number) for number, value in enumerate(calls)}
        asked = [value for value in content.calls if string(value.get("id")) not in known]
        yield self._message(
            message_id,
            "assistant",
            "answer",
            when,
            spot,
            text=content.text,
            reasoning="\n\n".join(filter(None, (_thoughts(record.thoughts), content.thoughts))),
            model=model,
            usage=self._usage(record, message_id, model, when),
            attachments=tuple(content.attachments),
        )
        for number, value in enumerate(calls):
            yield from self._call(value, message_id, number, spot)
        for number, value in enumerate(asked, len(calls)):
            yield from self._call(value, message_id, number, spot)

    def _call(
        self, value: dict[str, Any], message_id: str, number: int, spot: Spot
    ) -> Iterator[Piece]:
        call, found = tool_call(value, self.session_id, message_id, number)
        self._note(call.ended_at)
        if (
            found.path is not None
            and self._quote is not None
            and spot.offset is not None
            and spot.length is not None
        ):
            path = (*spot.path, "toolCalls", number, "result", *found.path)
            call = replace(
                call, result_at=self._quote(found.text, (spot.offset, spot.length), path)
            )
        if found.text is not None:
            self._answered.add(call.id)
        yield replace(call, offset=spot.offset, length=spot.length)
        args = mapping(value.get("args"))
        edit = file_edit(call, args, value.get("resultDisplay"), spot.offset)
        todos = todo_list(call, args)
        yield from (piece for piece in (edit, todos) if piece is not None)

    def _late_result(self, response: dict[str, Any], when: datetime | None) -> Iterator[ToolCall]:
        """A result that only stands in what was sent back to the model."""
        name = string(response.get("id"))
        if name is None or name in self._answered:
            return
        status = "error" if mapping(response.get("response")).get("error") else "success"
        result = [{"functionResponse": response}]
        value = {"id": name, "name": response.get("name"), "status": status, "result": result}
        call, _ = tool_call(value, self.session_id, "", 0)
        yield replace(call, message_id=None, ended_at=when)

    def _message(
        self,
        message_id: str,
        role: Role,
        kind: MessageKind,
        when: datetime | None,
        spot: Spot,
        **more: Any,
    ) -> Message:
        self.messages += not spot.is_hidden
        return Message(
            session_id=self.session_id,
            id=message_id,
            role=role,
            kind=kind,
            timestamp=when,
            record_ids=(message_id,),
            state="hidden" if spot.is_hidden else None,
            offset=spot.offset,
            length=spot.length,
            **more,
        )

    def _usage(
        self, record: MessageRecord, message_id: str, model: str | None, when: datetime | None
    ) -> Usage | None:
        """Tokens of the response: `input` includes what was cached, `output` is without the
        thoughts.
        """
        tokens = mapping(record.tokens)
        sent, cached, tool = (count(tokens.get(key)) for key in ("input", "cached", "tool"))
        said, thought = count(tokens.get("output")), count(tokens.get("thoughts"))
        if sent is None and said is None:
            return None
        # Copies of a session have the ids that Gemini gave. Others (1, 2, line-1) are the same in
        # unrelated sessions.
        is_unique = _UUID.fullmatch(message_id) is not None
        return Usage(
            session_id=self.session_id,
            key=f"{message_id}:{record.timestamp if is_unique else self.session_id}",
            message_id=message_id,
            model=model,
            timestamp=when,
            input_tokens=None if sent is None else _fresh(sent, cached or 0) + (tool or 0),
            cache_read_tokens=cached,
            output_tokens=None if said is None else said + (thought or 0),
            reasoning_tokens=thought,
        )

    def _note(self, when: datetime | None) -> None:
        if when is not None:
            first, last = self.times or (when, when)
            self.times = min(first, when), max(last, when)

    def session(
        self, header: Header, project: str | None, folder: str | None, parent: str | None
    ) -> Session:
        """What is known of the session."""
        first, last = self.times or (None, None)
        started, updated = parse_time(header.started), parse_time(header.updated)
        title = title_of(header.summary or "") or self.prompt
        is_part = (
            self.session_id != header.session_id
            and parent is None
            and header.session_id is not None
        )
        return Session(
            agent=AGENT,
            id=self.session_id,
            title=title,
            title_rank=(40 if header.summary else 10) if title else 0,
            title_source=("summary" if header.summary else "prompt") if title else None,
            project_path=project,
            project_dir=folder,
            models=tuple(self.models),
            started_at=started or first,
            ended_at=max(filter(None, (last, updated)), default=None),
            parent_id=header.session_id if is_part and header.kind == "subagent" else parent,
            fork_of=header.session_id if is_part and header.kind != "subagent" else None,
        )


def _fresh(sent: int, cached: int) -> int:
    # More than all of it: then it was not part of it
    return sent - cached if cached <= sent else sent


def is_known(record_type: Any) -> bool:
    """Whether a message is of a type this version knows."""
    return record_type == "user" or record_type in ANSWERS or record_type in NOTICES


def _thoughts(thoughts: Any) -> str:
    if isinstance(thoughts, str):
        return thoughts
    told = (
        thought
        if isinstance(thought, str)
        else "\n".join(
            filter(None, (string(mapping(thought).get(key)) for key in ("subject", "description")))
        )
        for thought in (thoughts if isinstance(thoughts, list) else [])
    )
    return "\n\n".join(filter(None, told))
