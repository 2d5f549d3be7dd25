"""Session text in a Markdown page, kept inside its message.

Session text is Markdown and is rendered as such, but it is untrusted: raw HTML, an open fence, a
link definition or a picture must not affect anything outside the message. Text that is certainly
code according to CommonMark is not changed, because nothing in it is interpreted. Everything else
is escaped where needed. When in doubt, text is not treated as code.
"""

from __future__ import annotations

import html
import re
import sys
from collections.abc import Iterator
from html.entities import html5

from agent_journal.text.plain import one_line, safe

_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_FENCE = re.compile(r"( {0,3})(`{3,}|~{3,})([^\n]*)\Z")
_BACKTICKS = re.compile(r"`+")
# A link to anything but the web, a mail address or a place without a scheme: `javascript:`, also
# written in entities.
_LINK = re.compile(r"\]\((?!\s*(?:https?://|mailto:|#|[\w./-]*\s*\)|[\w./-]+#))")
# A link to a line of a file: it leads nowhere from a page, and is no more than two names.
_FILE_LINK = re.compile(
    r"(?<![\\!])\[([^\[\]`|\\]{1,300})\]\(([\w./~@+-]{1,300}(?::\d{1,7}){1,2}(?:-\d{1,7})?)\)"
)
_ENTITY = re.compile(r"&(?=#(?:[xX]([0-9a-fA-F]{1,6})|([0-9]{1,7}));|([A-Za-z][A-Za-z0-9]{1,31};))")
_SPECIAL = re.compile(r"([\\`*_{}\[\]#|~>$@<&]|^(?:[-+=]|\d+(?=[.)])))")
_CUT = 200  # characters of a title: what is as long was cut
_LEAD = re.compile(r"^[ \t]+")
_RUN = re.compile(r"`{3,}")


def clean(text: str) -> str:
    """Remove control characters, colours and marks that reorder text; end lines with LF."""
    return safe(line_ends(text))


def line_ends(text: str) -> str:
    """End all lines with LF."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def inline(text: str | None, width: int = 200) -> str:
    """Put text on one line and escape all Markdown."""
    line = one_line(text, width)
    return _SPECIAL.sub(_as_text, line)


def _as_text(special: re.Match[str]) -> str:
    sign = special[0]
    if sign.isdigit():
        return f"{sign[:-1]}&#{ord(sign[-1])};"  # a number at the start of a line begins a list
    return {"<": "&lt;", "&": "&amp;"}.get(sign, f"\\{sign}")


def in_tag(text: str | None, width: int = 160) -> str:
    """Put text on one line and escape it for the inside of an HTML element."""
    return html.escape(one_line(text, width))


def short_title(text: str | None) -> str:
    """Put a title on one line and end it at a whole word; connectors may cut inside a word."""
    line = one_line(text, 1000)
    if len(line) < _CUT - 1:
        return line
    line = line[: _CUT - 1]
    words = line.rpartition(" ")[0]
    if len(words) > _CUT // 2:
        line = words
    return f"{line}…"


def fenced(text: str, language: str = "") -> Iterator[str]:
    """Put text in a fence that is longer than any fence in the text."""
    text = clean(text)
    fence = "`" * max([3, *(len(run) + 1 for run in _RUN.findall(text))])
    yield f"{fence}{language}"
    yield from text.rstrip("\n").split("\n")
    yield fence


def folded(summary: str, lines: Iterator[str]) -> Iterator[str]:
    """Collapse lines under a summary, which is HTML."""
    yield f"<details><summary>{summary}</summary>"
    yield ""
    yield from lines
    yield ""
    yield "</details>"
    yield ""


def as_quote(text: str) -> Iterator[str]:
    """Return typed Markdown as a safe block quote that keeps its line breaks."""
    # Behind the mark of a quote a tab is narrower, and what it moves could be a fence.
    lines = (
        _LEAD.sub(lambda lead: lead[0].expandtabs(4), line) for line in clean(text).split("\n")
    )
    return (f"> {line}" if line else ">" for line in markdown("\n".join(lines), keep_lines=True))


def markdown(text: str, keep_lines: bool = False) -> Iterator[str]:
    """Return the Markdown of a session, made safe; `keep_lines` keeps line breaks as typed."""
    lines = clean(text).rstrip("\n").split("\n")
    paragraph: list[str] = []
    at = 0
    while at < len(lines):
        line = lines[at]
        end = _code_end(lines, at)
        if end is None and line.strip():
            paragraph.append(line)
            at += 1
            continue
        yield from _harmless(paragraph, keep_lines)
        paragraph = []
        if end is None:
            yield ""
            at += 1
            continue
        opening = _FENCE.match(line)
        assert opening is not None
        yield f"{opening[1]}{opening[2]}{_info(opening[3])}"
        yield from lines[at + 1 : end + 1]
        if end == len(lines):
            yield opening[2]  # it was left open
        at = end + 1
    yield from _harmless(paragraph, keep_lines)


def _code_end(lines: list[str], at: int) -> int | None:
    """Return the line that closes this fence, or the number of lines; None when in doubt.

    A fence that is indented may belong to a list, and then ends with the list: it counts only when
    every line up to its end is indented as much, so that it makes no difference.
    """
    opening = _FENCE.match(lines[at])
    if opening is None or (opening[2][0] == "`" and "`" in opening[3]):
        return None
    indent = len(opening[1])
    fence = opening[2]
    for number in range(at + 1, len(lines)):
        line = lines[number]
        bare = line.strip(" \t")
        spaces = len(line) - len(line.lstrip(" "))
        if indent and bare and spaces < indent:
            return None
        if len(bare) >= len(fence) and not bare.strip(fence[0]) and not line[:spaces].strip(" "):
            if spaces <= 3 and line[spaces : spaces + 1] == fence[0]:
                return number
            if indent:
                return None
    if indent:
        return None
    return len(lines)


def _info(text: str) -> str:
    """Return the language of a fence, or as much of it as is valid."""
    found = re.match(r"\s*([\w+#.-]{1,30})", text)
    return found[1] if found else ""


def _harmless(lines: list[str], keep_lines: bool) -> Iterator[str]:
    """Escape a paragraph (lines up to a blank one) except for code in backticks."""
    spans = [_spans(line) for line in lines]
    is_sure = all(found is not None for found in spans)
    line_break = "  " if keep_lines else ""
    for number, (line, found) in enumerate(zip(lines, spans, strict=True), 1):
        code = found if is_sure and found else []
        whole = _no_fence(_escaped_outside(line, code))
        if number < len(lines):
            whole += line_break
        yield whole


def _escaped_outside(line: str, code: list[tuple[int, int]]) -> str:
    """Escape a line except for the code in it, given as pairs of start and end."""
    parts: list[str] = []
    at = 0
    for start, end in code:
        parts += (_escaped(line[at:start]), line[start:end])
        at = end
    parts.append(_escaped(line[at:]))
    return "".join(parts)


def _spans(line: str) -> list[tuple[int, int]] | None:
    """Find the code in backticks in a line; None if it depends on the lines around it.

    Where each line of a paragraph is balanced, no code reaches from one line to the next, whatever
    the lines are. A cell of a table ends code, and a backslash may prevent its start.
    """
    if _FENCE.match(line):
        return None
    runs = list(_BACKTICKS.finditer(line))
    found: list[tuple[int, int]] = []
    at = 0
    while at < len(runs):
        opening = runs[at]
        if line[: opening.start()].endswith("\\"):
            return None
        closing = next(
            (i for i in range(at + 1, len(runs)) if len(runs[i][0]) == len(opening[0])), None
        )
        if closing is None or "|" in line[opening.start() : runs[closing].end()]:
            return None
        found.append((opening.start(), runs[closing].end()))
        at = closing + 1
    return found


def _escaped(text: str) -> str:
    text = _FILE_LINK.sub(r"\1 (`\2`)", _ENTITY.sub(_harmless_entity, text))
    text = _TAG.sub("&lt;", text).replace("![", "!\\[").replace("]:", "]\\:")
    return _LINK.sub(r"]\\(", text)


def _harmless_entity(found: re.Match[str]) -> str:
    """Escape the ampersand of an entity for a character that is removed from text."""
    in_hex, in_tens, name = found.groups()
    if name:
        meant = html5.get(name, "")
    else:
        meant = _character(int(in_hex, 16) if in_hex else int(in_tens))
    if safe(meant) == meant:
        return "&"
    return "&amp;"


def _character(number: int) -> str:
    if number > sys.maxunicode:
        return ""
    return chr(number)


def _no_fence(line: str) -> str:
    """Escape a line that would open a fence where none is expected."""
    opening = _FENCE.match(line)
    if opening is None:
        return line
    indent = opening[1]
    return f"{indent}\\{line[len(indent) :]}"
