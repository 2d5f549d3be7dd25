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
from agent_journal.connectors.cursor.times import time_of
from agent_journal.connectors.ledger import Ledger, Status
from agent_journal.connectors.values import count, items, mapping, one_line, string, strings
from agent_journal.connectors.vscode_chat.document import folder_place
from agent_journal.connectors.vscode_chat.uris import Place, path_of, place_of
from agent_journal.model import (
    Event,
    FileEdit,
    Message,
    Piece,
    Session,
    Todo,
    TodoList,
    ToolCall,
    Usage,
)
from agent_journal.model.origins import MENTIONED_EDIT

AGENT = "cursor"
NAME_RANK = 40
PROMPT_RANK = 10
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
        self._prompt = ""
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
        text = text_of(values)
        attachments = attachments_of(values)
        if not text and not attachments:
            return ReadBubble("skipped", "bubble/user", "nothing was typed or attached")
        self._prompt = self._prompt or text
        message = Message(
            session_id=self.id,
            id=bubble.id,
            role="user",
            kind="prompt",
            text=text,
            timestamp=self._note_time(values),
            attachments=attachments,
            usage=self._usage(bubble, None),
            offset=bubble.offset,
            length=bubble.length,
        )
        return ReadBubble("mapped", "bubble/user", pieces=(self._counted(message),))

    def _read_answer(self, bubble: Bubble) -> ReadBubble:
        values = bubble.values
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
            usage=self._usage(bubble, model),
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
        time = time_of(values.get("createdAt")) or time_of(timing.get("clientStartTime"))
        if time is not None and not self._is_over:
            self._times.append(time)
            if len(self._times) > _MAX_TIMES:
                self._times = [min(self._times), max(self._times)]
        return time

    def _usage(self, bubble: Bubble, model: str | None) -> Usage | None:
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
            timestamp=time_of(bubble.values.get("createdAt")),
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
        pieces += self._todo_lists(composer)
        pieces += self._summaries(composer)
        self._set_workspace(composer)
        for child in strings(composer.get("subagentComposerIds")):
            if child and child != self.id:
                hint = Session(agent=AGENT, id=child, parent_id=self.id, is_hint=True)
                self.subagents.append(hint)
        return pieces

    def _todo_lists(self, composer: dict[str, Any]) -> list[TodoList]:
        todos = [_todo(item) for item in items(composer.get("todos"))]
        named = tuple(todo for todo in todos if todo is not None)
        if not named:
            return []
        return [TodoList(session_id=self.id, origin="todowrite", items=named)]

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
        self._set_workspace({**listed, "workspaceId": header.get("workspaceId")})
        own = {key: field for key, field in self._composer.items() if field not in (None, "")}
        self._composer = {**listed, **own}

    def _set_workspace(self, composer: dict[str, Any]) -> None:
        identifier = mapping(composer.get("workspaceIdentifier"))
        self.workspace_id = (
            self.workspace_id or string(identifier.get("id")) or string(composer.get("workspaceId"))
        )
        self.place = (
            self.place or place_of(identifier.get("uri")) or place_of(identifier.get("configPath"))
        )

    def _set_place_of(self, values: dict[str, Any]) -> None:
        uris = strings(values.get("workspaceUris"))
        if self.place is None and uris:
            self.place = folder_place(uris[0])

    # -- the session ---------------------------------------------------------------------------

    def session(self, place: Place | None, host: str | None = "Cursor") -> Session:
        """Return the session; only a hint where nothing was said in it."""
        composer = self._composer
        session = Session(
            agent=AGENT,
            id=self.id,
            git_branch=_branch(composer),
            host_app=host,
            models=self._all_models(),
            parent_id=self._parent(),
            recorded_cost_micro_usd=_cost(composer.get("usageData")),
            is_hint=self.completeness == 0,
        )
        session = self._with_times(session)
        session = self._with_title(session)
        place = self.place or place
        if place is not None:
            session = replace(session, project_path=place.path)
            if place.remote:
                session = replace(session, tags=(f"remote:{place.remote}",))
        return session

    def _with_title(self, session: Session) -> Session:
        composer = self._composer
        name = one_line(string(composer.get("name")) or string(composer.get("chatTitle")) or "")
        if name:
            return replace(session, title=name, title_rank=NAME_RANK, title_source="name")
        prompt = one_line(self._prompt)
        if prompt:
            return replace(session, title=prompt, title_rank=PROMPT_RANK, title_source="prompt")
        return session

    def _with_times(self, session: Session) -> Session:
        """Set when the session began and ended: by its messages, else by its own row."""
        composer = self._composer
        times = list(self._times)
        created = time_of(composer.get("createdAt"))
        if created is not None:
            times.append(created)
        ended = (
            max(self._times, default=None)
            or time_of(composer.get("lastUpdatedAt"))
            or time_of(composer.get("lastSendTime"))
            or created
        )
        return replace(session, started_at=min(times, default=None), ended_at=ended)

    def _all_models(self) -> tuple[str, ...]:
        models = dict(self._models)
        configured = string(mapping(self._composer.get("modelConfig")).get("modelName"))
        if configured is not None and configured != "default":
            models[configured] = None
        return tuple(models)

    def _parent(self) -> str | None:
        parent = string(mapping(self._composer.get("subagentInfo")).get("parentComposerId"))
        if parent == self.id:
            return None
        return parent


def _is_empty(message: Message) -> bool:
    has_words = bool(message.text or message.reasoning)
    return not has_words and not message.tool_calls and message.usage is None


def _branch(composer: dict[str, Any]) -> str | None:
    repositories = items(composer.get("trackedGitRepos"))
    repository = mapping(next(iter(repositories), None))
    return string(composer.get("createdOnBranch")) or string(repository.get("branchName"))


def _todo(item: dict[str, Any]) -> Todo | None:
    content = string(item.get("content"))
    if content is None:
        return None
    return Todo(
        content=content,
        status=string(item.get("status")),
        id=string(item.get("id")),
        depends_on=tuple(strings(item.get("dependencies"))),
        created_at=time_of(item.get("createdAt")),
        updated_at=time_of(item.get("lastUpdatedAt") or item.get("updatedAt")),
    )


def _cost(value: Any) -> int | None:
    """Return what the requests of a conversation cost; older versions recorded it by model."""
    costs = [mapping(usage).get("costInCents") for usage in mapping(value).values()]
    cents = [
        cost for cost in costs if isinstance(cost, (int, float)) and not isinstance(cost, bool)
    ]
    total = sum(cents)
    if not 0 < total < 1e9:
        return None
    return round(total * 10_000)
