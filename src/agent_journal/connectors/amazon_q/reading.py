"""Reads a conversation: turns of what was sent and what came back.

{"user":{"content":{"Prompt":{"prompt":"Prune it"}},"timestamp":"…"},
 "assistant":{"ToolUse":{"message_id":"m1","content":"I look.","tool_uses":[{"id":"t1",…}]}},
 "request_metadata":{"model_id":"pear-1","request_start_timestamp_ms":1794000000000}}
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.row_lines import OpenCalls, RowLine, RowsReader, json_column
from agent_journal.connectors.text_editor import edit_by_command
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import array, items, mapping, string
from agent_journal.model import (
    Attachment,
    Event,
    FileEdit,
    Message,
    MessageKind,
    Piece,
    Role,
    Session,
    ToolCall,
)
from agent_journal.text.dates import parse_time

_PROMPT_TITLE_RANK = 10
_BY_THE_PERSON = "> "
_EDITOR = "fs_write"
_RESULTS = ("ToolUseResults", "CancelledToolUses")


class Row(RowLine):
    """The row of a conversation."""

    key: Any = None
    value: Any = None
    created_at: Any = None
    updated_at: Any = None


class _Turn(NamedTuple):
    """A turn of the history, with the kinds and values of its two sides."""

    name: str
    number: int
    user: dict[str, Any]
    sent: tuple[str, dict[str, Any]]
    answer: tuple[str, dict[str, Any]]
    began: datetime | None
    ended: datetime | None
    model: str | None


class ConversationReader(RowsReader[Row]):
    """Reads a conversation."""

    record_type = Row

    def __init__(self, file: FileIdentity, agent: str) -> None:
        super().__init__(file)
        self._agent = agent
        self._row: Row | None = None
        self._calls = OpenCalls()
        self._edits: list[FileEdit] = []
        self._title = SpokenTitle()
        self._models: dict[str, None] = {}
        self._times: list[datetime] = []
        self._messages = 0
        self._place = (0, 0)
        self._has_values = False  # JSON in the line, of which a text can be quoted

    def row(self, row: Row, offset: int, length: int) -> Iterable[Piece] | None:
        """Return the pieces of a conversation."""
        if not row.table.startswith("conversations"):
            return None
        value = json_column(row.value)
        if not isinstance(value, dict):
            raise ValueError("a conversation that is not a JSON object")
        self._row = row
        self._place = (offset, length)
        self._has_values = isinstance(row.value, dict)
        turns = []
        for number, item in enumerate(array(value.get("history"))):
            if isinstance(item, dict):
                turns.append(_turn(item, number))
            else:
                self.ledger.add("malformed", "turn", 0, "not a JSON object")
                self.ledger.trouble(offset, "turn", f"turn {number} is not a JSON object")
        pieces: list[Piece] = [*self._lost(value, turns), *self._summary(value)]
        for turn in turns:
            pieces += self._turn(turn)
        return pieces

    def finished(self) -> Iterable[Piece]:
        """Return the calls with their results, and what they changed."""
        self.completeness = self._messages
        calls = {call.id: call for call in self._calls.all()}
        edits = [
            replace(edit, timestamp=calls[edit.call_id].ended_at)
            for edit in self._edits
            if edit.call_id in calls and calls[edit.call_id].status == "ok"
        ]
        return [*calls.values(), *edits]

    def sessions(self) -> Iterable[Session]:
        """Return the conversation, once it was read."""
        row = self._row
        if row is None:
            return
        yield Session(
            agent=self._agent,
            id=self.id,
            title=self._title.text,
            title_rank=_PROMPT_TITLE_RANK if self._title.text else 0,
            title_source=self._title.source,
            project_path=string(row.key),
            models=tuple(self._models),
            started_at=parse_time(row.created_at) or min(self._times, default=None),
            ended_at=max(self._times, default=parse_time(row.updated_at)),
        )

    # -- what the history does not have ----------------------------------------------------------

    def _lost(self, value: dict[str, Any], turns: list[_Turn]) -> Iterator[Message]:
        """Yield what was trimmed from the history: the transcript still has it as text."""
        said = [string(text) or "" for text in array(value.get("transcript"))]
        places = [at for at, text in enumerate(said) if text.startswith(_BY_THE_PERSON)]
        prompts = [prompt for turn in turns if (prompt := _prompt_of(turn))]
        kept = places[len(places) - len(prompts) :] if len(places) > len(prompts) else []
        spoken = [said[at].removeprefix(_BY_THE_PERSON).strip() for at in kept]
        if not prompts or spoken != [prompt.strip() for prompt in prompts]:
            return
        for number, text in enumerate(said[: kept[0]]):
            is_prompt = text.startswith(_BY_THE_PERSON)
            words = text.removeprefix(_BY_THE_PERSON)
            name = f"transcript-{number}"
            if is_prompt:
                self._title.note_prompt(words)
                yield self._message(name, "user", "prompt", words, None)
            else:
                yield self._message(name, "assistant", "answer", words, None)

    def _summary(self, value: dict[str, Any]) -> Iterator[Message]:
        summary = value.get("latest_summary")
        if isinstance(summary, list):  # with what is known of its request
            summary = next(iter(summary), None)
        text = string(summary)
        if text:
            yield self._message("latest_summary", "system", "compaction", text, None)

    # -- turns -----------------------------------------------------------------------------------

    def _turn(self, turn: _Turn) -> Iterator[Piece]:
        self._times += [when for when in (turn.began, turn.ended) if when is not None]
        if turn.model:
            self._models.setdefault(turn.model)
        yield from self._sent(turn)
        yield from self._answer(turn)

    def _sent(self, turn: _Turn) -> Iterator[Piece]:
        kind, values = turn.sent
        if kind in _RESULTS:
            for number, result in enumerate(array(values.get("tool_use_results"))):
                if isinstance(result, dict):
                    self._result(turn, result, (kind, "tool_use_results", number))
        elif kind != "Prompt":
            yield self._unknown(turn, kind, turn.user.get("content"))
        prompt = _prompt_of(turn)
        pictures = [Attachment(kind="image") for _ in array(turn.user.get("images"))]
        if prompt or pictures:
            self._title.note_prompt(prompt)
            name = f"{turn.name}:user"
            message = self._message(name, "user", "prompt", prompt, turn.began)
            yield replace(message, attachments=tuple(pictures))

    def _answer(self, turn: _Turn) -> Iterator[Piece]:
        kind, values = turn.answer
        if kind not in ("Response", "ToolUse"):
            if kind:
                yield self._unknown(turn, kind, values)
            return
        text = string(values.get("content")) or ""
        self._title.note_answer(text)
        message = self._message(turn.name, "assistant", "answer", text, turn.ended)
        yield replace(message, model=turn.model)
        for number, use in enumerate(items(values.get("tool_uses"))):
            self._use(turn, use, number)

    def _use(self, turn: _Turn, use: dict[str, Any], number: int) -> None:
        name = string(use.get("orig_name")) or string(use.get("name"))
        arguments = mapping(use.get("orig_args")) or mapping(use.get("args"))
        asked = ToolCall(
            session_id=self.id,
            id=string(use.get("id")) or f"{turn.name}#{number}",
            message_id=turn.name,
            name=name,
            kind=tool_kind(name),
            arguments=msgspec.json.encode(arguments).decode(),
            started_at=turn.ended,
            offset=self._place[0],
            length=self._place[1],
        )
        call = self._calls.asked(asked)
        edit = edit_by_command(call, arguments) if name == _EDITOR else None
        if edit is not None:
            self._edits.append(replace(edit, offset=self._place[0]))

    def _result(self, turn: _Turn, result: dict[str, Any], path: tuple[str | int, ...]) -> None:
        content = array(result.get("content"))
        texts = [_text_of(item) for item in content if isinstance(item, dict)]
        quote = None
        is_text = len(content) == 1 and isinstance(mapping(content[0]).get("Text"), str)
        if is_text and self._has_values:
            place = ("value", "history", turn.number, "user", "content", *path)
            quote = self.quote(texts[0], self._place, *place, "content", 0, "Text")
        answer = ToolCall(
            session_id=self.id,
            id=string(result.get("tool_use_id")) or f"{turn.name}#result",
            result="\n".join(texts) if texts else None,
            result_at=quote,
            status="ok" if result.get("status") == "Success" else "error",
            ended_at=turn.began,
        )
        if path[0] == "CancelledToolUses":
            answer = replace(answer, status="interrupted")
        self._calls.answered(answer)

    def _message(
        self, name: str, role: Role, kind: MessageKind, text: str, when: datetime | None
    ) -> Message:
        self._messages += 1
        return Message(
            session_id=self.id,
            id=name,
            role=role,
            kind=kind,
            text=text,
            timestamp=when,
            record_ids=(name,),
            offset=self._place[0],
            length=self._place[1],
        )

    def _unknown(self, turn: _Turn, kind: str, value: Any) -> Event:
        self.ledger.add("unknown", f"turn/{kind}"[:80], 0)
        raw = msgspec.json.encode(value).decode()
        return Event(
            session_id=self.id, type=kind[:80], id=turn.name, raw=raw, timestamp=turn.began
        )


def _turn(item: dict[str, Any], number: int) -> _Turn:
    user = mapping(item.get("user"))
    metadata = mapping(item.get("request_metadata"))
    answer = _tagged(item.get("assistant"))
    began = parse_time(user.get("timestamp"))
    return _Turn(
        name=string(answer[1].get("message_id")) or f"turn-{number}",
        number=number,
        user=user,
        sent=_tagged(user.get("content")),
        answer=answer,
        began=began or parse_time(metadata.get("request_start_timestamp_ms")),
        ended=parse_time(metadata.get("stream_end_timestamp_ms")) or began,
        model=string(metadata.get("model_id")),
    )


def _tagged(value: Any) -> tuple[str, dict[str, Any]]:
    """Return the kind of a value and what it holds: {"Prompt":{"prompt":"…"}}."""
    for kind, inner in mapping(value).items():
        return kind, mapping(inner)
    return "", {}


def _prompt_of(turn: _Turn) -> str:
    return string(turn.sent[1].get("prompt")) or ""


def _text_of(item: dict[str, Any]) -> str:
    if isinstance(item.get("Text"), str):
        return str(item["Text"])
    return msgspec.json.encode(item.get("Json", item)).decode()
