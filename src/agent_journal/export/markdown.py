"""A session as a Markdown page: front matter, prompts as headings and quotes, long parts folded."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from typing import Any

from agent_journal.export.calls import as_json, parsed, telling, todos_in
from agent_journal.export.changes import Changes, lines_of
from agent_journal.export.family import Member
from agent_journal.export.html.figures import Cost, total
from agent_journal.export.prose import (
    as_quote,
    clean,
    fenced,
    folded,
    in_tag,
    inline,
    markdown,
    short_title,
)
from agent_journal.export.words import (
    DAMAGED,
    DOING,
    DONE,
    MARKS,
    NO_RESULT,
    NOT_SHOWN,
    PEOPLE,
    REWOUND,
    SPOKEN,
    WORDS,
)
from agent_journal.model import Attachment, FileEdit, Message, Session, Todo, ToolCall
from agent_journal.text.plain import one_line

# Line ends and marks that YAML does not take in a line
_NOT_IN_YAML = re.compile("[\x7f\x85\u2028\u2029\ufeff]")


def page(
    family: Sequence[Member],
    is_redacted: bool,
    made_by: str,
    has_calls: bool = True,
    cost: Cost = lambda usage: usage.cost_micro_usd,
) -> Iterator[str]:
    """The lines of the page: the session first, its sub-agents after it."""
    micro_usd = _cost_of(family[0], cost)
    yield from _front_matter(family[0], is_redacted, made_by, has_calls, micro_usd)
    for number, member in enumerate(family):
        yield from _Section(member.session, is_sub_agent=number > 0).lines()


# -- the head ----------------------------------------------------------------------------------


def _cost_of(member: Member, cost: Cost) -> int | None:
    """What a session cost without its sub-agents; None where a part of it is not known."""
    if member.row.recorded_cost_micro_usd is not None:
        return member.row.recorded_cost_micro_usd
    used = total(member.session.usage, cost)
    if used.unpriced:
        return None
    if used.cost is None:
        return member.row.cost_micro_usd
    return used.cost


def _front_matter(
    member: Member, is_redacted: bool, made_by: str, has_calls: bool, micro_usd: int | None
) -> Iterator[str]:
    row, session = member.row, member.session
    tokens = {
        "input": row.input_tokens,
        "cache_read": row.cache_read_tokens,
        "cache_write": row.cache_write_tokens,
        "output": row.output_tokens,
    }
    known = {name: count for name, count in tokens.items() if count is not None}
    facts: dict[str, Any] = {
        "agent": session.agent,
        "id": session.id,
        "title": one_line(session.title, 300) or None,
        "tags": member.tags or None,
        "project": session.project_path or session.project_dir,
        "repository": session.repository,
        "branch": session.git_branch,
        "models": list(session.models) or None,
        "started": _iso(session.started_at),
        "ended": _iso(session.ended_at),
        "prompts": sum(message.kind == "prompt" for message in session.messages),
        "tokens": known or None,
        "cost_usd": None if micro_usd is None else micro_usd / 1_000_000,
        "redacted": is_redacted,
        "left_out": None,
        "made_by": made_by,
    }
    if not has_calls:
        facts["left_out"] = ["tool calls, their results and the edits they made"]
    yield "---"
    yield from (f"{name}: {_yaml(value)}" for name, value in facts.items() if value is not None)
    yield from ("---", "")


def _yaml(value: Any) -> str:
    """A value as JSON on one line, which YAML reads as well."""
    text = json.dumps(value, ensure_ascii=False)
    return _NOT_IN_YAML.sub(lambda found: f"\\u{ord(found[0]):04x}", clean(text))


def _iso(when: datetime | None) -> str | None:
    if when is None:
        return None
    return when.astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")


def _meta(message: Message) -> str:
    """What is shown next to the name of who speaks: the time and the state."""
    facts = []
    if message.timestamp is not None:
        facts.append(f"{message.timestamp.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC")
    if message.is_branch:
        facts.append(REWOUND)
    if message.state is not None and message.state != "complete":
        facts.append(message.state)
    return "".join(f" · {fact}" for fact in facts)


# -- a session ---------------------------------------------------------------------------------


class _Section:
    """A session, or one of its sub-agents, as a part of the page."""

    def __init__(self, session: Session, is_sub_agent: bool) -> None:
        self.session = session
        self.is_sub_agent = is_sub_agent
        self.prompts = 0
        self.changes = Changes(session)

    def lines(self) -> Iterator[str]:
        """The session under its title."""
        title = inline(short_title(self.session.title)) or "(no title)"
        if self.is_sub_agent:
            name = inline(self.session.agent_name) or "sub-agent"
            yield from ("---", "", f"# Sub-agent {name}: {title}", "")
        else:
            yield from (f"# {title}", "")
        for message in self.session.messages:
            if message.kind not in NOT_SHOWN:
                yield from self._message(message)
        yield from self._edits(self.changes.rest())
        yield from self._rest()

    def _rest(self) -> Iterator[str]:
        level = "##" + "#" * self.is_sub_agent
        if self.session.todos:
            yield from (f"{level} Todos", "", *_todos(self.session.todos), "")
        for plan in self.session.plans:
            yield from folded(f"{in_tag(plan.kind)}: {in_tag(plan.name)}", markdown(plan.text))

    # -- messages ------------------------------------------------------------------------------

    def _message(self, message: Message) -> Iterator[str]:
        meta = _meta(message)
        if message.kind in PEOPLE:
            yield from self._prompt(message, meta)
        elif message.kind in SPOKEN and message.state != "hidden":
            yield from self._answer(message, meta)
        elif message.text:
            word = WORDS.get(message.kind, message.kind)
            yield from folded(f"{word}{meta}", fenced(message.text, "text"))
        for attachment in message.attachments:
            yield from _attachment(attachment)
        for call in message.tool_calls:
            yield from self._call(call)
        yield from self._edits(self.changes.take(message.id))

    def _prompt(self, message: Message, meta: str) -> Iterator[str]:
        self.prompts += 1
        level = "##" + "#" * self.is_sub_agent
        first = next((line for line in clean(message.text).split("\n") if line.strip()), "")
        yield from (
            f"{level} {self.prompts}. {inline(first, 80)}".rstrip(),
            "",
            f"**You**{meta}",
            "",
        )
        if message.kind == "shell":
            yield from (*fenced(message.text, "sh"), "")
        elif message.text:
            yield from (*as_quote(message.text), "")

    def _answer(self, message: Message, meta: str) -> Iterator[str]:
        if message.reasoning:
            yield from folded(f"reasoning{meta}", fenced(message.reasoning, "text"))
        if message.text:
            who = "Agent" if message.kind == "answer" else WORDS[message.kind].capitalize()
            model = f" · {inline(message.model, 60)}" if message.model else ""
            yield from (f"**{who}**{model}{meta}", "", *markdown(message.text), "")

    # -- tool calls ----------------------------------------------------------------------------

    def _call(self, call: ToolCall) -> Iterator[str]:
        yield from folded(_summary(call, self.changes.of_call(call.id)), self._inside(call))

    def _inside(self, call: ToolCall) -> Iterator[str]:
        edits = self.changes.of_call(call.id)
        arguments = parsed(call.arguments)
        todos = todos_in(arguments)
        if todos and call.kind == "todo":
            yield from (*_todos(todos), "")
        elif not any(edit.diff for edit in edits):
            yield from _arguments(arguments)
        for edit in edits:
            yield from (*self._diff(edit), "")
        if call.child_session_id:
            name = inline(call.child_session_id.rpartition("/")[2])
            yield from (f"Its sub-agent {name} is below.", "")
        if call.result:
            yield from fenced(call.result, "text")
        elif call.result_at is not None:
            yield DAMAGED
        if call.spilled_to:
            yield from ("", f"The whole output is in {inline(call.spilled_to)}.")
        for attachment in call.attachments:
            yield from ("", *_attachment(attachment))

    def _edits(self, edits: Sequence[FileEdit]) -> Iterator[str]:
        for edit in edits:
            heading = f"{edit.kind} <code>{in_tag(edit.path)}</code>{lines_of(edit)}"
            yield from folded(heading, self._diff(edit))

    def _diff(self, edit: FileEdit) -> Iterator[str]:
        diff = self.changes.diff(edit)
        if diff:
            yield from fenced(diff, "diff")
        else:
            yield f"{edit.kind} {inline(edit.path)}"


def _summary(call: ToolCall, edits: Sequence[FileEdit]) -> str:
    mark = MARKS.get(call.status or "", NO_RESULT)
    summary = f"{mark} <code>{in_tag(call.name or 'unknown tool', 80)}</code>"
    about = telling(call, parsed(call.arguments), edits)
    if about:
        summary += f" {in_tag(about, 100)}"
    if call.exit_code:
        summary += f" · exit {call.exit_code}"
    if call.duration_ms is not None:
        summary += f" · {call.duration_ms / 1000:.1f} s"
    return summary


def _arguments(arguments: Any) -> Iterator[str]:
    if arguments is None or arguments == {}:
        return
    if isinstance(arguments, dict) and isinstance(arguments.get("command"), str):
        yield from (*fenced(arguments["command"], "sh"), "")
        arguments = {name: value for name, value in arguments.items() if name != "command"}
        if not arguments:
            return
    if isinstance(arguments, str):
        yield from (*fenced(arguments, "text"), "")
    else:
        yield from (*fenced(as_json(arguments), "json"), "")


def _todos(todos: Sequence[Todo]) -> Iterator[str]:
    for todo in todos:
        box = "[x]" if todo.status in DONE else "[ ]"
        line = f"- {box} {inline(todo.content, 500)}"
        if todo.status in DOING:
            line += " (in progress)"
        yield line


def _attachment(attachment: Attachment) -> Iterator[str]:
    about = attachment.name or attachment.path or attachment.mime_type or ""
    if attachment.note:
        about += f", {attachment.note}"
    if attachment.text:
        heading = f"{in_tag(attachment.kind)}: {in_tag(about)}"
        yield from folded(heading, fenced(attachment.text, "text"))
    else:
        yield from (f"*{inline(attachment.kind)}: {inline(about)}*", "")
