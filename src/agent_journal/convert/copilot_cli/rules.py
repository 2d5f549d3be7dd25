"""How each field of a session is converted for Copilot CLI: mapped, adapted or dropped."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from agent_journal.convert.accounting import (
    EVENT_FIELDS,
    MAPPED,
    USAGE_FIELDS,
    Rule,
    Rules,
    Verdict,
    Written,
    adapted,
    all_where_written,
    dropped,
    mapped_if,
    title,
    verdict_of,
    where_written,
)
from agent_journal.convert.copilot_cli.events import ABORTS, is_only_reasoning
from agent_journal.convert.copilot_cli.files import REPOSITORY
from agent_journal.convert.copilot_cli.results import attachment, edit_kind, is_odd_failure
from agent_journal.convert.parts import parsed, tells_exit_code, tool_name
from agent_journal.model import Attachment, FileEdit, Message, Session, Todo, ToolCall

_PLACE = adapted("places and ids in the new files are their own")
_OTHER = dropped("Copilot CLI has no place for it")
_COST = dropped("omitted so that tokens are not counted twice; the journal has it")
_EVENT = dropped("Copilot CLI does not use events of other agents")
_BACKUP = dropped("copies of files from before a change stay in the journal: aj restore")
_FOLDED = adapted("an answer that is only reasoning is part of the next one")
_IN_DIFF = adapted("given by the diff")


def _repository(session: Session) -> Verdict:
    is_plain = REPOSITORY.match(session.repository or "") is not None
    return mapped_if(is_plain, dropped("Copilot CLI accepts owner/name only"))


_SESSION: dict[str, Rule] = {
    "agent": adapted("it is a session of Copilot CLI now"),
    "id": adapted("a new id, so that no other session is written over"),
    "title_rank": adapted("it becomes a title that a person gave"),
    "title_source": adapted("it becomes a title that a person gave"),
    "project_path": MAPPED,
    "project_dir": adapted("Copilot CLI keeps sessions by id; the working folder is in it"),
    "repository": _repository,
    "git_branch": MAPPED,
    "host_app": _OTHER,
    "agent_version": adapted("replaced by the Copilot CLI version"),
    "models": adapted("each answer names its model"),
    "started_at": MAPPED,
    "ended_at": adapted("given by the last event"),
    "parent_id": adapted("sub-agents are in the events of their session"),
    "fork_of": dropped("a converted session is independent"),
    "slug": adapted("the plan has a new name"),
    "tags": _OTHER,
    "recorded_cost_micro_usd": _COST,
    "ended_as": adapted("it follows from the last messages"),
    "is_automated": dropped("Copilot CLI does not say who started a session"),
    "is_hint": _PLACE,
    "last_line_id": _PLACE,
}
_WITHOUT_PROMPT = dropped("only attachments of prompts can be stored; the bytes are in the journal")
_ONE_PLAN = dropped(
    "Copilot CLI keeps one plan for a session; others are in the calls that made them"
)
_NOT_SHOWN = dropped("the diffs of the call are shown instead, or it failed")
_MAIN_TODOS = dropped("Copilot CLI keeps todos for the session, not for sub-agents")
_UNANNOUNCED = dropped(
    "Copilot CLI announces a sub-agent by the call that started it, which is not known"
)


def rules(family: Sequence[Session], written: Written) -> Rules:
    """Return the rules for a session and its sub-agents; `written` are the parts written."""
    kept = partial(where_written, written)
    all_kept = partial(all_where_written, written)
    members = {session.id for session in family}

    def child(call: ToolCall) -> Verdict:
        return mapped_if(
            call.child_session_id in members, dropped("this sub-agent is not in the journal")
        )

    def kind(message: Message) -> Verdict:
        if message.kind == "compaction" and message not in written:
            return adapted(
                "a summary of messages that are not here becomes text that no person typed"
            )
        return _kind(message)

    def folded(rule: Rule) -> Rule:
        def verdict(message: Message) -> Verdict:
            if not is_only_reasoning(message):
                return verdict_of(rule, message)
            if message in written:
                return _FOLDED
            return dropped("no answer follows that it could be part of")

        return verdict

    announced = {
        "parent_call_id": kept(MAPPED, _UNANNOUNCED),
        "agent_name": kept(MAPPED, _UNANNOUNCED),
        "title": kept(title, _UNANNOUNCED),
    }
    return {
        "session": {**_SESSION, **announced},
        "messages": {name: folded(rule) for name, rule in {**_MESSAGES, "kind": kind}.items()},
        "tool_calls": {
            **_CALLS,
            "display": kept(MAPPED, _NOT_SHOWN),
            "child_session_id": child,
        },
        "attachments": all_kept(_ATTACHMENTS, _WITHOUT_PROMPT),
        "file_edits": all_kept(_EDITS, _lost_edit),
        "plans": all_kept(_PLANS, _ONE_PLAN),
        "todos": all_kept(_TODOS, _MAIN_TODOS),
        "events": dict.fromkeys(EVENT_FIELDS, _EVENT),
        "usage": dict.fromkeys(USAGE_FIELDS, _COST),
        "documents": dict.fromkeys(("session_id", "name", "kind"), _BACKUP),
    }


# -- messages ----------------------------------------------------------------------------------

_SAME_KINDS = ("prompt", "answer", "injected", "compaction", "skill", "error", "interrupt", "shell")


def _kind(message: Message) -> Verdict:
    if message.kind in _SAME_KINDS:
        return MAPPED
    if message.kind == "notice":
        return adapted("notice becomes an event")
    return adapted(f"{message.kind} becomes text that no person typed")


def _text(message: Message) -> Verdict:
    if message.kind == "shell" and message.tool_calls:
        return adapted("given by the arguments of its call")
    is_other_abort = message.kind == "interrupt" and message.text not in ABORTS
    return mapped_if(not is_other_abort, adapted("becomes an abort by the user"))


def _role(message: Message) -> Verdict:
    if message.role == "tool":
        return adapted("a result without a call gets a call")
    is_kept = (message.role == "system") == (message.kind in ("compaction", "error", "notice"))
    return mapped_if(is_kept, adapted("given by the type of event"))


def _state(message: Message) -> Verdict:
    if message.state == "complete":
        return adapted("Copilot CLI does not mark what is complete")
    return _OTHER


_MESSAGES: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "role": _role,
    "text": _text,
    "reasoning": lambda message: mapped_if(message.role == "assistant", _OTHER),
    "model": lambda message: mapped_if(message.role == "assistant", _OTHER),
    "timestamp": MAPPED,
    "parent_id": adapted("each event names the one before it"),
    "record_ids": _PLACE,
    "usage": _COST,
    "state": _state,
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
    arguments = parsed(call.arguments)
    if arguments is call.arguments:
        return adapted("as text: it is not JSON")
    is_kept = isinstance(arguments, (dict, str))
    return mapped_if(is_kept, adapted("in the object that the APIs of models demand"))


def _name(call: ToolCall) -> Verdict:
    return mapped_if(
        tool_name(call) == call.name, adapted("in the letters that the APIs of models allow")
    )


def _status(call: ToolCall) -> Verdict:
    if is_odd_failure(call):
        return adapted("a failure without an exit code is an error")
    if call.status == "interrupted" and call.result is None:
        return adapted("Copilot CLI assumes it of a call without a result")
    if call.status == "running" and call.result:
        return adapted("a call that has a result has run")
    return MAPPED


def _exit_code(call: ToolCall) -> Verdict:
    if tells_exit_code(call):
        return adapted("it is in the result")
    is_kept = (
        call.status in ("ok", "failed", None) and call.exit_code is not None and call.exit_code >= 0
    )
    return mapped_if(
        is_kept, dropped("Copilot CLI has exit codes of calls that ran, and none below zero")
    )


_CALLS: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "message_id": _PLACE,
    "name": _name,
    "kind": adapted("given by the name"),
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
    "duration_ms": adapted("given by the times of the call and its result"),
    "spilled_to": dropped("the file with the whole output stays in the journal: aj restore"),
    "record_ids": _PLACE,
    "offset": _PLACE,
    "length": _PLACE,
}


# -- the rest ----------------------------------------------------------------------------------


def _attached(field: str) -> Rule:
    """Return the rule for a field: attached files, folders and bytes keep different ones."""
    names = {
        "kind": "type",
        "name": "displayName",
        "path": "path",
        "mime_type": "mimeType",
        "size": "byteLength",
    }

    def verdict(attached: Attachment) -> Verdict:
        form = attachment(attached) or {}
        if form.get(names.get(field, "")) == getattr(attached, field):
            return MAPPED
        if field == "kind":
            return adapted(f"becomes {form.get('type')}")
        return _OTHER

    return verdict


def _lost_edit(edit: FileEdit) -> Verdict:
    if edit.kind == "backup":
        return _BACKUP
    return dropped("Copilot CLI notes changes with calls that succeeded, and of this session only")


def _edit_kind(edit: FileEdit) -> Verdict:
    return mapped_if(edit_kind(edit) == edit.kind, adapted(f"{edit.kind} becomes an edit"))


def _todo_status(todo: Todo) -> Verdict:
    is_known = todo.status in ("pending", "in_progress", "done", "blocked")
    return mapped_if(
        is_known, adapted("in the words of Copilot CLI: pending, in_progress, done, blocked")
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
    "timestamp": adapted("the time of the result that reports it"),
    "diff": MAPPED,
    "before": _IN_DIFF,
    "after": _IN_DIFF,
    "lines_added": _IN_DIFF,
    "lines_removed": _IN_DIFF,
    "backup": _BACKUP,
    "state": _OTHER,
    "origin": _PLACE,
    "offset": _PLACE,
    "seq": _PLACE,
}
_APPROVED = adapted("an approved plan becomes the plan")
_PLANS: dict[str, Rule] = {
    "text": MAPPED,
    "name": adapted("named by its place"),
    "session_id": _PLACE,
    "kind": lambda plan: mapped_if(plan.kind != "exit_plan_mode", _APPROVED),
    "path": adapted("the plan is in the new files"),
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
