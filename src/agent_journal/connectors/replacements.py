"""Changes to files, from the texts that an agent recorded: whole ones, or parts it replaced."""

from __future__ import annotations

from collections.abc import Sequence

from msgspec.structs import replace

from agent_journal.model import FileEdit
from agent_journal.model.diffs import Differ


def with_whole_texts(edit: FileEdit, before: str | None, after: str) -> FileEdit:
    """The edit with the file before and after; `before` is None where the file is new."""
    diff = Differ().diff(edit.path, edit.path, before, after)
    return replace(
        edit,
        before=before,
        after=after,
        diff=diff.text,
        lines_added=diff.added,
        lines_removed=diff.removed,
    )


def as_created(edit: FileEdit) -> FileEdit:
    """The edit of a file that is new: where its text is known, all of it was added."""
    edit = replace(edit, kind="create")
    if edit.after is None or edit.diff is not None:
        return edit
    return with_whole_texts(edit, None, edit.after)


def with_replaced_parts(edit: FileEdit, pairs: Sequence[tuple[str, str]]) -> FileEdit:
    """The edit with the diffs of parts of the file, each given as it was and as it is now."""
    diffs = [Differ().diff(edit.path, edit.path, old, new) for old, new in pairs]
    return replace(
        edit,
        diff="".join(diff.text for diff in diffs),
        lines_added=sum(diff.added for diff in diffs),
        lines_removed=sum(diff.removed for diff in diffs),
    )


def with_patch(edit: FileEdit, patch: str) -> FileEdit:
    """The edit with a diff as the agent wrote it."""
    lines = [line for line in patch.split("\n") if not line.startswith(("+++ ", "--- "))]
    return replace(
        edit,
        diff=patch,
        lines_added=sum(line.startswith("+") for line in lines),
        lines_removed=sum(line.startswith("-") for line in lines),
    )
