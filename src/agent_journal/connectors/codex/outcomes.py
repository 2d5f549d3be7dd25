"""The results of tool calls, as the model was sent them.

`{"type":"function_call_output","call_id":"call_1","output":"Exit code: 0\nWall time: 0.1 seconds\n
Output:\nhi"}`; the output may also be `{"output":"hi","metadata":{"exit_code":0}}` as JSON text,
or a list of content. Events that know more about a call are read in call_events.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from agent_journal.connectors.codex import patches
from agent_journal.connectors.codex.agents import spawned_session
from agent_journal.connectors.codex.calls import answered_call_id, tool_call
from agent_journal.connectors.codex.contents import content_of
from agent_journal.connectors.codex.records import Item, Record, json_text, payload_of
from agent_journal.connectors.loose import decode_any
from agent_journal.connectors.values import integer, items, mapping, string
from agent_journal.model import Attachment, Piece, Quote, ToolStatus

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_EXIT_CODE = re.compile(r"^(?:Exit code:|Process exited with code) (-?\d{1,9})$", re.MULTILINE)
_OUTPUT = re.compile(r"^Output:", re.MULTILINE)
_WALL_TIME = re.compile(r"^Wall time: (\d{1,9}(?:\.\d{1,9})?) seconds", re.MULTILINE)
_SANDBOX_EXIT_CODE = re.compile(r"exit code: (-?\d{1,9})")
_RUNNING = re.compile(r"^Process running with session ID ", re.MULTILINE)
_DENIED = (
    "exec command rejected",
    "rejected",
    "patch rejected",
    "user rejected",
    "command rejected",
    "denied",
)
_INTERRUPTED = "aborted"
_ERRORS = (
    "failed in sandbox",
    "execution error",
    "error:",
    "failed to parse function arguments",
    "unsupported call",
    "unsupported custom tool call",
    "apply_patch verification failed",
    "tool call error",
    "exec_command failed",
    "failed to",
    "err:",
    "unsupported tool",
    "sandbox error",
)
_HEAD = 400  # characters in which the outcome is looked for
_APPLIED = "Success. Updated the following files"
STATUSES: dict[object, ToolStatus] = {
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
    path: tuple[str | int, ...] | None = None  # to the text in the output, if it is there verbatim


def output(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the result of a call."""
    reader.end_answer()
    original_id = string(item.call_id)
    if original_id is None:
        return (reader.unknown_event(),)
    call_id = answered_call_id(reader, original_id)
    outcome = outcome_of(item.output)
    known_status = reader.state.statuses.pop(call_id, None)
    if known_status is not None and outcome.exit_code is None:
        outcome = outcome._replace(status=cast("ToolStatus", known_status))
    is_bare = record is item  # an old line, without an envelope
    call = tool_call(
        reader,
        call_id,
        None,
        result=outcome.text,
        result_at=_quote(reader, outcome, is_bare=is_bare),
        status=outcome.status,
        exit_code=outcome.exit_code,
        duration_ms=outcome.duration_ms,
        ended_at=reader.timestamp,
        attachments=outcome.attachments,
        child_session_id=spawned_session(reader, call_id, outcome.text),
    )
    if outcome.status == "ok" or _APPLIED in (outcome.text or ""):
        return (call, *patches.applied_edits(reader, call_id))
    if outcome.status != "running":
        patches.forget_patch(reader, call_id)
    return (call,)


def _quote(reader: RolloutReader, outcome: Outcome, *, is_bare: bool) -> Quote | None:
    if outcome.path is None:
        return None
    path = ("output", *outcome.path)
    if not is_bare:
        path = ("payload", *path)
    return reader.quote(outcome.text, (reader.record_offset, reader.record_length), *path)


def search_output(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Read the tools that a search for tools found."""
    reader.end_answer()
    tools = items(payload_of(reader.line).get("tools"))
    names = [name for tool in tools if (name := string(tool.get("name")))]
    call_id = string(item.call_id)
    if call_id is None:
        call_id = reader.record_id
    else:
        call_id = answered_call_id(reader, call_id)
    call = tool_call(
        reader,
        call_id,
        None,
        result="\n".join(names),
        status=STATUSES.get(item.status, "ok"),
        ended_at=reader.timestamp,
    )
    return (call,)


# -- the shapes of an output -------------------------------------------------------------------


def outcome_of(value: object) -> Outcome:
    """Return the text and the status of an output in any of its shapes."""
    if isinstance(value, str):
        return _from_json_text(value) or _from_text(value)
    if isinstance(value, list):
        return _from_list(value)
    if isinstance(value, dict) and value:
        return _from_object(value)
    return Outcome(json_text(value), None if value is None else "ok")


def _from_json_text(text: str) -> Outcome | None:
    """Read `{"output":"…","metadata":{"exit_code":0,"duration_seconds":0.1}}`."""
    if not text.startswith('{"output":'):
        return None
    try:
        values = mapping(decode_any(text.encode("utf-8", "replace")))
    except (ValueError, RecursionError):
        return None
    inner = values.get("output")
    if not isinstance(inner, str):
        return None
    return _from_metadata(inner, mapping(values.get("metadata")))


def _from_list(value: list[Any]) -> Outcome:
    content = content_of(value)
    outcome = _from_text(content.text)._replace(attachments=content.attachments, path=None)
    if len(value) == 1 and mapping(value[0]).get("text") == content.text:
        return outcome._replace(path=(0, "text"))
    return outcome


def _from_object(values: dict[str, Any]) -> Outcome:
    inner = next(
        (values[key] for key in ("content", "output", "body") if values.get(key) is not None), None
    )
    if inner is None:
        return Outcome(json_text(values), "ok")
    if isinstance(inner, dict):
        inner = json_text(inner)
    content = content_of(inner)
    outcome = _from_metadata(content.text, mapping(values.get("metadata")))
    outcome = outcome._replace(attachments=content.attachments)
    if values.get("success") is False:
        return outcome._replace(status="error")
    return outcome


def _from_metadata(text: str, metadata: dict[str, Any]) -> Outcome:
    exit_code = integer(metadata.get("exit_code"))
    if exit_code is None:
        return _from_text(text)._replace(path=None)
    duration_ms = None
    seconds = metadata.get("duration_seconds")
    if isinstance(seconds, (int, float)) and 0 <= seconds < 1e9:
        duration_ms = round(seconds * 1000)
    return Outcome(text, status_of_exit(exit_code), exit_code, duration_ms)


def _from_text(text: str) -> Outcome:
    """Read a text with its outcome in the first lines, up to the output of the command."""
    head = text[:_HEAD]
    facts = _OUTPUT.split(head, 1)[0]
    exit_match = _EXIT_CODE.search(facts)
    duration_ms = _wall_time(facts)
    if exit_match is not None:
        exit_code = int(exit_match[1])
        return Outcome(text, status_of_exit(exit_code), exit_code, duration_ms, path=())
    start = head.lower()
    if start.startswith(_INTERRUPTED):
        return Outcome(text, "interrupted", path=())
    if start.startswith(_DENIED):
        return Outcome(text, "denied", path=())
    if start.startswith(_ERRORS):
        return Outcome(text, "error", _sandbox_exit_code(head), path=())
    if _RUNNING.search(facts):
        return Outcome(text, "running", None, duration_ms, path=())
    return Outcome(text, "ok", None, duration_ms, path=())


def status_of_exit(exit_code: int) -> ToolStatus:
    """Return the status of a command by its exit code."""
    if exit_code != 0:
        return "failed"
    return "ok"


def _wall_time(facts: str) -> int | None:
    match = _WALL_TIME.search(facts)
    if match is None:
        return None
    return round(float(match[1]) * 1000)


def _sandbox_exit_code(head: str) -> int | None:
    match = _SANDBOX_EXIT_CODE.search(head)
    if match is None:
        return None
    return int(match[1])
