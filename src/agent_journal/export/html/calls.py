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
_SHORT = 120  # characters of an argument that is shown next to its name
_STATES = {"ok": "ok", "error": "bad", "failed": "bad", "denied": "bad"}
_SIGNS = {"done": "☑", "doing": "◐", "to do": "☐"}
_MARKED_HIT = r'<span class="path">\1</span>:<span class="ln">\2</span>:'
_HIT = re.compile(r"(?m)^((?:[A-Za-z]:)?[^:\n]{1,300}):(\d{1,7}):")


class CallContext(NamedTuple):
    """What is needed to show the calls of a session."""

    changes: Changes
    painter: Painter
    album: Album
    children: Callable[[ToolCall], Iterator[str]]  # the sub-agents that a call started
    opened: str = ""  # " open" where calls are not folded


def call_parts(call: ToolCall, anchor: str, context: CallContext) -> Iterator[str]:
    """A call, folded."""
    arguments = parsed(call.arguments)
    state = _STATES.get(call.status or "", "open")
    link = f'<a class="link" href="#{anchor}" aria-label="Link to this call">#</a>'
    place = f'id="{anchor}" data-kind="{escape(call.kind)}"{context.opened}'
    yield f'<details class="call {state}" {place}><summary>'
    yield _summary(call, arguments, context.changes.of_call(call.id))
    yield f'</summary><div class="inside">{link}\n'
    yield from _inside(call, arguments, context)
    yield "</div></details>\n"


def _summary(call: ToolCall, arguments: Any, edits: Sequence[FileEdit]) -> str:
    mark = MARKS.get(call.status or "", NO_RESULT)
    label = {"✓": "done", "✗": call.status or "", "…": "still running"}.get(mark, mark)
    sign = "–" if mark == label else mark
    facts = []
    if call.exit_code:
        facts.append(f"exit {call.exit_code}")
    if edits:
        facts.append("".join(lines_of(edit) for edit in edits).replace(" · ", " ").strip())
    if call.duration_ms is not None:
        facts.append(duration(call.duration_ms))
    if mark == label:
        facts.append(label)
    side = " · ".join(escape(fact) for fact in facts if fact)
    about = in_tag(_progress(call, arguments) or telling(call, arguments, edits), 200)
    return (
        f'<span class="mark" role="img" aria-label="{escape(label)}">{sign}</span>'
        f'<span class="tool">{in_tag(call.name or "unknown tool", 80)}</span>'
        f'<span class="about">{about}</span><span class="side">{side}</span>'
    )


def _todos(call: ToolCall, arguments: Any) -> Sequence[Todo]:
    if call.kind not in _LISTS:
        return ()
    return todos_in(arguments)


def _progress(call: ToolCall, arguments: Any) -> str:
    """How many todos of a call are done; empty when it has none."""
    todos = _todos(call, arguments)
    if not todos:
        return ""
    done = sum(todo.status in DONE for todo in todos)
    return f"{done} of {len(todos)} done"


def _inside(call: ToolCall, arguments: Any, context: CallContext) -> Iterator[str]:
    edits = context.changes.of_call(call.id)
    todos = _todos(call, arguments)
    if todos:
        yield todo_list(todos)
    elif not any(edit.diff for edit in edits):
        yield from _arguments(call.kind, arguments, context.painter)
    for edit in edits:
        yield edit_box(edit, context.changes)
    yield from context.children(call)
    if call.result:
        yield _result(call, call.result, context.painter)
    elif call.result_at is not None:
        yield tag("p", DAMAGED, "missing own")
    elif call.status is None:
        yield tag("p", "No result is recorded.", "missing own")
    if call.spilled_to:
        where = f"<code>{in_tag(call.spilled_to)}</code>"
        yield tag("p", f"<span class='own'>The whole output is in</span> {where}.", "missing")
    for attachment in call.attachments:
        yield attached(attachment, context.album)


def _result(call: ToolCall, result: str, painter: Painter) -> str:
    if call.kind in ("agent", "web", "plan") and "\x1b" not in result:
        return tag("div", rendered(result, painter), "result text")
    if call.kind == "search":
        return code_box(_HIT.sub(_MARKED_HIT, escaped(result)))
    if call.kind == "shell":
        return code_box(coloured(result), "term")
    return code_box(coloured(result), _flow(result))


def _flow(text: str) -> str:
    """One line is a remark, and wraps; several are lines of something."""
    return "" if "\n" in text.strip() else "wrap"


def edit_box(edit: FileEdit, changes: Changes) -> str:
    """An edit as its diff; by name where only the path is known."""
    diff = changes.diff(edit)
    path = f"<code>{in_tag(edit.path)}</code>{escape(lines_of(edit))}"
    head = f'<p class="file"><b>{escape(edit.kind)}</b> {path}</p>\n'
    if not diff:
        return head
    return head + diff_box(diff)


def todo_list(todos: Sequence[Todo]) -> str:
    """Todos with their state, which is written out for those who do not see the mark."""
    items = []
    for todo in todos:
        state = _state(todo)
        mark = f'<span class="mark" role="img" aria-label="{state}">{_SIGNS[state]}</span>'
        content = in_tag(todo.content, 500)
        items.append(f'<li class="{state.replace(" ", "")}">{mark} {content}</li>')
    return f'<ul class="todos">{"".join(items)}</ul>\n'


def _state(todo: Todo) -> str:
    if todo.status in DONE:
        return "done"
    if todo.status in DOING:
        return "doing"
    return "to do"


# -- arguments ---------------------------------------------------------------------------------


def _arguments(kind: str, arguments: Any, painter: Painter) -> Iterator[str]:
    if not isinstance(arguments, dict):
        if arguments not in (None, "", []):
            yield block(_as_text(arguments))
        return
    rest = dict(arguments)
    if kind == "shell":
        for name in _COMMANDS:
            command = _command(rest.get(name))
            if command is not None:
                del rest[name]
                yield code(command, "sh", painter)
    for name in _IN_MARKDOWN.get(kind, ()):
        if isinstance(rest.get(name), str):
            yield tag("div", rendered(rest.pop(name), painter), "asked text")
    if rest:
        paths = (rest[name] for name in _PLACES if isinstance(rest.get(name), str))
        language = language_of(next(paths, ""))
        yield '<dl class="args">'
        yield from (_argument(name, value, language, painter) for name, value in rest.items())
        yield "</dl>\n"


def _command(value: Any) -> str | None:
    """A command line, which may be a list of words."""
    if isinstance(value, list) and all(isinstance(word, str) for word in value):
        return " ".join(value)
    if isinstance(value, str):
        return value
    return None


def _as_text(value: Any) -> str:
    if isinstance(value, str):
        return value
    return as_json(value)


def _argument(name: str, value: Any, language: str, painter: Painter) -> str:
    text = _as_text(value)
    if len(text) <= _SHORT and "\n" not in text:
        shown = f"<code>{in_tag(text, _SHORT)}</code>"
    elif isinstance(value, str):
        shown = code(text, language, painter)
    else:
        shown = code(text, "json", painter)
    return f"<dt>{in_tag(name, 80)}</dt><dd>{shown}</dd>"
