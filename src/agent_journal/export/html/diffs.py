"""Diffs, line by line in their colours."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape
from itertools import groupby

from agent_journal.export.html.parts import code_box
from agent_journal.export.prose import clean


def diff_box(diff: str) -> str:
    """A unified diff; neighbours of the same kind are one element."""
    return code_box("".join(_runs(clean(diff).rstrip("\n").split("\n"))), "diff", "diff")


def _runs(lines: list[str]) -> Iterator[str]:
    for kind, run in groupby(_marked(lines), key=lambda marked: marked[0]):
        text = escape("\n".join(line for _, line in run))
        if kind:
            yield f'<span class="{kind}">{text}\n</span>'
        else:
            yield f"{text}\n"


def _marked(lines: list[str]) -> Iterator[tuple[str, str]]:
    is_head = True  # `--- a/x` is a removed line once the first hunk has begun
    for line in lines:
        if line.startswith("@@"):
            is_head = False
            yield "hunk", line
        elif is_head and line.startswith(("--- ", "+++ ", "diff ", "index ")):
            yield "hunk", line
        else:
            yield {"+": "add", "-": "del"}.get(line[:1], ""), line
