"""What the writers of session files share: times, JSON lines, arguments, diffs."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from typing import Any

from agent_journal.convert.target import NewFile
from agent_journal.errors import UsageError
from agent_journal.model import Attachment, FileEdit, Session, ToolCall
from agent_journal.model.diffs import Differ

_MILLISECOND = timedelta(milliseconds=1)
_NOT_IN_NAMES = re.compile(r"[^A-Za-z0-9_-]")
_DEEP = 200  # brackets in a text, from which on it may be nested too deeply to be written again


def iso(when: datetime) -> str:
    """A time as JavaScript writes it."""
    return when.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def json_line(record: dict[str, Any]) -> bytes:
    """One record as a line of plain ASCII, which also readers that split at odd characters take."""
    return json.dumps(record, separators=(",", ":"), allow_nan=False).encode() + b"\n"


def moved(files: Sequence[NewFile], old: str, new: str) -> tuple[NewFile, ...]:
    """The files, those of one folder in another; of several with one name, the first."""
    found: dict[str, NewFile] = {}
    for file in files:
        path = file.path
        if path.startswith(f"{old}/"):
            path = new + path.removeprefix(old)
        found.setdefault(path, file._replace(path=path))
    return tuple(found.values())


def nothing_to_continue(session: Session) -> UsageError:
    """The error for a session that no agent could continue."""
    return UsageError(
        f"{session.agent}:{session.id} has no message to continue from",
        "'aj show' shows what is in it",
    )


class Clock:
    """Times for records: their own, or else the last one known. No line may be without."""

    def __init__(self, session: Session, now: datetime) -> None:
        times = (message.timestamp for message in session.messages)
        self.last = (
            session.started_at
            or next((when for when in times if when), None)
            or session.ended_at
            or now
        )

    def at(self, when: datetime | None) -> str:
        """The time of a record."""
        self.last = when or self.last
        return iso(self.last)


class RisingClock(Clock):
    """Times that rise from record to record, by a millisecond where they would not."""

    def __init__(self, session: Session, now: datetime) -> None:
        super().__init__(session, now)
        self._least: datetime | None = None  # of the next record

    def is_free(self, when: datetime | None) -> bool:
        """Whether a record of that time can have it."""
        return when is None or self._least is None or _in_milliseconds(when) >= self._least

    def at(self, when: datetime | None) -> str:
        """The time of a record."""
        time = _in_milliseconds(when or self.last)
        if self._least is not None:
            time = max(time, self._least)
        self.last = time
        self._least = time + _MILLISECOND
        return iso(time)


def _in_milliseconds(when: datetime) -> datetime:
    return when.replace(microsecond=when.microsecond // 1000 * 1000)


def parsed(arguments: str | None) -> Any:
    """The arguments of a call as values; as text when they are no JSON, or none that can be written
    again. Unlike those of `parse_arguments`, numbers are such that every reader of JSON takes them.
    """
    if arguments is None:
        return None
    try:
        value = json.loads(arguments, parse_float=_number, parse_constant=str)
        if arguments.count("[") + arguments.count("{") > _DEEP:
            json.dumps(value)
    except (ValueError, RecursionError):
        return arguments
    return value


def tool_name(call: ToolCall) -> str:
    """The name of a tool in the letters that the APIs of models allow."""
    return _NOT_IN_NAMES.sub("_", call.name or "unknown")[:64] or "unknown"


def _number(text: str) -> float | str:
    number = float(text)
    return number if math.isfinite(number) else text


def tells_exit_code(call: ToolCall) -> bool:
    """Whether a result names its exit code."""
    return bool(
        re.search(rf"(?i)exit(?:ed with)?(?: code|ed)?:? {call.exit_code}\b", call.result or "")
    )


class Edits:
    """The edits of a session by the call that made them, the others by message."""

    def __init__(self, session: Session) -> None:
        self._differ = Differ()
        calls = {call.id for message in session.messages for call in message.tool_calls}
        messages = {message.id for message in session.messages}
        self.by_call: dict[str, list[FileEdit]] = {}
        self.by_message: dict[str, list[FileEdit]] = {}
        for edit in session.file_edits:
            if edit.kind == "backup":
                continue
            if edit.call_id is not None and edit.call_id in calls:
                self.by_call.setdefault(edit.call_id, []).append(edit)
            elif edit.message_id is not None and edit.message_id in messages:
                self.by_message.setdefault(edit.message_id, []).append(edit)

    def diff(self, edit: FileEdit) -> str | None:
        """The change as a unified diff, None when it is not recorded."""
        if edit.diff is None and (edit.before is not None or edit.after is not None):
            return self._differ.diff(edit.path, edit.path, edit.before, edit.after).text
        return edit.diff or None


def attachment_text(attachment: Attachment) -> str:
    """What is known of an attachment: its bytes are not in the journal's model."""
    content = "; its content is not here"
    if attachment.text:
        content = f"\n{attachment.text}"
    return f"Attached {attachment.kind}: {_facts_of(attachment)}{content}"


def _facts_of(attachment: Attachment) -> str:
    facts = [attachment.name, attachment.path, attachment.mime_type, attachment.note]
    if attachment.size is not None:
        facts.append(f"{attachment.size} bytes")
    return ", ".join(dict.fromkeys(fact for fact in facts if fact))
