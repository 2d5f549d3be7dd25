"""Messages of a session as pieces of the model: the same for logs, checkpoints and documents."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

from msgspec.structs import replace

from agent_journal.connectors.converted import NOT_A_COMMAND, converted_text
from agent_journal.connectors.gemini.calls import Outcome, call_id, todo_list, tool_call
from agent_journal.connectors.gemini.edits import file_edit
from agent_journal.connectors.gemini.identity import Identity
from agent_journal.connectors.gemini.parts import Parts
from agent_journal.connectors.gemini.projects import SeenPaths
from agent_journal.connectors.gemini.prompts import content_of, prompt_kind, task_of
from agent_journal.connectors.gemini.records import Header, MessageRecord
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import array, count, items, mapping, string, title_of
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
ANSWERS = ("gemini", "model", "qwen")  # the last one is of Qwen Code in 2025
NOTICES = ("info", "warning", "error")
_SUMMARY_TITLE_RANK = 40
_PROMPT_TITLE_RANK = 10
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
Quoting = Callable[[str | None, tuple[int, int], tuple[str | int, ...]], Quote | None]


class Location(NamedTuple):
    """Where a message is: its record, the path to it in the record, and whether it was rewound."""

    offset: int | None = None
    length: int | None = None
    path: tuple[str | int, ...] = ()
    is_hidden: bool = False


class Conversation:
    """Reads one session's messages, and gathers what they say about the session."""

    def __init__(
        self, identity: Identity, quote: Quoting | None = None, agent: str = AGENT
    ) -> None:
        self.agent = agent
        self.session_id = identity.session_id
        self._identity = identity
        self._title = SpokenTitle()
        self.paths = SeenPaths()
        self.models: dict[str, None] = {}
        self.first_time: datetime | None = None
        self.last_time: datetime | None = None
        self.messages = 0
        self._quote = quote
        self._answered: set[str] = set()  # calls whose result was yielded

    def pieces(self, record: MessageRecord, message_id: str, at: Location) -> Iterator[Piece]:
        """Yield the pieces of a message of a known type (see `is_known`)."""
        when = parse_time(record.timestamp)
        self._note_time(when)
        content = content_of(record)
        if record.type in ANSWERS:
            yield from self._answer(record, message_id, content, when, at)
        elif record.type == "user":
            yield from self._prompt(record, message_id, content, when, at)
        else:
            yield Event(
                session_id=self.session_id,
                type=str(record.type),
                id=message_id,
                text=content.text,
                timestamp=when,
                offset=at.offset,
                length=at.length,
            )

    # -- messages ------------------------------------------------------------------------------

    def _prompt(
        self,
        record: MessageRecord,
        message_id: str,
        content: Parts,
        when: datetime | None,
        at: Location,
    ) -> Iterator[Piece]:
        for response in content.responses:
            yield from self._late_result(response, when)
        text = content.text
        attachments = list(content.attachments)
        shown = Parts(record.display_content).text
        is_expanded = False
        if shown.strip() and shown.strip() != text.strip():
            if text.strip():
                attachments.append(Attachment(kind="expanded", text=text))
                is_expanded = True
            text = shown
        if not text and not attachments and content.responses:
            return
        kind = prompt_kind(text)
        converted = converted_text(text)
        if converted is not None:
            kind, text = converted
        text = text.removeprefix(NOT_A_COMMAND)
        if kind == "command" and is_expanded:  # a command of the person's own, which is a prompt
            kind = "prompt"
        if kind == "injected":
            self.paths.note_context(text)
        if kind == "prompt" and not at.is_hidden:
            self._title.note_prompt(task_of(text))
        if kind == "prompt" and self._identity.is_subagent:
            kind = "injected"
        message = self._message(message_id, "user", kind, when, at)
        yield replace(message, text=text, attachments=tuple(attachments))

    def _answer(
        self,
        record: MessageRecord,
        message_id: str,
        content: Parts,
        when: datetime | None,
        at: Location,
    ) -> Iterator[Piece]:
        model = string(record.model)
        if model:
            self.models.setdefault(model)
        if not at.is_hidden:
            self._title.note_answer(content.text)
        thoughts = [_thoughts(record.thoughts), content.thoughts]
        message = self._message(message_id, "assistant", "answer", when, at)
        yield replace(
            message,
            text=content.text,
            reasoning="\n\n".join(filter(None, thoughts)),
            model=model,
            usage=self._usage(record, message_id, model, when),
            attachments=tuple(content.attachments),
        )
        calls = items(record.tool_calls)
        known = {call_id(value, message_id, number) for number, value in enumerate(calls)}
        calls += [value for value in content.calls if string(value.get("id")) not in known]
        for number, value in enumerate(calls):
            yield from self._call(value, message_id, number, at)

    def _message(
        self,
        message_id: str,
        role: Role,
        kind: MessageKind,
        when: datetime | None,
        at: Location,
    ) -> Message:
        if not at.is_hidden:
            self.messages += 1
        return Message(
            session_id=self.session_id,
            id=message_id,
            role=role,
            kind=kind,
            timestamp=when,
            record_ids=(message_id,),
            state="hidden" if at.is_hidden else None,
            offset=at.offset,
            length=at.length,
        )

    # -- calls ---------------------------------------------------------------------------------

    def _call(
        self, value: dict[str, Any], message_id: str, number: int, at: Location
    ) -> Iterator[Piece]:
        call, found = tool_call(value, self.session_id, message_id, number)
        self._note_time(call.ended_at)
        if found.text is not None:
            self._answered.add(call.id)
        yield replace(
            call,
            result_at=self._result_at(found, number, at),
            offset=at.offset,
            length=at.length,
        )
        args = mapping(value.get("args"))
        self.paths.note_arguments(args)
        edit = file_edit(call, args, value.get("resultDisplay"), at.offset)
        if edit is not None:
            yield edit
        todos = todo_list(call, args)
        if todos is not None:
            yield todos

    def _result_at(self, found: Outcome, number: int, at: Location) -> Quote | None:
        if self._quote is None or found.path is None or at.offset is None or at.length is None:
            return None
        path = (*at.path, "toolCalls", number, "result", *found.path)
        return self._quote(found.text, (at.offset, at.length), path)

    def _late_result(self, response: dict[str, Any], when: datetime | None) -> Iterator[ToolCall]:
        """Yield a result that is only recorded in what was sent back to the model."""
        name = string(response.get("id"))
        if name is None or name in self._answered:
            return
        status = "error" if mapping(response.get("response")).get("error") else "success"
        result = [{"functionResponse": response}]
        value = {"id": name, "name": response.get("name"), "status": status, "result": result}
        call, _ = tool_call(value, self.session_id, "", 0)
        yield replace(call, message_id=None, ended_at=when)

    # -- usage ---------------------------------------------------------------------------------

    def _usage(
        self, record: MessageRecord, message_id: str, model: str | None, when: datetime | None
    ) -> Usage | None:
        """Return the tokens of a response.

        `input` includes what was cached, `output` does not include the thoughts.
        """
        tokens = mapping(record.tokens)
        sent = count(tokens.get("input"))
        cached = count(tokens.get("cached"))
        received = count(tokens.get("output"))
        thought = count(tokens.get("thoughts"))
        if sent is None and received is None:
            return None
        if sent is not None:
            sent = _uncached(sent, cached or 0) + (count(tokens.get("tool")) or 0)
        if received is not None:
            received += thought or 0
        # Copies of a session have the ids that Gemini gave. Others (1, 2, line-1) are the same in
        # unrelated sessions.
        is_unique = _UUID.fullmatch(message_id) is not None
        scope = record.timestamp if is_unique else self.session_id
        return Usage(
            session_id=self.session_id,
            key=f"{message_id}:{scope}",
            message_id=message_id,
            model=model,
            timestamp=when,
            input_tokens=sent,
            cache_read_tokens=cached,
            output_tokens=received,
            reasoning_tokens=thought,
        )

    # -- the session ---------------------------------------------------------------------------

    def _note_time(self, when: datetime | None) -> None:
        if when is None:
            return
        self.first_time = min(self.first_time or when, when)
        self.last_time = max(self.last_time or when, when)

    def session(self, header: Header, project: str | None, folder: str | None) -> Session:
        """Return what is known of the session."""
        session = Session(
            agent=self.agent,
            id=self.session_id,
            project_path=project,
            project_dir=folder,
            models=tuple(self.models),
            started_at=parse_time(header.started) or self.first_time,
            ended_at=max(filter(None, (self.last_time, parse_time(header.updated))), default=None),
            parent_id=self._identity.parent_id,
            fork_of=self._identity.fork_of,
            agent_name=self._identity.agent_name,
        )
        return self._titled(session, header.summary)

    def _titled(self, session: Session, summary: str | None) -> Session:
        title = title_of(summary)
        if title:
            return replace(
                session, title=title, title_rank=_SUMMARY_TITLE_RANK, title_source="summary"
            )
        if not self._title.text:
            return session
        return replace(
            session,
            title=self._title.text,
            title_rank=_PROMPT_TITLE_RANK,
            title_source=self._title.source,
        )


def is_known(record_type: Any) -> bool:
    """Whether a message is of a type this version knows."""
    return record_type == "user" or record_type in ANSWERS or record_type in NOTICES


def _uncached(sent: int, cached: int) -> int:
    if cached > sent:  # then it was not part of what was sent
        return sent
    return sent - cached


def _thoughts(thoughts: Any) -> str:
    if isinstance(thoughts, str):
        return thoughts
    texts = [_thought(thought) for thought in array(thoughts)]
    return "\n\n".join(filter(None, texts))


def _thought(thought: Any) -> str:
    if isinstance(thought, str):
        return thought
    fields = mapping(thought)
    texts = (string(fields.get("subject")), string(fields.get("description")))
    return "\n".join(filter(None, texts))
