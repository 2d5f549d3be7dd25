"""What is below the line of a block: texts, diffs, arguments and results, as lines."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from agent_journal.model import FileEdit, ToolCall
from agent_journal.model.arguments import as_text
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line, safe
from agent_journal.tui.lines import LONGEST_LINE, Line, Piece, Style, fitted, text_lines

_FEW = 12  # lines of a result that are shown unless everything is
_ABOVE_HIT = 3  # lines that are shown before a hit
_MANY = 2_000  # lines of one text
_FENCE = re.compile(r" *(?:`{3,}|~{3,})")
_HEADING = re.compile(r" {0,3}#{1,6} +")
_DIFF_LOOKS = {"+": "added", "-": "removed", "@": "hunk"}


def text_body(text: str, look: str = "") -> Callable[[Style], Iterator[Line]]:
    """Return what shows a text as it is."""

    def body(style: Style) -> Iterator[Line]:
        return text_lines(text, style._replace(look=look))

    return body


def prose_body(text: str) -> Callable[[Style], Iterator[Line]]:
    """Return what shows Markdown: line by line, headings and code in another look."""

    def body(style: Style) -> Iterator[Line]:
        is_code = False
        for line in safe(text).rstrip("\n").split("\n"):
            look = ""
            if _FENCE.match(line):
                is_code = not is_code
                look = "dim"
            elif is_code:
                look = "code"
            elif _HEADING.match(line):
                look = "bold"
            yield from fitted(line, style._replace(look=look))

    return body


def call_body(
    call: ToolCall, arguments: Any, edits: Sequence[FileEdit], *, is_whole: bool
) -> Callable[[Style], Iterator[Line]]:
    """Return what shows a call: its diffs, or its arguments and its result."""
    most = _MANY if is_whole else _FEW

    def body(style: Style) -> Iterator[Line]:
        inner = style._replace(indent=style.indent + "│ ")
        for edit in edits:
            if len(edits) > 1:  # else the line of the call names the file
                yield edit_head(edit, inner)
            yield from edit_lines(edit, inner, _MANY)
        if is_whole or not edits:
            yield from _argument_lines(arguments, inner)
        if call.result and (is_whole or not edits or call.status != "ok"):
            yield from _cut(call.result, inner, most)
        elif call.result_at is not None:
            yield (Piece(inner.indent, "dim"), Piece("this result is damaged in the archive"))
        for attachment in call.attachments:
            name = one_line(attachment.name or attachment.mime_type, 120)
            yield (Piece(inner.indent, "dim"), Piece(f"[{attachment.kind}: {name}]", "note"))

    return body


def edit_head(edit: FileEdit, style: Style) -> Line:
    """Return what was done to which file."""
    return (Piece(style.indent, "dim"), Piece(f"{edit.kind} {one_line(edit.path, 300)}", "bold"))


def edit_lines(edit: FileEdit, style: Style, most: int) -> Iterator[Line]:
    """Yield the diff of an edit, or say that there is none."""
    if not edit.diff:
        yield (Piece(style.indent, "dim"), Piece("what changed in it is not recorded", "dim"))
        return
    lines = edit.diff.rstrip("\n").split("\n")
    is_head = True  # a line of the text may look like one of the head
    for line in lines[:most]:
        if line.startswith("@@"):
            is_head = False
        look = _DIFF_LOOKS.get(line[:1], "")
        if is_head:
            look = "dim"
        yield from fitted(safe(line), style._replace(look=look))
    yield from _more(len(lines) - most, style)


def _argument_lines(arguments: Any, style: Style) -> Iterator[Line]:
    if not isinstance(arguments, dict):
        yield from _cut(as_text(arguments), style._replace(look="dim"), _FEW)
        return
    for key, value in arguments.items():
        yield from _cut(f"{key}: {as_text(value)}", style._replace(look="dim"), _FEW)


def _cut(text: str, style: Style, most: int) -> Iterator[Line]:
    lines = safe(text).rstrip("\n").split("\n")
    start = _best_hit(lines, style, most) - _ABOVE_HIT
    if start > 0:
        yield from _more(start, style)
    start = max(0, start)
    for line in lines[start : start + most]:
        yield from fitted(line, style)
    yield from _more(len(lines) - start - most, style)


def _best_hit(lines: Sequence[str], style: Style, most: int) -> int:
    """Return the line with the most words of the query; 0 where that is shown anyway."""
    if style.marker is None or len(lines) <= most:
        return 0
    best, place = 0.0, 0
    for number, line in enumerate(lines[:_MANY]):
        weight = style.marker.weight(style.marker.terms_in(line[:LONGEST_LINE]))
        if weight > best:
            best, place = weight, number
    if place < most:
        return 0
    return place


def _more(count: int, style: Style) -> Iterator[Line]:
    if count > 0:
        yield (Piece(style.indent, "dim"), Piece(f"… {plural(count, 'more line')}", "dim"))
