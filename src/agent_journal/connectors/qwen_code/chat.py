"""A session of Qwen Code, line by line."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.base import Content, FileIdentity, Pause
from agent_journal.connectors.gemini.parts import Parts, as_json
from agent_journal.connectors.jsonl import LogReader, decode_document
from agent_journal.connectors.loose import remember
from agent_journal.connectors.qwen_code.records import Line, PendingCall, State
from agent_journal.connectors.qwen_code.results import edit_of, outcome_of, todos_of
from agent_journal.connectors.qwen_code.telemetry import error_of, usage_of, usage_of_response
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import (
    array,
    count,
    first_string,
    items,
    mapping,
    string,
    title_of,
)
from agent_journal.model import Attachment, Event, Message, MessageKind, Piece, Session, ToolCall
from agent_journal.text.dates import parse_time

AGENT = "qwen-code"
_BY_PERSON = (None, "mid_turn_user_message")
_FROM_PERSON = (None, "real_user")
_CONTEXT = ("<system-reminder>", "<qwen:user-prompt-submit-context>")
_SHOWN_WORDS = """
    chat_compression slash_command at_command rewind agent_retry parent_session realtime_message"""
_SHOWN = frozenset(_SHOWN_WORDS.split())
_OWN_WORDS = """
    attribution_snapshot file_history_snapshot session_source session_model agent_bootstrap
    branch_checkpoint goal_state goal_runtime turn_result user_text_elements"""
_OWN = frozenset(_OWN_WORDS.split())
_ARTIFACTS = "session_artifact_"
_TELEMETRY = "qwen-code."
_MAX_REMEMBERED = 2000
_NAMED_RANK = {True: 60, False: 40}
_PROMPT_RANK = 10


class ChatReader(LogReader[Line, State]):
    """Reads a session or a sub-agent."""

    record_type = Line
    state_type = State
    record_starts = ('{"uuid":',)

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self.id = file.session_id or file.name
        self._parent = self.id.rpartition("/")[0]
        self._content: Content | None = None
        self._model: str | None = None  # of a sub-agent, whose lines do not have it

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Yield the pieces of all whole lines."""
        self._content = content
        if self._parent:
            self._model = _started_with(self.file, content)
        yield from super().read(content)

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Return the pieces of one line."""
        self._note(record)
        at = (offset, length)
        if record.type == "user":
            self.mapped("user")
            return self._user(record, at)
        if record.type == "assistant":
            self.mapped("assistant")
            return list(self._assistant(record, at))
        if record.type == "tool_result":
            self.mapped("tool_result")
            return list(self._results(record, at))
        self._bridge(record)
        if record.type == "system":
            return self._system(record, at, line)
        return self._unknown(record.type or "no type", record, at, line)

    def _note(self, record: Line) -> None:
        state = self.state
        if parse_time(record.timestamp) is not None:
            state.started = state.started or record.timestamp
            state.ended = record.timestamp
        state.folder = state.folder or record.cwd
        state.branch = record.git_branch or state.branch
        state.version = record.version or state.version
        state.agent_id = state.agent_id or record.agent_id
        state.agent_name = state.agent_name or record.agent_name
        state.parent = state.parent or record.session_id

    # -- the chain -----------------------------------------------------------------------------

    def _bridge(self, record: Line) -> None:
        """Let the lines that follow this one follow the message before it instead."""
        if record.uuid is not None:
            before = self._follows(record) or ""
            remember(self.state.bridges, record.uuid, before, _MAX_REMEMBERED)

    def _follows(self, record: Line) -> str | None:
        parent = record.parent_uuid
        if parent is None:
            return None
        return self.state.bridges.get(parent, parent) or None

    def _message(self, record: Line, kind: MessageKind, at: tuple[int, int]) -> Message:
        name = record.uuid or f"line-{at[0]}"
        return Message(
            session_id=self.id,
            id=name,
            role="assistant" if kind in ("answer", "error") else "user",
            kind=kind,
            timestamp=parse_time(record.timestamp),
            parent_id=self._follows(record),
            record_ids=(name,),
            offset=at[0],
            length=at[1],
        )

    # -- messages ------------------------------------------------------------------------------

    def _user(self, record: Line, at: tuple[int, int]) -> Iterable[Piece]:
        parts = items(mapping(record.message).get("parts"))
        context = [part for part in parts if _is_context(part)]
        content = Parts([part for part in parts if not _is_context(part)])
        attachments = list(content.attachments)
        for part in context:
            attachments.append(Attachment(kind="context", text=part["text"]))
        kind = self._kind(record)
        if kind == "prompt" or self._parent:
            self.state.title.note_prompt(content.text)
        message = self._message(record, kind, at)
        return (replace(message, text=content.text, attachments=tuple(attachments)),)

    def _kind(self, record: Line) -> MessageKind:
        """Whether the person speaks, or the harness in the person's name."""
        if record.subtype == "notification":
            return "notification"
        is_person = record.subtype in _BY_PERSON and record.provenance in _FROM_PERSON
        if is_person and not self._parent:
            return "prompt"
        return "injected"

    def _assistant(self, record: Line, at: tuple[int, int]) -> Iterator[Piece]:
        content = Parts(mapping(record.message).get("parts"))
        record.model = record.model or self._model
        if record.model and record.model not in self.state.models:
            self.state.models.append(record.model)
        self.state.title.note_answer(content.text)
        message = self._message(record, "answer", at)
        yield replace(
            message,
            text=content.text,
            reasoning=content.thoughts,
            model=record.model,
            usage=usage_of(record, message),
            attachments=tuple(content.attachments),
        )
        for number, value in enumerate(content.calls):
            yield self._call(value, message, number)

    def _call(self, value: dict[str, Any], message: Message, number: int) -> ToolCall:
        name = string(value.get("name"))
        call_id = string(value.get("id")) or f"{message.id}#{number}"
        arguments = mapping(value.get("args"))
        path = first_string(arguments, "file_path", "absolute_path", "path")
        pending = PendingCall(message.id, name, path)
        remember(self.state.pending, call_id, pending, _MAX_REMEMBERED)
        return ToolCall(
            session_id=self.id,
            id=call_id,
            message_id=message.id,
            name=name,
            kind=tool_kind(name),
            title=title_of(arguments.get("description")),
            arguments=as_json(arguments),
            status="running",
            offset=message.offset,
            length=message.length,
        )

    def _results(self, record: Line, at: tuple[int, int]) -> Iterator[Piece]:
        """Yield the results of a line, and what they changed."""
        recorded = mapping(record.tool_call_result)
        for number, part in enumerate(array(mapping(record.message).get("parts"))):
            found = outcome_of(mapping(part), recorded)
            if found is None:
                continue
            path = ("message", "parts", number, *found.path)
            call = replace(
                found.call,
                session_id=self.id,
                result_at=self.quote(found.call.result, at, *path) if found.path else None,
                ended_at=parse_time(record.timestamp),
                record_ids=(record.uuid,) if record.uuid else (),
            )
            yield call
            pending = self.state.pending.pop(call.id, None)
            if pending is not None:
                yield from edit_of(call, pending, recorded.get("resultDisplay"), at[0])
            yield from todos_of(call, recorded.get("resultDisplay"))

    # -- what the harness notes ----------------------------------------------------------------

    def _system(self, record: Line, at: tuple[int, int], line: bytes) -> Iterable[Piece]:
        subtype = record.subtype or "no subtype"
        payload = mapping(record.system_payload)
        if subtype == "ui_telemetry":
            return self._telemetry(record, mapping(payload.get("uiEvent")), at)
        if subtype == "custom_title":
            self.mapped(subtype)
            self._name(payload)
            return ()
        if subtype in _SHOWN:
            self.mapped(subtype)
            text = string(payload.get("rawCommand")) or ""
            return (self._event(subtype, record, at, text=text),)
        if subtype in _OWN or subtype.startswith(_ARTIFACTS):
            self.skipped(subtype, "what the agent notes for itself")
            return ()
        return self._unknown(subtype, record, at, line)

    def _name(self, payload: dict[str, Any]) -> None:
        """Note a title; one of the model never replaces one of the person."""
        title = title_of(payload.get("customTitle"))
        is_by_person = payload.get("titleSource") != "auto"
        if title and (is_by_person or not self.state.is_named_by_person):
            self.state.named = title
            self.state.is_named_by_person = is_by_person

    def _telemetry(
        self, record: Line, event: dict[str, Any], at: tuple[int, int]
    ) -> Iterable[Piece]:
        kind = (string(event.get("event.name")) or "no event").removeprefix(_TELEMETRY)
        if kind == "api_error":
            self.mapped(kind)
            message = self._message(record, "error", at)
            return (replace(message, text=error_of(event)),)
        if kind == "tool_call" and string(event.get("call_id")):
            self.mapped(kind)
            timed = ToolCall(
                session_id=self.id, id=event["call_id"], duration_ms=count(event.get("duration_ms"))
            )
            return (timed,) if event["call_id"] in self.state.pending else ()
        if kind == "api_response" and event.get("subagent_name") and not self._has_file(event):
            self.mapped(f"{kind} of a sub-agent")
            usage = usage_of_response(event, self.id, record)
            return () if usage is None else (usage,)
        self.skipped(kind, "repeats what another line says")
        return ()

    def _has_file(self, event: dict[str, Any]) -> bool:
        """Whether the sub-agent that made a request has a file, which has its usage, too."""
        agent_id = string(event.get("subagent_id"))
        if agent_id is None or self._content is None or self._parent:
            return False
        return self._content.has_sibling(f"../subagents/{self.id}/agent-{agent_id}.jsonl")

    def _unknown(
        self, kind: str, record: Line, at: tuple[int, int], line: bytes
    ) -> Iterable[Piece]:
        self.unknown(kind[:80])
        return (self._event(kind[:80], record, at, raw=line.decode("utf-8", "replace")),)

    def _event(
        self, kind: str, record: Line, at: tuple[int, int], *, text: str = "", raw: Any = None
    ) -> Event:
        return Event(
            session_id=self.id,
            type=kind,
            id=record.uuid,
            text=text,
            raw=raw,
            timestamp=parse_time(record.timestamp),
            offset=at[0],
            length=at[1],
        )

    # -- the session ---------------------------------------------------------------------------

    def sessions(self) -> Iterable[Session]:
        """Return the session, as far as it has been read."""
        state = self.state
        if not self.offset:
            return
        session = Session(
            agent=AGENT,
            id=self.id,
            title=state.named or state.title.text,
            title_rank=self._title_rank(),
            title_source="title" if state.named else state.title.source,
            project_path=state.folder,
            git_branch=state.branch,
            agent_version=state.version,
            models=tuple(state.models),
            started_at=parse_time(state.started),
            ended_at=parse_time(state.ended),
        )
        if self._parent:
            session = replace(
                session,
                parent_id=self._parent,
                parent_call_id=self._parent_call(),
                agent_name=state.agent_name,
            )
        yield session

    def _title_rank(self) -> int:
        if self.state.named:
            return _NAMED_RANK[self.state.is_named_by_person]
        return _PROMPT_RANK if self.state.title.text else 0

    def _parent_call(self) -> str | None:
        """The call that started a sub-agent: its id is the name of the agent and this one."""
        start = f"{self.state.agent_name}-"
        agent_id = self.state.agent_id or ""
        if not agent_id.startswith(start):
            return None
        return agent_id.removeprefix(start) or None


def _started_with(file: FileIdentity, content: Content) -> str | None:
    """The model that a sub-agent was started with, in the file beside its own."""
    name = file.name.rpartition("/")[2].removesuffix(".jsonl")
    data = content.sibling(f"{name}.meta.json")
    if not data:
        return None
    try:
        return string(mapping(decode_document(data)).get("model"))
    except ValueError:
        return None


def _is_context(part: dict[str, Any]) -> bool:
    """Whether a part of a prompt was added by the harness."""
    text = part.get("text")
    return isinstance(text, str) and text.startswith(_CONTEXT)
