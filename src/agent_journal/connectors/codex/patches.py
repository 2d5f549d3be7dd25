"""Patches: `*** Begin Patch`, for each file `*** Add|Update|Delete File: <path>` and its lines,
`*** End Patch`.

They come as text for the tool `apply_patch`, or inside a shell command (`apply_patch <<'EOF'`).
Newer versions record what was really changed (`patch_apply_end`); then that counts, and the patch
itself does not count again.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Literal, cast

from agent_journal.connectors.codex.records import MAX_PENDING, Change
from agent_journal.connectors.loose import remember
from agent_journal.connectors.values import mapping, string, strings
from agent_journal.model import FileEdit
from agent_journal.model.diffs import Differ, header_name

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader

_PATCH = re.compile(
    r"^\*\*\* Begin Patch\s*?\n(.*?)(?:^\*\*\* End Patch|\Z)", re.DOTALL | re.MULTILINE
)
_FILE = re.compile(r"^\*\*\* (Add|Update|Delete) File: (.+)$", re.MULTILINE)
_MOVE = re.compile(r"\*\*\* Move to: (.+)\n?")
_KINDS = ("add", "update", "delete")
COPIED = "copied"  # of edits that a fork has from its parent, where they were made
EditKind = Literal["create", "edit", "delete", "rename"]


def patch_in(name: str | None, arguments: object) -> str | None:
    """The patch that a call is to apply, if it is one."""
    values = mapping(arguments)
    if isinstance(arguments, str):
        text = arguments if name and name.startswith("apply_patch") else None
    elif name == "apply_patch":
        text = next(
            (values[key] for key in ("input", "patch") if isinstance(values.get(key), str)), None
        )
    else:
        command = values.get("command", values.get("cmd"))
        words = [command] if isinstance(command, str) else strings(command)
        text = next((word for word in words if "*** Begin Patch" in word), None)
        if text is not None and not any(word.strip().startswith("apply_patch") for word in words):
            text = text if "apply_patch" in text.partition("*** Begin Patch")[0] else None
    return text if text and "*** Begin Patch" in text else None


def planned(text: str) -> list[Change]:
    """What a patch is to change."""
    found: list[Change] = []
    for body in _PATCH.findall(text):
        marks = list(_FILE.finditer(body))
        ends = [mark.start() for mark in marks[1:]] + [len(body)]
        for mark, end in zip(marks, ends, strict=False):
            lines = body[mark.end() + 1 : end]
            found.append(_planned(mark[1].lower(), mark[2].strip(), lines))
    return found


def _planned(verb: str, path: str, lines: str) -> Change:
    if verb == "delete":
        return Change(path=path, kind="delete")
    if verb == "add":
        text = "".join(line[1:] for line in lines.splitlines(keepends=True) if line.startswith("+"))
        return _created(path, text)
    move = _MOVE.match(lines)
    body = lines[move.end() :] if move else lines
    hunks = "\n".join(line for line in body.split("\n") if line != "*** End of File").rstrip("\n")
    return _updated(path, move[1].strip() if move else None, f"{hunks}\n" if hunks else "")


def recorded(changes: object) -> list[Change]:
    """The changes: `{path: {"type":"update","unified_diff":"@@ …","move_path":null}}`, or `{path:
    {"add":{…}}}`.
    """
    found = []
    for path, value in mapping(changes).items():
        change = mapping(value)
        kind = change.get("type")
        if kind is None and len(change) == 1:
            kind, inner = next(iter(change.items()))
            change = mapping(inner)
        if kind in _KINDS:
            found.append(_recorded(path, str(kind), change))
    return found


def _recorded(path: str, kind: str, change: dict[str, Any]) -> Change:
    content = change.get("content")
    text = content if isinstance(content, str) else None
    if kind == "add":
        return _created(path, text) if text is not None else Change(path=path, kind="create")
    if kind == "delete":
        if text is None:
            return Change(path=path, kind="delete")
        diff = Differ().diff(path, path, text, None)
        return Change(
            path=path, kind="delete", diff=diff.text, added=0, removed=diff.removed, before=text
        )
    return _updated(path, string(change.get("move_path")), string(change.get("unified_diff")) or "")


def _created(path: str, text: str) -> Change:
    diff = Differ().diff(path, path, None, text)
    return Change(path=path, kind="create", diff=diff.text, added=diff.added, removed=0, after=text)


def _updated(path: str, moved_to: str | None, hunks: str) -> Change:
    new = moved_to or path
    lines = hunks.split("\n")
    return Change(
        path=new,
        kind="rename" if moved_to else "edit",
        diff=f"--- {header_name('a', path)}\n+++ {header_name('b', new)}\n{hunks}",
        added=sum(line.startswith("+") for line in lines),
        removed=sum(line.startswith("-") for line in lines),
    )


def applied(
    reader: RolloutReader, call_id: str, changes: Iterable[Change] | None
) -> list[FileEdit]:
    """The edits of a call, once: with the changes that were recorded, or else with those it was to
    make.
    """
    state = reader.state
    expected = state.patches.pop(call_id, None)
    if call_id in state.patched:
        return []
    changes = list(expected or () if changes is None else changes)
    if changes:
        remember(state.patched, call_id, True, 4 * MAX_PENDING)
    return [
        FileEdit(
            session_id=reader.id,
            path=change.path,
            kind=cast("EditKind", change.kind),
            message_id=state.prompt,
            call_id=call_id,
            timestamp=reader.when,
            diff=change.diff,
            before=change.before,
            after=change.after,
            lines_added=change.added,
            lines_removed=change.removed,
            origin=COPIED if reader.inherited else "tool",
            offset=reader.at,
        )
        for change in changes
    ]


def refused(reader: RolloutReader, call_id: str) -> None:
    """Forgets a patch that was not applied."""
    reader.state.patches.pop(call_id, None)
