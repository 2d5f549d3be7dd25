"""A session as text for a terminal or a pipe."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from datetime import date
from typing import Any, NamedTuple

from agent_journal.cli.output import (
    human_count,
    human_duration,
    one_line,
    plural,
    safe,
    short_path,
    style,
)
from agent_journal.model import Event, FileEdit, Message, Session, ToolCall
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import local

_SHORT = 8  # lines of a result or a diff shown at depth "tool"
_WORDS = {
    "prompt": "you",
    "answer": "agent",
    "command": "you",
    "shell": "you",
    "command_output": "output",
    "compaction": "summary of what came before",
    "interrupt": "interrupted",
    "system_prompt": "system prompt",
}
_COLOURS = {"user": "green", "assistant": "blue", "system": "magenta", "tool": "yellow"}
_PEOPLE = ("prompt", "command", "shell")
_TALK = (*_PEOPLE, "answer", "compaction", "interrupt", "error", "command_output", "notification")
_MARKS = {
    "ok": "✓",
    "error": "✗",
    "failed": "✗",
    "denied": "denied",
    "interrupted": "interrupted",
    "running": "…",
}
_ABOVE_OUTPUT = (
    "Chunk ID: ",
    "Wall time: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Exit code: ",
    "Total output lines: ",
)
_TELLING = (
    "command",
    "file_path",
    "filePath",
    "path",
    "notebook_path",
    "pattern",
    "query",
    "url",
    "description",
    "prompt",
)

Documents = Callable[[str], str | None]


class Context(NamedTuple):
    """What stands around a session: its sub-agents, how many versions of its log are kept, what is
    odd about it.
    """

    children: list[SessionRow]
    versions: int
    remarks: list[str]


def transcript(
    session: Session,
    row: SessionRow,
    depth: str,
    colour: bool,
    document: Documents,
    context: Context,
) -> Iterator[str]:
    """The lines of a session, as deep as asked; `document` gives the text of a kept file by name."""
    return _Transcript(session, row, depth, colour, document, context).lines()


class _Transcript:
    def __init__(
        self,
        session: Session,
        row: SessionRow,
        depth: str,
        colour: bool,
        document: Documents,
        context: Context,
    ) -> None:
        self.session = session
        self.row = row
        self.depth = depth
        self.colour = colour
        self.document = document
        self.context = context
        self.edits: dict[str, list[FileEdit]] = {}
        for edit in session.file_edits:
            if edit.call_id is not None and edit.diff:
                self.edits.setdefault(edit.call_id, []).append(edit)

    def lines(self) -> Iterator[str]:
        yield from self._head()
        timeline: list[Message | Event] = [*self.session.messages]
        if self.depth == "all":
            timeline += self.session.events
        timeline.sort(key=lambda item: item.seq or 0)
        day: date | None = None
        for item in timeline:
            if isinstance(item, Message) and not self._is_shown(item):
                continue
            when = local(item.timestamp).date() if item.timestamp else day
            if day is not None and when is not None and when != day:
                yield from (self._dim(f"── {when:%Y-%m-%d} ──"), "")
            day = when or day
            yield from self._event(item) if isinstance(item, Event) else self._message(item)
        yield from self._tail()

    # -- around the messages -------------------------------------------------------------------

    def _head(self) -> Iterator[str]:
        session, row = self.session, self.row
        yield style(one_line(session.title, 160) or "(no title)", "bold", on=self.colour)
        facts = [f"{session.agent}:{session.id}"]
        if session.project_path or session.project_dir:
            facts.append(short_path(session.project_path) or f"{session.project_dir} (encoded)")
        facts += [f"branch {session.git_branch}"] if session.git_branch else []
        facts += [", ".join(session.models)] if session.models else []
        facts += [session.host_app] if session.host_app else []
        facts += [f"version {session.agent_version}"] if session.agent_version else []
        yield self._dim(safe(" · ".join(facts)))
        when = session.started_at or session.ended_at
        counts = (
            [f"{'' if session.started_at else 'until '}{local(when):%Y-%m-%d %H:%M}"]
            if when
            else []
        )
        counts += [plural(row.prompt_count, "prompt"), plural(row.message_count, "message")]
        counts += [plural(row.tool_count, "tool call")]
        if row.output_tokens is not None:
            cached = (row.cache_read_tokens or 0) + (row.cache_write_tokens or 0)
            share = (
                f" ({human_count(cached)} of them cached)"
                if row.cache_read_tokens is not None
                else ""
            )
            given = (
                human_count((row.input_tokens or 0) + cached)
                if row.input_tokens is not None
                else "unknown"
            )
            counts.append(f"{given} tokens in{share}, {human_count(row.output_tokens)} out")
        yield self._dim(" · ".join(counts))
        for label, other in (("sub-agent of", session.parent_id), ("continues", session.fork_of)):
            if other:
                yield self._dim(f"{label} {safe(other)}")
        yield from (self._dim(safe(line)) for line in self.context.remarks)
        for child in self.context.children:
            yield self._dim(
                f"sub-agent {safe(child.id.rpartition('/')[2])}: {one_line(child.title, 100)}"
            )
        if self.context.versions > 1:
            yield self._dim(
                f"the agent rewrote this log; {self.context.versions} versions are kept (--version 1 …)"
            )
        yield ""

    def _tail(self) -> Iterator[str]:
        if self.depth != "user" and self.session.todos:
            yield style("todos", "bold", on=self.colour)
            for todo in self.session.todos:
                box = {"completed": "x", "done": "x", "in_progress": "~"}.get(
                    todo.status or "", " "
                )
                yield f"  [{box}] {one_line(todo.content, 160)}"
            yield ""
        for plan in self.session.plans if self.depth == "all" else ():
            yield style(f"{plan.kind}: {one_line(plan.name, 100)}", "bold", on=self.colour)
            yield from _indented(plan.text, "  ")
            yield ""

    # -- messages ------------------------------------------------------------------------------

    def _is_shown(self, message: Message) -> bool:
        if self.depth == "all":
            return True
        if message.is_branch:
            return False
        if self.depth == "user":
            return message.kind in _PEOPLE
        if self.depth == "assistant":
            return message.kind in _TALK and bool(message.text)
        return (
            message.kind in _TALK and (message.kind != "command_output" or bool(message.text))
        ) or bool(message.tool_calls)

    def _event(self, event: Event) -> Iterator[str]:
        text = one_line(event.text, 100_000) or one_line(event.raw or "", 500)
        yield self._dim(f"· {_time(event)}{safe(event.type)}  {text}".rstrip())
        yield ""

    def _message(self, message: Message) -> Iterator[str]:
        word = _WORDS.get(message.kind, message.kind)
        extras = [message.model or ""] if message.role == "assistant" else []
        extras += ["left behind by a rewind"] if message.is_branch else []
        extras += [message.state] if message.state not in (None, "complete") else []
        head = f"▌ {word}  {_time(message)}{'  '.join(extra for extra in extras if extra)}"
        yield style(safe(head.rstrip()), _COLOURS[message.role], "bold", on=self.colour)
        if self.depth == "all" and message.reasoning:
            yield from (self._dim(line) for line in _indented(message.reasoning, "  ┆ "))
        if message.text:
            yield from _indented(message.text, "  ! " if message.kind == "shell" else "  ")
        for attachment in message.attachments:
            what = attachment.name or attachment.path or attachment.mime_type or ""
            what = what.removeprefix(f"{attachment.kind}:") + (
                f", {attachment.note}" if attachment.note else ""
            )
            yield self._dim(f"  [{safe(attachment.kind)}: {one_line(what, 160)}]")
        if self.depth in ("tool", "all"):
            for call in message.tool_calls:
                yield from self._call(call)
        yield ""

    def _call(self, call: ToolCall) -> Iterator[str]:
        mark = _MARKS.get(call.status or "", "no result")
        code = f" exit {call.exit_code}" if call.exit_code else ""
        took = f" {human_duration(call.duration_ms)}" if call.duration_ms is not None else ""
        arguments = _arguments(call)
        head = f"  → {safe(call.name or 'unknown tool')} {_summary(call.kind, arguments)}  {mark}{code}{took}"
        yield style(head.rstrip(), "yellow", on=self.colour)
        if call.child_session_id:
            yield self._dim(f"    sub-agent {safe(call.child_session_id.rpartition('/')[2])}")
        if self.depth == "all" and call.arguments:
            yield from (self._dim(line) for line in _argument_lines(arguments))
        edits = self.edits.get(call.id, ())
        for edit in edits:
            yield from self._shortened((edit.diff or "").rstrip("\n").split("\n"))
        if not edits or self.depth == "all" or call.status != "ok":
            yield from self._result(call)

    def _result(self, call: ToolCall) -> Iterator[str]:
        whole = self.document(call.spilled_to) if call.spilled_to and self.depth == "all" else None
        result = whole if whole is not None else call.result
        if result:
            lines = result.rstrip("\n").split("\n")
            yield from self._shortened(lines if self.depth == "all" else _without_head(lines))
        elif call.result_at is not None:
            yield self._dim("    │ this result is damaged in the archive: see 'aj verify'")
        if call.spilled_to and whole is None:
            yield self._dim(f"    │ the whole output: {one_line(call.spilled_to, 200)}")

    def _shortened(self, lines: list[str]) -> Iterator[str]:
        shown = lines if self.depth == "all" else [line[:200] for line in lines[:_SHORT]]
        yield from (self._dim("    │ ") + safe(line) for line in shown)
        if len(lines) > len(shown):
            yield self._dim(f"    │ … {plural(len(lines) - len(shown), 'more line')} (--depth all)")

    def _dim(self, text: str) -> str:
        return style(text, "dim", on=self.colour)


def _arguments(call: ToolCall) -> Any:
    """The arguments of a call: an object where they are one, else their text."""
    if not call.arguments:
        return {}
    try:
        return json.loads(call.arguments)
    except (ValueError, RecursionError):
        return call.arguments


def _without_head(lines: list[str]) -> list[str]:
    """A result without what an agent writes above the output of a command: the head of a call tells
    most of it.
    """
    for place, line in enumerate(lines[:_SHORT]):
        if line == "Output:" and place:
            return lines[place + 1 :]
        if not line.startswith(_ABOVE_OUTPUT):
            break
    return lines


def _summary(kind: str, arguments: Any) -> str:
    """The one argument a person wants to see: the command, the file, the pattern."""
    if not isinstance(arguments, dict):
        return one_line(str(arguments), 120)
    command = arguments.get("command") or arguments.get("cmd") if kind == "shell" else None
    if isinstance(command, list):
        words = [_text(word) for word in command]
        command = words[2] if len(words) == 3 and words[1] in ("-c", "-lc") else " ".join(words)
    if isinstance(command, str):
        return one_line(command, 120)
    for name in _TELLING:
        if isinstance(arguments.get(name), str):
            return one_line(arguments[name], 120)
    return one_line(", ".join(f"{key}={_text(value)}" for key, value in arguments.items()), 120)


def _argument_lines(arguments: Any) -> Iterator[str]:
    """Every argument as it is: text with its line breaks and spaces, the rest as JSON."""
    if not isinstance(arguments, dict):
        yield from _indented(_text(arguments), "    ")
        return
    for key, value in arguments.items():
        text = _text(value)
        if "\n" in text:
            yield f"    {safe(key)}:"
            yield from _indented(text, "      ")
        else:
            yield f"    {safe(key)}: {safe(text)}"


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)


def _indented(text: str, indent: str) -> Iterable[str]:
    return (indent + line for line in safe(text).rstrip("\n").split("\n"))


def _time(item: Message | Event) -> str:
    return f"{local(item.timestamp):%H:%M:%S}  " if item.timestamp else ""
