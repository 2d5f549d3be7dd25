"""Files as they were after each request of a session, from the edits that were recorded."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from msgspec.structs import replace

from agent_journal.model.diffs import apply_diff, header_name
from agent_journal.model.origins import MENTIONED_EDIT, PROPOSED_EDIT, RECORDED_EDIT
from agent_journal.model.structs import FileEdit, Message, Session, ToolCall


class _WriteArguments(NamedTuple):
    """The arguments of a tool that writes whole files: the names of the path and of the text."""

    path: str
    text: str


# The diffs of these tools do not say whether the last line ended; their arguments do.
_WRITE_TOOLS = {
    "Write": _WriteArguments("file_path", "content"),
    "create": _WriteArguments("path", "file_text"),
}


class FileVersion(NamedTuple):
    """A file at one moment: its text, or why there is none."""

    text: str | None
    missing: Literal["", "absent", "unknown"] = ""


ABSENT = FileVersion(None, "absent")
UNKNOWN = FileVersion(None, "unknown")


class NumberedEdit(NamedTuple):
    """An edit and the number of the request it belongs to; 0 is before the first request."""

    number: int
    edit: FileEdit


def file_at(edits: Iterable[FileEdit], path: str, request_ids: Sequence[str], n: int) -> str | None:
    """Return the text of a file after request `n` (from 1); None if absent or not recorded."""
    return version_at(edits, path, request_ids, n).text


def version_at(
    edits: Iterable[FileEdit], path: str, request_ids: Sequence[str], n: int
) -> FileVersion:
    """Return a file as it was after request `n`, without the edits that were undone."""
    return version_after(timeline(edits, request_ids), path, n)


def version_after(edits: Iterable[NumberedEdit], path: str, n: int) -> FileVersion:
    """Return the same from a timeline; with -1, the file as the first edit found it."""
    own = [item for item in edits if _concerns(item.edit, path)]
    if not own:
        return UNKNOWN
    version = _before_first(own[0].edit, path)
    was_undone = False
    for number, edit in own:
        if number > n:
            break
        is_undone = edit.state == "undone"
        if not is_undone:
            version = _after(edit, version) if edit.path == path else ABSENT
        elif not was_undone and _gives_back(edit, path):
            # Undoing gives back what the first of the undone edits found.
            version = FileVersion(edit.before)
        was_undone = is_undone
    return version


def timeline(edits: Iterable[FileEdit], request_ids: Sequence[str]) -> list[NumberedEdit]:
    """Return the edits in the order of the requests, each change once.

    A conversation may name the files an answer changed beside the recording of what was changed in
    them: then the recording counts, with what the conversation knows about keeping and undoing.
    """
    numbered = _numbered(edits, request_ids)
    recorded = [item for item in numbered if item.edit.origin == RECORDED_EDIT]
    recorded_paths = {item.edit.path for item in recorded}
    last_recorded = max((item.number for item in recorded), default=0)
    states = {
        (item.number, item.edit.path): item.edit.state
        for item in numbered
        if item.edit.origin == MENTIONED_EDIT
    }
    found = []
    for number, edit in numbered:
        is_recorded = number <= last_recorded and edit.path in recorded_paths
        if edit.origin == MENTIONED_EDIT and is_recorded:
            continue
        if edit.origin == RECORDED_EDIT and edit.state is None:
            edit = replace(edit, state=states.get((number, edit.path)))
        found.append(NumberedEdit(number, edit))
    return sorted(found, key=lambda item: item.number)


def _numbered(edits: Iterable[FileEdit], request_ids: Sequence[str]) -> list[NumberedEdit]:
    numbers: dict[str, int] = {}
    for number, request_id in enumerate(request_ids, 1):
        numbers.setdefault(request_id, number)
    numbered = []
    current = 0
    for edit in edits:
        current = numbers.get(edit.message_id or "", current)
        if edit.kind != "backup":
            numbered.append(NumberedEdit(current, edit))
    return numbered


def _concerns(edit: FileEdit, path: str) -> bool:
    if edit.path == path:
        return True
    return edit.kind == "rename" and _old_name(edit) == header_name("a", path)


def _gives_back(edit: FileEdit, path: str) -> bool:
    """Whether undoing an edit gives a file its earlier text back."""
    return edit.before is not None and edit.path == path and edit.kind != "rename"


def _before_first(edit: FileEdit, path: str) -> FileVersion:
    if edit.path == path and edit.kind in ("create", "rename"):
        return ABSENT
    if edit.before is None:
        return UNKNOWN
    return FileVersion(edit.before)


def _after(edit: FileEdit, version: FileVersion) -> FileVersion:
    if edit.origin == PROPOSED_EDIT:
        return UNKNOWN
    if edit.after is not None:
        return FileVersion(edit.after)
    if edit.kind == "delete":
        return ABSENT
    base = edit.before
    if base is None:
        base = "" if edit.kind == "create" else version.text
    if edit.diff is None or base is None:
        return UNKNOWN
    try:
        return FileVersion(apply_diff(base, edit.diff))
    except ValueError:
        return UNKNOWN


def _old_name(edit: FileEdit) -> str:
    """Return the name of a renamed file before, as the head of its diff has it."""
    return (edit.diff or "")[4:].partition("\n")[0]


# -- sessions ----------------------------------------------------------------------------------


def requests_of(session: Session) -> list[Message]:
    """Return the requests of a session in order.

    Requests are prompts, and whatever else a person or the editor sent that changed files. Of a
    conversation that is lost, they are those that the edits name.
    """
    if not session.messages:
        named = dict.fromkeys(edit.message_id for edit in session.file_edits)
        return [
            Message(session_id=session.id, id=request_id, role="user", kind="prompt")
            for request_id in named
            if request_id is not None
        ]
    changing = {edit.message_id for edit in session.file_edits if edit.kind != "backup"}
    return [
        message
        for message in session.messages
        if message.kind == "prompt"
        or (message.id in changing and message.role in ("user", "system"))
    ]


def edits_of(session: Session, requests: Sequence[Message]) -> list[FileEdit]:
    """Return the edits of a session with `message_id` set to the request they belong to."""
    request_of = _request_of_records(session, requests)
    written = _written_files(session)
    found = []
    for edit in session.file_edits:
        request = request_of.get(edit.message_id or "") or request_of.get(f"call {edit.call_id}")
        after = edit.after
        file = written.get(edit.call_id or "")
        if after is None and file and file.path == edit.path and edit.kind != "delete":
            after = file.text
        found.append(replace(edit, message_id=request or edit.message_id, after=after))
    return found


def _request_of_records(session: Session, requests: Sequence[Message]) -> dict[str, str | None]:
    """Return the request that each message, record and call (as `call <id>`) belongs to."""
    request_ids = {request.id for request in requests}
    owners: dict[str, str | None] = {}
    current: str | None = None
    for message in session.messages:
        if message.id in request_ids:
            current = message.id
        calls = (f"call {call.id}" for call in message.tool_calls)
        for name in (message.id, *message.record_ids, *calls):
            owners.setdefault(name, current)
    return owners


class _WrittenFile(NamedTuple):
    path: str
    text: str


def _written_files(session: Session) -> dict[str, _WrittenFile]:
    """Return the whole files that tools wrote, by the id of the call."""
    written = {}
    for message in session.messages:
        for call in message.tool_calls:
            file = _written_file(call)
            if file is not None:
                written[call.id] = file
    return written


def _written_file(call: ToolCall) -> _WrittenFile | None:
    names = _WRITE_TOOLS.get(call.name or "")
    if names is None or not call.arguments:
        return None
    try:
        arguments = json.loads(call.arguments)
        return _WrittenFile(str(arguments[names.path]), str(arguments[names.text]))
    except (ValueError, LookupError, TypeError, RecursionError):
        return None
