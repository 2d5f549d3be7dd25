"""The edits in an answer: SEARCH/REPLACE blocks, whole files, unified diffs and patches.

An edit is told when aider says that it applied it (`> Applied edit to src/a.py`); until then it
only is a proposal.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from agent_journal.connectors.aider.state import MAX_HELD, Blocks, Edit
from agent_journal.model import FileEdit
from agent_journal.model.diffs import Differ

_HEAD = re.compile(r"<{5,9} (?:SEARCH|ORIGINAL)>?\s*$")
_DIVIDER = re.compile(r"={5,9}\s*$")
_TAIL = re.compile(r">{5,9} (?:REPLACE|UPDATED)\s*$")
_FENCE = re.compile(r"(`{3,}|<(source|code|pre|codename|sourcecode)>)\s*([\w+.-]*)\s*$")
_PATCH = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)$")
# Characters of edits that wait for their outcome; of larger ones only the path is told
_MAX_HELD = 2 * 2**20
_NAME_LINES = 3
_STEPS = 100_000  # of comparing one edit: a hundredth of a second


def open_fence(fence: str, line: str) -> str:
    """The code fence that is open after a line; nothing outside of one."""
    if fence:
        return "" if line.strip() == fence.replace("<", "</") else fence
    found = _FENCE.match(line) if line[:1] in ("`", "<") else None
    return found[1] if found else ""


def feed(blocks: Blocks, line: str) -> None:
    """Takes the next line of an answer."""
    mode = blocks.mode
    first = line[:1]
    if mode in ("search", "replace"):
        _in_block(blocks, line)
    elif first == "<" and _HEAD.match(line):
        blocks.path = _file_name(blocks.recent) or blocks.last_path
        blocks.last_path = blocks.path
        _begin(blocks, "search")
    elif mode == "patch":
        _in_patch(blocks, line)
    elif mode:
        _in_fence(blocks, line)
    elif first == "*" and line.startswith("*** Begin Patch"):
        _begin(blocks, "patch")
        blocks.path = ""
    elif first in ("`", "<") and (found := _FENCE.match(line)):
        blocks.fence = found[1]
        blocks.path = _stripped(blocks.recent[-1]) if blocks.recent else ""
        _begin(blocks, "diff" if found[3] == "diff" else "whole" if blocks.path else "code")
    _remember(blocks, line)


def blank(blocks: Blocks) -> None:
    """Takes a blank line of an answer."""
    if blocks.mode:
        feed(blocks, "")
    else:
        _remember(blocks, "")


def _remember(blocks: Blocks, line: str) -> None:
    blocks.recent.append(line)
    if len(blocks.recent) > _NAME_LINES:
        del blocks.recent[0]


def _begin(blocks: Blocks, mode: str) -> None:
    blocks.mode = mode  # type: ignore[assignment]
    blocks.old, blocks.new = [], []


def _hold(blocks: Blocks, lines: list[str], line: str) -> None:
    blocks.size += len(line) + 1
    if blocks.size <= _MAX_HELD:
        lines.append(line)


def _found(blocks: Blocks, edit: Edit) -> None:
    if blocks.size > _MAX_HELD:
        edit.before = edit.after = edit.diff = None
    blocks.size += len(edit.path) + 100
    if edit.path and len(blocks.found) < MAX_HELD:
        blocks.found.append(edit)
    _begin(blocks, "")


def _in_block(blocks: Blocks, line: str) -> None:
    if blocks.mode == "search":
        if _DIVIDER.match(line):
            blocks.mode = "replace"
        else:
            _hold(blocks, blocks.old, line)
    elif _TAIL.match(line):
        fence = blocks.fence
        _found(blocks, Edit(blocks.path, "block", _text(blocks.old), _text(blocks.new)))
        blocks.mode = "code" if fence else ""  # the rest of its fence, which may hold another block
    else:
        _hold(blocks, blocks.new, line)


def _in_fence(blocks: Blocks, line: str) -> None:
    if open_fence(blocks.fence, line):
        if (
            blocks.mode == "diff"
            and not blocks.new
            and line.startswith("+++ ")
            and len(line.split()) > 1
        ):
            blocks.path = line.split()[1].removeprefix("b/")
        if blocks.mode == "diff" and line.startswith(("--- ", "+++ ")) and not blocks.new:
            return
        if blocks.mode != "code":
            _hold(blocks, blocks.new, line)
        return
    blocks.fence = ""
    if blocks.mode == "diff":
        _found(blocks, Edit(blocks.path or blocks.last_path, "diff", diff=_text(blocks.new)))
    elif blocks.mode == "whole":
        _found(blocks, Edit(blocks.path, "whole", after=_text(blocks.new)))
    else:
        _begin(blocks, "")


def _in_patch(blocks: Blocks, line: str) -> None:
    named = _PATCH.match(line)
    if not named and not line.startswith("*** End Patch"):
        _hold(blocks, blocks.new, line)
        return
    if blocks.path:
        verb = blocks.fence  # the verb of the file at hand: a patch has no fence of its own
        _found(blocks, Edit(blocks.path, "patch", diff=_text(blocks.new), verb=verb))  # type: ignore[arg-type]
    _begin(blocks, "patch" if named else "")
    blocks.fence, blocks.path = (named[1], named[2].strip()) if named else ("", "")


def _text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _file_name(recent: list[str]) -> str:
    """The name of a file on one of the lines before a block, with nothing but fences in between."""
    for line in reversed(recent):
        if not _FENCE.match(line):
            return _stripped(line)
    return ""


def _stripped(line: str) -> str:
    name = (
        line.strip()
        .rstrip(":")
        .lstrip("#")
        .strip()
        .strip("`")
        .strip("*")
        .strip("`")
        .replace("\\_", "_")
    )
    return name if len(name) <= 500 and name != "..." and not _TAIL.match(name) else ""


# -- outcomes ----------------------------------------------------------------------------------


def drop(blocks: Blocks, path: str) -> None:
    """Forgets the edits of a file: they could not be applied."""
    blocks.found = [edit for edit in blocks.found if not _is_same(edit.path, path)]


def applied(blocks: Blocks, path: str) -> list[Edit]:
    """The edits of a file that was changed, taken out; one without text where the answer shows
    none.
    """
    mine = [edit for edit in blocks.found if _is_same(edit.path, path)]
    drop(blocks, path)
    blocks.size = 0 if not blocks.found else blocks.size
    return [edit for edit in mine if edit.form != "whole"] or mine[-1:] or [Edit(path, "block")]


def _is_same(one: str, other: str) -> bool:
    one, other = (path.replace("\\", "/").removeprefix("./") for path in (one, other))
    return one == other or one.endswith("/" + other) or other.endswith("/" + one)


def file_edits(
    edits: list[Edit], path: str, is_new: bool, session_id: str, message_id: str | None, offset: int
) -> Iterator[FileEdit]:
    """The edits as the model has them."""
    for edit in edits:
        kind = (
            "create"
            if is_new or edit.verb == "Add"
            else "delete"
            if edit.verb == "Delete"
            else "edit"
        )
        # Else it changes what was just created
        is_first = kind == "create" and not (edit.before or "").strip()
        diff, added, removed = _diff(edit, is_first)
        whole = edit.form == "whole" or (is_first and edit.form == "block")
        yield FileEdit(
            session_id=session_id,
            path=path,
            kind=kind,  # type: ignore[arg-type]
            message_id=message_id,
            diff=diff,
            after=edit.after if whole else None,
            lines_added=added,
            lines_removed=removed,
            origin=edit.form,
            offset=offset,
        )


def _diff(edit: Edit, is_new: bool) -> tuple[str | None, int | None, int | None]:
    """The diff and its numbers of lines; hunks say no place, since an answer does not know the
    lines around it.
    """
    if edit.diff is not None:
        marks = [line[:1] for line in edit.diff.split("\n")]
        return edit.diff.rstrip("\n"), marks.count("+"), marks.count("-")
    if edit.after is None or (edit.before is None and not is_new):
        return None, None, None
    made = Differ(_STEPS).diff(edit.path, edit.path, edit.before or "", edit.after)
    lines = made.text.rstrip("\n").split("\n")[2:]
    if not is_new:
        lines = ["@@ @@" if line.startswith("@@ -") else line for line in lines]
    return "\n".join(lines) or None, made.added, made.removed
