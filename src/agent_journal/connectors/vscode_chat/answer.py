"""One answer: the parts of a `response`, in order, as messages, tool calls, edits, plans, todos and
events.

[{"value":"I will run
it."},{"kind":"toolInvocationSerialized","toolId":"run_in_terminal",…},{"value":"Done."}]
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.values import items, mapping, string
from agent_journal.connectors.vscode_chat.calls import (
    SUBAGENTS,
    Asked,
    Calls,
    is_child,
    model_name,
    plain_id,
    todos_of,
)
from agent_journal.connectors.vscode_chat.notices import (
    EDITS,
    EVENTS,
    SKIPPED,
    edits_of,
    event_text,
)
from agent_journal.connectors.vscode_chat.prose import (
    FENCES,
    Prose,
    markdown,
    reference_text,
    thinking_text,
)
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.connectors.vscode_chat.written import edits_asked
from agent_journal.model import (
    Event,
    FileEdit,
    Message,
    MessageState,
    Piece,
    Plan,
    Session,
    TodoList,
    ToolCall,
)

_MARKDOWN = frozenset(("markdownContent", "markdownVuln"))
# Text goes on across these as if they were not there.
_GLUE = frozenset(
    (
        "codeblockUri",
        "undoStop",
        "textEditGroup",
        "notebookEditGroup",
        "progressMessage",
        "mcpServersStarting",
    )
)
_TOOL = "toolInvocationSerialized"
_HEAD = 16  # letters by which thinking is told to be the beginning of a longer one


class Turn(NamedTuple):
    """What is known of a turn besides its response."""

    agent: str
    session_id: str
    request_id: str
    answer_id: str
    time: datetime | None
    model: str | None
    state: MessageState | None
    stop_reason: str | None
    undone_after: str | None


class Names:
    """Ids given out in a session; one that comes again (a file edited by hand, a repeated turn)
    gets a number.
    """

    def __init__(self) -> None:
        self._seen: dict[str, int] = {}

    def unique(self, name: str) -> str:
        """The name, numbered when it was given out before."""
        number = self._seen[name] = self._seen.get(name, 0) + 1
        unique = name
        while number > 1 and unique in self._seen:
            unique = f"{name}~{number}"
            number += 1
        self._seen.setdefault(unique, 1)
        return unique


class _Segment:
    """A stretch of text and thinking, and the calls that follow it."""

    def __init__(self, is_hidden: bool) -> None:
        self.prose = Prose()
        self.reasoning: list[str] = []
        self.calls: list[ToolCall] = []
        self.is_hidden = is_hidden

    def __bool__(self) -> bool:
        return bool(self.prose or self.reasoning or self.calls)


class _Child:
    """A sub-agent: what it was asked, what it said, what it called."""

    def __init__(self) -> None:
        self.told: dict[str, Any] = {}
        self.calls: list[ToolCall] = []


class Answer:
    """Reads the parts of one response."""

    def __init__(self, turn: Turn, calls: Calls, ledger: Ledger, names: Names) -> None:
        self.turn = turn
        self.calls = calls
        self.ledger = ledger
        self._names = names
        self._shown_edits: list[FileEdit] = []
        self._asked_edits: list[FileEdit] = []
        self.sessions: list[Session] = []
        self._segments = [_Segment(False)]
        self._others: list[Piece] = []
        self._children: dict[str, _Child] = {}
        self._last_agent: str | None = None
        self._call_count = 0
        self._agents: dict[str, str] = {}  # what a sub-agent's calls name it by, and its id here

    def read(self, parts: list[Any], thoughts: list[str]) -> None:
        """Takes the parts in order; `thoughts` is the thinking that the metadata keeps of each
        model call.
        """
        matched = iter(
            self.calls.match(
                [part for part in parts if isinstance(part, dict) and part.get("kind") == _TOOL]
            )
        )
        for part in parts:
            if isinstance(part, str):
                self.ledger.add("mapped", "part/markdown", 0)
                self._text(part)
            elif not isinstance(part, dict):
                self.ledger.add("malformed", "part", 0, "not an object")
            else:
                self._part(part, next(matched) if part.get("kind") == _TOOL else None)
        for asked in self.calls.leftovers():
            self._tool({}, asked)
        self._complete_thoughts(thoughts)

    # -- one part ------------------------------------------------------------------------------

    def _part(self, part: dict[str, Any], asked: Asked | None) -> None:
        kind = part.get("kind")
        if kind is None:
            self._kindless(part)
            return
        if not isinstance(kind, str):
            self._unknown("?", part)
            return
        if kind not in _GLUE and kind not in _MARKDOWN and kind != "inlineReference":
            self._segment.prose.end_paragraph()
        if kind == _TOOL:
            self.ledger.add("mapped", f"part/{kind}", 0)
            self._tool(part, asked)
        elif kind in SKIPPED:
            self.ledger.add("skipped", f"part/{kind}", 0, SKIPPED[kind])
            if (
                kind == "undoStop"
                and self.turn.undone_after
                and part.get("id") == self.turn.undone_after
            ):
                self._segments.append(_Segment(True))
        elif not self._say(kind, part):
            self._unknown(kind, part)

    def _kindless(self, part: dict[str, Any]) -> None:
        if isinstance(part.get("value"), str):
            self.ledger.add("mapped", "part/markdown", 0)
            self._text(part["value"])
        elif "label" in part or "children" in part:
            self.ledger.add("mapped", "part/tree", 0)
            self._event("tree", event_text("tree", part))
        else:
            self._unknown("?", part)

    def _say(self, kind: str, part: dict[str, Any]) -> bool:
        """Takes a part of a kind that says something; False when the kind is not known."""
        if kind in _MARKDOWN:
            self._text(markdown(part))
        elif kind == "inlineReference":
            self._text(reference_text(part))
        elif kind == "thinking":
            self._think(thinking_text(part))
        elif kind == "planReview":
            self._plan(part)
        elif kind == "clearToPreviousToolInvocation":
            self._event(kind, "" if self._segment.calls else self._segment.prose.retract())
        elif kind in EDITS:
            self._shown_edits += edits_of(kind, part, self.turn.session_id, self.turn.request_id)
        elif kind in EVENTS:
            self._event(kind, event_text(kind, part))
        else:
            return False
        self.ledger.add("mapped", f"part/{kind}", 0)
        return True

    def _unknown(self, kind: str, part: dict[str, Any]) -> None:
        self.ledger.add("unknown", f"part/{kind[:80]}", 0)
        raw = msgspec.json.encode(part).decode("utf-8", "replace")
        self._others.append(
            Event(
                session_id=self.turn.session_id,
                type=f"response/{kind}",
                raw=raw,
                timestamp=self.turn.time,
            )
        )

    def _event(self, kind: str, text: str) -> None:
        self._others.append(
            Event(session_id=self.turn.session_id, type=kind, text=text, timestamp=self.turn.time)
        )

    def _plan(self, part: dict[str, Any]) -> None:
        decision = mapping(part.get("data"))
        rejected = decision.get("rejected")
        self._others.append(
            Plan(
                text=text_of(part.get("content")) or "",
                name=text_of(part.get("title")) or self.turn.answer_id,
                session_id=self.turn.session_id,
                approved=not rejected if isinstance(rejected, bool) else None,
                feedback=string(decision.get("feedback")),
                created_at=self.turn.time,
            )
        )

    # -- text ----------------------------------------------------------------------------------

    @property
    def _segment(self) -> _Segment:
        return self._segments[-1]

    def _text(self, text: str) -> None:
        if self._segment.calls and text.strip() and text not in FENCES:
            fence = self._segment.prose.take_fence()  # it was no empty one after all
            self._segments.append(_Segment(self._segment.is_hidden))
            self._segment.prose.add(fence)
        self._segment.prose.add(text)

    def _think(self, text: str) -> None:
        if not text:
            return
        if self._segment.calls:
            self._segments.append(_Segment(self._segment.is_hidden))
        self._segment.reasoning.append(text)

    def _complete_thoughts(self, thoughts: list[str]) -> None:
        """Logs of 1.109 to 1.113 hold thinking as it was half way through; the metadata has all of
        it.
        """
        held = [segment for segment in self._segments if segment.reasoning]
        if not held and thoughts:
            self._segments[0].reasoning = list(thoughts)
        by_start: dict[str, list[str]] = {}
        for whole in thoughts:
            by_start.setdefault(whole[:_HEAD], []).append(whole)
        for segment in held:
            segment.reasoning = [_whole(part, by_start) for part in segment.reasoning]

    # -- tools ---------------------------------------------------------------------------------

    def _tool(self, part: dict[str, Any], asked: Asked | None) -> None:
        turn = self.turn
        spare = f"{turn.answer_id}-call-{self._call_count}"
        self._call_count += 1
        call = self.calls.call(part, asked, turn.session_id, "", spare)
        call = replace(call, id=self._names.unique(call.id))
        data = mapping(part.get("toolSpecificData"))
        parent = string(part.get("subAgentInvocationId")) or (
            self._last_agent if part.get("fromSubAgent") is True else None
        )
        if is_child(part) and parent:
            child = self._children.setdefault(
                self._agents.get(plain_id(parent), plain_id(parent)), _Child()
            )
            child.calls.append(call)
            self._asked_edits += edits_asked(call, turn.request_id)
            return
        if (
            call.name in SUBAGENTS
            or model_name(part) in SUBAGENTS
            or data.get("kind") == "subagent"
        ):
            self._last_agent = call.id
            self._agents[plain_id(string(part.get("toolCallId")) or "")] = call.id
            child = self._children.setdefault(call.id, _Child())
            child.told = {
                **data,
                "arguments": call.arguments,
                "result": string(data.get("result")) or call.result,
            }
            call = replace(call, kind="agent", child_session_id=self._child_id(call.id))
        self._segment.calls.append(call)
        self._asked_edits += edits_asked(call, turn.request_id)
        todos = todos_of(data, call.arguments if call.name == "manage_todo_list" else None)
        if todos is not None:
            self._others.append(
                TodoList(session_id=turn.session_id, origin="todowrite", items=todos, rank=1)
            )

    @property
    def edits(self) -> list[FileEdit]:
        """The edits of the answer: as the model asked for them, and files that are only shown as
        edited.
        """
        asked = {edit.path for edit in self._asked_edits}
        shown = {edit.path: edit for edit in self._shown_edits if edit.path not in asked}
        return [*self._asked_edits, *shown.values()]

    def _child_id(self, call_id: str) -> str:
        return f"{self.turn.session_id}/{call_id}"

    # -- what came of it -----------------------------------------------------------------------

    def pieces(self) -> Iterator[Piece]:
        """The messages of the answer, and everything else in it."""
        said = [segment for segment in self._segments if segment]
        if not said and self.turn.state is not None:
            said = self._segments[:1]  # an answer without a word is still an answer
        for number, segment in enumerate(said, 1):
            yield self._message(segment, number)
        yield from self._others
        for call_id, child in self._children.items():
            yield from self._sub_agent(call_id, child)

    def _message(self, segment: _Segment, number: int) -> Message:
        turn = self.turn
        message_id = turn.answer_id if number == 1 else f"{turn.answer_id}.{number}"
        return Message(
            session_id=turn.session_id,
            id=message_id,
            role="assistant",
            kind="answer",
            text=str(segment.prose),
            reasoning="\n\n".join(segment.reasoning),
            model=turn.model,
            timestamp=next((call.started_at for call in segment.calls if call.started_at), None),
            parent_id=turn.request_id,
            tool_calls=tuple(replace(call, message_id=message_id) for call in segment.calls),
            state="hidden" if segment.is_hidden else turn.state,
            stop_reason=turn.stop_reason,
        )

    def _sub_agent(self, call_id: str, child: _Child) -> Iterator[Piece]:
        told, turn, session_id = child.told, self.turn, self._child_id(call_id)
        asked = _decoded(told.get("arguments"))
        prompt = string(told.get("prompt")) or string(asked.get("prompt")) or ""
        model = string(told.get("modelName"))
        title = string(told.get("description")) or string(asked.get("description"))
        self.sessions.append(
            Session(
                agent=turn.agent,
                id=session_id,
                title=title or prompt[:200] or None,
                title_rank=40,
                title_source="agent",
                parent_id=turn.session_id,
                parent_call_id=call_id,
                started_at=turn.time,
                ended_at=turn.time,
                agent_name=string(told.get("agentName")),
                models=(model,) if model else (),
            )
        )
        if prompt:
            yield Message(
                session_id=session_id,
                id=f"{call_id}-prompt",
                role="user",
                kind="injected",
                text=prompt,
                timestamp=turn.time,
            )
        answer_id = f"{call_id}-answer"
        yield Message(
            session_id=session_id,
            id=answer_id,
            role="assistant",
            kind="answer",
            text=string(told.get("result")) or "",
            model=model,
            timestamp=turn.time,
            tool_calls=tuple(
                replace(call, session_id=session_id, message_id=answer_id) for call in child.calls
            ),
        )


def _whole(part: str, by_start: dict[str, list[str]]) -> str:
    if len(part) < _HEAD:
        return part
    alike = by_start.get(part[:_HEAD], ())[:20]
    return next(
        (whole for whole in alike if len(whole) > len(part) and whole.startswith(part)), part
    )


def _decoded(arguments: Any) -> dict[str, Any]:
    try:
        return mapping(msgspec.json.decode(arguments)) if isinstance(arguments, str) else {}
    except (msgspec.DecodeError, RecursionError):
        return {}


def thoughts_of(metadata: dict[str, Any]) -> list[str]:
    """The thinking of each model call of a turn, where it is readable."""
    texts = (
        thinking_text(mapping(round_.get("thinking")))
        for round_ in items(metadata.get("toolCallRounds"))
    )
    return [text for text in texts if text]
