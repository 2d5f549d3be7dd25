"""A session of Factory Droid, line by line.

{"type":"session_start","id":"ae72c339-…","title":"Rename the rose.","cwd":"/home/sam/garden",…}
{"type":"message","id":"42845790-…","parentId":"…","timestamp":"…","message":{"role":"user",…}}
{"type":"message","id":"76870886-…","parentId":"42845790-…","message":{"role":"assistant",…},…}
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.droid.calls import calls_of, result_of
from agent_journal.connectors.droid.edits import RequestedEdit
from agent_journal.connectors.placed_log import PlacedLogReader, with_spoken_title
from agent_journal.connectors.recognition import stem
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import array, items, mapping, string, title_of
from agent_journal.model import Attachment, MessageKind, Piece, Session, Todo, Withdrawal
from agent_journal.text.dates import parse_time

_CONTEXT = "context-"  # begins the id of what the agent puts before a prompt
_REMINDER = "<system-reminder>"
_LONGEST_EARLY = 2**20  # bytes of an answer that may be moved behind its prompt
_CUSTOM_RANK = 50
_GENERATED_RANK = 40
_PROMPT_RANK = 5  # the first prompt cut off: the whole one is better


class Line(msgspec.Struct, rename="camel"):
    """The fields of a line that are read."""

    type: str = ""
    id: str | None = None
    parent_id: str | None = None
    timestamp: Any = None
    message: Any = None
    model_id: str | None = None
    openai_message_id: str | None = None
    title: str | None = None
    session_title: str | None = None
    is_session_title_manually_set: bool = False
    cwd: str | None = None
    parent: str | None = None
    forked_at_message_id: str | None = None
    reason: str | None = None


class EarlyAnswer(msgspec.Struct):
    """An answer that stands before its prompt in the file."""

    id: str
    prompt_id: str
    record: Line
    place: tuple[int, int]


class State(msgspec.Struct, omit_defaults=True):
    """What must be known to continue later."""

    id: str | None = None
    title: str | None = None
    title_rank: int = 0
    cwd: str | None = None
    origin: str | None = None  # the session that this one was forked from
    copied_until: str | None = None  # the last message that a fork copied, until it is read
    started: datetime | None = None
    ended: datetime | None = None
    models: list[str] = []
    spoken: SpokenTitle = msgspec.field(default_factory=SpokenTitle)
    edits: dict[str, RequestedEdit] = {}
    todos: dict[str, list[Todo]] = {}
    early: EarlyAnswer | None = None


class SessionReader(PlacedLogReader[Line, State]):
    """Reads a session."""

    record_type = Line
    state_type = State
    is_ranked_by_bytes = True
    record_starts = ('{"type":',)

    @property
    def id(self) -> str:
        """The id of the session, by the name of the file or by its first line."""
        return self.file.session_id or self.state.id or stem(self.file.name)

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """The pieces of one line."""
        timestamp = parse_time(record.timestamp)
        self.begin(offset, length, timestamp, record.id)
        state = self.state
        if state.copied_until is None:  # a fork begins behind what it copied
            state.started = state.started or timestamp
        state.ended = timestamp or state.ended
        if record.type == "message":
            return self._in_order(record, line)
        if record.type == "session_start":
            return self._start(record)
        if record.type == "agent_turn_outcome":
            self.mapped(record.type)
            return (self.event(record.type, record.reason or ""),)
        if record.type in ("todo_state", "compaction_state"):
            self.mapped(record.type)
            return (self.event(record.type, raw=line.decode("utf-8", "replace")),)
        return self.unknown_event(record.type, line)

    def _start(self, record: Line) -> Iterable[Piece]:
        self.mapped("session_start")
        state = self.state
        state.id = state.id or record.id
        state.cwd = string(record.cwd)
        state.origin = string(record.parent)
        state.copied_until = string(record.forked_at_message_id)
        state.title = title_of(record.session_title) or title_of(record.title)
        state.title_rank = _PROMPT_RANK
        if record.session_title:
            state.title_rank = _GENERATED_RANK
        if record.is_session_title_manually_set:
            state.title_rank = _CUSTOM_RANK
        return ()

    # -- messages ------------------------------------------------------------------------------

    def _in_order(self, record: Line, line: bytes) -> Iterable[Piece]:
        """The pieces of a message; an answer that came too early comes again after its prompt."""
        state = self.state
        early = state.early
        state.early = None
        if early is None or record.id != early.prompt_id:
            pieces = list(self._message(record))
            self._note_early(record, line)
            return pieces
        prompt = list(self._message(replace(record, parent_id=f"{_CONTEXT}{record.id}")))
        answer = early.record
        self.begin(*early.place, parse_time(answer.timestamp), early.id)
        taken_back = Withdrawal(session_id=self.id, message_id=early.id)
        return [*prompt, taken_back, *self._message(replace(answer, parent_id=record.id))]

    def _note_early(self, record: Line, line: bytes) -> None:
        """Remember an answer to what was put before a prompt: the prompt may come next."""
        parent_id = record.parent_id or ""
        is_answer = mapping(record.message).get("role") == "assistant"
        is_early = is_answer and parent_id.startswith(_CONTEXT) and record.id is not None
        if is_early and len(line) <= _LONGEST_EARLY and _can_be_saved(record):
            prompt_id = parent_id.removeprefix(_CONTEXT)
            self.state.early = EarlyAnswer(str(record.id), prompt_id, record, self.place)

    def _message(self, record: Line) -> Iterable[Piece]:
        message = mapping(record.message)
        content = message.get("content")
        blocks = items(content)
        if isinstance(content, str):
            blocks = [{"type": "text", "text": content}]
        self.mapped("message")
        if record.id == self.state.copied_until:
            self.state.copied_until = None
        if message.get("role") == "assistant":
            return self._answer(record, blocks)
        results = [
            piece
            for number, block in enumerate(array(content))
            if mapping(block).get("type") == "tool_result"
            for piece in result_of(self, block, number)
        ]
        said = [block for block in blocks if block.get("type") != "tool_result"]
        if said or not results:
            return (*results, self._said(record, said))
        return results

    def _said(self, record: Line, blocks: list[dict[str, Any]]) -> Piece:
        """What the person said, or what the agent added."""
        is_added = self.record_id.startswith(_CONTEXT)
        texts: list[str] = []
        attachments: list[Attachment] = []
        for block in blocks:
            text = string(block.get("text")) or ""
            if block.get("type") != "text":
                attachments.append(Attachment(kind=string(block.get("type")) or "block"))
            elif text.startswith(_REMINDER) and not is_added:
                attachments.append(Attachment(kind="context", text=text))
            else:
                texts.append(text)
        kind: MessageKind = "prompt"
        if is_added or mapping(record.message).get("visibility") == "llm_only":
            kind = "injected"
        text = "\n\n".join(texts)
        if kind == "prompt":
            self.state.spoken.note_prompt(text)
        parent_id = record.parent_id
        return self.message("user", kind, text, attachments=tuple(attachments), parent_id=parent_id)

    def _answer(self, record: Line, blocks: list[dict[str, Any]]) -> Iterable[Piece]:
        model = record.model_id
        if model and model not in self.state.models:
            self.state.models.append(model)
        texts = [string(block.get("text")) for block in blocks if block.get("type") == "text"]
        thoughts = [
            string(block.get("thinking")) for block in blocks if block.get("type") == "thinking"
        ]
        text = "\n\n".join(filter(None, texts))
        self.state.spoken.note_answer(text)
        answer = self.message(
            "assistant",
            "answer",
            text,
            reasoning="\n\n".join(filter(None, thoughts)),
            model=model,
            parent_id=record.parent_id,
            api_id=record.openai_message_id,
        )
        return (answer, *calls_of(self, blocks))

    # -- the session ---------------------------------------------------------------------------

    def sessions(self) -> Iterable[Session]:
        """The session, as far as it has been read."""
        state = self.state
        if not self.offset:
            return
        session = Session(
            agent="droid",
            id=self.id,
            project_path=state.cwd,
            models=tuple(state.models),
            started_at=state.started,
            ended_at=state.ended,
            fork_of=state.origin,
        )
        if state.title and state.title_rank > _PROMPT_RANK:
            yield replace(
                session, title=state.title, title_rank=state.title_rank, title_source="title"
            )
        elif state.title and state.spoken.text is None:
            yield replace(session, title=state.title, title_rank=_PROMPT_RANK, title_source="title")
        else:
            yield with_spoken_title(session, state.spoken)


def _can_be_saved(record: Line) -> bool:
    """Whether a line can be part of the state: it has no number of more than 64 bits."""
    try:
        msgspec.msgpack.encode(record)
    except OverflowError:
        return False
    return True
