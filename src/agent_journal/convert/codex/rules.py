"""What becomes of every field in a rollout of Codex CLI."""

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
)
from agent_journal.convert.parts import parsed, tells_exit_code, tool_name
from agent_journal.model import FileEdit, Message, Session, ToolCall

_PLACE = adapted("places and ids in the new files are their own")
_OTHER = dropped("Codex CLI has no place for it")
_COST = dropped("omitted so that tokens are not counted twice; the journal has it")
_EVENT = dropped("Codex CLI does not use events of other agents")
_BACKUP = dropped("copies of files from before a change stay in the journal: aj restore")
_IN_DIFF = adapted("given by the diff")
_AS_NOTE = adapted("named in a note before the prompt")
_AS_TEXT = adapted("the shell command of a person becomes text, with its output")
_NO_PLAN = dropped("Codex CLI keeps no plans; the calls that made them are there")
_NO_TODOS = dropped("Codex CLI keeps no list of todos; the calls that made it are there")
_MODEL = dropped("Codex CLI would continue with this model, whether or not it has it")

_SESSION: dict[str, Rule] = {
    "agent": adapted("it is a session of Codex CLI now"),
    "id": adapted("a new id, so that no other session is written over"),
    "title": title,
    "title_rank": adapted("it becomes the name of the thread"),
    "title_source": adapted("it becomes the name of the thread"),
    "project_path": MAPPED,
    "project_dir": adapted("Codex CLI keeps sessions by date; the working folder is in it"),
    "repository": _OTHER,
    "git_branch": MAPPED,
    "host_app": _OTHER,
    "agent_version": adapted("replaced by the Codex CLI version"),
    "models": _MODEL,
    "started_at": MAPPED,
    "ended_at": adapted("given by the last line"),
    "parent_id": MAPPED,
    "parent_call_id": adapted("by the call that started it"),
    "fork_of": dropped("a converted session is independent"),
    "agent_name": MAPPED,
    "slug": _OTHER,
    "tags": _OTHER,
    "recorded_cost_micro_usd": _COST,
    "ended_as": adapted("it follows from the last messages"),
    "is_automated": dropped("Codex CLI does not say who started a session"),
    "is_hint": _PLACE,
    "last_line_id": _PLACE,
}


def rules(family: Sequence[Session], written: Written) -> Rules:
    """Return the rules for a session and its sub-agents; `written` are the parts written."""
    all_kept = partial(all_where_written, written)
    members = {session.id for session in family}

    def child(call: ToolCall) -> Verdict:
        return mapped_if(
            call.child_session_id in members, dropped("this sub-agent is not in the journal")
        )

    return {
        "session": _SESSION,
        "messages": _MESSAGES,
        "tool_calls": all_kept({**_CALLS, "child_session_id": child}, _AS_TEXT),
        "attachments": all_kept(
            _ATTACHMENTS,
            dropped("only attachments of prompts can be named; the bytes are in the journal"),
        ),
        "file_edits": all_kept(_EDITS, _lost_edit),
        "plans": dict.fromkeys(_PLAN_FIELDS, _NO_PLAN),
        "todos": dict.fromkeys(_TODO_FIELDS, _NO_TODOS),
        "events": dict.fromkeys(EVENT_FIELDS, _EVENT),
        "usage": dict.fromkeys(USAGE_FIELDS, _COST),
        "documents": dict.fromkeys(("session_id", "name", "kind"), _BACKUP),
    }


# -- messages ----------------------------------------------------------------------------------

_OTHER_KINDS = {"command": "a prompt", "notice": "an event"}


def _kind(message: Message) -> Verdict:
    other = _OTHER_KINDS.get(message.kind)
    if other is None:
        return MAPPED
    return adapted(f"{message.kind} becomes {other}")


def _text(message: Message) -> Verdict:
    if message.kind == "interrupt":
        return adapted("Codex CLI has one wording for an interruption")
    is_plain = message.role != "user" or message.kind in ("prompt", "command", "compaction")
    return mapped_if(is_plain, adapted("in a tag, so that it is not taken for a prompt"))


def _role(message: Message) -> Verdict:
    is_kept = message.role in ("user", "assistant")
    return mapped_if(is_kept, adapted("given by the type of line"))


def _reasoning(message: Message) -> Verdict:
    return mapped_if(message.role == "assistant", _OTHER)


def _state(message: Message) -> Verdict:
    if message.state == "complete":
        return adapted("Codex CLI does not mark what is complete")
    return _OTHER


_MESSAGES: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "role": _role,
    "kind": _kind,
    "text": _text,
    "reasoning": _reasoning,
    "model": _MODEL,
    "timestamp": MAPPED,
    "parent_id": adapted("given by the order of the lines"),
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
    is_text = parsed(call.arguments) is call.arguments
    return mapped_if(not is_text, adapted("as the input of a custom tool: it is not JSON"))


def _name(call: ToolCall) -> Verdict:
    is_same = tool_name(call) == call.name
    return mapped_if(is_same, adapted("in letters that the API of Codex CLI allows"))


def _status(call: ToolCall) -> Verdict:
    if call.status == "ok" or call.result is None:
        return adapted("Codex CLI infers it from the result")
    return dropped("Codex CLI has the result only, whose text may not tell that it failed")


def _exit_code(call: ToolCall) -> Verdict:
    if tells_exit_code(call):
        return adapted("it is in the result")
    return dropped("Codex CLI has the result only")


_CALLS: dict[str, Rule] = {
    "session_id": _PLACE,
    "id": _PLACE,
    "message_id": _PLACE,
    "name": _name,
    "kind": adapted("given by the name"),
    "title": _OTHER,
    "server": _OTHER,
    "arguments": _arguments,
    "result": MAPPED,
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


def _lost_edit(edit: FileEdit) -> Verdict:
    if edit.kind == "backup":
        return _BACKUP
    return dropped("Codex CLI notes one change of each file for each call")


def _edit_kind(edit: FileEdit) -> Verdict:
    is_known = edit.kind in ("create", "edit", "delete")
    return mapped_if(is_known, adapted(f"{edit.kind} becomes an edit"))


_ATTACHMENTS: dict[str, Rule] = {
    **dict.fromkeys(("kind", "name", "path", "mime_type", "size", "text", "note"), _AS_NOTE),
    "sha256": dropped("the bytes are not in the new files, so their hash would mean nothing"),
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
_PLAN_FIELDS = (
    "text",
    "name",
    "session_id",
    "kind",
    "path",
    "approved",
    "feedback",
    "created_at",
)
_TODO_FIELDS = (
    "content",
    "status",
    "id",
    "description",
    "active_form",
    "depends_on",
    "created_at",
    "updated_at",
)
