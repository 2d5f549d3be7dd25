"""Lines with the truth about them: which session wrote each."""

from __future__ import annotations

import difflib
import os
from collections.abc import Callable, Sequence
from typing import NamedTuple


class Line(NamedTuple):
    """A line of a file.

    `owner` is the session that wrote it into this file, or None. `origin` is the session of whose
    line it was made: by a small change, or by copying or moving it.
    """

    text: str
    owner: str | None
    origin: str | None
    block: int  # the function it belongs to


Files = dict[str, list[Line]]


def written(texts: Sequence[str], owner: str | None, block: int) -> list[Line]:
    """Return lines that somebody writes."""
    return [Line(text, owner, owner, block) for text in texts]


def texts_of(lines: Sequence[Line]) -> list[str]:
    """Return the texts of lines."""
    return [line.text for line in lines]


def content(lines: Sequence[Line], newline: str) -> str:
    """Return the content of a file with these lines."""
    return "".join(line.text + newline for line in lines)


def combined(result: Sequence[str], ours: Sequence[Line], theirs: Sequence[Line]) -> list[Line]:
    """Return the lines of a file that git merged from two, each as it was in one of them."""
    found: list[Line | None] = [None] * len(result)
    for side in (theirs, ours):
        for number, line in _aligned(result, side):
            if found[number] is None:
                found[number] = line
    unknown = [result[number] for number, line in enumerate(found) if line is None]
    assert not unknown, f"lines out of nowhere: {unknown[:3]}"
    return [line for line in found if line is not None]


def _aligned(result: Sequence[str], side: Sequence[Line]) -> list[tuple[int, Line]]:
    matcher = difflib.SequenceMatcher(None, result, texts_of(side), autojunk=False)
    return [
        (block.a + offset, side[block.b + offset])
        for block in matcher.get_matching_blocks()
        for offset in range(block.size)
    ]


def reformatted(lines: Sequence[Line], change: Callable[[str], list[str]]) -> list[Line]:
    """Return what a formatter makes of lines: each may become several."""
    return [line._replace(text=text) for line in lines for text in change(line.text)]


def formatter(ending: str) -> Callable[[str], list[str]]:
    """Return what formats the lines of a kind of file: quotes, long calls, indentation."""
    if ending == ".py":
        return _format_python
    if ending == ".ts":
        return _format_typescript
    return _format_others


def _format_python(text: str) -> list[str]:
    return _wrapped(text, 60, "    ", ",")


def _format_typescript(text: str) -> list[str]:
    indented = len(text) - len(text.lstrip(" "))
    text = " " * indented * 2 + text.lstrip(" ")
    return _wrapped(text.replace("'", '"'), 62, "    ", ",")


def _format_others(text: str) -> list[str]:
    return [text.rstrip().replace("    ", "\t")]


def _wrapped(text: str, width: int, step: str, last: str) -> list[str]:
    """Return a long call on several lines, as black and prettier write it."""
    start = text.find("(")
    end = text.rfind(")")
    arguments = text[start + 1 : end].split(", ")
    is_simple = "(" not in text[start + 1 : end] and '"' not in text
    if len(text) <= width or start < 0 or len(arguments) < 2 or not is_simple:
        return [text]
    indent = text[: len(text) - len(text.lstrip())]
    inner = [f"{indent}{step}{argument}{last}" for argument in arguments]
    return [text[: start + 1], *inner, indent + text[end:]]


def ending_of(path: str) -> str:
    """Return the ending of a path."""
    return os.path.splitext(path)[1]
