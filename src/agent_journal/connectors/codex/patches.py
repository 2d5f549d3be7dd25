"""Patches: the text between `*** Begin Patch` and `*** End Patch`.

Each file has a line `*** Add|Update|Delete File: <path>`, followed by the changed lines. A patch
is the text for the tool `apply_patch`, or part of a shell command (`apply_patch <<'EOF'`). Newer
versions record what was really changed (`patch_apply_end`); that then counts instead.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Literal, cast

from agent_journal.connectors.codex.records import MAX_PENDING, Change
from agent_journal.connectors.loose import remember
from agent_journal.connectors.values import mapping, string, strings
from agent_journal.model import FileEdit
from agent_journal.model.diffs import Differ, header_name
from agent_journal.model.origins import COPIED_EDIT

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_PATCH = re.compile(
    r"^\*\*\* Begin Patch\s*?\n(.*?)(?:^\*\*\* End Patch|\Z)", re.DOTALL | re.MULTILINE
)
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_MOVE = re.compile(r"\*\*\* Move to: (.+)\n?")
_BEGIN = "*** Begin Patch"
_KINDS = ("add", "update", "delete")
EditKind = Literal["create", "edit", "delete", "rename"]


# -- what a call is to change ------------------------------------------------------------------


def find_patch(name: str | None, arguments: object) -> str | None:
    """Return the patch that a call is to apply; None when it applies none."""
    text: str | None
    if isinstance(arguments, str):
        if not name or not name.startswith("apply_patch"):
            return None
        text = arguments
    elif name == "apply_patch":
        values = mapping(arguments)
        texts = strings([values.get("input"), values.get("patch")])
        text = next(iter(texts), None)
    else:
        text = _patch_in_command(mapping(arguments))
    if text is None or _BEGIN not in text:
        return None
    return text


def _patch_in_command(values: dict[str, Any]) -> str | None:
    command = values.get("command", values.get("cmd"))
    words = [command] if isinstance(command, str) else strings(command)
    text = next((word for word in words if _BEGIN in word), None)
    if text is None:
        return None
    is_applied = any(word.strip().startswith("apply_patch") for word in words)
    if is_applied or "apply_patch" in text.partition(_BEGIN)[0]:
        return text
    return None


def planned_changes(patch: str) -> list[Change]:
    """Return what a patch is to change."""
    changes: list[Change] = []
    for body in _PATCH.findall(patch):
        files = list(_FILE.finditer(body))
        ends = [file.start() for file in files[1:]] + [len(body)]
        for file, end in zip(files, ends, strict=False):
            verb = file[1].lower()
            lines = body[file.end() + 1 : end]
            changes.append(_planned_change(verb, file[2].strip(), lines))
    return changes


def _planned_change(verb: str, path: str, lines: str) -> Change:
    if verb == "delete":
        return Change(path=path, kind="delete")
    if verb == "add":
        text = "".join(line[1:] for line in lines.splitlines(keepends=True) if line.startswith("+"))
        return _created(path, text)
    new_path: str | None = None
    move = _MOVE.match(lines)
    if move is not None:
        new_path = move[1].strip()
        lines = lines[move.end() :]
    kept = [line for line in lines.split("\n") if line != "*** End of File"]
    hunks = "\n".join(kept).rstrip("\n")
    if hunks:
        hunks += "\n"
    return _updated(path, new_path, hunks)


# -- what was changed --------------------------------------------------------------------------


def recorded_changes(changes: object) -> list[Change]:
    """Return the changes of `{path: {"type":"update","unified_diff":"@@ …","move_path":null}}`.

    Older versions wrote `{path: {"update":{…}}}`.
    """
    found = []
    for path, value in mapping(changes).items():
        change = mapping(value)
        kind = change.get("type")
        if kind is None and len(change) == 1:
            kind, inner = next(iter(change.items()))
            change = mapping(inner)
        if kind in _KINDS:
            found.append(_recorded_change(path, str(kind), change))
    return found


def _recorded_change(path: str, kind: str, change: dict[str, Any]) -> Change:
    if kind == "update":
        hunks = string(change.get("unified_diff")) or ""
        return _updated(path, string(change.get("move_path")), hunks)
    text = change.get("content")
    if kind == "add":
        if isinstance(text, str):
            return _created(path, text)
        return Change(path=path, kind="create")
    if isinstance(text, str):
        return _deleted(path, text)
    return Change(path=path, kind="delete")


def _created(path: str, text: str) -> Change:
    diff = Differ().diff(path, path, None, text)
    return Change(path=path, kind="create", diff=diff.text, added=diff.added, removed=0, after=text)


def _deleted(path: str, text: str) -> Change:
    diff = Differ().diff(path, path, text, None)
    return Change(
        path=path, kind="delete", diff=diff.text, added=0, removed=diff.removed, before=text
    )


def _updated(path: str, moved_to: str | None, hunks: str) -> Change:
    new_path = moved_to or path
    lines = hunks.split("\n")
    return Change(
        path=new_path,
        kind="rename" if moved_to else "edit",
        diff=f"--- {header_name('a', path)}\n+++ {header_name('b', new_path)}\n{hunks}",
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
    )


# -- the edits of a call -----------------------------------------------------------------------


def applied_edits(
    reader: RolloutReader, call_id: str, recorded: list[Change] | None = None
) -> list[FileEdit]:
    """Return the edits of a call, once: the recorded changes, or else the planned ones."""
    state = reader.state
    planned = state.patches.pop(call_id, [])
    if call_id in state.patched:
        return []
    changes = recorded or planned
    if changes:
        remember(state.patched, call_id, True, 4 * MAX_PENDING)
    return [_edit(reader, call_id, change) for change in changes]


def _edit(reader: RolloutReader, call_id: str, change: Change) -> FileEdit:
    return FileEdit(
        session_id=reader.id,
        path=change.path,
        kind=cast("EditKind", change.kind),
        message_id=reader.state.prompt,
        call_id=call_id,
        timestamp=reader.timestamp,
        diff=change.diff,
        before=change.before,
        after=change.after,
        lines_added=change.added,
        lines_removed=change.removed,
        origin=COPIED_EDIT if reader.is_inherited else "tool",
        offset=reader.record_offset,
    )


def forget_patch(reader: RolloutReader, call_id: str) -> None:
    """Forget a patch that was not applied."""
    reader.state.patches.pop(call_id, None)
