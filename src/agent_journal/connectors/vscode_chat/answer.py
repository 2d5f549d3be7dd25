"""One answer: the parts of a `response`, in order.

[{"value":"I will run it."},{"kind":"toolInvocationSerialized","toolId":"run_in_terminal",…},
 {"value":"Done."}]

They become messages, tool calls, edits, plans, todos and events.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.values import items, mapping, string
from agent_journal.connectors.vscode_chat.calls import Calls, todos_of
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
from agent_journal.connectors.vscode_chat.requested import TOOL, RequestedCall, is_tool, plain_id
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.connectors.vscode_chat.states import INTERRUPTED
from agent_journal.connectors.vscode_chat.subagents import (
    SubAgent,
    child_session_id,
    starts_sub_agent,
)
from agent_journal.connectors.vscode_chat.turns import Turn, UniqueNames
from agent_journal.connectors.vscode_chat.written import edits_asked
from agent_journal.model import Event, FileEdit, Message, Piece, Plan, Session, TodoList, ToolCall

_MARKDOWN = frozenset(("markdownContent", "markdownVuln"))
_REFERENCE = "inlineReference"
# Text continues across these as if they were not there.
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
_WITHIN_PARAGRAPH = _GLUE | _MARKDOWN | {_REFERENCE}
_HEAD = 16  # characters by which thinking is recognised as the beginning of a longer one


class _Segment:
    """A stretch of text and thinking, and the calls that follow it."""

    def __init__(self, is_hidden: bool) -> None:
        self.prose = Prose()
        self.reasoning: list[str] = []
        self.calls: list[ToolCall] = []
        self.is_hidden = is_hidden

    def __bool__(self) -> bool:
        return bool(self.prose or self.reasoning or self.calls)


class Answer:
    """Reads the parts of one response."""

    def __init__(self, turn: Turn, calls: Calls, ledger: Ledger, names: UniqueNames) -> None:
        self.turn = turn
        self.calls = calls
        self.ledger = ledger
        self._names = names
        self._shown_edits: list[FileEdit] = []
        self._asked_edits: list[FileEdit] = []
        self._segments = [_Segment(is_hidden=False)]
        self._others: list[Piece] = []
        self._sub_agents: dict[str, SubAgent] = {}  # by the id of the call that started them
        self._starting_calls: dict[str, str] = {}  # by the id that a sub-agent's calls name
        self._last_starting_call: str | None = None
        self._call_count = 0

    def read(self, parts: list[Any], thoughts: list[str]) -> None:
        """Read the parts in order.

        `thoughts` is the thinking that the metadata keeps of each model call.
        """
        requested = self.calls.requested
        calls_once = requested.without_repeats(parts)
        repeats = len(parts) - len(calls_once)
        if repeats:
            self.ledger.add("mapped", f"part/{TOOL}", 0, count=repeats)
        matched = iter(requested.match([part for part in calls_once if is_tool(part)]))
        for part in calls_once:
            if is_tool(part):
                asked = next(matched)
                self._segment.prose.end_paragraph()
                self.ledger.add("mapped", f"part/{TOOL}", 0)
                self._tool(part, asked)
            elif isinstance(part, dict):
                self._part(part)
            elif isinstance(part, str):
                self.ledger.add("mapped", "part/markdown", 0)
                self._text(part)
            else:
                self.ledger.add("malformed", "part", 0, "not an object")
        for asked in requested.leftovers():
            self._tool({}, asked)
        self._complete_thoughts(thoughts)
        self._settle_calls()

    # -- one part ------------------------------------------------------------------------------

    def _part(self, part: dict[str, Any]) -> None:
        kind = part.get("kind")
        if kind is None:
            self._kindless(part)
            return
        if not isinstance(kind, str):
            self._unknown("?", part)
            return
        if kind not in _WITHIN_PARAGRAPH:
            self._segment.prose.end_paragraph()
        if kind in SKIPPED:
            self.ledger.add("skipped", f"part/{kind}", 0, SKIPPED[kind])
            if self._begins_undone(kind, part):
                self._segments.append(_Segment(is_hidden=True))
        elif not self._say(kind, part):
            self._unknown(kind, part)

    def _begins_undone(self, kind: str, part: dict[str, Any]) -> bool:
        """Whether a part is the checkpoint to which the person went back."""
        undone_after = self.turn.undone_after
        return kind == "undoStop" and bool(undone_after) and part.get("id") == undone_after

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
        """Read a part of a kind that says something; False if the kind is not known."""
        if kind in _MARKDOWN:
            self._text(markdown(part))
        elif kind == _REFERENCE:
            self._text(reference_text(part))
        elif kind == "thinking":
            self._think(thinking_text(part))
        elif kind == "planReview":
            self._plan(part)
        elif kind == "clearToPreviousToolInvocation":
            self._event(kind, self._retract_text())
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
        self._others.append(
            Event(
                session_id=self.turn.session_id,
                type=f"response/{kind}",
                raw=msgspec.json.encode(part).decode("utf-8", "replace"),
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
            fence = self._segment.prose.take_fence()  # it was not an empty one after all
            self._segments.append(_Segment(self._segment.is_hidden))
            self._segment.prose.add(fence)
        self._segment.prose.add(text)

    def _think(self, text: str) -> None:
        if not text:
            return
        if self._segment.calls:
            self._segments.append(_Segment(self._segment.is_hidden))
        self._segment.reasoning.append(text)

    def _retract_text(self) -> str:
        """Take back the text since the last call, and return it."""
        if self._segment.calls:
            return ""
        return self._segment.prose.retract()

    def _complete_thoughts(self, thoughts: list[str]) -> None:
        """Complete the thinking from the metadata.

        Logs of 1.109 to 1.113 have it as it was half way through.
        """
        thoughtful = [segment for segment in self._segments if segment.reasoning]
        if not thoughtful and thoughts:
            self._segments[0].reasoning = list(thoughts)
        by_start: dict[str, list[str]] = {}
        for thought in thoughts:
            by_start.setdefault(thought[:_HEAD], []).append(thought)
        for segment in thoughtful:
            segment.reasoning = [_completed(part, by_start) for part in segment.reasoning]

    # -- tools ---------------------------------------------------------------------------------

    def _tool(self, part: dict[str, Any], asked: RequestedCall | None) -> None:
        turn = self.turn
        spare_id = f"{turn.answer_id}-call-{self._call_count}"
        self._call_count += 1
        call = self.calls.call(part, asked, turn.session_id, spare_id)
        call = replace(call, id=self._names.unique(call.id))
        self._asked_edits += edits_asked(call, turn.request_id)
        parent = self._parent_of(part)
        if parent is not None:
            self._sub_agents.setdefault(parent, SubAgent()).calls.append(call)
            return
        details = mapping(part.get("toolSpecificData"))
        if starts_sub_agent(call, part, details):
            call = self._start_sub_agent(call, part, details)
        self._segment.calls.append(call)
        todos = todos_of(call, details)
        if todos is not None:
            self._others.append(
                TodoList(session_id=turn.session_id, origin="todowrite", items=todos, rank=1)
            )

    def _parent_of(self, part: dict[str, Any]) -> str | None:
        """The call that started the sub-agent which made this call."""
        named = string(part.get("subAgentInvocationId"))
        if named is None and part.get("fromSubAgent") is True:
            named = self._last_starting_call
        if named is None:
            return None
        return self._starting_calls.get(plain_id(named), plain_id(named))

    def _start_sub_agent(
        self, call: ToolCall, part: dict[str, Any], details: dict[str, Any]
    ) -> ToolCall:
        self._last_starting_call = call.id
        self._starting_calls[plain_id(string(part.get("toolCallId")) or "")] = call.id
        self._sub_agents.setdefault(call.id, SubAgent()).start(call, details)
        return replace(call, kind="agent", child_session_id=child_session_id(self.turn, call.id))

    def _settle_calls(self) -> None:
        """Decide which calls are still running.

        Calls that the answer went on after have ended, whatever became of them. A turn in the
        middle of a call was not interrupted, as far as is known.
        """
        for segment in self._segments[:-1]:
            segment.calls = [_ended(call) for call in segment.calls]
        is_running = any(call.status == "running" for call in self._segment.calls)
        if is_running and self.turn.stop_reason == INTERRUPTED and self.turn.state != "hidden":
            self.turn = self.turn._replace(state=None, stop_reason=None)

    # -- the outcome ---------------------------------------------------------------------------

    @property
    def edits(self) -> list[FileEdit]:
        """The edits as the model asked for them, and files that are only shown as edited."""
        asked = {edit.path for edit in self._asked_edits}
        shown = {edit.path: edit for edit in self._shown_edits if edit.path not in asked}
        return [*self._asked_edits, *shown.values()]

    def sessions(self) -> list[Session]:
        """The sessions of the sub-agents."""
        return [
            sub_agent.session(self.turn, call_id) for call_id, sub_agent in self._sub_agents.items()
        ]

    def pieces(self) -> Iterator[Piece]:
        """The messages of the answer, and everything else in it."""
        segments = [segment for segment in self._segments if segment]
        if not segments and (self.turn.state or self.turn.stop_reason):
            segments = self._segments[:1]  # an answer without a word is still an answer
        for number, segment in enumerate(segments, 1):
            yield self._message(segment, number)
        yield from self._others
        for call_id, sub_agent in self._sub_agents.items():
            yield from sub_agent.messages(self.turn, call_id)

    def _message(self, segment: _Segment, number: int) -> Message:
        turn = self.turn
        message_id = turn.answer_id
        if number > 1:
            message_id += f".{number}"
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


def _ended(call: ToolCall) -> ToolCall:
    if call.status == "running":
        return replace(call, status=None)
    return call


def _completed(part: str, by_start: dict[str, list[str]]) -> str:
    """The thinking that begins with `part`, by the first characters of each."""
    if len(part) < _HEAD:
        return part
    for thought in by_start.get(part[:_HEAD], [])[:20]:
        if len(thought) > len(part) and thought.startswith(part):
            return thought
    return part


def thoughts_of(metadata: dict[str, Any]) -> list[str]:
    """The thinking of each model call of a turn, where it is readable."""
    rounds = items(metadata.get("toolCallRounds"))
    texts = [thinking_text(mapping(round_.get("thinking"))) for round_ in rounds]
    return [text for text in texts if text]
