"""Changes to files, from the diff a tool showed, or from its arguments where it showed none."""

from __future__ import annotations

from typing import Any, NamedTuple

from agent_journal.connectors.replacements import as_created
from agent_journal.connectors.values import count, mapping, string
from agent_journal.model import FileEdit, ToolCall

_EDITORS = ("write_file", "replace", "edit")
_CREATED = "Successfully created"


class _Texts(NamedTuple):
    """The file before and after, and the diff between them, as far as they are recorded."""

    before: str | None = None
    after: str | None = None
    diff: str | None = None


class _LineCounts(NamedTuple):
    added: int | None = None
    removed: int | None = None


def file_edit(
    call: ToolCall, args: dict[str, Any], shown: Any, offset: int | None
) -> FileEdit | None:
    """Return the change a call made; None if it failed, was refused, or changes nothing."""
    display = mapping(shown)
    if call.status != "ok" or ("fileDiff" not in display and call.name not in _EDITORS):
        return None
    path = string(display.get("filePath")) or _path(args) or string(display.get("fileName"))
    if path is None:
        return None
    texts = _texts(display, args)
    is_new = _is_new(call, display, texts)
    counts = _line_counts(mapping(display.get("diffStat")), texts.diff)
    if is_new and counts.added is None and texts.after is not None:
        counts = _LineCounts(len(texts.after.splitlines()), 0)
    edit = FileEdit(
        session_id=call.session_id,
        path=path,
        message_id=call.message_id,
        call_id=call.id,
        timestamp=call.ended_at,
        diff=texts.diff,
        before=None if is_new else texts.before,
        after=texts.after,
        lines_added=counts.added,
        lines_removed=counts.removed,
        offset=offset,
    )
    return as_created(edit) if is_new else edit


def _path(args: dict[str, Any]) -> str | None:
    for key in ("file_path", "absolute_path", "path"):
        path = string(args.get(key))
        if path:
            return path
    return None


def _is_new(call: ToolCall, display: dict[str, Any], texts: _Texts) -> bool:
    if display.get("isNewFile") is True or (call.result or "").startswith(_CREATED):
        return True
    return "originalContent" in display and texts.before is None


def _texts(display: dict[str, Any], args: dict[str, Any]) -> _Texts:
    if "fileDiff" in display:
        return _Texts(
            before=_text(display.get("originalContent")),
            after=_text(display.get("newContent")),
            diff=string(display["fileDiff"]),
        )
    old = _text(args.get("old_string"))
    new = _text(args.get("new_string"))
    if old is None and new is None:
        return _Texts(after=_text(args.get("content")))
    lines = [f"-{line}" for line in (old or "").splitlines()]
    lines += [f"+{line}" for line in (new or "").splitlines()]
    if not lines:
        return _Texts()
    return _Texts(diff="\n".join(["@@ @@", *lines]))


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) else None


def _line_counts(stat: dict[str, Any], diff: str | None) -> _LineCounts:
    """Return the lines changed by the model and by the person who changed its proposal."""
    if count(stat.get("model_added_lines")) is not None:
        return _LineCounts(
            added=_sum(stat, "model_added_lines", "user_added_lines"),
            removed=_sum(stat, "model_removed_lines", "user_removed_lines"),
        )
    if diff is None:
        return _LineCounts()
    lines = [line for line in diff.split("\n") if not line.startswith(("+++ ", "--- "))]
    return _LineCounts(
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
    )


def _sum(stat: dict[str, Any], *keys: str) -> int:
    return sum(count(stat.get(key)) or 0 for key in keys)
