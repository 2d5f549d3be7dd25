"""One conversation, message by message.

Rows of the database, inline conversations and the tabs of the old chat pane are all read here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.cursor.attachments import attachments_of
from agent_journal.connectors.cursor.bubbles import (
    Bubble,
    failure_of,
    model_of,
    reasoning_of,
    text_of,
)
from agent_journal.connectors.cursor.calls import tool_use_of
from agent_journal.connectors.cursor.edits import edits_of
from agent_journal.connectors.cursor.prompts import unwrapped
from agent_journal.connectors.cursor.sessions import (
    AGENT,
    as_task,
    branch_of,
    cost_of,
    is_sub_agent,
    parent_call_of,
    parent_of,
    timed,
    titled,
    todos_of,
)
from agent_journal.connectors.cursor.times import time_of
from agent_journal.connectors.ledger import Ledger, Status
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import count, items, mapping, string, strings
from agent_journal.connectors.vscode_chat.document import folder_place
from agent_journal.connectors.vscode_chat.uris import Place, decode, path_of, place_of
from agent_journal.model import (
    Event,
    FileEdit,
    Message,
    Piece,
    Session,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.model.origins import MENTIONED_EDIT

_USER = (1, "1", "user")
_ASSISTANT = (2, "2", "ai", "assistant")
_MAX_CONTENTS = 64 * 2**20  # characters of files held while a conversation is read
_MAX_TIMES = 1000


class ReadBubble(NamedTuple):
    """What became of a bubble: its entry in the ledger, and its pieces."""

    status: Status
    kind: str
    reason: str = ""
    pieces: tuple[Piece, ...] = ()


class Conversation:
    """Collects what a conversation says about itself while its messages are read."""

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.completeness = 0
        self.contents: dict[str, str] = {}  # the texts of files, by the key of their row
        self.subagents: list[Session] = []  # as hints
        self.place: Place | None = None
        self.workspace_id: str | None = None
        # Whether the conversation's own row was read: messages after it are no longer part of it
        self._is_over = False
        self._contents_size = 0
        self._times: list[datetime] = []
        self._models: dict[str, None] = {}
        self._model: str | None = None
        self._title = SpokenTitle()
        self._is_listed_as_sub_agent = False
        self._listed_times: dict[str, datetime] = {}  # of messages, by the conversation's own row
        self._composer: dict[str, Any] = {}

    # -- messages ------------------------------------------------------------------------------

    def add_content(self, key: str, text: str) -> None:
        """Remember the text of a file; the oldest texts are dropped when there are too many."""
        self.contents[key] = text
        self._contents_size += len(text)
        while self._contents_size > _MAX_CONTENTS and len(self.contents) > 1:
            oldest = self.contents.pop(next(iter(self.contents)))
            self._contents_size -= len(oldest)

    def read_bubble(self, bubble: Bubble) -> ReadBubble:
        """Read one message."""
        kind = bubble.values.get("type")
        if kind in _USER:
            return self._read_prompt(bubble)
        if kind in _ASSISTANT:
            return self._read_answer(bubble)
        event = Event(
            session_id=self.id,
            type="bubble",
            id=bubble.id,
            raw=msgspec.json.encode(bubble.values).decode(),
            offset=bubble.offset,
            length=bubble.length,
        )
        return ReadBubble("unknown", f"bubble of type {kind!r}"[:80], pieces=(event,))

    def _read_prompt(self, bubble: Bubble) -> ReadBubble:
        values = bubble.values
        self._model = model_of(values) or self._model
        self._set_place_of(values)
        typed = unwrapped(text_of(values))
        attachments = (*attachments_of(values), *typed.attachments)
        if not typed.text and not attachments:
            return ReadBubble("skipped", "bubble/user", "nothing was typed or attached")
        timestamp = self._note_time(values)
        message = Message(
            session_id=self.id,
            id=bubble.id,
            role="user",
            kind=typed.kind,
            text=typed.text,
            timestamp=timestamp,
            attachments=attachments,
            usage=self._usage(bubble, None, timestamp),
            offset=bubble.offset,
            length=bubble.length,
        )
        if typed.kind == "prompt":
            self._title.note_prompt(typed.text)
        return ReadBubble("mapped", "bubble/user", pieces=(self._counted(message),))

    def _read_answer(self, bubble: Bubble) -> ReadBubble:
        values = bubble.values
        if self.place is None:
            self._set_place_of(values)
        timestamp = self._note_time(values)
        model = model_of(values) or self._model
        calls: tuple[ToolCall, ...] = ()
        tool_use = tool_use_of(
            mapping(values.get("toolFormerData")), self.id, bubble.id, timestamp, bubble.quote
        )
        if tool_use is None:
            edits = self._mentioned_edits(bubble, timestamp)
        else:
            edits = edits_of(tool_use, self.contents)
            calls = (tool_use.call,)
        failure = failure_of(values)
        message = Message(
            session_id=self.id,
            id=bubble.id,
            role="assistant",
            kind="answer",
            text=text_of(values) or failure or "",
            reasoning=reasoning_of(values),
            model=model,
            timestamp=timestamp,
            tool_calls=calls,
            usage=self._usage(bubble, model, timestamp),
            state="failed" if failure else None,
            offset=bubble.offset,
            length=bubble.length,
        )
        if _is_empty(message) and not edits:
            return ReadBubble(
                "skipped", "bubble/assistant", "a step without text, reasoning or tool"
            )
        if model:
            self._models[model] = None
        self._title.note_answer(message.text)
        return ReadBubble("mapped", "bubble/assistant", pieces=(self._counted(message), *edits))

    def _counted(self, message: Message) -> Message:
        """Count a message; one that the conversation no longer names is hidden instead.

        Such a message belongs to a turn that was done again.
        """
        if self._is_over:
            return replace(message, state="hidden")
        self.completeness += 1
        return message

    def _note_time(self, values: dict[str, Any]) -> datetime | None:
        """Return the time of a message, and note it as a time of the conversation."""
        timing = mapping(values.get("timingInfo"))
        time = (
            time_of(values.get("createdAt"))
            or time_of(values.get("timestamp"))
            or time_of(timing.get("clientStartTime"))
        )
        if time is not None and not self._is_over:
            self._times.append(time)
            if len(self._times) > _MAX_TIMES:
                self._times = [min(self._times), max(self._times)]
        return time

    def _usage(self, bubble: Bubble, model: str | None, timestamp: datetime | None) -> Usage | None:
        """Return the tokens of a message; Cursor writes 0 and 0 when it does not know them."""
        tokens = mapping(bubble.values.get("tokenCount"))
        input_tokens = count(tokens.get("inputTokens"))
        output_tokens = count(tokens.get("outputTokens"))
        if not input_tokens and not output_tokens:
            return None
        return Usage(
            session_id=self.id,
            key=f"{self.id}:{bubble.id}",
            message_id=bubble.id,
            model=model,
            timestamp=timestamp,
            input_tokens=input_tokens,
            output_tokens=output_tokens,
        )

    def _mentioned_edits(self, bubble: Bubble, timestamp: datetime | None) -> list[FileEdit]:
        """Return edits for the code of an answer that names a file.

        Before there were tools, this was how Cursor changed files.
        """
        paths = [path_of(block.get("uri")) for block in items(bubble.values.get("codeBlocks"))]
        return [
            FileEdit(
                session_id=self.id,
                path=path,
                message_id=bubble.id,
                timestamp=timestamp,
                origin=MENTIONED_EDIT,
            )
            for path in dict.fromkeys(paths)
            if path is not None
        ]

    # -- the conversation itself ---------------------------------------------------------------

    def read_composer(self, composer: dict[str, Any], ledger: Ledger) -> list[Piece]:
        """Read what the conversation says about itself, and the messages inside it."""
        pieces: list[Piece] = []
        for number, values in enumerate(items(composer.get("conversation"))):
            bubble_id = string(values.get("bubbleId")) or string(values.get("id"))
            read = self.read_bubble(Bubble(bubble_id or f"line-{number}", values))
            ledger.add(read.status, read.kind, 0, read.reason)
            pieces += read.pieces
        self._composer = composer
        self._is_over = True
        for header in items(composer.get("fullConversationHeadersOnly")):
            if "createdAt" in header:
                self._note_listed(string(header.get("bubbleId")), time_of(header["createdAt"]))
        pieces += self._todo_lists(composer)
        pieces += self._summaries(composer)
        self._set_workspace(composer)
        for child in strings(composer.get("subagentComposerIds")):
            if child and child != self.id:
                hint = Session(agent=AGENT, id=child, parent_id=self.id, is_hint=True)
                self.subagents.append(hint)
        return pieces

    def _note_listed(self, bubble_id: str | None, time: datetime | None) -> None:
        if bubble_id is not None and time is not None:
            self._listed_times[bubble_id] = time
            self._times.append(time)

    def finished(self, pieces: list[Piece]) -> list[Piece]:
        """Return the pieces with what only the conversation's own row says about messages."""
        if not self._listed_times and not self.is_sub_agent:
            return pieces
        return [self._finished(piece) if isinstance(piece, Message) else piece for piece in pieces]

    def _finished(self, message: Message) -> Message:
        if message.timestamp is None:
            message = replace(message, timestamp=self._listed_times.get(message.id))
        if self.is_sub_agent:
            message = as_task(message)
        return message

    def _todo_lists(self, composer: dict[str, Any]) -> list[TodoList]:
        todos = todos_of(composer)
        if not todos:
            return []
        return [TodoList(session_id=self.id, origin="todowrite", items=todos)]

    def _summaries(self, composer: dict[str, Any]) -> list[Message]:
        summary = mapping(mapping(composer.get("latestConversationSummary")).get("summary"))
        text = string(summary.get("summary"))
        if text is None:
            return []
        return [
            Message(
                session_id=self.id,
                id=f"{self.id}/summary",
                role="system",
                kind="compaction",
                text=text,
            )
        ]

    def read_header(self, header: dict[str, Any]) -> None:
        """Read what the list of conversations says: the folder, and a title."""
        value = header.get("value")
        if isinstance(value, str):
            try:
                value = msgspec.json.decode(value)
            except (msgspec.DecodeError, RecursionError):
                value = None
        listed = mapping(value)
        self._is_listed_as_sub_agent = header.get("isSubagent") in (1, True)
        self._set_workspace({**listed, "workspaceId": header.get("workspaceId")})
        own = {key: field for key, field in self._composer.items() if field not in (None, "")}
        self._composer = {**listed, **own}

    def note_parent(self, parent_id: str | None) -> None:
        """Note the conversation that names this one as its sub-agent."""
        if parent_id is not None and parent_of(self.id, self._composer) is None:
            info = mapping(self._composer.get("subagentInfo"))
            self._composer = {
                **self._composer,
                "subagentInfo": {**info, "parentComposerId": parent_id},
            }

    def _set_workspace(self, composer: dict[str, Any]) -> None:
        identifier = mapping(composer.get("workspaceIdentifier"))
        self.workspace_id = (
            self.workspace_id or string(identifier.get("id")) or string(composer.get("workspaceId"))
        )
        self.place = (
            self.place or place_of(identifier.get("uri")) or place_of(identifier.get("configPath"))
        )
        self._set_place_of(composer)

    def _set_place_of(self, values: dict[str, Any]) -> None:
        if self.place is None and values.get("workspaceUris"):
            uris = strings(values["workspaceUris"])
            if uris:
                self.place = folder_place(uris[0])
        folder = string(values.get("workspaceProjectDir"))
        if self.place is None and folder:
            self.place = decode(folder) or Place("file", folder)

    # -- the session ---------------------------------------------------------------------------

    @property
    def is_sub_agent(self) -> bool:
        """Whether another conversation started this one."""
        return self._is_listed_as_sub_agent or is_sub_agent(self.id, self._composer)

    def session(self, place: Place | None, host: str | None = "Cursor") -> Session:
        """Return the session; only a hint where nothing was said in it."""
        composer = self._composer
        session = Session(
            agent=AGENT,
            id=self.id,
            git_branch=branch_of(composer),
            host_app=host,
            models=self._all_models(),
            recorded_cost_micro_usd=cost_of(composer),
            is_hint=self.completeness == 0,
        )
        session = timed(session, composer, self._times)
        name = string(composer.get("name")) or string(composer.get("chatTitle"))
        session = titled(session, self._title, name or "")
        if self.is_sub_agent:
            session = replace(
                session,
                parent_id=parent_of(self.id, composer),
                parent_call_id=parent_call_of(self.id, composer),
                agent_name=string(mapping(composer.get("subagentInfo")).get("subagentTypeName")),
            )
        place = self.place or place
        if place is not None:
            session = replace(session, project_path=place.path)
            if place.remote:
                session = replace(session, tags=(f"remote:{place.remote}",))
        return session

    def _all_models(self) -> tuple[str, ...]:
        models = dict(self._models)
        configured = string(mapping(self._composer.get("modelConfig")).get("modelName"))
        if configured is not None and configured != "default":
            models[configured] = None
        return tuple(models)


def _is_empty(message: Message) -> bool:
    has_words = bool(message.text or message.reasoning)
    return not has_words and not message.tool_calls and message.usage is None
