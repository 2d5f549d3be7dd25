"""What came of tool calls: results the model was sent, and events that know more (exit code, time,
changes).

`{"type":"function_call_output","call_id":"call_1","output":"Exit code: 0\nWall time: 0.1
seconds\nOutput:\nhi"}`, or with an output of `{"output":"hi","metadata":{"exit_code":0}}` as JSON
text, or a list of content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_journal.connectors.codex import patches
from agent_journal.connectors.codex.calls import answered_id, call, drawn, id_in
from agent_journal.connectors.codex.contents import content_of
from agent_journal.connectors.codex.records import (
    MAX_PENDING,
    SHOWN,
    Item,
    Record,
    json_text,
    payload_of,
)
from agent_journal.connectors.loose import decode_any, remember
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import Attachment, Piece, ToolCall, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_EXIT = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,9})$", re.MULTILINE)
_OUTPUT = re.compile(r"^Output:", re.MULTILINE)
_WALL = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)
_SANDBOX = re.compile(r"exit code: (-?\d{1,9})")
_RUNNING = re.compile(r"^Process running with session ID ", re.MULTILINE)
_DENIED = (
    "exec command rejected",
    "rejected",
    "patch rejected",
    "user rejected",
    "command rejected",
    "denied",
)
_STOPPED = ("aborted",)
_ERRORS = (
    "failed in sandbox",
    "execution error",
    "error:",
    "failed to parse function arguments",
    "unsupported call",
    "apply_patch verification failed",
    "tool call error",
    "exec_command failed",
    "failed to",
    "err:",
    "unsupported tool",
    "sandbox error",
)
_HEAD = 400
_APPLIED = "Success. Updated the following files"
_ENDED: dict[object, ToolStatus] = {
    "completed": "ok",
    "failed": "failed",
    "declined": "denied",
    "in_progress": "running",
    "inProgress": "running",
}


class Outcome(NamedTuple):
    """What a result says."""

    text: str | None
    status: ToolStatus | None
    exit_code: int | None = None
    duration_ms: int | None = None
    attachments: tuple[Attachment, ...] = ()
    path: tuple[str | int, ...] | None = None  # where the text stands word for word in the output


def output(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The result of a call."""
    reader.close()
    call_id = string(item.call_id)
    if call_id is None:
        reader.unknown(reader.kind)
        return (reader.event("", reader.line.rstrip(b"\r").decode("utf-8", "replace")),)
    call_id = answered_id(reader, call_id)
    found = outcome_of(item.output)
    known = reader.state.statuses.pop(call_id, None)
    if known is not None and found.exit_code is None:
        found = found._replace(status=known)  # type: ignore[arg-type]
    where = ("output",) if record is item else ("payload", "output")
    place = (reader.at, reader.length)
    ended = call(
        reader,
        call_id,
        None,
        result=found.text,
        result_at=None
        if found.path is None
        else reader.quote(found.text, place, *where, *found.path),
        status=found.status,
        exit_code=found.exit_code,
        duration_ms=found.duration_ms,
        ended_at=reader.when,
        attachments=found.attachments,
        child_session_id=_child(reader, call_id, found.text),
    )
    if found.status == "ok" or _APPLIED in (found.text or ""):
        return (ended, *patches.applied(reader, call_id, None))
    if found.status != "running":
        patches.refused(reader, call_id)
    return (ended,)


def outcome_of(value: object) -> Outcome:
    """The text and the status of an output in each of its shapes."""
    if isinstance(value, str):
        return _wrapped(value) or _plain(value)
    if isinstance(value, list):
        found = content_of(value)
        is_one_text = len(value) == 1 and mapping(value[0]).get("text") == found.text
        return _plain(found.text)._replace(
            attachments=found.attachments, path=(0, "text") if is_one_text else None
        )
    values = mapping(value)
    if not values:
        return Outcome(json_text(value), None if value is None else "ok")
    inner = next(
        (values[key] for key in ("content", "output", "body") if values.get(key) is not None), None
    )
    if inner is None:
        return Outcome(json_text(values), "ok")
    found = content_of(inner) if not isinstance(inner, dict) else content_of(json_text(inner))
    told = _from_metadata(found.text, mapping(values.get("metadata")))._replace(
        attachments=found.attachments
    )
    return told._replace(status="error") if values.get("success") is False else told


def _wrapped(text: str) -> Outcome | None:
    """`{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}` as text."""
    if not text.startswith('{"output":'):
        return None
    try:
        values = mapping(decode_any(text.encode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None
    inner = values.get("output")
    return (
        _from_metadata(inner, mapping(values.get("metadata"))) if isinstance(inner, str) else None
    )


def _from_metadata(text: str, metadata: dict[str, Any]) -> Outcome:
    exit_code = integer(metadata.get("exit_code"))
    if exit_code is None:
        return _plain(text)._replace(path=None)
    seconds = metadata.get("duration_seconds")
    duration = (
        round(seconds * 1000) if isinstance(seconds, (int, float)) and 0 <= seconds < 1e9 else None
    )
    return Outcome(text, "failed" if exit_code else "ok", exit_code, duration)


def _plain(text: str) -> Outcome:
    head = text[:_HEAD]
    start = head.lower()
    facts = _OUTPUT.split(head, 1)[0]  # what stands behind is the command's own
    found = _EXIT.search(facts)
    wall = _WALL.search(facts)
    duration = round(float(wall[1]) * 1000) if wall else None
    if found:
        code = int(found[1])
        return Outcome(text, "failed" if code else "ok", code, duration, path=())
    if start.startswith(_STOPPED):
        return Outcome(text, "interrupted", path=())
    if start.startswith(_DENIED):
        return Outcome(text, "denied", path=())
    if start.startswith(_ERRORS):
        code_told = _SANDBOX.search(head)
        return Outcome(text, "error", int(code_told[1]) if code_told else None, path=())
    return Outcome(text, "running" if _RUNNING.search(facts) else "ok", None, duration, path=())


def _child(reader: RolloutReader, call_id: str, text: str | None) -> str | None:
    """The session of the sub-agent that a call started."""
    if not text or not reader.state.spawns.pop(call_id, None):
        return None
    try:
        return string(mapping(decode_any(text.encode("utf-8", "replace"))).get("agent_id"))
    except (ValueError, RecursionError):
        return None


def search_output(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The tools that a search for tools found."""
    reader.close()
    payload = payload_of(reader.line)
    names = [name for tool in items(payload.get("tools")) if (name := string(tool.get("name")))]
    told_id = string(item.call_id)
    call_id = reader.place if told_id is None else answered_id(reader, told_id)
    status = _ENDED.get(item.status, "ok")
    return (
        call(reader, call_id, None, result="\n".join(names), status=status, ended_at=reader.when),
    )


# -- events that know more ---------------------------------------------------------------------


def executed(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The end of a command."""
    return command_ended(reader, payload_of(reader.line), id_in(reader, item), "payload")


def command_ended(
    reader: RolloutReader, payload: dict[str, Any], call_id: str, *where: str
) -> Iterable[Piece]:
    """A command with all that is known about it; `where` in the record it is told."""
    exit_code = integer(payload.get("exit_code"))
    status = _ENDED.get(payload.get("status"))
    keys = ("aggregated_output", "formatted_output", "stdout")
    key = next((key for key in keys if isinstance(payload.get(key), str)), keys[0])
    text = payload[key] if isinstance(payload.get(key), str) else None
    if status == "failed" and exit_code is None:
        status = "error"
    return (
        _known(
            reader,
            call_id,
            "exec_command",
            status or (None if exit_code is None else "failed" if exit_code else "ok"),
            arguments=json_text({"command": payload.get("command"), "workdir": payload.get("cwd")}),
            result=text,
            result_at=reader.quote(text, (reader.at, reader.length), *where, key),
            exit_code=exit_code,
            duration_ms=_milliseconds(payload.get("duration")),
        ),
    )


def patched(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The end of a patch, with what it changed."""
    return patch_ended(reader, payload_of(reader.line), id_in(reader, item), item.success is True)


def patch_ended(
    reader: RolloutReader, payload: dict[str, Any], call_id: str, is_applied: bool
) -> Iterable[Piece]:
    """A patch that was applied or not."""
    told = string(payload.get("stdout" if is_applied else "stderr"))
    ended = _known(reader, call_id, "apply_patch", "ok" if is_applied else "error", result=told)
    if not is_applied:
        patches.refused(reader, call_id)
        return (ended,)
    return (
        ended,
        *patches.applied(reader, call_id, patches.recorded(payload.get("changes")) or None),
    )


def mcp_ended(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The end of a call of an MCP tool."""
    payload = payload_of(reader.line)
    result = mapping(payload.get("result"))
    told = {
        **mapping(payload.get("invocation")),
        "duration": payload.get("duration"),
        "error": result.get("Err"),
    }
    told["result"] = result.get("Ok") if "Ok" in result else result
    return mcp_call(reader, told, id_in(reader, item))


def mcp_call(reader: RolloutReader, told: dict[str, Any], call_id: str) -> Iterable[Piece]:
    """A call of an MCP tool with its result."""
    result, failure = mapping(told.get("result")), told.get("error")
    found = content_of(result.get("content"))
    failed = failure is not None or result.get("isError") is True or result.get("is_error") is True
    return (
        _known(
            reader,
            call_id,
            string(told.get("tool")),
            "error" if failed else "ok",
            server=told.get("server"),
            arguments=json_text(told.get("arguments")),
            result=found.text or (json_text(failure) if failure is not None else None),
            attachments=found.attachments,
            duration_ms=_milliseconds(told.get("duration")),
        ),
    )


def _known(
    reader: RolloutReader,
    call_id: str,
    name: str | None,
    status: ToolStatus | None,
    **values: object,
) -> ToolCall:
    """A call whose status is recorded: the result that follows does not tell it as well."""
    if status is not None:
        remember(reader.state.statuses, call_id, str(status), MAX_PENDING)
    return call(reader, call_id, name, status=status, ended_at=reader.when, **values)


def searched(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The end of a search by the provider."""
    payload = payload_of(reader.line)
    action = payload.get("action")
    reader.is_new("w", json_text(action) or "", SHOWN)
    arguments = json_text(action if action else {"query": payload.get("query")})
    call_id = id_in(reader, item)
    return (
        call(reader, call_id, "web_search", arguments=arguments, status="ok", ended_at=reader.when),
    )


def drawn_picture(reader: RolloutReader, payload: dict[str, Any], call_id: str) -> Iterable[Piece]:
    """A picture that the provider made."""
    prompt = string(payload.get("revised_prompt"))
    return (
        call(
            reader,
            call_id,
            "image_generation",
            arguments=json_text({"prompt": prompt}) if prompt else None,
            result=string(payload.get("saved_path")),
            status="ok" if payload.get("status") == "completed" else None,
            attachments=drawn(payload.get("result")),
            ended_at=reader.when,
        ),
    )


def drawn_event(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """The end of making a picture."""
    return drawn_picture(reader, payload_of(reader.line), id_in(reader, item))


def spawned(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """A sub-agent was started."""
    payload = payload_of(reader.line)
    child = string(payload.get("new_thread_id"))
    call_id = id_in(reader, item)
    return (call(reader, call_id, "spawn_agent", child_session_id=child, ended_at=reader.when),)


def _milliseconds(value: object) -> int | None:
    """`{"secs":1,"nanos":500000000}` as milliseconds."""
    secs, nanos = (integer(mapping(value).get(key)) for key in ("secs", "nanos"))
    if secs is None or secs < 0:
        return None
    return secs * 1000 + (nanos or 0) // 1_000_000
