"""A session document, of any version of VS Code, as messages and everything around them.

{"version":3,"sessionId":"s","requests":[
  {"requestId":"request_1","message":{"text":"hi"},"response":[{"value":"Hello"}]}]}
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from msgspec import Raw
from msgspec.structs import replace

from agent_journal.connectors.ledger import Ledger, Status
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import array, count, items, mapping, string
from agent_journal.connectors.vscode_chat.answer import Answer, thoughts_of
from agent_journal.connectors.vscode_chat.attachments import (
    KINDS,
    attachment_of,
    variable_kind,
    variables_of,
)
from agent_journal.connectors.vscode_chat.calls import Calls
from agent_journal.connectors.vscode_chat.changes import Verdict
from agent_journal.connectors.vscode_chat.context import attached_texts, with_texts
from agent_journal.connectors.vscode_chat.packed import each_request
from agent_journal.connectors.vscode_chat.results import text_of
from agent_journal.connectors.vscode_chat.states import moment, outcome_of, rollback_of
from agent_journal.connectors.vscode_chat.turns import Turn, UniqueNames
from agent_journal.connectors.vscode_chat.uris import path_of
from agent_journal.connectors.vscode_chat.usage import usage_of
from agent_journal.model import (
    Attachment,
    Event,
    FileEdit,
    Message,
    MessageKind,
    Piece,
    Session,
)

_MESSAGE_KINDS = frozenset(
    ("text", "agent", "subcommand", "slash", "prompt", "tool", "toolset", "dynamic", "var")
)
_VOTES = {0: "down", 1: "up"}
_VERDICTS: dict[int | None, Verdict] = {1: "kept", 2: "undone"}


class Conversation:
    """Reads one document.

    After `pieces`, `sessions` has the sub-agents in it, `times` all its times, and `spoken_title`
    the title from what was said.
    """

    def __init__(
        self, agent: str, document: dict[str, Any], session_id: str, ledger: Ledger
    ) -> None:
        self.agent = agent
        self.document = document
        self.session_id = session_id
        self.ledger = ledger
        requests = array(document.get("requests"))
        self.requests = [each for each in requests if isinstance(each, (dict, Raw))]
        self.sessions: list[Session] = []
        self.models: dict[str, None] = {}
        self.times: list[datetime] = []
        self.spoken_title = SpokenTitle()
        self._edits: list[tuple[int, FileEdit]] = []  # with the number of their turn
        # The turn and kind of the last decision about the edits of a file, by its path
        self._decisions: dict[str, tuple[int, int]] = {}
        self._instructions: str | None = None
        self._message_names = UniqueNames()
        self._call_names = UniqueNames()

    def pieces(self) -> Iterator[Piece]:
        """Everything the document says."""
        requests = each_request(self.requests)
        request = next(requests, None)
        number = 0
        while request is not None:
            following = next(requests, None)
            yield from self._turn(number, request, following)
            self._note_decisions(number, request)
            request = following
            number += 1
        yield from self._edits_with_verdicts()

    # -- one turn ------------------------------------------------------------------------------

    def _turn(
        self, number: int, request: dict[str, Any], following: dict[str, Any] | None
    ) -> Iterator[Piece]:
        name = string(request.get("requestId")) or f"request-{number}"
        request_id = self._message_names.unique(name)
        name = string(request.get("responseId")) or f"{request_id}-response"
        answer_id = self._message_names.unique(name)
        metadata = _metadata(request)
        outcome = outcome_of(request, is_last=following is None)
        rollback = rollback_of(request)
        state = outcome.state
        if rollback.is_whole and (outcome.is_open or state is not None):
            state = "hidden"
        turn = Turn(
            agent=self.agent,
            session_id=self.session_id,
            request_id=request_id,
            answer_id=answer_id,
            time=self._time(request.get("timestamp")),
            model=self._model(request, metadata),
            state=state,
            stop_reason=outcome.stop_reason,
            undone_after=rollback.after,
        )
        yield from self._mode_instructions(request, turn)
        yield self._prompt(request, turn, rollback.is_whole)
        calls = Calls(metadata, _metadata(following or {}), outcome)
        answer = Answer(turn, calls, self.ledger, self._call_names)
        answer.read(_response(request), thoughts_of(metadata))
        completed_at = self._time(mapping(request.get("modelState")).get("completedAt"))
        answered_at = self._time(request.get("responseTimestamp")) or completed_at
        yield from self._answer_pieces(answer, answered_at)
        self.sessions += answer.sessions()
        self._edits += [(number, edit) for edit in answer.edits]
        yield from usage_of(request, self.session_id, request_id, answer_id, turn.model)
        if outcome.error:
            yield Message(
                session_id=self.session_id,
                id=f"{answer_id}-error",
                role="system",
                kind="error",
                text=outcome.error,
                timestamp=completed_at or turn.time,
                parent_id=request_id,
                state="hidden" if rollback.is_whole else "failed",
            )
        yield from self._summaries(metadata, turn)
        yield from self._remarks(request, turn)

    def _answer_pieces(self, answer: Answer, answered_at: datetime | None) -> Iterator[Piece]:
        """The pieces of an answer, with unique ids and a time for each message."""
        turn = answer.turn
        last = turn.time
        for piece in answer.pieces():
            if not isinstance(piece, Message):
                yield piece
                continue
            last = piece.timestamp or answered_at or last
            name = piece.id
            if name != turn.answer_id:
                name = self._message_names.unique(name)
            if piece.session_id == self.session_id:
                self.spoken_title.note_answer(piece.text)
            calls = tuple(replace(call, message_id=name) for call in piece.tool_calls)
            yield replace(piece, id=name, timestamp=last, tool_calls=calls)

    def _prompt(self, request: dict[str, Any], turn: Turn, is_hidden: bool) -> Message:
        message = request.get("message")
        text = string(message) or string(mapping(message).get("text")) or ""
        self._count_message_parts(mapping(message))
        confirmation = text_of(request.get("confirmation"))
        is_by_system = request.get("isSystemInitiated") is True
        kind: MessageKind = "prompt"
        if is_by_system:
            kind = "notification"
        elif confirmation is not None:
            kind = "command"
        if kind == "prompt":
            self.spoken_title.note_prompt(text)
        return Message(
            session_id=self.session_id,
            id=turn.request_id,
            role="system" if is_by_system else "user",
            kind=kind,
            text=text or confirmation or "",
            timestamp=turn.time,
            attachments=self._attachments(request),
            state="hidden" if is_hidden else None,
        )

    def _mode_instructions(self, request: dict[str, Any], turn: Turn) -> Iterator[Message]:
        """The prompt of a custom agent, where it is not the one of the turn before."""
        mode = mapping(mapping(request.get("modeInfo")).get("modeInstructions"))
        text = text_of(mode.get("content"))
        if text is None or text == self._instructions:
            return
        self._instructions = text
        yield Message(
            session_id=self.session_id,
            id=f"{turn.request_id}-instructions",
            role="system",
            kind="system_prompt",
            text=text,
            timestamp=turn.time,
        )

    def _count_message_parts(self, message: dict[str, Any]) -> None:
        for part in items(message.get("parts")):
            kind = string(part.get("kind")) or "?"
            status: Status = "mapped" if kind in _MESSAGE_KINDS else "unknown"
            self.ledger.add(status, f"message/{kind[:80]}", 0)

    def _attachments(self, request: dict[str, Any]) -> tuple[Attachment, ...]:
        found = []
        for variable in variables_of(request):
            kind = variable_kind(variable)
            attachment = attachment_of(variable)
            if attachment is None:
                self.ledger.add("skipped", f"variable/{kind}", 0, "switched off")
                continue
            status: Status = "mapped" if kind in KINDS else "unknown"
            self.ledger.add(status, f"variable/{kind[:80]}", 0)
            found.append(attachment)
        texts = attached_texts(_metadata(request))
        return tuple(dict.fromkeys(with_texts(found, texts)))

    def _model(self, request: dict[str, Any], metadata: dict[str, Any]) -> str | None:
        model = string(request.get("modelId"))
        if model is not None:
            # copilot/gpt-5, openrouter/google/gemini
            model = model.partition("/")[2] or model
        if model in (None, "auto"):
            model = _resolved_model(request, metadata) or model
        if model:
            self.models[model] = None
        return model

    def _summaries(self, metadata: dict[str, Any], turn: Turn) -> Iterator[Piece]:
        """What replaced earlier messages when the context was full."""
        old = metadata.get("summary")
        texts = [text_of(old) or text_of(mapping(old).get("text"))]
        texts += [text_of(summary.get("text")) for summary in items(metadata.get("summaries"))]
        for place, text in enumerate(dict.fromkeys(filter(None, texts))):
            message_id = f"{turn.request_id}-summary"
            if place > 0:
                message_id += f"-{place}"
            yield Message(
                session_id=self.session_id,
                id=message_id,
                role="system",
                kind="compaction",
                text=text,
                timestamp=turn.time,
                parent_id=turn.request_id,
            )

    def _remarks(self, request: dict[str, Any], turn: Turn) -> Iterator[Piece]:
        """Votes, follow-up questions and licences of cited code."""
        for kind, text in _remarks(request):
            yield Event(session_id=self.session_id, type=kind, text=text, timestamp=turn.time)

    # -- edits ---------------------------------------------------------------------------------

    def _edits_with_verdicts(self) -> Iterator[FileEdit]:
        """The edits, each with what the person decided about it, which later turns say."""
        for number, edit in self._edits:
            decided_in, kind = self._decisions.get(edit.path, (0, 0))
            verdict = _VERDICTS.get(kind) if decided_in > number else None
            yield replace(edit, state=verdict)

    def _note_decisions(self, number: int, request: dict[str, Any]) -> None:
        for event in items(request.get("editedFileEvents")):
            path = path_of(event.get("uri"))
            kind = count(event.get("eventKind"))
            if path is not None and kind in _VERDICTS:
                # In one turn, undoing (2) wins over keeping (1)
                last = self._decisions.get(path, (0, 0))
                self._decisions[path] = max(last, (number, kind or 0))

    # -- small things --------------------------------------------------------------------------

    def _time(self, value: Any) -> datetime | None:
        time = moment(value)
        if time is not None:
            self.times.append(time)
        return time


def _metadata(request: dict[str, Any]) -> dict[str, Any]:
    return mapping(mapping(request.get("result")).get("metadata"))


def _response(request: dict[str, Any]) -> list[Any]:
    response = request.get("response")
    if isinstance(response, str):
        return [response]
    return array(response)


def _resolved_model(request: dict[str, Any], metadata: dict[str, Any]) -> str | None:
    """The model that answered, where the person let VS Code choose."""
    resolved = string(metadata.get("resolvedModel"))
    if resolved is not None:
        return resolved
    for part in items(request.get("response")):
        if part.get("kind") == "autoModeResolution":
            resolved = string(part.get("resolvedModel"))
            break
    rounds = items(metadata.get("toolCallRounds"))
    used = [string(round_.get("modelId")) for round_ in rounds]
    return next(filter(None, [resolved, *used]), None)


def _remarks(request: dict[str, Any]) -> Iterator[tuple[str, str]]:
    vote = count(request.get("vote"))
    if vote in _VOTES:
        text = _VOTES[vote]
        reason = string(request.get("voteDownReason"))
        if reason is not None:
            text += f": {reason}"
        yield "vote", text
    followups = [
        text_of(followup.get("message")) or text_of(followup.get("title"))
        for followup in items(request.get("followups"))
    ]
    text = "\n".join(filter(None, followups))
    if text:
        yield "followups", text
    for citation in items(request.get("codeCitations")):
        lines = [
            string(citation.get("license")),
            path_of(citation.get("value")),
            string(citation.get("snippet")),
        ]
        yield "codeCitation", "\n".join(filter(None, lines))
