"""What becomes of each field of the model in a chat of VS Code: the table behind the report of
losses.

Every field of every class stands here, so that a field the model gains is decided about, too: a
test fails until it is.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

import msgspec

from agent_journal.convert.accounting import MAPPED, Verdict, adapted, dropped
from agent_journal.convert.losses import Losses


def _all(names: Iterable[str], verdict: Verdict) -> Mapping[str, Verdict]:
    """One fate for all fields but those that say where in the original files it stands."""
    places = {
        "session_id": NAMED,
        **dict.fromkeys(("file", "offset", "length", "seq", "record_ids"), IN_JOURNAL),
    }
    return {name: places.get(name, verdict) for name in names}


AS_IS = MAPPED
ASIDE = Verdict("adapted", "in result.metadata, which VS Code keeps and does not show", True)
NAMED = adapted("result.metadata names the session it was made of")
IN_JOURNAL = adapted(
    "a place in the original file; result.metadata names the session, the journal has the file"
)
IN_PLACE = adapted("by where it stands")
_BACKUP = dropped("a copy that the agent made of a file; the conversation does not hold it")
_MARKER = dropped("VS Code has no place for the agent's own markers")
_FILE = dropped("a kept file beside the session; 'aj restore' gives it back")
_HEADING = adapted("in the line above the diff")

SESSION: Mapping[str, Verdict] = {
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
    "is_automated": ASIDE,
    "is_hint": ASIDE,
    "messages": AS_IS,
    "events": _MARKER,
    "file_edits": adapted("as fenced diffs"),
    "plans": adapted("as Markdown"),
    "todos": adapted("as a list"),
    "usage": AS_IS,
    "documents": _FILE,
}
SUB_AGENT: Mapping[str, Verdict] = {
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
MESSAGE: Mapping[str, Verdict] = {
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
_QUOTE = adapted("as a quote in the answer: VS Code knows only prompts and answers")
QUOTED: Mapping[str, Verdict] = {
    **MESSAGE,
    "role": _QUOTE,
    "text": _QUOTE,
    "reasoning": _QUOTE,
    "model": ASIDE,
    "timestamp": ASIDE,
}
SYSTEM_PROMPT = _all(MESSAGE, dropped("VS Code gives its own system prompt"))
TOOL_CALL: Mapping[str, Verdict] = {
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
    "child_session_id": adapted("the sub-agent is told in the call"),
    "spilled_to": ASIDE,
    "attachments": adapted("as a remark in the output"),
    "record_ids": IN_JOURNAL,
    "offset": IN_JOURNAL,
    "length": IN_JOURNAL,
}
_DESCRIBED = adapted("in the description of the attachment")
ATTACHMENT: Mapping[str, Verdict] = {
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
REMARKED: Mapping[str, Verdict] = dict.fromkeys(ATTACHMENT, _REMARK)
FILE_EDIT: Mapping[str, Verdict] = {
    "session_id": NAMED,
    "path": _HEADING,
    "kind": _HEADING,
    "message_id": IN_PLACE,
    "call_id": IN_PLACE,
    "timestamp": ASIDE,
    "diff": adapted("as a fenced diff"),
    "before": dropped("the diff is told, not the whole file"),
    "after": dropped("the diff is told, not the whole file"),
    "lines_added": _HEADING,
    "lines_removed": _HEADING,
    "backup": _BACKUP,
    "state": _HEADING,
    "origin": ASIDE,
    "offset": IN_JOURNAL,
    "seq": IN_JOURNAL,
}
BACKUP = _all(FILE_EDIT, _BACKUP)
_TOTALS = adapted("in the sums of the turn, and by itself in result.metadata")
USAGE: Mapping[str, Verdict] = {
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
    "requests": ASIDE,
    "origin": ASIDE,
    "rank": ASIDE,
    "segment": ASIDE,
    "is_sidechain": ASIDE,
}
_BELOW = adapted("as Markdown at the end")
PLAN: Mapping[str, Verdict] = {
    "text": _BELOW,
    "name": _BELOW,
    "session_id": NAMED,
    "kind": _BELOW,
    "path": ASIDE,
    "approved": ASIDE,
    "feedback": ASIDE,
    "created_at": ASIDE,
}
TODO: Mapping[str, Verdict] = {
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


@functools.cache
def _fields(type_: type[msgspec.Struct]) -> tuple[msgspec.structs.FieldInfo, ...]:
    return msgspec.structs.fields(type_)  # it evaluates annotations anew each time


class Account:
    """Counts what becomes of every field that has a value."""

    def __init__(self, losses: Losses) -> None:
        self.losses = losses

    def take(
        self, where: str, piece: msgspec.Struct, fates: Mapping[str, Verdict], **but: Verdict
    ) -> dict[str, Any]:
        """Takes a part of the model into the report; the fields that go into the metadata, as plain
        data.

        `but` has what becomes of fields of this one part otherwise than the table says.
        """
        kept: dict[str, Any] = {}
        for field in _fields(type(piece)):
            value = getattr(piece, field.name)
            if (
                value is None
                or value == ""
                or value == ()
                or (not field.required and value == field.default)
            ):
                continue
            verdict = but.get(field.name) or fates[field.name]
            count = (
                len(value)
                if isinstance(value, tuple) and value and not isinstance(value[0], str)
                else 1
            )
            self.losses.add(f"{where}.{field.name}", verdict.fate, verdict.why, count)
            if verdict.is_kept:
                kept[field.name] = value.isoformat() if isinstance(value, datetime) else value
        return kept
