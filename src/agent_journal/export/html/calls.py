"""A tool call: one line that opens, and inside what its kind has to show."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from html import escape
from typing import Any, NamedTuple

from agent_journal.export.calls import as_json, parsed, telling, todos_in
from agent_journal.export.changes import Changes, lines_of
from agent_journal.export.html.attachments import Album, attached
from agent_journal.export.html.colours import Painter, language_of
from agent_journal.export.html.diffs import diff_box
from agent_journal.export.html.figures import duration
from agent_journal.export.html.parts import block, code_box, escaped, tag
from agent_journal.export.html.prose import code, rendered
from agent_journal.export.html.terminal import coloured
from agent_journal.export.prose import in_tag
from agent_journal.export.words import DAMAGED, DOING, DONE, MARKS, NO_RESULT
from agent_journal.model import FileEdit, Todo, ToolCall

_LISTS = ("todo", "plan")
_COMMANDS = ("command", "cmd")
_IN_MARKDOWN = {"agent": ("prompt",), "plan": ("plan",)}
_PLACES = ("file_path", "filePath", "path", "notebook_path")
_SHORT = 120  # characters of an argument that stands beside its name
_HIT = re.compile(r"(?m)^((?:[A-Za-z]:)?[^:\n]{1,300}):(\d{1,7}):")


class Desk(NamedTuple):
    """What is needed to show the calls of a session."""

    changes: Changes
    painter: Painter
    album: Album
    children: Callable[[ToolCall], Iterator[str]]  # the sub-agents that a call started


def call_parts(call: ToolCall, anchor: str, desk: Desk) -> Iterator[str]:
    """A call, folded."""
    arguments = parsed(call.arguments)
    state = (
        "ok"
        if call.status == "ok"
        else "bad"
        if call.status in ("error", "failed", "denied")
        else "open"
    )
    yield f'<details class="call {state}" id="{anchor}" data-kind="{escape(call.kind)}"><summary>'
    yield _summary(call, arguments, desk.changes.of_call(call.id))
    yield f'</summary><div class="inside"><a class="link" href="#{anchor}" aria-label="Link to this call">#</a>\n'
    yield from _inside(call, arguments, desk)
    yield "</div></details>\n"


def _summary(call: ToolCall, arguments: Any, edits: Sequence[FileEdit]) -> str:
    mark = MARKS.get(call.status or "", NO_RESULT)
    said = {"✓": "done", "✗": call.status or "", "…": "still running"}.get(mark, mark)
    beside = [f"exit {call.exit_code}"] if call.exit_code else []
    beside += (
        ["".join(lines_of(edit) for edit in edits).replace(" · ", " ").strip()] if edits else []
    )
    beside += [duration(call.duration_ms)] if call.duration_ms is not None else []
    beside += [said] if mark == said else []
    sign = mark if mark != said else "–"
    todos = todos_in(arguments) if call.kind in _LISTS else ()
    done = f"{sum(todo.status in DONE for todo in todos)} of {len(todos)} done" if todos else ""
    about = in_tag(done or telling(call, arguments, edits), 200)
    return (
        f'<span class="mark" role="img" aria-label="{escape(said)}">{sign}</span>'
        f'<span class="tool">{in_tag(call.name or "unknown tool", 80)}</span>'
        f'<span class="about">{about}</span><span class="side">{" · ".join(map(escape, filter(None, beside)))}</span>'
    )


def _inside(call: ToolCall, arguments: Any, desk: Desk) -> Iterator[str]:
    edits = desk.changes.of_call(call.id)
    todos = todos_in(arguments) if call.kind in _LISTS else ()
    if todos:
        yield todo_list(todos)
    elif not any(edit.diff for edit in edits):
        yield from _arguments(call.kind, arguments, desk.painter)
    for edit in edits:
        yield edit_box(edit, desk.changes)
    yield from desk.children(call)
    yield from _result(call, desk)
    for one in call.attachments:
        yield attached(one, desk.album)


def _result(call: ToolCall, desk: Desk) -> Iterator[str]:
    if call.result:
        if call.kind in ("agent", "web", "plan") and "\x1b" not in call.result:
            yield tag("div", rendered(call.result, desk.painter), "result text")
        elif call.kind == "search":
            yield code_box(
                _HIT.sub(
                    r'<span class="path">\1</span>:<span class="ln">\2</span>:',
                    escaped(call.result),
                )
            )
        else:
            yield code_box(
                coloured(call.result), "term" if call.kind == "shell" else _flow(call.result)
            )
    elif call.result_at is not None:
        yield tag("p", DAMAGED, "missing own")
    elif call.status is None:
        yield tag("p", "No result is recorded.", "missing own")
    if call.spilled_to:
        yield tag(
            "p",
            f"<span class='own'>The whole output is in</span> <code>{in_tag(call.spilled_to)}</code>.",
            "missing",
        )


def _flow(text: str) -> str:
    """One line is a remark, and wraps; several are lines of something."""
    return "" if "\n" in text.strip() else "wrap"


def edit_box(edit: FileEdit, changes: Changes) -> str:
    """An edit as its diff; by name where only the path is known."""
    diff = changes.diff(edit)
    head = f'<p class="file"><b>{escape(edit.kind)}</b> <code>{in_tag(edit.path)}</code>{escape(lines_of(edit))}</p>\n'
    return head + (diff_box(diff) if diff else "")


def todo_list(todos: Sequence[Todo]) -> str:
    """Todos with their state, which is written out for those who do not see the mark."""
    items = []
    for todo in todos:
        state = "done" if todo.status in DONE else "doing" if todo.status in DOING else "to do"
        sign = {"done": "☑", "doing": "◐", "to do": "☐"}[state]
        mark = f'<span class="mark" role="img" aria-label="{state}">{sign}</span>'
        items.append(
            f'<li class="{state.replace(" ", "")}">{mark} {in_tag(todo.content, 500)}</li>'
        )
    return f'<ul class="todos">{"".join(items)}</ul>\n'


# -- arguments ---------------------------------------------------------------------------------


def _arguments(kind: str, arguments: Any, painter: Painter) -> Iterator[str]:
    if not isinstance(arguments, dict):
        if arguments not in (None, "", []):
            yield block(arguments if isinstance(arguments, str) else as_json(arguments))
        return
    rest = dict(arguments)
    for name in _COMMANDS if kind == "shell" else ():
        value = rest.get(name)
        if isinstance(value, list) and all(isinstance(part, str) for part in value):
            value = " ".join(value)
        if isinstance(value, str):
            del rest[name]
            yield code(value, "sh", painter)
    for name in _IN_MARKDOWN.get(kind, ()):
        if isinstance(rest.get(name), str):
            yield tag("div", rendered(rest.pop(name), painter), "asked text")
    if rest:
        language = next(
            (language_of(rest[name]) for name in _PLACES if isinstance(rest.get(name), str)), ""
        )
        yield f'<dl class="args">{"".join(_argument(name, value, language, painter) for name, value in rest.items())}'
        yield "</dl>\n"


def _argument(name: str, value: Any, language: str, painter: Painter) -> str:
    text = value if isinstance(value, str) else as_json(value)
    if len(text) <= _SHORT and "\n" not in text:
        shown = f"<code>{in_tag(text, _SHORT)}</code>"
    else:
        shown = code(text, language if isinstance(value, str) else "json", painter)
    return f"<dt>{in_tag(name, 80)}</dt><dd>{shown}</dd>"
