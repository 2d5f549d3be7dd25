"""Changes to files: what the editing tools report, and the backups made before them.

"toolUseResult":{"filePath":"/app/a.py","structuredPatch":[{"oldStart":1,"oldLines":1,"newStart":1,"newLines":1,
                 "lines":["-a","+b"]}]}
{"type":"file-history-delta","trackingPath":"a.py","backup":{"backupFileName":"139d…@v2","version":2}}
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import Literal

import msgspec

from agent_journal.connectors.claude_code.records import (
    Backup,
    EditResult,
    Hunk,
    Record,
    Snapshot,
    decoded,
)
from agent_journal.connectors.claude_code.state import State, remember
from agent_journal.model import FileEdit
from agent_journal.text.dates import parse_time

_edit_result = msgspec.json.Decoder(EditResult)
_snapshot = msgspec.json.Decoder(Snapshot)
_backup = msgspec.json.Decoder(Backup)
_MAX_TRACKED = 10_000


def tool_edit(
    raw: msgspec.Raw,
    session_id: str,
    call_id: str,
    message_id: str | None,
    when: datetime | None,
    offset: int,
) -> FileEdit | None:
    """The change a tool reports, or None when it reports none (an error, or another tool)."""
    result = decoded(raw, _edit_result)
    path = result and (result.file_path or result.notebook_path)
    if result is None or not path:
        return None
    lines, hunks = _lines_of(result)
    firsts = [line[:1] for line in lines]
    created = result.type == "create"
    kind: Literal["create", "edit"] = "create" if created else "edit"
    return FileEdit(
        session_id=session_id,
        path=path,
        kind=kind,
        call_id=call_id,
        message_id=message_id,
        timestamp=when,
        diff="\n".join(hunks) if hunks else None,
        lines_added=firsts.count("+"),
        lines_removed=firsts.count("-"),
        offset=offset,
    )


def _lines_of(result: EditResult) -> tuple[list[str], list[str]]:
    """The changed lines, to count; and the text of the hunks, to show."""
    if result.structured_patch:
        lines = [line for hunk in result.structured_patch for line in hunk.lines]
        return lines, [
            line for hunk in result.structured_patch for line in (_header(hunk), *hunk.lines)
        ]
    if result.type == "create":
        lines = _marked("+", result.content)
        return lines, [f"@@ -0,0 +1,{len(lines)} @@", *lines] if lines else []
    old = result.old_string if result.old_string is not None else result.old_source
    new = result.new_string if result.new_string is not None else result.new_source
    if result.edit_mode == "delete":
        old, new = (old or new), None
    lines = _marked("-", old) + _marked("+", new)
    return lines, ["@@ @@", *lines] if lines else []


def _header(hunk: Hunk) -> str:
    return f"@@ -{hunk.old_start},{hunk.old_lines} +{hunk.new_start},{hunk.new_lines} @@"


def _marked(mark: str, text: str | None) -> list[str]:
    if not text:
        return []
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return [mark + line for line in lines]


def snapshot_edits(
    record: Record, state: State, session_id: str, offset: int
) -> Iterator[FileEdit]:
    """The backups a snapshot adds: every snapshot repeats all files so far, so only news are told."""
    snapshot = decoded(record.snapshot, _snapshot)
    if snapshot is None:
        return
    for path, backup in snapshot.tracked_file_backups.items():
        if backup is None:
            continue
        when = parse_time(backup.backup_time) or parse_time(snapshot.timestamp)
        message_id = snapshot.message_id or record.message_id
        yield from _backup_edit(path, backup, state, session_id, message_id, when, offset)


def delta_edits(record: Record, state: State, session_id: str, offset: int) -> Iterator[FileEdit]:
    """The one backup a delta tells; it belongs to the prompt of the snapshot it continues."""
    backup = decoded(record.backup, _backup)
    if backup is None or not record.tracking_path:
        return
    when = parse_time(backup.backup_time) or parse_time(record.timestamp)
    message_id = record.snapshot_message_id or record.message_id
    yield from _backup_edit(
        record.tracking_path, backup, state, session_id, message_id, when, offset
    )


def _backup_edit(
    path: str,
    backup: Backup,
    state: State,
    session_id: str,
    message_id: str | None,
    when: datetime | None,
    offset: int,
) -> Iterator[FileEdit]:
    if backup.real_parent_dir and not path.startswith(("/", "\\")) and path[1:2] != ":":
        path = f"{backup.real_parent_dir}/{path.replace(chr(92), '/').rpartition('/')[2]}"
    name = backup.backup_file_name or ""
    if state.backups.get(path) == name:
        return
    remember(state.backups, path, name, _MAX_TRACKED)
    yield FileEdit(
        session_id=session_id,
        path=path,
        kind="backup",
        message_id=message_id,
        timestamp=when,
        backup=f"file-history/{name}" if name else None,
        origin="file-history",
        offset=offset,
    )
