"""A session document, whichever era wrote it, as messages and everything around them.

{"version":3,"sessionId":"s","requests":[{"requestId":"request_1","message":{"text":"hi"},"response":[{"value":"Hello"}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec.structs import replace

from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.values import count, items, mapping, string
from agent_journal.connectors.vscode_chat.answer import Answer, Names, Turn, thoughts_of
from agent_journal.connectors.vscode_chat.attachments import (
    KINDS,
    attachment_of,
    variable_kind,
    variables_of,
)
from agent_journal.connectors.vscode_chat.calls import Calls
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.connectors.vscode_chat.states import moment, outcome_of, undone
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.connectors.vscode_chat.usage import usage_of
from agent_journal.model import Attachment, Event, FileEdit, Message, Piece, Session

_MESSAGE_KINDS = frozenset(
    ("text", "agent", "subcommand", "slash", "prompt", "tool", "toolset", "dynamic", "var")
)
_VOTES = {0: "down", 1: "up"}
_KEPT, _UNDONE = 1, 2
_MAX_TITLE = 200


class Conversation:
    """Reads one document. After `pieces`, `sessions` are the sub-agents in it and `times` all its
    moments.
    """

    def __init__(
        self, agent: str, document: dict[str, Any], session_id: str, ledger: Ledger
    ) -> None:
        self.agent = agent
        self.document = document
        self.session_id = session_id
        self.ledger = ledger
        self.requests = [one for one in _list(document.get("requests")) if isinstance(one, dict)]
        self.sessions: list[Session] = []
        self.models: dict[str, None] = {}
        self.times: list[datetime] = []
        self.first_prompt: str | None = None
        self._edits: list[tuple[int, FileEdit]] = []
        self._names, self._calls = Names(), Names()

    def pieces(self) -> Iterator[Piece]:
        """Everything the document says."""
        for number, request in enumerate(self.requests):
            following = self.requests[number + 1] if number + 1 < len(self.requests) else {}
            yield from self._turn(number, request, following)
        yield from self._settled_edits()

    # -- one turn ------------------------------------------------------------------------------

    def _turn(
        self, number: int, request: dict[str, Any], following: dict[str, Any]
    ) -> Iterator[Piece]:
        request_id = self._names.unique(string(request.get("requestId")) or f"request-{number}")
        answer_id = self._names.unique(
            string(request.get("responseId")) or f"{request_id}-response"
        )
        time = self._time(request.get("timestamp"))
        metadata = mapping(mapping(request.get("result")).get("metadata"))
        model = self._model(request, metadata)
        state, stop_reason, error = outcome_of(request)
        is_hidden, undone_after = undone(request)
        turn = Turn(
            self.agent,
            self.session_id,
            request_id,
            answer_id,
            time,
            model,
            "hidden" if is_hidden and state else state,
            stop_reason,
            undone_after,
        )
        yield self._prompt(request, turn, is_hidden)
        later = mapping(mapping(following.get("result")).get("metadata"))
        answer = Answer(
            turn, Calls(metadata, later, state == "cancelled"), self.ledger, self._calls
        )
        answer.read(_response(request), thoughts_of(metadata))
        said = list(answer.pieces())
        done = self._time(mapping(request.get("modelState")).get("completedAt"))
        answered = self._time(request.get("responseTimestamp")) or done
        last = time
        for piece in said:
            if isinstance(piece, Message):
                last = piece.timestamp or answered or last
                name = piece.id if piece.id == answer_id else self._names.unique(piece.id)
                calls = tuple(replace(call, message_id=name) for call in piece.tool_calls)
                piece = replace(piece, id=name, timestamp=last, tool_calls=calls)
            yield piece
        self.sessions += answer.sessions
        self._edits += [(number, edit) for edit in answer.edits]
        yield from usage_of(request, self.session_id, request_id, answer_id, model)
        if error:
            yield Message(
                session_id=self.session_id,
                id=f"{answer_id}-error",
                role="system",
                kind="error",
                text=error,
                timestamp=done or time,
                parent_id=request_id,
                state="hidden" if is_hidden else "failed",
            )
        yield from self._summaries(metadata, turn)
        yield from self._remarks(request, turn)

    def _prompt(self, request: dict[str, Any], turn: Turn, is_hidden: bool) -> Message:
        message = request.get("message")
        text = message if isinstance(message, str) else string(mapping(message).get("text")) or ""
        for part in items(mapping(message).get("parts")):
            kind = string(part.get("kind")) or "?"
            self.ledger.add(
                "mapped" if kind in _MESSAGE_KINDS else "unknown", f"message/{kind[:80]}", 0
            )
        by_system = request.get("isSystemInitiated") is True
        is_action = text_of(request.get("confirmation")) is not None
        if self.first_prompt is None and text.strip() and not by_system:
            self.first_prompt = text.strip().split("\n", 1)[0][:_MAX_TITLE]
        return Message(
            session_id=self.session_id,
            id=turn.request_id,
            role="system" if by_system else "user",
            kind="notification" if by_system else "command" if is_action else "prompt",
            text=text or text_of(request.get("confirmation")) or "",
            timestamp=turn.time,
            attachments=self._attachments(request),
            state="hidden" if is_hidden else None,
        )

    def _attachments(self, request: dict[str, Any]) -> tuple[Attachment, ...]:
        found = []
        for variable in variables_of(request):
            kind = variable_kind(variable)
            attachment = attachment_of(variable)
            if attachment is None:
                self.ledger.add("skipped", f"variable/{kind}", 0, "switched off")
                continue
            self.ledger.add("mapped" if kind in KINDS else "unknown", f"variable/{kind[:80]}", 0)
            found.append(attachment)
        return tuple(dict.fromkeys(found))

    def _model(self, request: dict[str, Any], metadata: dict[str, Any]) -> str | None:
        asked = string(request.get("modelId"))
        # Copilot/gpt-5, openrouter/google/gemini
        model = asked.partition("/")[2] or asked if asked else None
        resolved = string(metadata.get("resolvedModel")) or next(
            (
                string(part.get("resolvedModel"))
                for part in items(request.get("response"))
                if part.get("kind") == "autoModeResolution"
            ),
            None,
        )
        if model in (None, "auto"):
            rounds = (string(one.get("modelId")) for one in items(metadata.get("toolCallRounds")))
            model = resolved or next(filter(None, rounds), None) or model
        if model:
            self.models[model] = None
        return model

    def _summaries(self, metadata: dict[str, Any], turn: Turn) -> Iterator[Piece]:
        """What replaced earlier messages when the context was full."""
        old = metadata.get("summary")
        texts = [text_of(old) or text_of(mapping(old).get("text"))]
        texts += [text_of(summary.get("text")) for summary in items(metadata.get("summaries"))]
        for place, text in enumerate(dict.fromkeys(filter(None, texts))):
            yield Message(
                session_id=self.session_id,
                id=f"{turn.request_id}-summary" + (f"-{place}" if place else ""),
                role="system",
                kind="compaction",
                text=text,
                timestamp=turn.time,
                parent_id=turn.request_id,
            )

    def _remarks(self, request: dict[str, Any], turn: Turn) -> Iterator[Piece]:
        """Votes, follow-up questions and licences of cited code."""
        vote, reason = count(request.get("vote")), string(request.get("voteDownReason"))
        remarks = []
        if vote in _VOTES:
            remarks.append(("vote", _VOTES[vote] + (f": {reason}" if reason else "")))
        followups = [
            text_of(one.get("message")) or text_of(one.get("title"))
            for one in items(request.get("followups"))
        ]
        remarks += [("followups", text)] if (text := "\n".join(filter(None, followups))) else []
        for citation in items(request.get("codeCitations")):
            told = (
                string(citation.get("license")),
                path_of(citation.get("value")),
                string(citation.get("snippet")),
            )
            remarks.append(("codeCitation", "\n".join(filter(None, told))))
        for kind, text in remarks:
            yield Event(session_id=self.session_id, type=kind, text=text, timestamp=turn.time)

    # -- edits ---------------------------------------------------------------------------------

    def _settled_edits(self) -> Iterator[FileEdit]:
        """The edits, each with what the person did with it: that is told by the turns that follow."""
        verdicts: dict[str, list[tuple[int, int]]] = {}
        for number, request in enumerate(self.requests):
            for event in items(request.get("editedFileEvents")):
                path, kind = path_of(event.get("uri")), count(event.get("eventKind"))
                if path is not None and kind in (_KEPT, _UNDONE):
                    verdicts.setdefault(path, []).append((number, kind))
        verdicts = {path: [max(found)] for path, found in verdicts.items()}
        for number, edit in self._edits:
            # Of the same turn, undoing beats keeping
            last = max(verdicts.get(edit.path, ()), default=None)
            last = last if last is not None and last[0] > number else None
            yield replace(
                edit, state=None if last is None else "kept" if last[1] == _KEPT else "undone"
            )

    # -- small things --------------------------------------------------------------------------

    def _time(self, value: Any) -> datetime | None:
        time = moment(value)
        if time is not None:
            self.times.append(time)
        return time


def _response(request: dict[str, Any]) -> list[Any]:
    response = request.get("response")
    return [response] if isinstance(response, str) else _list(response)


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []
