"""What becomes of each field of a session that is written for Copilot CLI."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from agent_journal.convert.accounting import (
    EVENT_FIELDS,
    MAPPED,
    USAGE_FIELDS,
    Rule,
    Verdict,
    adapted,
    dropped,
    title,
    where_written,
)
from agent_journal.convert.copilot_cli.events import ABORTS
from agent_journal.convert.copilot_cli.files import REPOSITORY
from agent_journal.convert.copilot_cli.results import attachment, edit_kind, is_odd_failure
from agent_journal.convert.parts import parsed, tells_exit_code
from agent_journal.model import Attachment, FileEdit, Message, Session, Todo, ToolCall

_PLACE = adapted("places and ids in the new files are their own")
_OTHER = dropped("Copilot CLI has no place for it")
_COST = dropped("left out, so that no token is counted twice; the journal has it")
_EVENT = dropped("markers of the other agent mean nothing to Copilot CLI")
_BACKUP = dropped("copies of files from before a change stay in the journal: aj restore")
_TOLD_BY_DIFF = adapted("told by the diff")


def _repository(session: Session) -> Verdict:
    return (
        MAPPED
        if REPOSITORY.match(session.repository or "")
        else dropped("Copilot CLI takes owner/name only")
    )


_SESSION: dict[str, Rule] = {
    "agent": adapted("it is a session of Copilot CLI now"),
    "id": adapted("a new id, so that no other session is written over"),
    "title_rank": adapted("it stands as a title that a person gave"),
    "title_source": adapted("it stands as a title that a person gave"),
    "project_path": MAPPED,
    "project_dir": adapted("Copilot CLI keeps sessions by id; the working folder is in it"),
    "repository": _repository,
    "git_branch": MAPPED,
    "host_app": _OTHER,
    "agent_version": dropped("the first event says which version of Copilot CLI it is for"),
    "models": adapted("each answer names its model"),
    "started_at": MAPPED,
    "ended_at": adapted("the last event tells it"),
    "parent_id": adapted("sub-agents stand in the events of their session"),
    "fork_of": dropped("a converted session is a session of its own"),
    "slug": adapted("the plan has a new name"),
    "tags": _OTHER,
    "recorded_cost_micro_usd": _COST,
    "is_automated": dropped("Copilot CLI does not say who started a session"),
    "is_hint": _PLACE,
}
_BESIDE = dropped(
    "Copilot CLI has no place for what is not beside a prompt; the bytes are in the journal"
)
_ONE_PLAN = dropped(
    "Copilot CLI keeps one plan for a session; others are in the calls that made them"
)
_MAIN_TODOS = dropped("Copilot CLI keeps todos for the session, not for sub-agents")
_UNANNOUNCED = dropped(
    "Copilot CLI announces a sub-agent by the call that started it, which is not known"
)


def rules(family: Sequence[Session], written: set[int]) -> dict[str, Rule]:
    """The rules for a family, of whose parts those in `written` (by identity) have a place."""
    kept = partial(where_written, written)
    members = {session.id for session in family}

    def child(call: ToolCall) -> Verdict:
        return (
            MAPPED
            if call.child_session_id in members
            else dropped("this sub-agent is not in the journal")
        )

    def kind(message: Message) -> Verdict:
        if message.kind == "compaction" and id(message) not in written:
            return adapted("a summary of what is not here is told as text that no person typed")
        return _kind(message)

    return {
        **{f"session.{name}": rule for name, rule in _SESSION.items()},
        **{
            f"session.{name}": kept(MAPPED, _UNANNOUNCED)
            for name in ("parent_call_id", "agent_name")
        },
        "session.title": kept(title, _UNANNOUNCED),
        **{f"messages.{name}": rule for name, rule in _MESSAGES.items()},
        "messages.kind": kind,
        **{f"tool_calls.{name}": rule for name, rule in _CALLS.items()},
        "tool_calls.display": kept(
            MAPPED, dropped("the diffs of the call are shown in its place, or it failed")
        ),
        "tool_calls.child_session_id": child,
        **{f"attachments.{name}": kept(rule, _BESIDE) for name, rule in _ATTACHMENTS.items()},
        **{f"file_edits.{name}": kept(rule, _lost_edit) for name, rule in _EDITS.items()},
        **{f"plans.{name}": kept(rule, _ONE_PLAN) for name, rule in _PLANS.items()},
        **{f"todos.{name}": kept(rule, _MAIN_TODOS) for name, rule in _TODOS.items()},
        **{f"events.{name}": _EVENT for name in EVENT_FIELDS},
        **{f"usage.{name}": _COST for name in USAGE_FIELDS},
        **{f"documents.{name}": _BACKUP for name in ("session_id", "name", "kind")},
    }


# -- messages ----------------------------------------------------------------------------------

_SAME_KINDS = ("prompt", "answer", "injected", "compaction", "skill", "error", "interrupt", "shell")


def _kind(message: Message) -> Verdict:
    if message.kind in _SAME_KINDS:
        return MAPPED
    told = "an event" if message.kind == "notice" else "text that no person typed"
    return adapted(f"{message.kind} is told as {told}")


def _text(message: Message) -> Verdict:
    if message.kind == "shell" and message.tool_calls:
        return adapted("told by the arguments of its call")
    is_told = message.kind == "interrupt" and message.text not in ABORTS
    return adapted("told as an abort by the user") if is_told else MAPPED


def _role(message: Message) -> Verdict:
    if message.role == "tool":
        return adapted("a result without a call stands behind a call of its own")
    is_kept = (message.role == "system") == (message.kind in ("compaction", "error", "notice"))
    return MAPPED if is_kept else adapted("told by the kind of event")


_MESSAGES: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "role": _role,
    "text": _text,
    "reasoning": lambda message: MAPPED if message.role == "assistant" else _OTHER,
    "model": lambda message: MAPPED if message.role == "assistant" else _OTHER,
    "timestamp": MAPPED,
    "parent_id": adapted("each event names the one before it"),
    "record_ids": _PLACE,
    "usage": _COST,
    "state": lambda message: (
        adapted("said of nothing else") if message.state == "complete" else _OTHER
    ),
    "stop_reason": _OTHER,
    "api_id": _PLACE,
    "is_branch": _OTHER,
    "continues": _PLACE,
    "file": _PLACE,
    "offset": _PLACE,
    "length": _PLACE,
    "seq": _PLACE,
}


# -- calls -------------------------------------------------------------------------------------


def _arguments(call: ToolCall) -> Verdict:
    return adapted("as text: it is no JSON") if parsed(call.arguments) is call.arguments else MAPPED


def _status(call: ToolCall) -> Verdict:
    if is_odd_failure(call):
        return adapted("a failure without an exit code is an error")
    if call.status == "interrupted" and call.result is None:
        return adapted("Copilot CLI says it by itself of a call without a result")
    return (
        adapted("a call that has a result has run")
        if call.status == "running" and call.result
        else MAPPED
    )


def _exit_code(call: ToolCall) -> Verdict:
    if tells_exit_code(call):
        return adapted("it stands in the result")
    is_kept = (
        call.status in ("ok", "failed", None) and call.exit_code is not None and call.exit_code >= 0
    )
    return (
        MAPPED
        if is_kept
        else dropped("Copilot CLI has exit codes of calls that ran, and none below zero")
    )


_CALLS: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "message_id": _PLACE,
    "name": MAPPED,
    "kind": adapted("told by the name"),
    "title": MAPPED,
    "server": MAPPED,
    "arguments": _arguments,
    "result": MAPPED,
    "result_at": dropped("the archive has lost this result"),
    "status": _status,
    "approval": _OTHER,
    "exit_code": _exit_code,
    "started_at": MAPPED,
    "ended_at": MAPPED,
    "duration_ms": adapted("told by the times of the call and its result"),
    "spilled_to": dropped("the file with the whole output stays in the journal: aj restore"),
    "record_ids": _PLACE,
    "offset": _PLACE,
    "length": _PLACE,
}


# -- the rest ----------------------------------------------------------------------------------


def _attached(field: str) -> Rule:
    """Copilot CLI has forms for files, folders and bytes, each with some of the fields."""
    names = {
        "kind": "type",
        "name": "displayName",
        "path": "path",
        "mime_type": "mimeType",
        "size": "byteLength",
    }

    def verdict(one: Attachment) -> Verdict:
        form = attachment(one) or {}
        if form.get(names.get(field, "")) == getattr(one, field):
            return MAPPED
        return adapted(f"told as {form.get('type')}") if field == "kind" else _OTHER

    return verdict


def _lost_edit(edit: FileEdit) -> Verdict:
    if edit.kind == "backup":
        return _BACKUP
    return dropped("Copilot CLI notes changes with calls that succeeded, and of this session only")


def _edit_kind(edit: FileEdit) -> Verdict:
    return MAPPED if edit_kind(edit) == edit.kind else adapted(f"{edit.kind} is told as an edit")


def _todo_status(todo: Todo) -> Verdict:
    is_known = todo.status in ("pending", "in_progress", "done", "blocked")
    return (
        MAPPED
        if is_known
        else adapted("in the words of Copilot CLI: pending, in_progress, done, blocked")
    )


_ATTACHMENTS: dict[str, Rule] = {
    name: _attached(name)
    for name in ("kind", "name", "path", "mime_type", "size", "sha256", "text", "note")
}
_EDITS: dict[str, Rule] = {
    "session_id": _PLACE,
    "path": MAPPED,
    "kind": _edit_kind,
    "message_id": _PLACE,
    "call_id": _PLACE,
    "timestamp": adapted("the time of the result that tells it"),
    "diff": MAPPED,
    "before": _TOLD_BY_DIFF,
    "after": _TOLD_BY_DIFF,
    "lines_added": _TOLD_BY_DIFF,
    "lines_removed": _TOLD_BY_DIFF,
    "backup": _BACKUP,
    "state": _OTHER,
    "origin": _PLACE,
    "offset": _PLACE,
    "seq": _PLACE,
}
_PLANS: dict[str, Rule] = {
    "text": MAPPED,
    "name": adapted("named by its place"),
    "session_id": _PLACE,
    "kind": lambda plan: (
        adapted("an approved plan is the plan") if plan.kind == "exit_plan_mode" else MAPPED
    ),
    "path": adapted("the plan lies in the new files"),
    "approved": _OTHER,
    "feedback": _OTHER,
    "created_at": _OTHER,
}
_TODOS: dict[str, Rule] = {
    "content": MAPPED,
    "status": _todo_status,
    "id": MAPPED,
    "description": MAPPED,
    "active_form": _OTHER,
    "depends_on": MAPPED,
    "created_at": MAPPED,
    "updated_at": MAPPED,
}
