"""A session as a chat of VS Code: the document that versions 1.95 to 1.130 and later import.

{"version":3,"requesterUsername":"user","responderUsername":"Claude Code","sessionId":"…",
 "requests":[{"requestId":"request_…","message":{"text":"hi","parts":[…]},"response":[{"value":"Hello"}],"modelState":{"value":1}}]}
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from datetime import datetime
from typing import Any

from msgspec.structs import asdict

from agent_journal.connectors.vscode_chat.usage import CONVERTED
from agent_journal.convert.accounting import Account, Verdict
from agent_journal.convert.target import Converted, NewFile, NewIdentity
from agent_journal.convert.vscode import field_rules, usage
from agent_journal.convert.vscode.answer import Answer
from agent_journal.convert.vscode.family import Family
from agent_journal.convert.vscode.parts import message_of, milliseconds, variable_of
from agent_journal.convert.vscode.turns import Turn, turns_of
from agent_journal.export.names import file_name
from agent_journal.model import Message, Session, Usage
from agent_journal.text.plain import one_line

_COMPLETE, _CANCELLED, _FAILED = 1, 2, 3
_CONTINUED = "(continued)"  # VS Code has no answer without a prompt


def write_document(family: Sequence[Session], fresh: NewIdentity) -> Converted:
    """The session (first) and its sub-agents as one document."""
    account = Account()
    document = _Writer(family, fresh, account).document()
    name = file_name(family[0].title, fresh.session_id, ".json", set())
    return Converted(fresh.session_id, (NewFile(name, encoded(document)),), account.losses)


def encoded(document: dict[str, Any]) -> bytes:
    """A document as VS Code writes it."""
    return json.dumps(document, ensure_ascii=False, separators=(",", ":")).encode(
        "utf-8", "replace"
    )


def head_of(
    fresh: NewIdentity, responder: str, title: str | None, created: datetime, last: datetime
) -> dict[str, Any]:
    """Everything of a document but its turns."""
    head: dict[str, Any] = {
        "version": 3,
        "requesterUsername": "user",
        "responderUsername": responder,
        "initialLocation": "panel",
        "sessionId": fresh.session_id,
        "creationDate": milliseconds(created),
        "lastMessageDate": milliseconds(last),
        "isImported": False,
    }
    if title:
        head["customTitle"] = title
    return head


class _Writer:
    def __init__(self, family: Sequence[Session], fresh: NewIdentity, account: Account) -> None:
        self.session = family[0]
        self.fresh = fresh
        self.account = account
        self.turns = turns_of(self.session.messages) or [Turn(None)]
        self.usage = usage.by_turn(self.session, self.turns)
        self.family = Family(family, account)
        self.times = [time for turn in self.turns for time in turn.times]
        default = self.session.ended_at or fresh.now
        self.created = self.session.started_at or min(self.times, default=default)
        self.last: datetime | None = None

    def document(self) -> dict[str, Any]:
        """The whole chat."""
        session = self.session
        aside = self.account.add("session", session, field_rules.SESSION)
        for message in session.messages:
            if message.kind == "system_prompt":
                self.account.add("messages", message, field_rules.SYSTEM_PROMPT)
        for event in session.events:
            self.account.add("events", event, field_rules.EVENT)
        for document in session.documents:
            self.account.add("documents", document, field_rules.DOCUMENT)
        requests = [self._request(number, turn) for number, turn in enumerate(self.turns)]
        requests[0]["result"]["metadata"][CONVERTED]["about"] = aside
        last = session.ended_at or max(self.times, default=self.created)
        title = one_line(session.title, 200) or None
        return {
            **head_of(self.fresh, _responder(session.agent), title, self.created, last),
            "requests": requests,
        }

    # -- one turn ------------------------------------------------------------------------------

    def _request(self, number: int, turn: Turn) -> dict[str, Any]:
        is_last = number == len(self.turns) - 1
        answer = Answer(self.family, self.session, is_undone=turn.is_undone)
        request_id = f"request_{self.fresh.new_id()}"
        variables = self._prompt(turn, answer)
        error = _error(turn)
        for message in turn.replies:
            answer.add_message(message, is_error_of_turn=message is error)
        if turn.prompt is not None:
            answer.add_edits(turn.prompt)
        if is_last:
            answer.finish()
        rows = [*self.usage[number], *answer.usage]
        model = usage.model_of(turn.replies)
        begun = turn.prompt.timestamp if turn.prompt else min(turn.times, default=None)
        before = self.last
        self.last = max(turn.times, default=self.last)
        request: dict[str, Any] = {
            "requestId": request_id,
            "message": message_of(turn.prompt.text if turn.prompt else _CONTINUED),
            "variableData": {"variables": variables},
            "response": answer.parts.all,
            "responseId": f"response_{self.fresh.new_id()}",
            "result": self._result(turn, answer, rows, begun),
            "isCanceled": _state(turn) == _CANCELLED,
            "agent": agent_of(_responder(self.session.agent)),
            "timestamp": milliseconds(begun or before or self.created),
            "followups": [],
            "contentReferences": [],
            "codeCitations": [],
        }
        if turn.replies or turn.prompt is None:
            request["modelState"] = {"value": _state(turn)}
            if self.last is not None:
                request["modelState"]["completedAt"] = milliseconds(self.last)
        if model:
            request["modelId"] = f"{self.session.agent}/{model}"
        if turn.is_undone:
            request["shouldBeRemovedOnSend"] = {"requestId": request_id}
        return {**request, **usage.totals(rows)}

    def _prompt(self, turn: Turn, answer: Answer) -> list[dict[str, Any]]:
        """What came with the prompt; its calls (a person's own `!ls`) are shown in the answer."""
        prompt = turn.prompt
        if prompt is None:
            return []
        exceptions: dict[str, Verdict] = {
            "reasoning": field_rules.QUOTE,
            "model": field_rules.ASIDE,
        }
        answer.keep(self.account.add("messages", prompt, field_rules.MESSAGE, exceptions))
        answer.add_calls(prompt, is_of_model=False)
        for attachment in prompt.attachments:
            self.account.add("attachments", attachment, field_rules.ATTACHMENT)
        return [
            variable_of(attachment, number)
            for number, attachment in enumerate(prompt.attachments, 1)
        ]

    def _result(
        self, turn: Turn, answer: Answer, rows: list[Usage], begun: datetime | None
    ) -> dict[str, Any]:
        result: dict[str, Any] = {}
        error = _error(turn)
        if error is not None:
            result["errorDetails"] = {"message": error.text}
        times = [message.timestamp for message in turn.replies if message.timestamp is not None]
        if begun is not None and times:
            result["timings"] = {
                "firstProgress": _elapsed(begun, min(times)),
                "totalElapsed": _elapsed(begun, max(turn.times)),
            }
        details = usage.details(rows, usage.model_of(turn.replies))
        if details:
            result["details"] = details
        converted: dict[str, Any] = {
            "madeBy": self.fresh.made_by,
            "agent": self.session.agent,
            "session": self.session.id,
            **answer.kept,
        }
        if rows:
            converted["usage"] = [self._usage(row) for row in rows]
        result["metadata"] = {CONVERTED: converted}
        if answer.rounds:
            result["metadata"] |= {
                "toolCallRounds": answer.rounds,
                "toolCallResults": answer.results,
            }
        return result

    def _usage(self, row: Usage) -> dict[str, Any]:
        self.account.add("usage", row, field_rules.USAGE)
        plain = {name: value for name, value in asdict(row).items() if value is not None}
        del plain["session_id"]
        plain.pop("message_id", None)
        if row.timestamp is not None:
            plain["timestamp"] = milliseconds(row.timestamp)
        return plain


def agent_of(name: str) -> dict[str, Any]:
    """The participant of a turn.

    VS Code hands a turn's tool history on only if the turn is of Copilot's agent; 1.104 knows it
    by this id alone. The name is what is shown above the answer.
    """
    return {
        "id": "github.copilot.editsAgent",
        "name": "agent",
        "fullName": name,
        "extensionId": {"value": "GitHub.copilot-chat", "_lower": "github.copilot-chat"},
        "metadata": {},
        "slashCommands": [],
        "disambiguation": [],
        "locations": ["panel"],
    }


def _state(turn: Turn) -> int:
    states = {message.state for message in turn.replies}
    last = turn.replies[-1] if turn.replies else None
    if "cancelled" in states or (last is not None and last.kind == "interrupt"):
        return _CANCELLED
    if "failed" in states or _error(turn) is not None:
        return _FAILED
    return _COMPLETE


def _error(turn: Turn) -> Message | None:
    """The error a turn ended with: VS Code shows it below the answer."""
    if not turn.replies:
        return None
    last = turn.replies[-1]
    if last.kind != "error" or not last.text or last.state == "hidden" or last.is_branch:
        return None
    return last


def _elapsed(start: datetime, end: datetime) -> int:
    return max(0, milliseconds(end) - milliseconds(start))


def _responder(agent: str) -> str:
    from agent_journal.connectors import get_connector

    try:
        return one_line(get_connector(agent).title, 80) or agent
    except Exception:  # a connector of another package may be gone or broken
        return agent
