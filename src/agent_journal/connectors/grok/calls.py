"""Tool calls: one update asks, others say what became of it; the last status counts.

{"sessionUpdate":"tool_call","toolCallId":"call_1","title":"search_replace","rawInput":{…}}
{"sessionUpdate":"tool_call_update","toolCallId":"call_1","content":[{"type":"diff","path":"a.txt",
 "oldText":"one","newText":"two"}]}
{"sessionUpdate":"tool_call_update","toolCallId":"call_1","status":"completed",
 "rawOutput":{"exit_code":0}}
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.replacements import with_replaced_parts, with_whole_texts
from agent_journal.connectors.tools import tool_kind
from agent_journal.connectors.values import array, integer, items, mapping, string
from agent_journal.model import FileEdit, Piece, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.grok.reading import UpdatesReader

_ENDED: dict[str | None, ToolStatus] = {"completed": "ok", "failed": "error"}


def read_call(
    reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]
) -> Iterable[Piece]:
    """What the model asked for."""
    call_id = string(update.get("toolCallId")) or reader.record_id
    tool = mapping(mapping(update.get("_meta")).get("x.ai/tool"))
    name = string(tool.get("name")) or string(update.get("title"))
    answer = reader.answer(meta)
    reader.state.messages_of_calls[call_id] = answer.id
    arguments = update.get("rawInput")
    call = reader.call(
        call_id,
        message_id=answer.id,
        name=name,
        kind=tool_kind(name),
        arguments=None if arguments is None else msgspec.json.encode(arguments).decode(),
        started_at=reader.timestamp,
    )
    return (answer, call)


def read_call_update(
    reader: UpdatesReader, update: dict[str, Any], meta: dict[str, Any]
) -> Iterable[Piece]:
    """What a call is about to do, or what it did."""
    state = reader.state
    call_id = string(update.get("toolCallId")) or reader.record_id
    diffs = [diff for part in items(update.get("content")) if (diff := _diff(part))]
    if diffs:
        state.diffs[call_id] = diffs
    status = _ENDED.get(string(update.get("status")))
    if status is None:
        title = string(update.get("title"))
        return (reader.call(call_id, title=title),) if title else ()
    message_id = state.messages_of_calls.pop(call_id, None)
    output = mapping(update.get("rawOutput"))
    exit_code = integer(output.get("exit_code"))
    if exit_code:
        status = "failed"
    text, path = _text_of(array(update.get("content")))
    result_at = None
    if path is not None:
        result_at = reader.quote(text, reader.place, "params", "update", "content", *path)
    spilled_to = None
    if output.get("truncated") is True:
        spilled_to = (string(output.get("output_file")) or "").replace("\\", "/").rpartition("/")[2]
    call = reader.call(
        call_id,
        message_id=message_id,
        result=text,
        result_at=result_at,
        status=status,
        exit_code=exit_code,
        ended_at=reader.timestamp,
        spilled_to=spilled_to or None,
        record_ids=(reader.record_id,),
    )
    made = state.diffs.pop(call_id, [])
    if status != "ok":
        return (call,)
    return (call, *_edits(reader, call_id, message_id, made))


def _diff(part: dict[str, Any]) -> tuple[str, str | None, str] | None:
    path = string(part.get("path"))
    old = part.get("oldText")
    new = part.get("newText")
    if part.get("type") != "diff" or path is None or not isinstance(new, str):
        return None
    return path, old if isinstance(old, str) else None, new


def _text_of(content: list[Any]) -> tuple[str | None, tuple[str | int, ...] | None]:
    """The text that a call returned, and the path to it where it is one string."""
    found = []
    for number, part in enumerate(content):
        text = mapping(mapping(part).get("content")).get("text")
        if isinstance(text, str):
            found.append((number, text))
    if not found:
        return None, None
    if len(found) == 1:
        return found[0][1], (found[0][0], "content", "text")
    return "\n\n".join(text for _, text in found), None


def _edits(
    reader: UpdatesReader,
    call_id: str,
    message_id: str | None,
    diffs: list[tuple[str, str | None, str]],
) -> Iterable[FileEdit]:
    """The changes that a call made: whole new files, and replaced parts of others."""
    for path, old, new in diffs:
        edit = FileEdit(
            session_id=reader.id,
            path=path,
            message_id=message_id,
            call_id=call_id,
            timestamp=reader.timestamp,
            offset=reader.place[0],
        )
        if old is None:
            yield with_whole_texts(replace(edit, kind="create"), None, new)
        else:
            yield with_replaced_parts(edit, [(old, new)])
