"""How each field of the model is converted for VS Code: the tables of the loss report.

They have every field of every class; a test fails when the model gains a field that is not here.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from agent_journal.convert.accounting import MAPPED, Rule, Verdict, adapted, dropped


def _all(names: Iterable[str], verdict: Verdict) -> Mapping[str, Rule]:
    """Apply one rule to all fields except positions in the original files."""
    places = {
        "session_id": NAMED,
        **dict.fromkeys(("file", "offset", "length", "seq", "record_ids"), IN_JOURNAL),
    }
    return {name: places.get(name, verdict) for name in names}


AS_IS = MAPPED
AS_DIFF = adapted("as a fenced diff")
ASIDE = Verdict("adapted", "in result.metadata, which VS Code keeps and does not show", True)
NAMED = adapted("result.metadata names the session it was made of")
IN_JOURNAL = adapted(
    "a place in the original file; result.metadata names the session, the journal has the file"
)
IN_PLACE = adapted("by its position")
_BACKUP = dropped("a copy that the agent made of a file; it is not part of the conversation")
_MARKER = dropped("VS Code has no place for markers of the agent")
_FILE = dropped("a kept file beside the session; 'aj restore' gives it back")
_HEADING = adapted("in the line above the diff")

SESSION: Mapping[str, Rule] = {
    "agent": AS_IS,
    "id": NAMED,
    "title": AS_IS,
    "title_rank": ASIDE,
    "title_source": ASIDE,
    "project_path": ASIDE,
    "project_dir": ASIDE,
    "repository": ASIDE,
    "git_branch": ASIDE,
    "host_app": ASIDE,
    "agent_version": ASIDE,
    "models": adapted("with the turns"),
    "started_at": AS_IS,
    "ended_at": AS_IS,
    "parent_id": ASIDE,
    "parent_call_id": ASIDE,
    "fork_of": ASIDE,
    "agent_name": ASIDE,
    "slug": ASIDE,
    "tags": ASIDE,
    "recorded_cost_micro_usd": ASIDE,
    "ended_as": ASIDE,
    "is_automated": ASIDE,
    "is_hint": ASIDE,
    "last_line_id": ASIDE,
    "messages": AS_IS,
    "events": _MARKER,
    "file_edits": adapted("as fenced diffs"),
    "plans": adapted("as Markdown"),
    "todos": adapted("as a list"),
    "usage": AS_IS,
    "documents": _FILE,
}
SUB_AGENT: Mapping[str, Rule] = {
    **SESSION,
    "agent": NAMED,
    "title": adapted("as the description of the call"),
    "started_at": ASIDE,
    "ended_at": ASIDE,
    "agent_name": AS_IS,
    "models": AS_IS,
    "parent_id": IN_PLACE,
    "parent_call_id": IN_PLACE,
    "messages": adapted("inside the call that started the sub-agent"),
    "usage": adapted("with the turn of the call"),
}
MESSAGE: Mapping[str, Rule] = {
    "session_id": NAMED,
    "id": ASIDE,
    "role": AS_IS,
    "kind": ASIDE,
    "text": AS_IS,
    "reasoning": AS_IS,
    "model": AS_IS,
    "timestamp": AS_IS,
    "parent_id": adapted("by the order of the turns"),
    "record_ids": IN_JOURNAL,
    "tool_calls": AS_IS,
    "attachments": AS_IS,
    "usage": AS_IS,
    "state": ASIDE,
    "stop_reason": ASIDE,
    "api_id": ASIDE,
    "is_branch": ASIDE,
    "continues": ASIDE,
    "file": IN_JOURNAL,
    "offset": IN_JOURNAL,
    "length": IN_JOURNAL,
    "seq": IN_JOURNAL,
}
QUOTE = adapted("as a quote in the answer: VS Code has only prompts and answers")
QUOTED: Mapping[str, Rule] = {
    **MESSAGE,
    "role": QUOTE,
    "text": QUOTE,
    "reasoning": QUOTE,
    "model": ASIDE,
    "timestamp": ASIDE,
}
SYSTEM_PROMPT = _all(MESSAGE, dropped("VS Code has its own system prompt"))
WRAPPED = adapted("as the `input` of an object: models are given objects only")
TOOL_CALL: Mapping[str, Rule] = {
    "session_id": NAMED,
    "id": AS_IS,
    "message_id": IN_PLACE,
    "name": AS_IS,
    "kind": adapted("by what the call shows"),
    "title": AS_IS,
    "server": AS_IS,
    "arguments": AS_IS,
    "result": AS_IS,
    "result_at": dropped("the archive has lost the result"),
    "display": adapted("as the output that is shown"),
    "status": ASIDE,
    "approval": AS_IS,
    "exit_code": ASIDE,
    "started_at": ASIDE,
    "ended_at": ASIDE,
    "duration_ms": ASIDE,
    "child_session_id": adapted("the sub-agent is shown in the call"),
    "spilled_to": ASIDE,
    "attachments": adapted("as a remark in the output"),
    "record_ids": IN_JOURNAL,
    "offset": IN_JOURNAL,
    "length": IN_JOURNAL,
}
_DESCRIBED = adapted("in the description of the attachment")
ATTACHMENT: Mapping[str, Rule] = {
    "kind": _DESCRIBED,
    "name": AS_IS,
    "path": _DESCRIBED,
    "mime_type": _DESCRIBED,
    "size": _DESCRIBED,
    "sha256": _DESCRIBED,
    "text": AS_IS,
    "note": _DESCRIBED,
}
_REMARK = adapted("in a remark: the journal's model has no bytes of attachments")
REMARKED: Mapping[str, Rule] = dict.fromkeys(ATTACHMENT, _REMARK)
FILE_EDIT: Mapping[str, Rule] = {
    "session_id": NAMED,
    "path": _HEADING,
    "kind": _HEADING,
    "message_id": IN_PLACE,
    "call_id": IN_PLACE,
    "timestamp": ASIDE,
    "diff": AS_DIFF,
    "before": dropped("the diff is written, not the whole file"),
    "after": dropped("the diff is written, not the whole file"),
    "lines_added": _HEADING,
    "lines_removed": _HEADING,
    "backup": _BACKUP,
    "state": _HEADING,
    "origin": ASIDE,
    "offset": IN_JOURNAL,
    "seq": IN_JOURNAL,
}
BACKUP = _all(FILE_EDIT, _BACKUP)
_TOTALS = adapted("in the sums of the turn, and separately in result.metadata")
USAGE: Mapping[str, Rule] = {
    "session_id": NAMED,
    "key": ASIDE,
    "model": _TOTALS,
    "message_id": IN_PLACE,
    "timestamp": ASIDE,
    "input_tokens": _TOTALS,
    "cache_read_tokens": _TOTALS,
    "cache_write_tokens": _TOTALS,
    "cache_write_1h_tokens": ASIDE,
    "output_tokens": _TOTALS,
    "reasoning_tokens": ASIDE,
    "cost_micro_usd": ASIDE,
    "premium_requests": ASIDE,
    "web_searches": ASIDE,
    "requests": ASIDE,
    "origin": ASIDE,
    "rank": ASIDE,
    "segment": ASIDE,
    "is_sidechain": ASIDE,
}
_BELOW = adapted("as Markdown at the end")
PLAN: Mapping[str, Rule] = {
    "text": _BELOW,
    "name": _BELOW,
    "session_id": NAMED,
    "kind": _BELOW,
    "path": ASIDE,
    "approved": ASIDE,
    "feedback": ASIDE,
    "created_at": ASIDE,
}
TODO: Mapping[str, Rule] = {
    "content": _BELOW,
    "status": _BELOW,
    "id": ASIDE,
    "description": ASIDE,
    "active_form": ASIDE,
    "depends_on": ASIDE,
    "created_at": ASIDE,
    "updated_at": ASIDE,
}
EVENT = _all(
    ("session_id", "type", "id", "text", "raw", "timestamp", "file", "offset", "length", "seq"),
    _MARKER,
)
DOCUMENT = _all(("session_id", "name", "kind"), _FILE)
