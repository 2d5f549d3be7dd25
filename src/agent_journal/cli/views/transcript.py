"""A session as text for a terminal or a pipe."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from typing import Any, NamedTuple

from agent_journal.cli.output import Screen, style
from agent_journal.cli.views.flow import Flow
from agent_journal.cli.views.kinds import HIT_MARK, KIND_NAMES
from agent_journal.cli.views.marks import shown_star
from agent_journal.cli.views.tool_calls import argument_lines, summary
from agent_journal.model import Attachment, Event, FileEdit, Message, Session, ToolCall
from agent_journal.model.arguments import parse_arguments
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import local
from agent_journal.text.human import (
    ENDINGS,
    human_count,
    human_duration,
    plural,
    short_path,
)
from agent_journal.text.plain import one_line, safe
from agent_journal.text.width import cut_at_word, display_width

_BESIDE_RESULT = "    │ "
_SHORT = 8  # lines of a result or a diff shown at depth "tool"
_COLOURS = {"user": "green", "assistant": "blue", "system": "magenta", "tool": "yellow"}
_BY_PERSON = ("prompt", "command", "shell")
_CONVERSATION = (
    *_BY_PERSON,
    "answer",
    "compaction",
    "interrupt",
    "error",
    "command_output",
    "notification",
)
_MARKDOWN = ("answer", "compaction")  # kinds of messages that agents write
_STATUS_MARKS = {
    "ok": "✓",
    "error": "✗",
    "failed": "✗",
    "denied": "denied",
    "interrupted": "interrupted",
    "running": "…",
}
_TODO_MARKS = {"completed": "x", "done": "x", "in_progress": "~"}
# What agents write above the output of a command; the heading of the call has most of it.
_ABOVE_OUTPUT = (
    "Chunk ID: ",
    "Wall time: ",
    "Process exited with code ",
    "Process running with session ID ",
    "Original token count: ",
    "Exit code: ",
    "Total output lines: ",
)


class Context(NamedTuple):
    """What surrounds a session: its sub-agents, kept versions of its log, and remarks about it."""

    children: list[SessionRow]
    versions: int
    remarks: list[str]


class Transcript:
    """The lines of a session, as deep as asked; the message that was `asked_for` is marked."""

    def __init__(
        self,
        session: Session,
        row: SessionRow,
        context: Context,
        *,
        depth: str,
        screen: Screen,
        asked_for: Message | None = None,
    ) -> None:
        self.session = session
        self.row = row
        self.context = context
        self.depth = depth
        self.screen = screen
        self._flow = Flow(screen)
        self.asked_for = asked_for
        self._edits: dict[str, list[FileEdit]] = {}  # by tool call
        for edit in session.file_edits:
            if edit.call_id is not None and edit.diff:
                self._edits.setdefault(edit.call_id, []).append(edit)

    def lines(self) -> Iterator[str]:
        """Return the whole transcript."""
        yield from self._head()
        timeline: list[Message | Event] = [*self.session.messages]
        if self.depth == "all":
            timeline += self.session.events
        timeline.sort(key=lambda item: item.seq or 0)
        day: date | None = None
        previous: Message | Event | None = None
        for item in timeline:
            if isinstance(item, Message) and not self._is_shown(item):
                continue
            is_continued = self._continues(previous, item)
            if previous is not None and not is_continued:
                yield ""
            if item.timestamp:
                today = local(item.timestamp).date()
                if day is not None and today != day:
                    yield self._dim(f"── {today:%Y-%m-%d} ──")
                    yield ""
                day = today
            if isinstance(item, Event):
                yield from self._event(item)
            else:
                yield from self._message(item, has_heading=not is_continued)
            previous = item
        if previous is not None:
            yield ""
        yield from self._tail()

    def _continues(self, previous: Message | Event | None, item: Message | Event) -> bool:
        """Whether a message only goes on with the calls of the one before: it needs no heading."""
        if not isinstance(previous, Message) or not isinstance(item, Message):
            return False
        if item is self.asked_for or item.text or item.attachments or not item.tool_calls:
            return False
        if self.depth == "all" and item.reasoning:
            return False
        if _day(item) != _day(previous):
            return False
        if (item.role, item.model) != (previous.role, previous.model):
            return False
        return self._remarks(item) == self._remarks(previous)

    # -- around the messages -------------------------------------------------------------------

    def _head(self) -> Iterator[str]:
        session = self.session
        title = one_line(session.title, 160) or "(no title)"
        yield from self._flow.line(shown_star(self.row) + title, "", "bold")
        for line in self._about():
            yield from self._flow.line(line, "", "dim")
        yield ""

    def _about(self) -> Iterator[str]:
        """Return what is known about the session as a whole."""
        session = self.session
        yield " · ".join(one_line(fact, 400) for fact in self._facts())
        yield " · ".join(self._counts())
        if self.row.own_tags:
            tags = (f"#{tag}" for tag in self.row.own_tag_names())
            yield one_line(" ".join(tags), 400)
        if session.parent_id:
            yield f"sub-agent of {one_line(session.parent_id, 400)}"
        if session.fork_of:
            yield f"continues {one_line(session.fork_of, 400)}"
        yield from map(safe, self.context.remarks)
        for child in self.context.children:
            name = one_line(child.id.rpartition("/")[2], 400)
            yield f"sub-agent {name}: {one_line(child.title, 100)}"
        if self.context.versions > 1:
            versions = f"{self.context.versions} versions are kept (--version 1 …)"
            yield f"the agent rewrote this log; {versions}"

    def _facts(self) -> Iterator[str]:
        session = self.session
        yield f"{session.agent}:{session.id}"
        if session.project_path:
            yield short_path(session.project_path)
        elif session.project_dir:
            yield f"{session.project_dir} (encoded)"
        if session.git_branch:
            yield f"branch {session.git_branch}"
        if session.models:
            yield ", ".join(session.models)
        if session.host_app:
            yield session.host_app
        if session.agent_version:
            yield f"version {session.agent_version}"

    def _counts(self) -> Iterator[str]:
        session = self.session
        row = self.row
        if session.started_at:
            yield f"{local(session.started_at):%Y-%m-%d %H:%M}"
        elif session.ended_at:
            yield f"until {local(session.ended_at):%Y-%m-%d %H:%M}"
        yield plural(row.prompt_count, "prompt")
        yield plural(row.message_count, "message")
        yield plural(row.tool_count, "tool call")
        if row.output_tokens is not None:
            yield f"{_tokens_in(row)}, {human_count(row.output_tokens)} out"
        if row.ended_as in ENDINGS:
            yield f"ended: {ENDINGS[row.ended_as]}"

    def _tail(self) -> Iterator[str]:
        if self.depth != "user" and self.session.todos:
            yield style("todos", "bold", on=self.screen.colour)
            for todo in self.session.todos:
                mark = _TODO_MARKS.get(todo.status or "", " ")
                yield from self._flow.line(f"[{mark}] {one_line(todo.content, 160)}", "  ")
            yield ""
        if self.depth == "all":
            for plan in self.session.plans:
                yield from self._flow.line(f"{plan.kind}: {one_line(plan.name, 100)}", "", "bold")
                yield from self._prose(plan.text, "  ")
                yield ""

    # -- messages ------------------------------------------------------------------------------

    def _is_shown(self, message: Message) -> bool:
        if self.depth == "all":
            return True
        if message.is_branch:
            return False
        if self.depth == "user":
            return message.kind in _BY_PERSON
        if self.depth == "assistant":
            return message.kind in _CONVERSATION and bool(message.text)
        if message.tool_calls:
            return True
        if message.kind in ("command_output", "answer") and not self._remarks(message):
            return bool(message.text or message.attachments)
        return message.kind in _CONVERSATION

    def _event(self, event: Event) -> Iterator[str]:
        text = one_line(event.text, 100_000) or one_line(event.raw or "", 500)
        line = f"· {_time(event)}{safe(event.type)}  {text}".rstrip()
        yield from self._flow.line(line, "", "dim")

    def _message(self, message: Message, has_heading: bool) -> Iterator[str]:
        if has_heading:
            styles = (_COLOURS[message.role], "bold")
            yield from self._flow.line(self._heading(message), "", *styles)
        if self.depth == "all" and message.reasoning:
            yield from self._flow.text(message.reasoning, "  ┆ ", "dim")
        if message.text:
            yield from self._text(message)
        for attachment in message.attachments:
            line = f"[{safe(attachment.kind)}: {_attachment_name(attachment)}]"
            yield from self._flow.line(line, "  ", "dim")
            if self.depth == "all" and attachment.text:
                yield from self._flow.text(attachment.text, "  ┊ ", "dim")
        if self.depth in ("tool", "all"):
            for call in message.tool_calls:
                yield from self._call(call)

    def _text(self, message: Message) -> Iterator[str]:
        if message.kind == "shell":
            yield from self._flow.text(message.text, "  ! ")
        elif message.kind in _MARKDOWN:
            yield from self._prose(message.text, "  ")
        else:  # what people paste is not Markdown
            yield from self._flow.text(message.text, "  ")

    def _prose(self, text: str, indent: str) -> Iterator[str]:
        """Return what an agent wrote: Markdown on a terminal, and in a pipe as it is."""
        if self.screen.width is None:
            return self._flow.text(text, indent)
        from agent_journal.cli.views.markdown import markdown_lines

        return markdown_lines(text, indent, self.screen)

    def _remarks(self, message: Message) -> list[str]:
        remarks = []
        if message.is_branch:
            remarks.append("undone by a rewind")
        if message.state not in (None, "complete"):
            remarks.append(str(message.state))
        return remarks

    def _heading(self, message: Message) -> str:
        remarks = self._remarks(message)
        if message.role == "assistant" and message.model:
            remarks.insert(0, message.model)
        name = KIND_NAMES.get(message.kind, message.kind)
        bar = "▌"
        if message is self.asked_for:
            bar = HIT_MARK
        return safe(f"{bar} {name}  {_time(message)}{'  '.join(remarks)}".rstrip())

    # -- tool calls ----------------------------------------------------------------------------

    def _call(self, call: ToolCall) -> Iterator[str]:
        arguments = parse_arguments(call.arguments)
        if arguments is None:
            arguments = {}
        what = f"→ {safe(call.name or 'unknown tool')} {summary(call.kind, arguments)}"
        status = _STATUS_MARKS.get(call.status or "", "no result")
        if call.exit_code:
            status += f" exit {call.exit_code}"
        if call.duration_ms is not None:
            status += f" {human_duration(call.duration_ms)}"
        if self.screen.width is not None and self.depth != "all":
            room = max(20, self.screen.width - display_width(status) - 4)
            what = cut_at_word(what, room)
        yield from self._flow.line(f"{what}  {status}", "  ", "yellow")
        if call.child_session_id:
            line = f"sub-agent {safe(call.child_session_id.rpartition('/')[2])}"
            yield from self._flow.line(line, "    ", "dim")
        if self.depth == "all":
            yield from self._arguments(arguments)
            if call.title:
                yield from self._arguments({"title": call.title})
        edits = self._edits.get(call.id, ())
        for edit in edits:
            yield from self._shortened((edit.diff or "").rstrip("\n").split("\n"))
        if not edits or self.depth == "all" or call.status != "ok":
            yield from self._result(call)

    def _arguments(self, arguments: Any) -> Iterator[str]:
        for line in argument_lines(arguments):
            yield from self._flow.line(line, "", "dim")

    def _result(self, call: ToolCall) -> Iterator[str]:
        if call.result:
            lines = call.result.rstrip("\n").split("\n")
            if self.depth != "all":
                lines = _without_head(lines)
            yield from self._shortened(lines)
        elif call.result_at is not None:
            yield self._dim("    │ this result is damaged in the archive: see 'aj verify'")
        if call.spilled_to:
            yield self._dim(f"    │ the whole output: {one_line(call.spilled_to, 200)}")

    def _shortened(self, lines: list[str]) -> Iterator[str]:
        if self.depth == "all":
            for line in lines:
                yield from self._flow.code(safe(line), _BESIDE_RESULT)
            return
        for line in lines[:_SHORT]:
            yield self._flow.cut(safe(line[:200]), _BESIDE_RESULT)
        if len(lines) > _SHORT:
            more = plural(len(lines) - _SHORT, "more line")
            yield from self._flow.line(f"… {more} (--depth all)", _BESIDE_RESULT, "dim")

    def _dim(self, text: str) -> str:
        return style(text, "dim", on=self.screen.colour)


def _tokens_in(row: SessionRow) -> str:
    cached = (row.cache_read_tokens or 0) + (row.cache_write_tokens or 0)
    text = "unknown tokens in"
    if row.input_tokens is not None:
        text = f"{human_count(row.input_tokens + cached)} tokens in"
    if row.cache_read_tokens is not None:
        text += f" ({human_count(row.cache_read_tokens)} of them cached)"
    return text


def _attachment_name(attachment: Attachment) -> str:
    text = attachment.name or attachment.path or attachment.mime_type or ""
    text = text.removeprefix(f"{attachment.kind}:")
    if attachment.note:
        text += f", {attachment.note}"
    return one_line(text, 160)


def _without_head(lines: list[str]) -> list[str]:
    """Return a result without what the agent wrote above the output of a command."""
    for place, line in enumerate(lines[:_SHORT]):
        if line == "Output:" and place:
            return lines[place + 1 :]
        if not line.startswith(_ABOVE_OUTPUT):
            break
    return lines


def _day(item: Message) -> date | None:
    if item.timestamp is None:
        return None
    return local(item.timestamp).date()


def _time(item: Message | Event) -> str:
    if item.timestamp is None:
        return ""
    return f"{local(item.timestamp):%H:%M:%S}  "
