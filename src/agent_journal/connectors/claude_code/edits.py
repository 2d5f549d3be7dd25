"""Changes to files: those the editing tools report, and the backups made before them.

"toolUseResult":{"filePath":"/app/a.py","structuredPatch":[
 {"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,"lines":["-a","+b"]}]}
{"type":"file-history-delta","trackingPath":"a.py",
 "backup":{"backupFileName":"139d…@v2","version":2}}
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal, NamedTuple

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.claude_code.records import (
    Backup,
    EditInput,
    EditResult,
    Hunk,
    LineContext,
    Record,
    Snapshot,
    decoded,
)
from agent_journal.connectors.claude_code.state import TranscriptState, keep_recent
from agent_journal.model import FileEdit
from agent_journal.text.dates import parse_time

_edit_input = msgspec.json.Decoder(EditInput)
_edit_result = msgspec.json.Decoder(EditResult)
_snapshot = msgspec.json.Decoder(Snapshot)
_backup = msgspec.json.Decoder(Backup)
_MAX_TRACKED = 10_000
_CREATED = "File created"


# -- edits that tools report ---------------------------------------------------------------------


class _Diff(NamedTuple):
    """The changed lines, to count; and the lines with their headers, to show."""

    changed: list[str]
    shown: list[str]


def tool_edit(
    details: msgspec.Raw, call_id: str, message_id: str | None, context: LineContext
) -> FileEdit | None:
    """The change a tool reports; None when it reports none (an error, or another tool)."""
    result = decoded(details, _edit_result)
    if result is None:
        return None
    path = result.file_path or result.notebook_path
    if not path:
        return None
    kind: Literal["create", "edit"] = "edit"
    if result.type == "create":
        kind = "create"
    diff = _diff(result)
    signs = [line[:1] for line in diff.changed]
    return FileEdit(
        session_id=context.session_id,
        path=path,
        kind=kind,
        call_id=call_id,
        message_id=message_id,
        timestamp=context.time,
        diff="\n".join(diff.shown) or None,
        lines_added=signs.count("+"),
        lines_removed=signs.count("-"),
        offset=context.offset,
    )


def asked_edit(
    arguments: bytes, answer: str, call_id: str, message_id: str | None, context: LineContext
) -> FileEdit | None:
    """The change that a tool was asked for and made, for results that do not report it.

    What a file was before it was overwritten is not known.
    """
    asked = decoded(msgspec.Raw(arguments), _edit_input)
    path = asked and (asked.file_path or asked.notebook_path)
    if asked is None or not path:
        return None
    edit = FileEdit(
        session_id=context.session_id,
        path=path,
        call_id=call_id,
        message_id=message_id,
        timestamp=context.time,
        offset=context.offset,
    )
    if asked.content is not None and not answer.startswith(_CREATED):
        return replace(edit, after=asked.content)
    diff = _Diff([], [])
    for part in asked.edits or (asked,):
        changed = _diff(_as_reported(part))
        diff.changed.extend(changed.changed)
        diff.shown.extend(changed.shown)
    signs = [line[:1] for line in diff.changed]
    kind: Literal["create", "edit"] = "edit"
    if asked.content is not None:
        kind = "create"
    return replace(
        edit,
        kind=kind,
        diff="\n".join(diff.shown) or None,
        lines_added=signs.count("+"),
        lines_removed=signs.count("-"),
    )


def _as_reported(asked: EditInput) -> EditResult:
    kind = None
    if asked.content is not None:
        kind = "create"
    return EditResult(
        type=kind,
        content=asked.content,
        old_string=asked.old_string,
        new_string=asked.new_string,
        new_source=asked.new_source,
        edit_mode=asked.edit_mode,
    )


def _diff(result: EditResult) -> _Diff:
    if result.structured_patch:
        return _patch_diff(result.structured_patch)
    if result.type == "create":
        lines = _signed("+", result.content)
        return _headed(f"@@ -0,0 +1,{len(lines)} @@", lines)
    old = _first_text(result.old_string, result.old_source)
    new = _first_text(result.new_string, result.new_source)
    if result.edit_mode == "delete":  # the deleted cell is in either field
        return _headed("@@ @@", _signed("-", old or new))
    return _headed("@@ @@", _signed("-", old) + _signed("+", new))


def _patch_diff(hunks: list[Hunk]) -> _Diff:
    diff = _Diff([], [])
    for hunk in hunks:
        header = f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"
        diff.changed.extend(hunk.lines)
        diff.shown.append(header)
        diff.shown.extend(hunk.lines)
    return diff


def _headed(header: str, lines: list[str]) -> _Diff:
    if not lines:
        return _Diff([], [])
    return _Diff(lines, [header, *lines])


def _first_text(text: str | None, other: str | None) -> str | None:
    if text is None:
        return other
    return text


def _signed(sign: str, text: str | None) -> list[str]:
    if not text:
        return []
    return [sign + line for line in text.removesuffix("\n").split("\n")]


# -- backups of the file history -----------------------------------------------------------------


def snapshot_edits(
    record: Record, state: TranscriptState, context: LineContext
) -> Iterator[FileEdit]:
    """The backups that are new in a snapshot; every snapshot repeats all files so far."""
    snapshot = decoded(record.snapshot, _snapshot)
    if snapshot is None:
        return
    message_id = snapshot.message_id or record.message_id
    for path, backup in snapshot.tracked_file_backups.items():
        if backup is not None:
            when = parse_time(backup.backup_time) or parse_time(snapshot.timestamp)
            yield from _new_backup(path, backup, message_id, when, state, context)


def delta_edits(record: Record, state: TranscriptState, context: LineContext) -> Iterator[FileEdit]:
    """The one backup of a delta; it belongs to the prompt of the snapshot it continues."""
    backup = decoded(record.backup, _backup)
    if backup is None or not record.tracking_path:
        return
    message_id = record.snapshot_message_id or record.message_id
    when = parse_time(backup.backup_time) or parse_time(record.timestamp)
    yield from _new_backup(record.tracking_path, backup, message_id, when, state, context)


def _new_backup(
    tracking_path: str,
    backup: Backup,
    message_id: str | None,
    when: datetime | None,
    state: TranscriptState,
    context: LineContext,
) -> Iterator[FileEdit]:
    path = _full_path(tracking_path, backup.real_parent_dir)
    name = backup.backup_file_name or ""
    if state.backups.get(path) == name:
        return
    keep_recent(state.backups, path, name, _MAX_TRACKED)
    backup_path = None
    if name:
        backup_path = f"file-history/{name}"
    yield FileEdit(
        session_id=context.session_id,
        path=path,
        kind="backup",
        message_id=message_id,
        timestamp=when,
        backup=backup_path,
        origin="file-history",
        offset=context.offset,
    )


def _full_path(path: str, parent_dir: str | None) -> str:
    is_absolute = path.startswith(("/", "\\")) or path[1:2] == ":"
    if is_absolute or not parent_dir:
        return path
    file_name = path.replace("\\", "/").rpartition("/")[2]
    return f"{parent_dir}/{file_name}"
