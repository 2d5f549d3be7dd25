"""Texts, diffs and file edits for tests."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from agent_journal.model import FileEdit
from agent_journal.model.diffs import Differ

# Texts that differ in a few lines, with every kind of line end and of last line.
LINES = st.lists(
    st.sampled_from(
        ["", "a", "b", "c", "--- a/x", "+++ b/x", "@@ -1 +1 @@", "\\ No", "ü\U0001f600"]
    )
)
TEXTS = st.one_of(
    st.text(),
    LINES.map("\n".join),
    LINES.map(lambda lines: "".join(line + "\n" for line in lines)),
    st.lists(st.sampled_from(["a", "b", "\n", "\r\n", "\r", "\x0b", "\x85", "\u2028"])).map(
        "".join
    ),
)


def diff(before: str | None, after: str | None, path: str = "/w/f") -> str:
    return Differ().diff(path, path, before, after).text


def edit(
    request: str | None, before: str | None, after: str | None, path: str = "/w/f", **more: Any
) -> FileEdit:
    kind = "edit"
    if before is None:
        kind = "create"
    elif after is None:
        kind = "delete"
    given_before = before if more.pop("tells", False) else None
    return FileEdit(
        **{
            "session_id": "s",
            "path": path,
            "kind": kind,
            "message_id": request,
            "diff": diff(before, after, path),
            "before": given_before,
            "origin": "editing-session",
            **more,
        }
    )
