"""A change of a file in the forms in which agents write it."""

from __future__ import annotations

from typing import NamedTuple

from bench.provenance.session import Edit

from agent_journal.demo.writing import hunks


class Replacement(NamedTuple):
    """A part of a file and what it is replaced with, as the agent gives both."""

    old: str
    new: str


def plain(text: str | None) -> str:
    """Return a text with `\\n`: agents hide how the lines of a file end."""
    return (text or "").replace("\r\n", "\n")


def replacement(edit: Edit) -> Replacement:
    """Return the changed lines with enough of their neighbours to be found once."""
    before = plain(edit.before)
    old = before.splitlines(keepends=True)
    new = plain(edit.after).splitlines(keepends=True)
    start = 0
    while start < min(len(old), len(new)) and old[start] == new[start]:
        start += 1
    end = 0
    while end < min(len(old), len(new)) - start and old[-1 - end] == new[-1 - end]:
        end += 1
    while True:
        start = max(start - 1, 0)
        end = max(end - 1, 0)
        part = "".join(old[start : len(old) - end])
        is_all = start == 0 and end == 0
        if is_all or (part and before.count(part) == 1):
            return Replacement(part, "".join(new[start : len(new) - end]))


def diff_lines(edit: Edit) -> list[str]:
    """Return a unified diff, without the names of the files."""
    lines = []
    for hunk in hunks(plain(edit.before), plain(edit.after)):
        old = f"{hunk['oldStart']},{hunk['oldLines']}"
        new = f"{hunk['newStart']},{hunk['newLines']}"
        lines += [f"@@ -{old} +{new} @@", *hunk["lines"]]
    return lines
