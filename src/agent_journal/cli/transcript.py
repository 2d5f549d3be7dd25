"""A session as text for a terminal or a pipe."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator

from agent_journal.catalog.listing import SessionRow
from agent_journal.cli.output import human_count, one_line, safe, short_path, style
from agent_journal.model import Event, Message, Session, ToolCall

_SHORT_RESULT = 8  # lines of a result shown at depth "tool"
_WORDS = {
    "prompt": "you", "answer": "agent", "command": "you", "shell": "you", "command_output": "output",
    "compaction": "summary of what came before", "interrupt": "interrupted", "system_prompt": "system prompt",
}  # fmt: skip
_COLOURS = {"user": "green", "assistant": "blue", "system": "magenta", "tool": "yellow"}
_PEOPLE = ("prompt", "command", "shell")
_TALK = (*_PEOPLE, "answer", "compaction", "interrupt", "error", "command_output", "notification")
_MARKS = {"ok": "✓", "error": "✗", "failed": "✗", "denied": "denied", "interrupted": "interrupted", "running": "…"}


Documents = Callable[[str], str | None]


def transcript(session: Session, row: SessionRow, depth: str, colour: bool, document: Documents) -> Iterator[str]:
    """The lines of a session, as deep as asked; `document` gives the text of a kept file by name."""
    yield from _head(session, row, colour)
    timeline: list[Message | Event] = [*session.messages, *(session.events if depth == "all" else ())]
    timeline.sort(key=lambda item: item.seq or 0)
    for item in timeline:
        if isinstance(item, Event):
            yield style(f"· {_time(item)}{safe(item.type)}  {one_line(item.text, 160)}".rstrip(), "dim", on=colour)
        elif _is_shown(item, depth):
            yield from _message(item, depth, colour, document)
    yield from _tail(session, depth, colour)


def _head(session: Session, row: SessionRow, colour: bool) -> Iterator[str]:
    yield style(one_line(session.title, 160) or "(no title)", "bold", on=colour)
    facts = [f"{session.agent}:{session.id}"]
    if session.project_path or session.project_dir:
        facts.append(short_path(session.project_path) or f"{session.project_dir} (encoded)")
    facts += [f"branch {session.git_branch}"] if session.git_branch else []
    facts += [", ".join(session.models)] if session.models else []
    facts += [f"version {session.agent_version}"] if session.agent_version else []
    yield style(safe(" · ".join(facts)), "dim", on=colour)
    counts = [f"{row.prompt_count} prompts", f"{row.message_count} messages", f"{row.tool_count} tool calls"]
    if row.output_tokens is not None:
        counts.append(f"{human_count(row.input_tokens)} tokens in, {human_count(row.output_tokens)} out")
    if session.started_at:
        counts.insert(0, f"{session.started_at.astimezone():%Y-%m-%d %H:%M}")
    yield style(" · ".join(counts), "dim", on=colour)
    for label, other in (("sub-agent of", session.parent_id), ("continues", session.fork_of)):
        if other:
            yield style(f"{label} {session.agent}:{safe(other)}", "dim", on=colour)
    yield ""


def _tail(session: Session, depth: str, colour: bool) -> Iterator[str]:
    if depth == "user":
        return
    if session.todos:
        yield style("todos", "bold", on=colour)
        for todo in session.todos:
            box = {"completed": "x", "done": "x", "in_progress": "~"}.get(todo.status or "", " ")
            yield f"  [{box}] {one_line(todo.content, 160)}"
        yield ""
    for plan in session.plans if depth == "all" else ():
        yield style(f"{plan.kind}: {one_line(plan.name, 100)}", "bold", on=colour)
        yield from (f"  {line}" for line in safe(plan.text).splitlines())
        yield ""


def _is_shown(message: Message, depth: str) -> bool:
    if depth == "all":
        return True
    if message.is_branch:
        return False
    if depth == "user":
        return message.kind in _PEOPLE
    if depth == "assistant":
        return message.kind in _TALK and bool(message.text)
    return message.kind in _TALK or bool(message.tool_calls)


def _message(message: Message, depth: str, colour: bool, document: Documents) -> Iterator[str]:
    word = _WORDS.get(message.kind, message.kind)
    extras = [message.model or ""] if message.role == "assistant" else []
    extras += ["left behind by a rewind"] if message.is_branch else []
    extras += [message.state] if message.state not in (None, "complete") else []
    head = f"▌ {word}  {_time(message)}{'  '.join(extra for extra in extras if extra)}"
    yield style(safe(head.rstrip()), _COLOURS[message.role], "bold", on=colour)
    if depth == "all" and message.reasoning:
        yield from (style(f"  ┆ {line}", "dim", on=colour) for line in safe(message.reasoning).split("\n"))
    if message.text:
        yield from (f"  {line}" for line in safe(message.text).split("\n"))
    for attachment in message.attachments:
        what = attachment.name or attachment.path or attachment.mime_type or ""
        yield style(f"  [{safe(attachment.kind)}: {one_line(what, 120)}]", "dim", on=colour)
    if depth in ("tool", "all"):
        for call in message.tool_calls:
            yield from _call(call, depth, colour, document)
    yield ""


def _call(call: ToolCall, depth: str, colour: bool, document: Documents) -> Iterator[str]:
    mark = _MARKS.get(call.status or "", "no result")
    code = f" exit {call.exit_code}" if call.exit_code else ""
    took = f" {call.duration_ms / 1000:.1f} s" if call.duration_ms is not None else ""
    summary = _argument_summary(call)
    yield style(f"  → {safe(call.name or 'unknown tool')} {summary}  {mark}{code}{took}".rstrip(), "yellow", on=colour)
    if call.child_session_id:
        yield style(f"    sub-agent {safe(call.child_session_id)}", "dim", on=colour)
    if depth == "all" and call.arguments:
        yield style(f"    {one_line(call.arguments, 100_000)}", "dim", on=colour)
    whole = document(call.spilled_to) if call.spilled_to and depth == "all" else None
    result = whole if whole is not None else call.result
    lines = safe(result).rstrip("\n").split("\n") if result else []
    shown = lines if depth == "all" else lines[:_SHORT_RESULT]
    yield from (style("    │ ", "dim", on=colour) + (line if depth == "all" else line[:200]) for line in shown)
    if len(lines) > len(shown):
        yield style(f"    │ … {len(lines) - len(shown)} more lines (--depth all)", "dim", on=colour)
    if call.spilled_to and whole is None:
        yield style(f"    │ the whole output: {one_line(call.spilled_to, 200)}", "dim", on=colour)


def _argument_summary(call: ToolCall) -> str:
    """The one argument a person wants to see: the command, the file, the pattern."""
    if not call.arguments:
        return ""
    try:
        arguments = json.loads(call.arguments)
    except ValueError:
        return one_line(call.arguments, 120)
    if not isinstance(arguments, dict):
        return one_line(str(arguments), 120)
    for name in ("command", "file_path", "path", "notebook_path", "pattern", "query", "url", "description", "prompt"):
        if isinstance(arguments.get(name), str):
            return one_line(arguments[name], 120)
    return one_line(", ".join(f"{key}={value}" for key, value in arguments.items()), 120)


def _time(item: Message | Event) -> str:
    return f"{item.timestamp.astimezone():%H:%M:%S}  " if item.timestamp else ""
