"""Changes to files, from the diff a tool showed, or from its arguments where it showed none."""

from __future__ import annotations

from typing import Any, Literal

from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import FileEdit, ToolCall

_EDITORS = ("write_file", "replace", "edit")
_CREATED = "Successfully created"


def file_edit(
    call: ToolCall, args: dict[str, Any], shown: Any, offset: int | None
) -> FileEdit | None:
    """The change a call made; None for one that failed, was refused, or changes nothing."""
    display = mapping(shown)
    if call.status != "ok" or ("fileDiff" not in display and call.name not in _EDITORS):
        return None
    path = string(display.get("filePath")) or _path(args) or string(display.get("fileName"))
    if path is None:
        return None
    before, after, diff = _texts(display, args)
    is_new = display.get("isNewFile") is True or (call.result or "").startswith(_CREATED)
    is_new = is_new or ("originalContent" in display and before is None)
    kind: Literal["create", "edit"] = "create" if is_new else "edit"
    added, removed = _counts(mapping(display.get("diffStat")), diff)
    if is_new and added is None and after is not None:
        added, removed = len(after.splitlines()), 0
    return FileEdit(
        session_id=call.session_id,
        path=path,
        kind=kind,
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.ended_at,
        diff=diff,
        before=None if is_new else before,
        after=after,
        lines_added=added,
        lines_removed=removed,
        offset=offset,
    )


def _path(args: dict[str, Any]) -> str | None:
    return next(
        (path for key in ("file_path", "absolute_path", "path") if (path := string(args.get(key)))),
        None,
    )


def _texts(
    display: dict[str, Any], args: dict[str, Any]
) -> tuple[str | None, str | None, str | None]:
    """The file before and after, and the diff between them, as far as they are recorded."""
    if "fileDiff" in display:
        before, after = display.get("originalContent"), display.get("newContent")
        return _text(before), _text(after), string(display["fileDiff"])
    old, new = _text(args.get("old_string")), _text(args.get("new_string"))
    if old is None and new is None:
        return None, _text(args.get("content")), None
    lines = [f"-{line}" for line in (old or "").splitlines()] + [
        f"+{line}" for line in (new or "").splitlines()
    ]
    return None, None, "\n".join(("@@ @@", *lines)) if lines else None


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _counts(stat: dict[str, Any], diff: str | None) -> tuple[int | None, int | None]:
    """Lines added and removed, by the model and by the person who changed its proposal."""
    told = [
        [count(stat.get(f"{who}_{what}_lines")) for who in ("model", "user")]
        for what in ("added", "removed")
    ]
    if told[0][0] is not None:
        added, removed = (sum(filter(None, numbers)) for numbers in told)
        return added, removed
    if diff is None:
        return None, None
    lines = [line for line in diff.split("\n") if not line.startswith(("+++ ", "--- "))]
    return sum(line.startswith("+") for line in lines), sum(line.startswith("-") for line in lines)
