"""What the messages of a session say, wherever they are kept: rows, files or an export."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.opencode.calls import (
    called_todos,
    file_edits,
    result_path,
    tool_call,
)
from agent_journal.connectors.opencode.parts import Part, Parts, joined
from agent_journal.connectors.opencode.tokens import usages
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import items, mapping, string, title_of
from agent_journal.model import Event, Message, MessageKind, Piece, Quote, Role, Session
from agent_journal.text.dates import parse_time

_DEFAULT_TITLE = re.compile(r"(?:New|Child) session - \d{4}-\d\d-\d\dT")
_TITLE_RANK = 40
_PROMPT_TITLE_RANK = 10
_BY_THE_PERSON = "The following tool was executed by the user"
_ABORTED = "MessageAbortedError"
_ONE_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*"\s*', re.DOTALL)


class Place(NamedTuple):
    """Where a message is in the file, and how a text in it is quoted."""

    offset: int | None = None
    length: int | None = None
    quote: Callable[[str | None, tuple[str | int, ...] | None], Quote | None] | None = None


class Turn(NamedTuple):
    """A message that is being read."""

    id: str
    info: dict[str, Any]
    parts: Parts
    when: datetime | None
    at: Place


class Conversation:
    """Reads the messages of one session, one after the other."""

    def __init__(self, agent: str, session_id: str) -> None:
        self.agent = agent
        self.session_id = session_id
        self.messages = 0
        self._session: dict[str, Any] = {}
        self._agent_name: str | None = None
        self._models: dict[str, None] = {}
        self._times: list[datetime] = []
        self._title = SpokenTitle()
        self._is_reverted = False
        self._shell_lines: set[str] = set()  # messages with a command that the person ran

    def note_session(self, values: dict[str, Any]) -> None:
        """Take what is said about the session: the columns of its row, or its document."""
        time = mapping(values.get("time"))
        self._session = {
            "parent_id": values.get("parentID"),
            "time_created": time.get("created"),
            "time_updated": time.get("updated"),
            **values,
        }

    # -- messages ------------------------------------------------------------------------------

    def read(
        self, message_id: str, info: dict[str, Any], parts: list[Part], at: Place
    ) -> Iterator[Piece]:
        """Yield the pieces of a message; ValueError if it is of an unknown role."""
        role = info.get("role")
        if role not in ("user", "assistant"):
            raise ValueError(f"a message of the role {str(role)[:40]!r}")
        revert = mapping(self._session.get("revert"))
        is_first_reverted = message_id == revert.get("messageID")
        if is_first_reverted and not revert.get("partID"):
            self._is_reverted = True
        when = parse_time(mapping(info.get("time")).get("created"))
        self._note_times(info, when)
        self._agent_name = string(info.get("agent")) or self._agent_name
        turn = Turn(message_id, info, Parts(parts), when, at)
        if role == "user":
            yield from self._from_user(turn)
        else:
            yield from self._from_assistant(turn)
        yield from self._events(turn)
        if is_first_reverted:
            self._is_reverted = True

    def _from_user(self, turn: Turn) -> Iterator[Piece]:
        parts = turn.parts
        text = joined(parts.texts)
        if any(_BY_THE_PERSON in injected for injected in parts.injected):
            self._shell_lines.add(turn.id)
        if text or parts.attachments:
            yield self._prompt(turn, text)
        for subtask in parts.subtasks:
            command = string(subtask.values.get("command"))
            asked = string(subtask.values.get("prompt")) or ""
            message = self._message(turn, "user", "command", subtask.id)
            yield replace(message, text=f"/{command}" if command else asked)
        injected = joined(parts.injected)
        if injected:
            name = turn.id if not text else f"{turn.id}:injected"
            yield replace(self._message(turn, "user", "injected", name), text=injected)

    def _prompt(self, turn: Turn, text: str) -> Message:
        kind: MessageKind = "prompt"
        if self._session.get("parent_id"):
            kind = "injected"  # the agent that started this one wrote it
        if self._is_headless() and _ONE_QUOTED.fullmatch(text):
            text = _unquoted(text)
        if not self._is_reverted:
            self._title.note_prompt(text)
        message = self._message(turn, "user", kind)
        return replace(message, text=text, attachments=tuple(turn.parts.attachments))

    def _from_assistant(self, turn: Turn) -> Iterator[Piece]:
        parts, info = turn.parts, turn.info
        model = string(info.get("modelID"))
        if model:
            self._models.setdefault(model)
        kind: MessageKind = "answer"
        role: Role = "assistant"
        if info.get("summary") is True:
            kind = "compaction"
        elif info.get("parentID") in self._shell_lines and parts.tools:
            kind, role = "shell", "user"
        text = joined(parts.texts)
        if kind == "answer" and not self._is_reverted:
            self._title.note_answer(text)
        if kind == "shell":
            text = text or _command_of(parts.tools[0])
        message = self._message(turn, role, kind)
        if kind != "shell":
            reason = string(info.get("finish"))
            message = replace(message, model=model, stop_reason=reason)
        yield replace(
            message,
            text=text,
            reasoning=joined(parts.reasoning),
            attachments=tuple(parts.attachments),
        )
        for part in parts.tools:
            yield from self._call(turn, part)
        yield from usages(self.session_id, turn.id, info, parts.steps)
        yield from self._error(turn)

    def _call(self, turn: Turn, part: Part) -> Iterator[Piece]:
        call = tool_call(part, self.session_id, turn.id)
        for when in (call.started_at, call.ended_at):
            self._note_time(when)
        at = turn.at
        path = result_path(part)
        result_at = at.quote(call.result, path) if at.quote is not None and path else None
        yield replace(call, result_at=result_at, offset=at.offset, length=at.length)
        for edit in file_edits(call, part):
            yield replace(edit, offset=at.offset)
        todos = called_todos(call, part)
        if todos is not None:
            yield todos

    def _error(self, turn: Turn) -> Iterator[Piece]:
        error = mapping(turn.info.get("error"))
        name = string(error.get("name"))
        if name is None:
            return
        kind: MessageKind = "interrupt" if name == _ABORTED else "error"
        text = string(mapping(error.get("data")).get("message"))
        message = self._message(turn, "system", kind, f"{turn.id}:error")
        yield replace(message, text=": ".join(filter(None, (name, text))))

    def _events(self, turn: Turn) -> Iterator[Event]:
        parts = turn.parts
        for part in (*parts.retries, *parts.compactions, *parts.others):
            raw = None
            if part in parts.others:
                raw = msgspec.json.encode(part.values).decode()
            error = mapping(mapping(part.values.get("error")).get("data"))
            yield Event(
                session_id=self.session_id,
                type=str(part.values.get("type"))[:80],
                id=part.id,
                text=string(error.get("message")) or "",
                raw=raw,
                timestamp=turn.when,
                offset=turn.at.offset,
                length=turn.at.length,
            )

    def _message(
        self, turn: Turn, role: Role, kind: MessageKind, name: str | None = None
    ) -> Message:
        self.messages += 1
        return Message(
            session_id=self.session_id,
            id=name or turn.id,
            role=role,
            kind=kind,
            timestamp=turn.when,
            parent_id=string(turn.info.get("parentID")),
            record_ids=(turn.id,),
            state="hidden" if self._is_reverted else None,
            offset=turn.at.offset,
            length=turn.at.length,
        )

    # -- the session ---------------------------------------------------------------------------

    def _is_headless(self) -> bool:
        """Whether the session may not ask: then its prompt was an argument of the command."""
        rules: Iterable[dict[str, Any]] = items(self._session.get("permission"))
        return any(
            rule.get("permission") == "question" and rule.get("action") == "deny" for rule in rules
        )

    def _note_times(self, info: dict[str, Any], when: datetime | None) -> None:
        self._note_time(when)
        self._note_time(parse_time(mapping(info.get("time")).get("completed")))

    def _note_time(self, when: datetime | None) -> None:
        if when is not None:
            self._times.append(when)

    def session(self) -> Session:
        """Return what is known of the session."""
        values = self._session
        parent = string(values.get("parent_id"))
        first = min(self._times, default=None)
        last = max(self._times, default=parse_time(values.get("time_updated")))
        agent_name = string(values.get("agent")) or self._agent_name
        session = Session(
            agent=self.agent,
            id=self.session_id,
            project_path=string(values.get("directory")),
            agent_version=string(values.get("version")),
            models=tuple(self._models),
            started_at=parse_time(values.get("time_created")) or first,
            ended_at=last,
            parent_id=parent,
            agent_name=agent_name if parent else None,
        )
        title = title_of(values.get("title"))
        if title and not _DEFAULT_TITLE.match(title):
            return replace(session, title=title, title_rank=_TITLE_RANK, title_source="title")
        if self._title.text is None:
            return session
        return replace(
            session,
            title=self._title.text,
            title_rank=_PROMPT_TITLE_RANK,
            title_source=self._title.source,
        )


def _unquoted(text: str) -> str:
    """Return an argument of `opencode run`, which is stored in quotation marks."""
    return text.strip()[1:-1].replace('\\"', '"')


def _command_of(part: Part) -> str:
    arguments = mapping(mapping(part.values.get("state")).get("input"))
    return string(arguments.get("command")) or ""
