"""The small files beside the transcripts, and the history of prompts.

tasks/<session>/1.json
    {"id":"1","subject":"First task","status":"pending","blockedBy":[]}
…/subagents/agent-a1.meta.json
    {"agentType":"Explore","description":"Find it","toolUseId":"toolu_1"}
history.jsonl
    {"display":"hello","pastedContents":{},"timestamp":1794766669398,"project":"/app"}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec
from msgspec import Struct, field
from msgspec.structs import replace

from agent_journal.connectors.base import Content
from agent_journal.connectors.claude_code.outcomes import todo_items
from agent_journal.connectors.claude_code.records import TodoItem
from agent_journal.connectors.claude_code.state import AGENT, AI_TITLE, CUSTOM_TITLE
from agent_journal.connectors.jsonl import DocumentReader, LogReader
from agent_journal.connectors.values import count, one_line
from agent_journal.model import DailyStat, HistoryEntry, Piece, Plan, Session, Todo, TodoList
from agent_journal.text.dates import parse_time


def _decoded(data: bytes, kind: Any) -> Any:
    try:
        return msgspec.json.decode(data, type=kind)
    except (msgspec.DecodeError, RecursionError) as error:
        raise ValueError(f"not the expected JSON: {error}") from None


# -- about sessions ----------------------------------------------------------------------------


class _Title(Struct, rename="camel"):
    custom_title: str | None = None


class TitleReader(DocumentReader):
    """`projects/<folder>/<session>/custom-title.json`: the title a person gave."""

    kind = "custom-title.json"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """No pieces; the title is of the session."""
        title = one_line(_decoded(data, _Title).custom_title or "")
        _, folder, session_id, _ = self.file.name.split("/", 3)
        if not title:
            return ()
        session = Session(
            agent=AGENT,
            id=session_id,
            title=title,
            title_rank=CUSTOM_TITLE,
            title_source="custom-title",
            project_dir=folder,
        )
        self.found_sessions = [session]
        return ()


class _Meta(Struct, rename="camel"):
    agent_type: str | None = None
    description: str | None = None
    tool_use_id: str | None = None
    parent_agent_id: str | None = None


class MetaReader(DocumentReader):
    """`…/subagents/agent-<id>.meta.json`: who started a sub-agent, and for what."""

    kind = "meta.json"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """No pieces; everything is about the sub-agent's session."""
        meta: _Meta = _decoded(data, _Meta)
        parts = self.file.name.split("/")
        session_id = parts[parts.index("subagents") - 1]
        parent_id = session_id
        if meta.parent_agent_id:
            parent_id = f"{session_id}/agent-{meta.parent_agent_id}"
        session = Session(
            agent=AGENT,
            id=f"{session_id}/{parts[-1].removesuffix('.meta.json')}",
            project_dir=parts[1],
            parent_id=parent_id,
            parent_call_id=meta.tool_use_id,
            agent_name=meta.agent_type,
        )
        title = one_line(meta.description or "")
        if title:
            session = replace(session, title=title, title_rank=AI_TITLE, title_source="description")
        self.found_sessions = [session]
        return ()


# -- todos and plans ---------------------------------------------------------------------------


class _Task(Struct, rename="camel"):
    id: str | int | None = None
    subject: str | None = None
    description: str | None = None
    status: str | None = None
    blocked_by: list[str | int] = field(default_factory=list)
    active_form: str | None = None


class TaskReader(DocumentReader):
    """`tasks/<session>/<n>.json`: one task of the list that replaced the todos."""

    kind = "task"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """A list of one task; all files of a session together are its list."""
        task: _Task = _decoded(data, _Task)
        _, session_id, name = self.file.name.split("/", 2)
        if not task.subject:
            raise ValueError("a task without a subject")
        task_id = name.removesuffix(".json")
        if task.id is not None:
            task_id = str(task.id)
        item = Todo(
            content=task.subject,
            status=task.status,
            id=task_id,
            description=task.description or None,
            active_form=task.active_form,
            depends_on=tuple(str(other) for other in task.blocked_by),
        )
        return (TodoList(session_id=session_id, origin="tasks", items=(item,), rank=2),)


class TodosReader(DocumentReader):
    """`todos/<session>-agent-<agent>.json`: the todo list of older versions, mostly empty."""

    kind = "todos"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The list, unless it is empty."""
        items = todo_items(_decoded(data, list[TodoItem]))
        stem = self.file.name.rpartition("/")[2].removesuffix(".json")
        session_id, _, agent_id = stem.partition("-agent-")
        if not items:
            return ()
        owner = None
        if agent_id and agent_id != session_id:
            owner = agent_id
        todos = TodoList(session_id=session_id, origin="todos_json", items=items, agent_id=owner)
        return (todos,)


class PlanReader(DocumentReader):
    """`plans/<slug>.md`: a plan."""

    kind = "plan"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """The plan; bytes that are not UTF-8 are replaced, not refused."""
        name = self.file.name.rpartition("/")[2].removesuffix(".md")
        return (Plan(text=data.decode("utf-8", "replace"), name=name, path=self.file.path),)


# -- statistics and history --------------------------------------------------------------------


class _Activity(Struct, rename="camel"):
    date: str | None = None
    message_count: int | None = None
    session_count: int | None = None
    tool_call_count: int | None = None


class _ModelTokens(Struct, rename="camel"):
    date: str | None = None
    tokens_by_model: dict[str, int] = field(default_factory=dict)


class _Stats(Struct, rename="camel"):
    daily_activity: list[_Activity] = field(default_factory=list)
    daily_model_tokens: list[_ModelTokens] = field(default_factory=list)


class StatsReader(DocumentReader):
    """`stats-cache.json`: the agent's own statistics, also of sessions it has deleted."""

    kind = "stats-cache"

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """One piece for each day."""
        stats: _Stats = _decoded(data, _Stats)
        tokens = {day.date: _counts(day) for day in stats.daily_model_tokens if day.date}
        activity = {day.date: day for day in stats.daily_activity if day.date}
        for date in sorted(tokens.keys() | activity.keys()):
            day = activity.get(date) or _Activity()
            yield DailyStat(
                date=date,
                message_count=count(day.message_count),
                session_count=count(day.session_count),
                tool_call_count=count(day.tool_call_count),
                tokens_by_model=tokens.get(date, {}),
            )


def _counts(day: _ModelTokens) -> dict[str, int]:
    """The tokens of each model, without numbers that cannot be kept."""
    return {
        model: tokens for model, tokens in day.tokens_by_model.items() if count(tokens) is not None
    }


class _Paste(Struct, rename="camel"):
    type: str | None = None
    content: str | None = None
    content_hash: str | None = None


class _HistoryLine(Struct, rename="camel"):
    display: str | None = None
    pasted_contents: dict[str, _Paste] = field(default_factory=dict)
    timestamp: str | int | float | None = None
    project: str | None = None
    session_id: str | None = None


class _HistoryState(Struct):
    position: int = 0


class HistoryReader(LogReader[_HistoryLine, _HistoryState]):
    """`history.jsonl`: everything typed at the prompt, oldest first."""

    record_type = _HistoryLine
    state_type = _HistoryState

    def sessions(self) -> Iterable[Session]:
        """None: the history is of prompts."""
        return ()

    def record(
        self, record: _HistoryLine, offset: int, length: int, line: bytes
    ) -> Iterable[Piece]:
        """One entry."""
        if record.display is None:
            self.unknown("history")
            return ()
        self.mapped("history")
        position = self.state.position
        self.state.position += 1
        pasted = [_pasted(paste) for paste in record.pasted_contents.values()]
        return (
            HistoryEntry(
                text=record.display,
                position=position,
                timestamp=parse_time(record.timestamp),
                project_path=record.project,
                session_id=record.session_id,
                pasted="\n\n".join(filter(None, pasted)) or None,
            ),
        )


def _pasted(paste: _Paste) -> str:
    if paste.content and paste.type != "image":
        return paste.content
    if not paste.content_hash:
        return ""
    # Long texts are in files, which the agent deletes sooner than the lines that name them.
    return f"[paste-cache/{paste.content_hash[:16]}.txt]"
