"""What becomes of each field of a session that is written for Claude Code."""

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
from agent_journal.convert.claude_code.lines import interruption, stop_reason, tool_name
from agent_journal.convert.claude_code.results import result_text
from agent_journal.convert.parts import parsed
from agent_journal.model import Attachment, FileEdit, Message, Session, Todo, ToolCall

_PLACE = adapted("places and ids in the new files are their own")
_OTHER = dropped("Claude Code has no place for it")
_COST = dropped("written as zero, so that no token is counted twice; the journal has it")
_CHAIN = adapted("each line names the one before it")
_TIMES = adapted("the first and the last line tell it")
_EVENT = dropped("markers of the other agent mean nothing to Claude Code")
_BACKUP = dropped("copies of files from before a change stay in the journal: aj restore")
_AS_TEXT = adapted("the person's own shell line is text, with what it printed")
_REMINDED = adapted("named in a reminder before the prompt")

_SESSION: dict[str, Rule] = {
    "agent": adapted("it is a session of Claude Code now"),
    "id": adapted("a new id, so that no other session is written over"),
    "title": title,
    "title_rank": adapted("it stands as a title that a person gave"),
    "title_source": adapted("it stands as a title that a person gave"),
    "project_path": MAPPED,
    "project_dir": adapted("named after the working folder"),
    "repository": _OTHER,
    "git_branch": MAPPED,
    "host_app": _OTHER,
    "agent_version": dropped("the lines say which version of Claude Code they are for"),
    "models": adapted("each answer names its model"),
    "started_at": _TIMES,
    "ended_at": _TIMES,
    "parent_id": adapted("sub-agents lie in the folder of their session"),
    "fork_of": dropped("a converted session is a session of its own"),
    "agent_name": MAPPED,
    "slug": adapted("the plan has a new name"),
    "tags": lambda session: (
        MAPPED if len(session.tags) == 1 else dropped("Claude Code knows one tag")
    ),
    "recorded_cost_micro_usd": _COST,
    "is_automated": dropped("Claude Code tells it by the program that started the session"),
    "is_hint": _PLACE,
}
_BESIDE = dropped(
    "Claude Code has no place for what is not beside a prompt; the bytes are in the journal"
)
_ONE_PLAN = dropped(
    "Claude Code keeps one plan for a session; others are in the calls that made them"
)
_MAIN_TODOS = dropped("Claude Code keeps tasks for the session, not for sub-agents")


def rules(family: Sequence[Session], written: set[int]) -> dict[str, Rule]:
    """The rules for a family, of whose parts those in `written` (by identity) have a place."""
    parents = {session.id for session in family}
    kept = partial(where_written, written)

    def child(call: ToolCall) -> Verdict:
        return (
            MAPPED
            if call.child_session_id in parents
            else dropped("this sub-agent is not in the journal")
        )

    return {
        **{f"session.{name}": rule for name, rule in _SESSION.items()},
        "session.parent_call_id": kept(
            MAPPED, dropped("the call that started it is not in the journal")
        ),
        **{f"messages.{name}": rule for name, rule in _MESSAGES.items()},
        **{f"tool_calls.{name}": kept(rule, _AS_TEXT) for name, rule in _CALLS.items()},
        "tool_calls.child_session_id": kept(child, _AS_TEXT),
        **{f"attachments.{name}": kept(rule, _BESIDE) for name, rule in _ATTACHMENTS.items()},
        **{f"file_edits.{name}": kept(rule, _lost_edit) for name, rule in _EDITS.items()},
        **{f"plans.{name}": kept(rule, _ONE_PLAN) for name, rule in _PLANS.items()},
        **{f"todos.{name}": kept(rule, _MAIN_TODOS) for name, rule in _TODOS.items()},
        **{f"events.{name}": _EVENT for name in EVENT_FIELDS},
        **{f"usage.{name}": _COST for name in USAGE_FIELDS},
        **{f"documents.{name}": _BACKUP for name in ("session_id", "name", "kind")},
    }


# -- messages ----------------------------------------------------------------------------------


def _kind(message: Message) -> Verdict:
    if message.kind in ("hook", "system_prompt") or (
        message.kind == "command" and not message.text.startswith("/")
    ):
        return adapted(f"{message.kind} is told as text that the harness put in")
    return MAPPED


def _text(message: Message) -> Verdict:
    if message.kind == "interrupt" and interruption(message.text) != message.text:
        return adapted("told in the words by which Claude Code knows an interruption")
    return (
        adapted("in the tags of Claude Code")
        if message.kind in ("command", "command_output", "shell")
        else MAPPED
    )


def _model(message: Message) -> Verdict:
    return MAPPED if message.role == "assistant" and message.kind == "answer" else _OTHER


def _state(message: Message) -> Verdict:
    if message.state == "cancelled" or (message.state == "failed" and message.kind == "error"):
        return MAPPED
    return (
        adapted("Claude Code says nothing of what is complete")
        if message.state == "complete"
        else _OTHER
    )


def _role(message: Message) -> Verdict:
    is_kept = message.role in ("user", "assistant") and not (
        message.kind == "error" and message.role == "user"
    )
    return MAPPED if is_kept else adapted("Claude Code knows the user and the assistant only")


def _stop(message: Message) -> Verdict:
    return (
        MAPPED
        if stop_reason(message) == message.stop_reason
        else adapted("in the words of Claude's API")
    )


_MESSAGES: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "role": _role,
    "kind": _kind,
    "text": _text,
    "reasoning": dropped("the API refuses reasoning that its model did not sign"),
    "model": _model,
    "timestamp": MAPPED,
    "parent_id": _CHAIN,
    "record_ids": _PLACE,
    "usage": _COST,
    "state": _state,
    "stop_reason": _stop,
    "api_id": _PLACE,
    "is_branch": MAPPED,
    "continues": _PLACE,
    "file": _PLACE,
    "offset": _PLACE,
    "length": _PLACE,
    "seq": _PLACE,
}


# -- calls -------------------------------------------------------------------------------------


def _name(call: ToolCall) -> Verdict:
    return (
        MAPPED
        if tool_name(call) == call.name
        else adapted("in the letters that Claude's API allows")
    )


def _arguments(call: ToolCall) -> Verdict:
    is_object = isinstance(parsed(call.arguments), dict)
    return (
        MAPPED if is_object else adapted("Claude's API takes objects only: it is in one, as input")
    )


def _result(call: ToolCall) -> Verdict:
    return (
        MAPPED
        if result_text(call) == call.result
        else adapted("begins with the exit code, as Claude Code has it")
    )


def _status(call: ToolCall) -> Verdict:
    if call.status == "running" or call.result is None:
        return adapted("Claude Code needs a result for each call: it says that none was recorded")
    return adapted("a command that failed is an error") if call.status == "failed" else MAPPED


def _exit_code(call: ToolCall) -> Verdict:
    if call.status in ("error", "failed") and call.exit_code:
        return adapted("it stands in the result")
    return adapted("a call that did not fail says no exit code") if call.exit_code == 0 else _OTHER


_CALLS: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "message_id": _PLACE,
    "name": _name,
    "kind": adapted("told by the name"),
    "title": _OTHER,
    "server": lambda call: MAPPED if (call.name or "").startswith("mcp__") else _OTHER,
    "arguments": _arguments,
    "result": _result,
    "result_at": dropped("the archive has lost this result"),
    "display": _OTHER,
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


def _attached(attachment: Attachment) -> Verdict:
    return MAPPED if attachment.kind in ("ide", "reminder") else _REMINDED


def _lost_edit(edit: FileEdit) -> Verdict:
    if edit.kind == "backup":
        return _BACKUP
    return dropped("Claude Code notes one file for each call, and calls of this session only")


def _edit_kind(edit: FileEdit) -> Verdict:
    return MAPPED if edit.kind in ("create", "edit") else adapted(f"{edit.kind} is told as an edit")


def _diff(edit: FileEdit) -> Verdict:
    is_bare = edit.diff is not None and edit.diff.startswith("@@")
    return MAPPED if is_bare else adapted("its hunks, without the lines before them")


def _task_status(todo: Todo) -> Verdict:
    is_known = todo.status in ("pending", "in_progress", "completed")
    return (
        MAPPED
        if is_known
        else adapted("in the words of Claude Code: pending, in_progress, completed")
    )


_ATTACHMENTS: dict[str, Rule] = {
    "kind": _attached,
    "name": _REMINDED,
    "path": _REMINDED,
    "mime_type": _REMINDED,
    "size": _REMINDED,
    "sha256": dropped("the bytes are not in the new files, so their hash would mean nothing"),
    "text": _attached,
    "note": _REMINDED,
}
_EDITS: dict[str, Rule] = {
    "session_id": _PLACE,
    "path": MAPPED,
    "kind": _edit_kind,
    "message_id": _PLACE,
    "call_id": _PLACE,
    "timestamp": adapted("the time of the result that tells it"),
    "diff": _diff,
    "before": adapted("told by the diff"),
    "after": adapted("told by the diff"),
    "lines_added": adapted("told by the diff"),
    "lines_removed": adapted("told by the diff"),
    "backup": _BACKUP,
    "state": _OTHER,
    "origin": _PLACE,
    "offset": _PLACE,
    "seq": _PLACE,
}
_PLANS: dict[str, Rule] = {
    "text": MAPPED,
    "name": adapted("the plan has a new name"),
    "session_id": _PLACE,
    "kind": MAPPED,
    "path": adapted("the plan lies in the new files"),
    "approved": _OTHER,
    "feedback": _OTHER,
    "created_at": _OTHER,
}
_TODOS: dict[str, Rule] = {
    "content": MAPPED,
    "status": _task_status,
    "id": adapted("tasks have numbers"),
    "description": MAPPED,
    "active_form": MAPPED,
    "depends_on": adapted("by the numbers of the tasks"),
    "created_at": _OTHER,
    "updated_at": _OTHER,
}
