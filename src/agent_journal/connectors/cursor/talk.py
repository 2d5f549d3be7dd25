"""One conversation, message by message; rows, inline conversations and the tabs of the old chat
pane all end here.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, NamedTuple

import msgspec

from agent_journal.connectors.cursor.attachments import attachments_of
from agent_journal.connectors.cursor.calls import Quoting, called
from agent_journal.connectors.cursor.edits import edits_of
from agent_journal.connectors.ledger import Ledger, Status
from agent_journal.connectors.values import count, items, mapping, one_line, string, strings
from agent_journal.connectors.vscode_chat.document import folder_place
from agent_journal.connectors.vscode_chat.uris import Place, path_of, place_of
from agent_journal.model import (
    Event,
    FileEdit,
    Message,
    Piece,
    Quote,
    Session,
    Todo,
    TodoList,
    Usage,
)
from agent_journal.model.origins import MENTIONED_EDIT
from agent_journal.text.dates import parse_time

AGENT = "cursor"
_USER, _ASSISTANT = (1, "1", "user"), (2, "2", "ai", "assistant")
_FIRST_TIME = 1e11  # milliseconds in 1973: smaller numbers are no times
_MAX_CONTENTS = 64 * 2**20  # characters of files held while a conversation is read


class Told(NamedTuple):
    """What a record became: its place in the account, and the pieces of it."""

    status: Status
    kind: str
    reason: str
    pieces: list[Piece]


class Talk:
    """Collects what a conversation says about itself while its messages are read."""

    def __init__(self, session_id: str) -> None:
        self.id = session_id
        self.is_named = (
            False  # whether the conversation's own row was read: what comes after it is left behind
        )
        self.completeness = 0
        self.contents: dict[str, str] = {}
        self.sessions: list[Session] = []
        self.place: Place | None = None
        self.workspace_id: str | None = None
        self._held = 0
        self._times: list[datetime] = []
        self._models: dict[str, None] = {}
        self._model: str | None = None
        self._prompt = ""
        self._about: dict[str, Any] = {}

    # -- messages ------------------------------------------------------------------------------

    def content(self, key: str, text: str) -> None:
        """Remembers the text of a file; of very many the newest."""
        self.contents[key] = text
        self._held += len(text)
        while self._held > _MAX_CONTENTS and len(self.contents) > 1:
            self._held -= len(self.contents.pop(next(iter(self.contents))))

    def bubble(
        self,
        bubble: dict[str, Any],
        key: str,
        offset: int | None,
        length: int | None,
        quoting: Quoting,
    ) -> Told:
        """One message."""
        kind = bubble.get("type")
        if kind in _USER:
            return self._prompted(bubble, key, offset, length)
        if kind in _ASSISTANT:
            return self._answered(bubble, key, offset, length, quoting)
        raw = msgspec.json.encode(bubble).decode()
        event = Event(
            session_id=self.id, type="bubble", id=key, raw=raw, offset=offset, length=length
        )
        return Told("unknown", f"bubble of type {kind!r}"[:80], "", [event])

    def _prompted(
        self, bubble: dict[str, Any], key: str, offset: int | None, length: int | None
    ) -> Told:
        self._model = _model_of(bubble) or self._model
        self._find_place(bubble)
        text = _text(bubble)
        attachments = attachments_of(bubble)
        if not text and not attachments:
            return Told("skipped", "bubble/user", "nothing was typed or attached", [])
        self._prompt = self._prompt or text
        message = Message(
            session_id=self.id,
            id=key,
            role="user",
            kind="prompt",
            text=text,
            timestamp=self._time(bubble),
            attachments=attachments,
            usage=self._usage(bubble, key, None),
            offset=offset,
            length=length,
        )
        return Told("mapped", "bubble/user", "", [self._counted(message)])

    def _answered(
        self,
        bubble: dict[str, Any],
        key: str,
        offset: int | None,
        length: int | None,
        quoting: Quoting,
    ) -> Told:
        when = self._time(bubble)
        done = called(mapping(bubble.get("toolFormerData")), self.id, key, when, quoting)
        text, reasoning, failure = _text(bubble), _reasoning(bubble), _failure(bubble)
        edits = edits_of(done, self.contents) if done else list(self._suggested(bubble, key, when))
        usage = self._usage(bubble, key, _model_of(bubble) or self._model)
        if not (text or reasoning or done or failure or edits or usage):
            return Told("skipped", "bubble/assistant", "a step without words, thoughts or tool", [])
        model = _model_of(bubble) or self._model
        if model:
            self._models[model] = None
        message = Message(
            session_id=self.id,
            id=key,
            role="assistant",
            kind="answer",
            text=text or failure or "",
            reasoning=reasoning,
            model=model,
            timestamp=when,
            tool_calls=(done.call,) if done else (),
            usage=usage,
            state="failed" if failure else None,
            offset=offset,
            length=length,
        )
        return Told("mapped", "bubble/assistant", "", [self._counted(message), *edits])

    def _counted(self, message: Message) -> Message:
        """A message that the conversation does not name any more belongs to a turn that was made
        anew: hidden.
        """
        if self.is_named:
            return msgspec.structs.replace(message, state="hidden")
        self.completeness += 1
        return message

    def _time(self, bubble: dict[str, Any]) -> datetime | None:
        timing = mapping(bubble.get("timingInfo"))
        when = moment(bubble.get("createdAt")) or moment(timing.get("clientStartTime"))
        if when is not None and not self.is_named:
            self._times.append(when)
            if len(self._times) > 1000:
                self._times = [min(self._times), max(self._times)]
        return when

    def _usage(self, bubble: dict[str, Any], key: str, model: str | None) -> Usage | None:
        """Tokens; Cursor writes 0 and 0 when it does not know them."""
        told = mapping(bubble.get("tokenCount"))
        given, made = count(told.get("inputTokens")), count(told.get("outputTokens"))
        if not given and not made:
            return None
        return Usage(
            session_id=self.id,
            key=f"{self.id}:{key}",
            message_id=key,
            model=model,
            timestamp=moment(bubble.get("createdAt")),
            input_tokens=given,
            output_tokens=made,
        )

    def _suggested(self, bubble: dict[str, Any], key: str, when: datetime | None) -> list[FileEdit]:
        """Code of an answer that names its file: before there were tools, this was how files were
        changed.
        """
        found: dict[str, FileEdit] = {}
        for block in items(bubble.get("codeBlocks")):
            path = path_of(block.get("uri"))
            if path is not None:
                found[path] = FileEdit(
                    session_id=self.id,
                    path=path,
                    message_id=key,
                    timestamp=when,
                    origin=MENTIONED_EDIT,
                )
        return list(found.values())

    # -- the conversation itself ---------------------------------------------------------------

    def composer(self, composer: dict[str, Any], ledger: Ledger) -> list[Piece]:
        """What the conversation says about itself, with the messages that stand in it."""
        pieces: list[Piece] = []
        for number, bubble in enumerate(items(composer.get("conversation"))):
            key = string(bubble.get("bubbleId")) or string(bubble.get("id")) or f"line-{number}"
            told = self.bubble(bubble, key, None, None, _unquoted)
            ledger.add(told.status, told.kind, 0, told.reason)
            pieces += told.pieces
        self._about = composer
        self.is_named = True
        todos = tuple(
            todo for item in items(composer.get("todos")) if (todo := _todo(item)) is not None
        )
        if todos:
            pieces.append(TodoList(session_id=self.id, origin="todowrite", items=todos))
        summary = mapping(mapping(composer.get("latestConversationSummary")).get("summary"))
        if text := string(summary.get("summary")):
            pieces.append(
                Message(
                    session_id=self.id,
                    id=f"{self.id}/summary",
                    role="system",
                    kind="compaction",
                    text=text,
                )
            )
        self._find_workspace(composer)
        for child in strings(composer.get("subagentComposerIds")):
            if child and child != self.id:
                self.sessions.append(
                    Session(agent=AGENT, id=child, parent_id=self.id, is_hint=True)
                )
        return pieces

    def header(self, header: dict[str, Any]) -> None:
        """What the list of conversations says: the folder, and a title."""
        told = header.get("value")
        if isinstance(told, str):
            try:
                told = msgspec.json.decode(told)
            except (msgspec.DecodeError, RecursionError):
                told = None
        value = mapping(told)
        self._find_workspace({**value, "workspaceId": header.get("workspaceId")})
        self._about = {
            **value,
            **{key: part for key, part in self._about.items() if part not in (None, "")},
        }

    def _find_workspace(self, told: dict[str, Any]) -> None:
        identifier = mapping(told.get("workspaceIdentifier"))
        self.workspace_id = (
            self.workspace_id
            or string(identifier.get("id"))
            or string(told.get("workspaceId"))
            or None
        )
        for key in ("uri", "configPath"):
            self.place = self.place or place_of(identifier.get(key))

    def _find_place(self, bubble: dict[str, Any]) -> None:
        if self.place is None:
            uris = strings(bubble.get("workspaceUris"))
            self.place = folder_place(uris[0]) if uris else None

    def session(self, place: Place | None, host: str | None = "Cursor") -> Session:
        """The session; only a hint where nothing was said in it."""
        about = self._about
        place = self.place or place
        name, prompt = (
            one_line(string(about.get("name")) or string(about.get("chatTitle")) or ""),
            one_line(self._prompt),
        )
        title, rank, source = (
            (name, 40, "name") if name else (prompt, 10, "prompt") if prompt else (None, 0, None)
        )
        times = [
            time for time in (moment(about.get("createdAt")), *self._times) if time is not None
        ]
        end = [moment(about.get(key)) for key in ("lastUpdatedAt", "lastSendTime")]
        config = string(mapping(about.get("modelConfig")).get("modelName"))
        models = dict.fromkeys(
            [*self._models, *([config] if config and config != "default" else [])]
        )
        repository = mapping(next(iter(items(about.get("trackedGitRepos"))), None))
        parent = string(mapping(about.get("subagentInfo")).get("parentComposerId"))
        return Session(
            agent=AGENT,
            id=self.id,
            title=title,
            title_rank=rank,
            title_source=source,
            project_path=None if place is None else place.path,
            git_branch=string(about.get("createdOnBranch")) or string(repository.get("branchName")),
            host_app=host,
            models=tuple(models),
            started_at=min(times, default=None),
            ended_at=max(self._times, default=None)
            or next(filter(None, end), None)
            or max(times, default=None),
            parent_id=parent if parent != self.id else None,
            tags=(f"remote:{place.remote}",) if place is not None and place.remote else (),
            recorded_cost_micro_usd=_cost(about.get("usageData")),
            is_hint=self.completeness == 0,
        )


def _unquoted(text: str | None) -> Quote | None:
    """Of a text that stands in the middle of a row no place is told."""
    return None


def moment(value: Any) -> datetime | None:
    """A time as text or in milliseconds; None for what cannot be one."""
    if isinstance(value, str):
        return parse_time(value)
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return parse_time(value) if is_number and value > _FIRST_TIME else None


def _text(bubble: dict[str, Any]) -> str:
    text = string(bubble.get("text")) or string(bubble.get("rawText"))
    return text if text is not None else rich_text(bubble.get("richText"))


def rich_text(value: Any) -> str:
    """The words of a Lexical document (JSON as text), line by line."""
    try:
        root = (
            mapping(mapping(msgspec.json.decode(value)).get("root"))
            if isinstance(value, str) and value
            else {}
        )
    except (msgspec.DecodeError, RecursionError, ValueError):
        return ""
    return "\n".join(_words(part) for part in items(root.get("children"))).strip()


def _words(node: dict[str, Any], depth: int = 50) -> str:
    if isinstance(node.get("text"), str):
        return str(node["text"])
    if node.get("type") == "linebreak":
        return "\n"
    return (
        "".join(_words(child, depth - 1) for child in items(node.get("children"))) if depth else ""
    )


def _reasoning(bubble: dict[str, Any]) -> str:
    thinking = bubble.get("thinking")
    own = string(thinking) or string(mapping(thinking).get("text"))
    blocks = (
        string(block.get("text")) or string(block.get("thinking"))
        for block in items(bubble.get("allThinkingBlocks"))
    )
    return own or "\n\n".join(filter(None, blocks))


def _failure(bubble: dict[str, Any]) -> str | None:
    details = mapping(bubble.get("errorDetails")) or mapping(bubble.get("error"))
    return (
        string(details.get("message"))
        or string(details.get("title"))
        or ("the request failed" if details else None)
    )


def _model_of(bubble: dict[str, Any]) -> str | None:
    model = string(mapping(bubble.get("modelInfo")).get("modelName")) or string(
        bubble.get("modelType")
    )
    return None if model == "default" else model


def _todo(item: dict[str, Any]) -> Todo | None:
    content = string(item.get("content"))
    if content is None:
        return None
    return Todo(
        content=content,
        status=string(item.get("status")),
        id=string(item.get("id")),
        depends_on=tuple(strings(item.get("dependencies"))),
        created_at=moment(item.get("createdAt")),
        updated_at=moment(item.get("lastUpdatedAt") or item.get("updatedAt")),
    )


def _cost(value: Any) -> int | None:
    """What the requests of the conversation cost, as older versions add up by model."""
    cents = [mapping(part).get("costInCents") for part in mapping(value).values()]
    numbers = [
        number
        for number in cents
        if isinstance(number, (int, float)) and not isinstance(number, bool)
    ]
    total = sum(numbers)
    return round(total * 10_000) if numbers and 0 < total < 1e9 else None
