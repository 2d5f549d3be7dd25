"""A conversation as blocks that can be folded: what was said, and between it what was done.

The three depths of reading differ in what is shown and what is open: Story has texts, and the steps
between two of them as one line; Steps has a line for every call, and diffs; Everything has all.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from agent_journal.export.words import MARKS, NO_RESULT, NOT_SHOWN, PEOPLE, REWOUND, SPOKEN, WORDS
from agent_journal.model import Attachment, Event, FileEdit, Message, Session, ToolCall
from agent_journal.model.arguments import parse_arguments, split_arguments
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.dates import local
from agent_journal.text.human import human_duration, human_size, plural
from agent_journal.text.plain import one_line
from agent_journal.tui.bodies import call_body, prose_body, text_body
from agent_journal.tui.lines import Line, Piece, Style
from agent_journal.tui.words import ALL, STEPS, STORY

_MOST_NAMED = 3  # tools in the line of folded steps
_NAMED = ("compaction", "command_output", "notification")
Body = Callable[[Style], Iterator[Line]]


class Block(NamedTuple):
    """A part of a conversation: a line, and below it what can be folded away."""

    key: str  # the same when the session is loaded again
    position: int
    head: Line
    body: Body | None = None
    parts: tuple[Block, ...] = ()  # blocks below it
    is_open: bool = True
    is_prompt: bool = False
    child: SessionRow | None = None  # the sub-agent that it leads to
    text: str = ""  # what is copied
    command: str = ""  # of a call of a shell

    @property
    def can_fold(self) -> bool:
        """Whether there is something below its line."""
        return self.body is not None or bool(self.parts)


class Conversation:
    """Makes the blocks of some messages of a session."""

    def __init__(self, session: Session, children: Sequence[SessionRow], depth: str) -> None:
        self._session = session
        self._children = children
        self._depth = depth
        self._edits: dict[str, list[FileEdit]] = {}  # by call
        for edit in session.file_edits:
            if edit.call_id is not None and edit.kind != "backup":
                self._edits.setdefault(edit.call_id, []).append(edit)

    def blocks(self) -> list[Block]:
        """Return the blocks of all messages and, where everything is shown, of events."""
        shown: list[Block] = []
        steps: list[Block] = []
        calls: list[ToolCall] = []
        for item in self._timeline():
            for block, call in self._parts_of(item):
                if call is None and not self._is_step(block):
                    shown += self._folded(steps, calls)
                    steps, calls = [], []
                    shown.append(block)
                else:
                    steps.append(block)
                    calls += [call] if call else []
        return [*shown, *self._folded(steps, calls)]

    def _timeline(self) -> list[Message | Event]:
        items: list[Message | Event] = []
        for message in self._session.messages:
            is_left = message.is_branch or message.kind in NOT_SHOWN
            if not is_left or self._depth == ALL:
                items.append(message)
        if self._depth == ALL:
            items += self._session.events
        items.sort(key=lambda item: item.seq or 0)
        return items

    def _parts_of(self, item: Message | Event) -> Iterator[tuple[Block, ToolCall | None]]:
        """Yield the blocks of a message, each with the call that it is of."""
        if isinstance(item, Event):
            yield _event_block(item), None
            return
        at = item.seq or 0
        if item.reasoning and self._depth != STORY:
            head = (Piece("┆ Reasoning", "dim"),)
            body = text_body(item.reasoning, "dim")
            is_open = self._depth == ALL
            yield Block(f"{at}:reasoning", at, head, body, is_open=is_open), None
        if item.text or item.attachments:
            yield from self._said(item)
        for number, call in enumerate(item.tool_calls):
            yield self._call_block(f"{at}:call{number}", at, call), call

    def _said(self, message: Message) -> Iterator[tuple[Block, None]]:
        is_said = message.kind in PEOPLE or message.kind in SPOKEN
        is_said = is_said and message.state != "hidden"
        is_named = message.kind in _NAMED  # behind a line that says what it is
        if not (is_said or is_named or self._depth == ALL):
            return
        at = message.seq or 0
        is_open = is_said or self._depth == ALL
        yield (
            Block(
                f"{at}:text",
                at,
                _heading(message),
                _message_body(message),
                is_open=is_open,
                is_prompt=message.kind in PEOPLE,
                text=message.text,
            ),
            None,
        )

    def _is_step(self, block: Block) -> bool:
        return block.key.endswith(":reasoning")

    def _call_block(self, key: str, at: int, call: ToolCall) -> Block:
        edits = self._edits.get(call.id, [])
        arguments = parse_arguments(call.arguments)
        if arguments is None:
            arguments = {}
        main = split_arguments(call.kind, arguments).main
        head = [Piece(one_line(call.name or "unknown tool", 40), "step")]
        head.append(Piece(f" {one_line(main, 300)}"))
        head.append(_changed(edits))
        head.append(_status(call))
        child = self._child_of(call)
        command = ""
        if call.kind == "shell":
            command = main
        return Block(
            key,
            at,
            tuple(head),
            call_body(call, arguments, edits, is_whole=self._depth == ALL),
            parts=_child_blocks(key, at, child),
            is_open=self._depth == ALL or (self._depth == STEPS and bool(edits)),
            child=child,
            text=call.result or main,
            command=command,
        )

    def _child_of(self, call: ToolCall) -> SessionRow | None:
        for row in self._children:
            if call.child_session_id == row.id or row.parent_call_id == call.id:
                return row
        return None

    def _folded(self, steps: list[Block], calls: Sequence[ToolCall]) -> list[Block]:
        """Return steps as they are, or behind one line where the story is read."""
        if not steps or self._depth != STORY:
            return steps
        head = self._summary(calls)
        links = [child for step in steps for child in step.parts if child.child is not None]
        at = steps[0].position
        # What leads to sub-agents is never folded away
        group = Block(f"{at}:steps", at, head, parts=tuple(steps), is_open=False)
        return [group, *links]

    def _summary(self, calls: Sequence[ToolCall]) -> Line:
        facts = [plural(len(calls), "step"), _tool_names(calls)]
        files = {edit.path for call in calls for edit in self._edits.get(call.id, ())}
        if files:
            facts.append(f"{plural(len(files), 'file')} changed")
        took = sum(call.duration_ms or 0 for call in calls)
        if took:
            facts.append(human_duration(took))
        pieces = [Piece(" · ".join(facts), "dim")]
        failed = sum(call.success is False for call in calls)
        if failed:
            pieces.append(Piece(f" · {failed} failed", "failed"))
        return tuple(pieces)


def _heading(message: Message) -> Line:
    look, name = "note", WORDS.get(message.kind, message.kind).capitalize()
    if message.kind in PEOPLE:
        look, name = "you", "You"
    elif message.kind == "answer":
        look, name = "speaker", "Agent"
    facts = []
    if message.timestamp:
        facts.append(f"{local(message.timestamp):%H:%M}")
    if message.model and message.kind == "answer":
        facts.append(one_line(message.model, 40))
    if message.is_branch:
        facts.append(REWOUND)
    if message.state not in (None, "complete"):
        facts.append(str(message.state))
    return (Piece(name, look), Piece("  " + "  ".join(facts), "dim"))


def _message_body(message: Message) -> Body:
    is_markdown = message.kind in ("answer", "compaction")
    attached = tuple(_attachment_line(item) for item in message.attachments)

    def body(style: Style) -> Iterator[Line]:
        if message.text and is_markdown:
            yield from prose_body(message.text)(style)
        elif message.text:
            yield from text_body(message.text)(style)
        for line in attached:
            yield (Piece(style.indent, "dim"), *line)

    return body


def _attachment_line(attachment: Attachment) -> Line:
    """Name an image or a file that came with a message."""
    name = attachment.name or attachment.path or attachment.mime_type or ""
    facts = [one_line(name, 120), one_line(attachment.note, 80)]
    if attachment.size is not None:
        facts.append(human_size(attachment.size))
    return (Piece(f"[{one_line(attachment.kind, 30)}: {', '.join(filter(None, facts))}]", "note"),)


def _event_block(event: Event) -> Block:
    at = event.seq or 0
    text = one_line(event.text, 2_000) or one_line(event.raw, 500)
    head = (Piece(f"· {one_line(event.type, 60)}  {text}", "dim"),)
    return Block(f"{at}:event:{event.type}", at, head)


def _changed(edits: Iterable[FileEdit]) -> Piece:
    added = removed = 0
    is_known = False
    for edit in edits:
        if edit.lines_added is not None:
            is_known = True
            added += edit.lines_added
            removed += edit.lines_removed or 0
    if not is_known:
        return Piece("")
    return Piece(f" +{added} −{removed}", "added")


def _status(call: ToolCall) -> Piece:
    mark = MARKS.get(call.status or "", NO_RESULT)
    if call.exit_code:
        mark += f" exit {call.exit_code}"
    if call.duration_ms is not None:
        mark += f" {human_duration(call.duration_ms)}"
    if call.success is False:
        return Piece(f"  {mark}", "failed")
    return Piece(f"  {mark}", "dim")


def _child_blocks(key: str, at: int, child: SessionRow | None) -> tuple[Block, ...]:
    if child is None:
        return ()
    name = one_line(child.agent_name, 40)
    title = one_line(child.title, 80)
    facts = f"Sub-agent {name} · {plural(child.message_count, 'message')}  {title}"
    head = (Piece("↳ ", "dim"), Piece(facts, "link"))
    return (Block(f"{key}:child", at, head, child=child),)


def _tool_names(calls: Sequence[ToolCall]) -> str:
    names = Counter(one_line(call.name, 30) or "unknown tool" for call in calls)
    shown = [name for name, _ in names.most_common(_MOST_NAMED)]
    if len(names) > len(shown):
        shown.append("…")
    return ", ".join(shown)
