"""The edits in an answer: SEARCH/REPLACE blocks, whole files, unified diffs and patches.

An edit is a proposal until aider says that it was applied (`> Applied edit to src/a.py`). Where it
says nothing, the outcome is unknown.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from agent_journal.connectors.aider.state import (
    MAX_HELD,
    EditForm,
    Mode,
    Proposals,
    ProposedEdit,
    Verb,
)
from agent_journal.model import FileEdit
from agent_journal.model.diffs import Differ

_HEAD = re.compile(r"<{5,9} (?:SEARCH|ORIGINAL)>?\s*$")
_DIVIDER = re.compile(r"={5,9}\s*$")
_TAIL = re.compile(r">{5,9} (?:REPLACE|UPDATED)\s*$")
_FENCE = re.compile(r"(`{3,}|<(source|code|pre|codename|sourcecode)>)\s*([\w+.-]*)\s*$")
_PATCH = re.compile(r"\*\*\* (Add|Update|Delete) File: (.+)$")
_EXTENSION = re.compile(r"\w\.\w{1,10}$|^\.\w[\w.-]*$|[/\\]\.?\w[\w.-]*$")
_NOT_IN_PATH = re.compile(r"[*?\"'<>|`]|://")
_BARE_NAMES = ("Dockerfile", "Gemfile", "Jenkinsfile", "LICENSE", "Makefile", "Procfile", "README")
TALKING_FORMATS = ("ask", "architect", "context", "help")  # they never apply an edit
_FORMS: dict[str, EditForm] = {
    "whole": "whole",
    "editor-whole": "whole",
    "udiff": "diff",
    "udiff-simple": "diff",
}
# Characters of edits that wait for their outcome; of larger ones only the path is kept.
_MAX_TEXT = 2 * 2**20
_MAX_NAME = 500
_NAME_LINES = 3
_STEPS = 100_000  # of comparing one edit: a hundredth of a second


def open_fence(fence: str, line: str) -> str:
    """Return the code fence that is open after a line; an empty text outside of one."""
    if fence:
        is_closed = line.strip() == fence.replace("<", "</")
        return "" if is_closed else fence
    found = _opening_fence(line)
    return found[1] if found else ""


def _opening_fence(line: str) -> re.Match[str] | None:
    if not line.startswith(("`", "<")):  # spares most lines the expression
        return None
    return _FENCE.match(line)


def feed(blocks: Proposals, line: str) -> None:
    """Read the next line of an answer."""
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
    else:
        _outside(blocks, line)
    _remember(blocks, line)


def blank(blocks: Proposals) -> None:
    """Read a blank line of an answer."""
    if blocks.mode:
        feed(blocks, "")
    else:
        _remember(blocks, "")


def _remember(blocks: Proposals, line: str) -> None:
    blocks.recent.append(line)
    if len(blocks.recent) > _NAME_LINES:
        del blocks.recent[0]


def _begin(blocks: Proposals, mode: Mode) -> None:
    blocks.mode = mode
    blocks.old = []
    blocks.new = []


def _outside(blocks: Proposals, line: str) -> None:
    """Read a line outside of any block: it may open a fence."""
    found = _opening_fence(line)
    if not found:
        return
    blocks.fence = found[1]
    blocks.path = _name_on(blocks.recent[-1]) if blocks.recent else ""
    if found[3] == "diff":
        _begin(blocks, "diff")
    elif blocks.path:
        _begin(blocks, "whole")
    else:
        _begin(blocks, "code")


def _hold(blocks: Proposals, lines: list[str], line: str) -> None:
    blocks.size += len(line) + 1
    if blocks.size <= _MAX_TEXT:
        lines.append(line)


def _finish(blocks: Proposals, edit: ProposedEdit) -> None:
    if blocks.size > _MAX_TEXT:
        edit.before = edit.after = edit.diff = None
    blocks.size += len(edit.path) + 100
    if edit.path and len(blocks.found) < MAX_HELD:
        blocks.found.append(edit)
    _begin(blocks, "")


def _in_block(blocks: Proposals, line: str) -> None:
    if blocks.mode == "search":
        if _DIVIDER.match(line):
            blocks.mode = "replace"
        else:
            _hold(blocks, blocks.old, line)
    elif _TAIL.match(line):
        before = _text(blocks.old)
        after = _text(blocks.new)
        _finish(blocks, ProposedEdit(blocks.path, "block", before=before, after=after))
        if blocks.fence:  # the rest of the fence may hold another block
            blocks.mode = "code"
    else:
        _hold(blocks, blocks.new, line)


def _in_fence(blocks: Proposals, line: str) -> None:
    if not open_fence(blocks.fence, line):
        _close_fence(blocks)
    elif blocks.mode == "diff" and not blocks.new and line.startswith(("--- ", "+++ ")):
        _read_diff_header(blocks, line)
    elif blocks.mode != "code":
        _hold(blocks, blocks.new, line)


def _read_diff_header(blocks: Proposals, line: str) -> None:
    mark, *names = line.split()
    if mark == "+++" and names:
        blocks.path = names[0].removeprefix("b/")


def _close_fence(blocks: Proposals) -> None:
    blocks.fence = ""
    text = _text(blocks.new)
    if blocks.mode == "diff":
        _finish(blocks, ProposedEdit(blocks.path or blocks.last_path, "diff", diff=text))
    elif blocks.mode == "whole":
        _finish(blocks, ProposedEdit(blocks.path, "whole", after=text))
    else:
        _begin(blocks, "")


def _in_patch(blocks: Proposals, line: str) -> None:
    named = _PATCH.match(line)
    if not named and not line.startswith("*** End Patch"):
        _hold(blocks, blocks.new, line)
        return
    if blocks.path:
        # A patch has no fence: the field holds the verb of the current file.
        verb: Verb = blocks.fence  # type: ignore[assignment]
        _finish(blocks, ProposedEdit(blocks.path, "patch", diff=_text(blocks.new), verb=verb))
    if named:
        _begin(blocks, "patch")
        blocks.fence = named[1]
        blocks.path = named[2].strip()
    else:
        _begin(blocks, "")
        blocks.fence = ""
        blocks.path = ""


def _text(lines: list[str]) -> str:
    return "".join(line + "\n" for line in lines)


def _file_name(recent: list[str]) -> str:
    """Return the file name on the last line before a block that is not a fence."""
    for line in reversed(recent):
        if not _FENCE.match(line):
            return _name_on(line)
    return ""


def _name_on(line: str) -> str:
    """Return a line without what marks it as a file name; an empty text if it cannot be one."""
    name = line.strip().rstrip(":").lstrip("#").strip()
    name = name.strip("`").strip("*").strip("`").replace("\\_", "_")
    if len(name) > _MAX_NAME or name == "..." or _TAIL.match(name) or _is_sentence(name):
        return ""
    return name


def _is_sentence(name: str) -> bool:
    """Whether a name has several words and no extension: "If you're using **npm**"."""
    return " " in name and not _EXTENSION.search(name)


def _is_path(name: str) -> bool:
    """Whether a name is certainly that of a file, which an answer may name in a sentence."""
    first_word = name.partition(" ")[0]
    if _NOT_IN_PATH.search(name) or (" " in name and "/" not in first_word):
        return False
    return name in _BARE_NAMES or _EXTENSION.search(name) is not None


# -- outcomes ----------------------------------------------------------------------------------


def drop(blocks: Proposals, path: str) -> None:
    """Forget the edits of a file: they were not applied."""
    blocks.found = [edit for edit in blocks.found if not _is_same(edit.path, path)]


def proposed(blocks: Proposals, edit_format: str) -> dict[str, list[ProposedEdit]]:
    """Return the edits that an answer certainly proposed, by file.

    Some formats are for talking only, and a fence with a file's name before it, or with a diff in
    it, is an edit only where the model was asked for such.
    """
    if edit_format in TALKING_FORMATS:
        return {}
    found: dict[str, list[ProposedEdit]] = {}
    for edit in blocks.found:
        is_asked_for = edit.form in ("block", "patch") or _FORMS.get(edit_format) == edit.form
        if is_asked_for and _is_path(edit.path):
            found.setdefault(edit.path, []).append(edit)
    return found


def applied(blocks: Proposals, path: str) -> list[ProposedEdit]:
    """Remove and return the edits of a file that was changed.

    That is one edit without text where the answer shows none, and the last of whole files.
    """
    own = [edit for edit in blocks.found if _is_same(edit.path, path)]
    drop(blocks, path)
    if not blocks.found:
        blocks.size = 0
    partial = [edit for edit in own if edit.form != "whole"]
    return partial or own[-1:] or [ProposedEdit(path, "block")]


def _is_same(path: str, other: str) -> bool:
    path = _with_slashes(path)
    other = _with_slashes(other)
    return path == other or path.endswith("/" + other) or other.endswith("/" + path)


def _with_slashes(path: str) -> str:
    return path.replace("\\", "/").removeprefix("./")


def file_edits(
    edits: list[ProposedEdit],
    path: str,
    *,
    is_new: bool,
    session_id: str,
    message_id: str | None,
    offset: int,
    origin: str | None = None,
) -> Iterator[FileEdit]:
    """Yield the edits as the model has them."""
    for edit in edits:
        kind = _kind(edit, is_new)
        # Otherwise the edit changes a file that was just created.
        is_first = kind == "create" and not (edit.before or "").strip()
        is_whole = edit.form == "whole" or (is_first and edit.form == "block")
        change = _change(edit, is_first)
        yield FileEdit(
            session_id=session_id,
            path=path,
            kind=kind,
            message_id=message_id,
            diff=change.diff,
            after=edit.after if is_whole else None,
            lines_added=change.added,
            lines_removed=change.removed,
            origin=origin or edit.form,
            offset=offset,
        )


def _kind(edit: ProposedEdit, is_new: bool) -> Literal["create", "edit", "delete"]:
    if is_new or edit.verb == "Add":
        return "create"
    if edit.verb == "Delete":
        return "delete"
    return "edit"


class _Change(NamedTuple):
    """A diff and its numbers of lines."""

    diff: str | None = None
    added: int | None = None
    removed: int | None = None


def _change(edit: ProposedEdit, is_new: bool) -> _Change:
    """Return the diff of an edit; hunks have no line numbers, which answers do not know."""
    if edit.diff is not None:
        marks = [line[:1] for line in edit.diff.split("\n")]
        return _Change(edit.diff.rstrip("\n"), marks.count("+"), marks.count("-"))
    if edit.after is None or (edit.before is None and not is_new):
        return _Change()
    made = Differ(_STEPS).diff(edit.path, edit.path, edit.before or "", edit.after)
    lines = made.text.rstrip("\n").split("\n")[2:]
    if not is_new:
        lines = ["@@ @@" if line.startswith("@@ -") else line for line in lines]
    return _Change("\n".join(lines) or None, made.added, made.removed)
