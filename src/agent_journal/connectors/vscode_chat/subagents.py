"""Sub-agents of an answer: each is a session with a prompt, an answer and the calls it made."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.titles import prompt_title
from agent_journal.connectors.values import mapping, string
from agent_journal.connectors.vscode_chat.calls import SUBAGENTS
from agent_journal.connectors.vscode_chat.requested import model_name
from agent_journal.connectors.vscode_chat.turns import Turn
from agent_journal.model import Message, Session, ToolCall


def child_session_id(turn: Turn, call_id: str) -> str:
    """The id of the session of a sub-agent."""
    return f"{turn.session_id}/{call_id}"


def starts_sub_agent(call: ToolCall, part: dict[str, Any], details: dict[str, Any]) -> bool:
    """Whether a call starts a sub-agent."""
    if call.name in SUBAGENTS or model_name(part) in SUBAGENTS:
        return True
    return details.get("kind") == "subagent"


class SubAgent:
    """What a sub-agent was asked, what it answered, and its calls."""

    def __init__(self) -> None:
        self.calls: list[ToolCall] = []
        self._details: dict[str, Any] = {}
        self._arguments: dict[str, Any] = {}
        self._result = ""

    def start(self, call: ToolCall, details: dict[str, Any]) -> None:
        """Remember what the call that started the sub-agent says."""
        self._details = details
        self._arguments = _decoded(call.arguments)
        self._result = string(details.get("result")) or call.result or ""

    @property
    def _prompt(self) -> str:
        return string(self._details.get("prompt")) or string(self._arguments.get("prompt")) or ""

    @property
    def _model(self) -> str | None:
        return string(self._details.get("modelName"))

    def session(self, turn: Turn, call_id: str) -> Session:
        """The session of the sub-agent."""
        title = string(self._details.get("description")) or string(
            self._arguments.get("description")
        )
        models: tuple[str, ...] = ()
        if self._model is not None:
            models = (self._model,)
        return Session(
            agent=turn.agent,
            id=child_session_id(turn, call_id),
            title=title or prompt_title(self._prompt),
            title_rank=40,
            title_source="agent",
            parent_id=turn.session_id,
            parent_call_id=call_id,
            started_at=turn.time,
            ended_at=turn.time,
            agent_name=string(self._details.get("agentName")),
            models=models,
        )

    def messages(self, turn: Turn, call_id: str) -> Iterator[Message]:
        """The prompt of the sub-agent and its answer."""
        session_id = child_session_id(turn, call_id)
        if self._prompt:
            yield Message(
                session_id=session_id,
                id=f"{call_id}-prompt",
                role="user",
                kind="injected",
                text=self._prompt,
                timestamp=turn.time,
            )
        answer_id = f"{call_id}-answer"
        calls = [replace(call, session_id=session_id, message_id=answer_id) for call in self.calls]
        yield Message(
            session_id=session_id,
            id=answer_id,
            role="assistant",
            kind="answer",
            text=self._result,
            model=self._model,
            timestamp=turn.time,
            tool_calls=tuple(calls),
        )


def _decoded(arguments: str | None) -> dict[str, Any]:
    if arguments is None:
        return {}
    try:
        return mapping(msgspec.json.decode(arguments))
    except (msgspec.DecodeError, RecursionError):
        return {}
