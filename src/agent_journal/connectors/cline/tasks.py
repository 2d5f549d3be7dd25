"""A task as the person saw it: `ui_messages.json`, a list of what was said and asked.

{"ts":1763000000000,"type":"say","say":"task","text":"Fix the login."}
{"ts":1763000001000,"type":"say","say":"api_req_started","text":"{\\"tokensIn\\":10,…}"}
{"ts":1763000002000,"type":"ask","ask":"tool","text":"{\\"tool\\":\\"readFile\\",…}"}
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from agent_journal.connectors.base import Content, FileIdentity
from agent_journal.connectors.cline import SENT
from agent_journal.connectors.cline.exchange import Exchange, as_json
from agent_journal.connectors.cline.products import Product
from agent_journal.connectors.cline.sent import (
    SPOKEN_TITLE_RANK,
    began_at,
    folder_in,
    host_of,
    task_of,
)
from agent_journal.connectors.cline.shown import NOTICES, Entry, ShownTask
from agent_journal.connectors.cline.store import document_beside
from agent_journal.connectors.jsonl import DocumentReader, decode_document
from agent_journal.connectors.values import first_string, items, mapping, string
from agent_journal.model import Event, Piece, Session

_Handler = Callable[[ShownTask, Entry], Iterator[Piece]]
_HANDLERS: dict[str, _Handler] = {
    "task": ShownTask.prompt,
    "user_feedback": ShownTask.prompt,
    "user_feedback_diff": ShownTask.prompt,
    "text": ShownTask.text,
    "completion_result": ShownTask.completion,
    "plan_mode_respond": ShownTask.answer,
    "act_mode_respond": ShownTask.answer,
    "reasoning": ShownTask.reasoning,
    "followup": ShownTask.question,
    "tool": ShownTask.tool,
    "command": ShownTask.command,
    "use_mcp_server": ShownTask.object_tool,
    "use_subagents": ShownTask.object_tool,
    "browser_action": ShownTask.object_tool,
    "browser_action_launch": ShownTask.browser,
    "command_output": ShownTask.output,
    "mcp_server_response": ShownTask.output,
    "browser_action_result": ShownTask.output,
    "codebase_search_result": ShownTask.output,
    "subtask_result": ShownTask.output,
    "api_req_started": ShownTask.request,
    "deleted_api_reqs": ShownTask.other_usage,
    "subagent_usage": ShownTask.other_usage,
    "condense_context": ShownTask.condensed,
    "task_progress": ShownTask.todos,
    "user_edit_todos": ShownTask.notice,
    "error": ShownTask.error,
    "api_req_failed": ShownTask.error,
    "diff_error": ShownTask.error,
    **dict.fromkeys(NOTICES, ShownTask.notice),
}


class TaskReader(DocumentReader):
    """Reads a task, together with what was sent to the model."""

    kind = "task"

    def __init__(self, product: Product, file: FileIdentity) -> None:
        super().__init__(file)
        self._product = product

    def pieces(self, data: bytes, content: Content) -> Iterable[Piece]:
        """Return the pieces of the document."""
        document = decode_document(data)
        if not isinstance(document, list):
            raise ValueError("not a task: not a list of messages")
        if not document:
            self.left_out = "a task without messages"
            return ()
        sent = _sent(content)
        own_entry = mapping(document_beside(content, "history_item.json"))
        session_id = task_of(self.file)
        task = ShownTask(session_id, self._product, _calls_in(sent))
        task.models_by_time = _models(content)
        task.is_subtask = string(own_entry.get("parentTaskId")) is not None
        found: list[Piece] = []
        for number, value in enumerate(document):
            found += self._entry(task, value, number)
        found += task.ending()
        self.found_sessions = [self._session(task, own_entry, sent)]
        self.completeness = task.messages
        return found

    def _entry(self, task: ShownTask, value: Any, number: int) -> Iterable[Piece]:
        if not isinstance(value, dict):
            self.ledger.add("malformed", "message", 0, "not a JSON object")
            self.ledger.trouble(None, "message", f"message {number} is not a JSON object")
            return ()
        entry = Entry.of(value)
        handler = _HANDLERS.get(entry.kind)
        if handler is not None:
            return task.entry(entry, handler)
        self.ledger.add("unknown", entry.kind[:80], 0)
        raw = as_json(value)
        return (Event(session_id=task.session_id, type=entry.kind[:80], raw=raw),)

    def _session(
        self, task: ShownTask, own_entry: dict[str, Any], sent: list[dict[str, Any]]
    ) -> Session:
        folder = first_string(own_entry, "workspace", "cwdOnTaskInitialization")
        return Session(
            agent=self._product.agent,
            id=task.session_id,
            title=task.title.text,
            title_rank=SPOKEN_TITLE_RANK if task.title.text else 0,
            title_source=task.title.source,
            project_path=folder or task.folder or folder_in(sent),
            host_app=host_of(self.file),
            models=tuple(task.models),
            started_at=began_at(task.session_id) or task.first_time,
            ended_at=task.last_time,
            parent_id=string(own_entry.get("parentTaskId")),
        )


def _sent(content: Content) -> list[dict[str, Any]]:
    """The messages that were sent to the model."""
    for name in SENT:
        messages = items(document_beside(content, name))
        if messages:
            return messages
    return []


def _calls_in(sent: list[dict[str, Any]]) -> Exchange:
    """The calls of the model, with their results."""
    exchange = Exchange("")
    for number, message in enumerate(sent):
        for _ in exchange.pieces(message, number):
            pass
    return exchange


def _models(content: Content) -> list[tuple[float, str]]:
    """The models of a task and since when each was used."""
    metadata = mapping(document_beside(content, "task_metadata.json"))
    found: list[tuple[float, str]] = []
    for use in items(metadata.get("model_usage")):
        model = string(use.get("model_id"))
        since = use.get("ts")
        if model is not None and isinstance(since, (int, float)):
            found.append((since, model))
    return sorted(found)
