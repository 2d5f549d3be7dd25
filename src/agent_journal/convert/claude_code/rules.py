"""How each field of a session is converted for Claude Code: mapped, adapted or dropped."""

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
    where_written,
)
from agent_journal.convert.claude_code.lines import interruption, stop_reason
from agent_journal.convert.claude_code.models import api_model
from agent_journal.convert.claude_code.results import result_text
from agent_journal.convert.parts import parsed, tool_name
from agent_journal.model import Attachment, FileEdit, Message, Session, Todo, ToolCall

_PLACE = adapted("places and ids in the new files are their own")
_OTHER = dropped("Claude Code has no place for it")
_COST = dropped("written as zero so that tokens are not counted twice; the journal has it")
_CHAIN = adapted("each line names the one before it")
_TIMES = adapted("given by the first and the last line")
_EVENT = dropped("Claude Code does not use events of other agents")
_BACKUP = dropped("copies of files from before a change stay in the journal: aj restore")
_AS_TEXT = adapted("the shell command of a person becomes text, with its output")
_MOVED = adapted("moved on by milliseconds, so that times rise from line to line")
_REMINDED = adapted("named in a reminder before the prompt")

_ONE_TAG = dropped("Claude Code has one tag for a session")
_SESSION: dict[str, Rule] = {
    "agent": adapted("it is a session of Claude Code now"),
    "id": adapted("a new id, so that no other session is written over"),
    "title": title,
    "title_rank": adapted("it becomes a title that a person gave"),
    "title_source": adapted("it becomes a title that a person gave"),
    "project_path": MAPPED,
    "project_dir": adapted("named after the working folder"),
    "repository": _OTHER,
    "git_branch": MAPPED,
    "host_app": _OTHER,
    "agent_version": adapted("replaced by the Claude Code version"),
    "models": adapted("each answer names its model"),
    "started_at": _TIMES,
    "ended_at": _TIMES,
    "parent_id": adapted("sub-agents are in the folder of their session"),
    "fork_of": dropped("a converted session is independent"),
    "agent_name": MAPPED,
    "slug": adapted("the plan has a new name"),
    "tags": lambda session: mapped_if(len(session.tags) == 1, _ONE_TAG),
    "recorded_cost_micro_usd": _COST,
    "ended_as": adapted("it follows from the last messages"),
    "is_automated": dropped("Claude Code infers it from the program that started the session"),
    "is_hint": _PLACE,
    "last_line_id": _PLACE,
}
_WITHOUT_PROMPT = dropped("only attachments of prompts can be stored; the bytes are in the journal")
_ONE_PLAN = dropped(
    "Claude Code keeps one plan for a session; others are in the calls that made them"
)
_MAIN_TODOS = dropped("Claude Code keeps tasks for the session, not for sub-agents")


def rules(family: Sequence[Session], written: Written, with_own_time: Written) -> Rules:
    """Return the rules for a session and its sub-agents.

    `written` are the parts written, `with_own_time` the messages whose time is unchanged.
    """
    parents = {session.id for session in family}
    kept = partial(where_written, written)
    all_kept = partial(all_where_written, written)

    def child(call: ToolCall) -> Verdict:
        return mapped_if(
            call.child_session_id in parents, dropped("this sub-agent is not in the journal")
        )

    unknown_call = dropped("the call that started it is not in the journal")
    return {
        "session": {**_SESSION, "parent_call_id": kept(MAPPED, unknown_call)},
        "messages": {**_MESSAGES, "timestamp": where_written(with_own_time, MAPPED, _MOVED)},
        "tool_calls": all_kept({**_CALLS, "child_session_id": child}, _AS_TEXT),
        "attachments": all_kept(_ATTACHMENTS, _WITHOUT_PROMPT),
        "file_edits": all_kept(_EDITS, _lost_edit),
        "plans": all_kept(_PLANS, _ONE_PLAN),
        "todos": all_kept(_TODOS, _MAIN_TODOS),
        "events": dict.fromkeys(EVENT_FIELDS, _EVENT),
        "usage": dict.fromkeys(USAGE_FIELDS, _COST),
        "documents": dict.fromkeys(("session_id", "name", "kind"), _BACKUP),
    }


# -- messages ----------------------------------------------------------------------------------


def _kind(message: Message) -> Verdict:
    if message.kind in ("hook", "system_prompt") or (
        message.kind == "command" and not message.text.startswith("/")
    ):
        return adapted(f"{message.kind} becomes text from the harness")
    if message.kind == "notice" and message.role != "assistant":
        return adapted("notice becomes an event")
    return MAPPED


def _text(message: Message) -> Verdict:
    if message.kind == "interrupt" and interruption(message.text) != message.text:
        return adapted("in the words that Claude Code uses for an interruption")
    has_tags = message.kind in ("command", "command_output", "shell")
    return mapped_if(not has_tags, adapted("in the tags of Claude Code"))


def _model(message: Message) -> Verdict:
    if message.role != "assistant" or message.kind != "answer":
        return _OTHER
    written = api_model(message.model)
    if written is None:
        return dropped("Claude's API does not know this name of a model")
    return mapped_if(written == message.model, adapted("by the name that Claude's API has for it"))


def _state(message: Message) -> Verdict:
    if message.state == "cancelled" or (message.state == "failed" and message.kind == "error"):
        return MAPPED
    if message.state == "complete":
        return adapted("Claude Code does not mark what is complete")
    return _OTHER


def _role(message: Message) -> Verdict:
    is_kept = message.role in ("user", "assistant") and not (
        message.kind == "error" and message.role == "user"
    )
    return mapped_if(is_kept, adapted("Claude Code has only the user and the assistant"))


def _stop(message: Message) -> Verdict:
    return mapped_if(
        stop_reason(message) == message.stop_reason, adapted("in the words of Claude's API")
    )


_MESSAGES: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "role": _role,
    "kind": _kind,
    "text": _text,
    "reasoning": dropped("the API rejects reasoning that its model did not sign"),
    "model": _model,
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
    return mapped_if(
        tool_name(call) == call.name, adapted("in the letters that Claude's API allows")
    )


def _arguments(call: ToolCall) -> Verdict:
    is_object = isinstance(parsed(call.arguments), dict)
    return mapped_if(
        is_object, adapted("Claude's API accepts objects only: it is wrapped in one, as input")
    )


def _result(call: ToolCall) -> Verdict:
    return mapped_if(
        result_text(call) == call.result,
        adapted("begins with the exit code, as Claude Code has it"),
    )


def _status(call: ToolCall) -> Verdict:
    if call.status == "running" or call.result is None:
        return adapted(
            "Claude Code needs a result for each call: this one says that none was recorded"
        )
    return mapped_if(call.status != "failed", adapted("a command that failed is an error"))


def _exit_code(call: ToolCall) -> Verdict:
    if call.status in ("error", "failed") and call.exit_code:
        return adapted("it is in the result")
    if call.exit_code == 0:
        return adapted("a call that did not fail has no exit code")
    return _OTHER


_CALLS: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "message_id": _PLACE,
    "name": _name,
    "kind": adapted("given by the name"),
    "title": _OTHER,
    "server": lambda call: mapped_if((call.name or "").startswith("mcp__"), _OTHER),
    "arguments": _arguments,
    "result": _result,
    "result_at": dropped("the archive has lost this result"),
    "display": _OTHER,
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


def _attached(attachment: Attachment) -> Verdict:
    return mapped_if(attachment.kind in ("ide", "reminder"), _REMINDED)


def _lost_edit(edit: FileEdit) -> Verdict:
    if edit.kind == "backup":
        return _BACKUP
    return dropped("Claude Code notes one file for each call, and calls of this session only")


def _edit_kind(edit: FileEdit) -> Verdict:
    return mapped_if(edit.kind in ("create", "edit"), adapted(f"{edit.kind} becomes an edit"))


def _diff(edit: FileEdit) -> Verdict:
    is_bare = edit.diff is not None and edit.diff.startswith("@@")
    return mapped_if(is_bare, adapted("its hunks, without the lines before them"))


def _task_status(todo: Todo) -> Verdict:
    is_known = todo.status in ("pending", "in_progress", "completed")
    return mapped_if(
        is_known, adapted("in the words of Claude Code: pending, in_progress, completed")
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
    "timestamp": adapted("the time of the result that reports it"),
    "diff": _diff,
    "before": adapted("given by the diff"),
    "after": adapted("given by the diff"),
    "lines_added": adapted("given by the diff"),
    "lines_removed": adapted("given by the diff"),
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
    "path": adapted("the plan is in the new files"),
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
