"""The conversation of a session: prompts, answers, reasoning, calls and their sub-agents."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime

from agent_journal.export.changes import Changes
from agent_journal.export.family import Member
from agent_journal.export.html.attachments import Album, attached
from agent_journal.export.html.calls import CallContext, call_parts, edit_box, todo_list
from agent_journal.export.html.colours import Painter
from agent_journal.export.html.figures import Cost, day_and_time, time_only, total
from agent_journal.export.html.parts import Anchors, block, copy_button, tag
from agent_journal.export.html.prose import code, rendered
from agent_journal.export.prose import clean, in_tag
from agent_journal.export.words import NOT_SHOWN, PEOPLE, REWOUND, SPOKEN, WORDS
from agent_journal.model import FileEdit, Message, ToolCall

# Messages that the browser lays out together. It looks at each leaf with every frame: with 5,000
# leaves a frame of scrolling took three times as long as with 500.
_LEAF = 10
_PEOPLE_NAMES = {"command": "You, a command", "shell": "You, in the shell"}
_DEEPEST = 6  # nested sub-agents; deeper ones are shown at the end


class PageContext:
    """What all conversations of one page share; `cost` prices a response."""

    def __init__(self, family: Sequence[Member], pictures: Mapping[str, bytes], cost: Cost) -> None:
        self.anchors = Anchors(family[0].session.id)
        self.album = Album(pictures)
        self.painter = Painter()
        self.cost = cost
        self._waiting = {member.session.id: member for member in family[1:]}

    def start_page(self, pictures: Mapping[str, bytes]) -> None:
        """Start a page: pictures and highlighted code are limited per page."""
        self.album.reset(pictures)
        self.painter.reset()

    def take_any(self) -> Member | None:
        """Remove and return a sub-agent that is not shown yet."""
        for session_id in self._waiting:
            return self._waiting.pop(session_id)
        return None

    def take_started_by(self, parent_id: str, call: ToolCall) -> list[Member]:
        """Remove and return the sub-agents that a call of a session started."""
        return self._take(
            [member for member in self._waiting.values() if _started(member, parent_id, call)]
        )

    def take_of(self, parent_id: str) -> list[Member]:
        """Remove and return the remaining sub-agents of a session."""
        waiting = self._waiting.values()
        return self._take([member for member in waiting if member.session.parent_id == parent_id])

    def _take(self, members: list[Member]) -> list[Member]:
        for member in members:
            del self._waiting[member.session.id]
        return members


def _started(member: Member, parent_id: str, call: ToolCall) -> bool:
    session = member.session
    if call.child_session_id == session.id:
        return True
    return session.parent_call_id == call.id and session.parent_id == parent_id


def is_shown(message: Message) -> bool:
    """Whether a message is shown on the page."""
    if message.kind in NOT_SHOWN:
        return False
    if message.kind in PEOPLE:
        return True
    return bool(message.text or message.reasoning or message.tool_calls or message.attachments)


def first_line(message: Message, width: int) -> str:
    """Return the beginning of a prompt as HTML."""
    first = next((line for line in clean(message.text).split("\n") if line.strip()), "")
    return in_tag(first, width) or "(no text)"


class Conversation:
    """Renders a session or sub-agent as parts of HTML."""

    opened = ""  # " open" where reasoning and calls are not folded

    def __init__(self, member: Member, context: PageContext, depth: int = 0) -> None:
        self.session = member.session
        self.context = context
        self.depth = depth
        self.changes = Changes(member.session)
        self.call_context = CallContext(
            self.changes, context.painter, context.album, self.children, self.opened
        )
        self._before: Message | None = None
        self._latest: datetime | None = None  # the time of the messages so far

    def anchor(self, message: Message) -> str:
        """Return the anchor of a message."""
        return self.context.anchors.name("m", self.session.id, message.id)

    def parts(self, messages: Sequence[Message], anchors: Sequence[str]) -> Iterator[str]:
        """Yield the HTML of some messages."""
        placed = list(zip(messages, anchors, strict=True))
        for start in range(0, len(placed), _LEAF):
            yield '<div class="leaf">\n'
            for message, anchor in placed[start : start + _LEAF]:
                yield from self.message(message, anchor)
            yield "</div>\n"

    def rest(self) -> Iterator[str]:
        """Yield what belongs to no message: edits, todos, plans, sub-agents without a call."""
        yield from map(self._edit, self.changes.rest())
        if self.session.todos:
            yield '<section class="rest"><h2 class="own">Todos</h2>'
            yield f"{todo_list(self.session.todos)}</section>\n"
        for plan in self.session.plans:
            inside = rendered(plan.text, self.context.painter)
            heading = f"{in_tag(plan.kind)}: {in_tag(plan.name)}"
            yield f'<details class="note"><summary>{heading}</summary>'
            yield f'<div class="text">{inside}</div></details>\n'
        if self.depth < _DEEPEST:
            for member in self.context.take_of(self.session.id):
                yield from self._sub_agent(member, is_folded=True)
        if self.depth == 0:
            yield from self._sub_agents_left()

    def _sub_agents_left(self) -> Iterator[str]:
        """Yield the sub-agents that were not shown; each may show others."""
        member = self.context.take_any()
        while member is not None:
            yield from self._sub_agent(member, is_folded=True)
            member = self.context.take_any()

    def whole(self) -> Iterator[str]:
        """Yield the whole conversation."""
        messages = [message for message in self.session.messages if is_shown(message)]
        yield from self.parts(messages, [self.anchor(message) for message in messages])
        yield from self.rest()

    # -- sub-agents ----------------------------------------------------------------------------

    def children(self, call: ToolCall) -> Iterator[str]:
        """Yield the sub-agents that a call started."""
        if self.depth < _DEEPEST:
            for member in self.context.take_started_by(self.session.id, call):
                yield from self._sub_agent(member, is_folded=False)

    def _sub_agent(self, member: Member, is_folded: bool) -> Iterator[str]:
        session = member.session
        name = f"Sub-agent {in_tag(session.agent_name, 60)}".rstrip()
        used = total(session.usage, self.context.cost)
        facts = (in_tag(", ".join(session.models), 80), used.tokens, used.price)
        meta = " · ".join(filter(None, facts))
        head = f'<b>{name}</b> {in_tag(session.title, 120)} <span class="meta">{meta}</span>'
        if is_folded:
            yield f'<details class="note"><summary>{head}</summary>'
        else:
            yield f'<p class="file">{head}</p>'
        yield f'<section class="sub" aria-label="{name}">\n'
        yield from Conversation(member, self.context, self.depth + 1).whole()
        yield "</section>"
        if is_folded:
            yield "</details>"
        yield "\n"

    # -- messages ------------------------------------------------------------------------------

    def message(self, message: Message, anchor: str) -> Iterator[str]:
        """Yield the HTML of one message; that of the one before it comes first."""
        kind = _place_of(message)
        bare = "" if message.text else " bare"
        filters = " ".join(_filters(message, kind))
        place = f'id="{anchor}" data-has="{filters}"{self.attributes(message)}'
        yield f'<article class="msg {kind}{bare}" {place}>\n'
        yield self._head(message, kind, anchor)
        if message.reasoning:
            reasoning = rendered(message.reasoning, self.context.painter)
            yield f'<details class="reasoning"{self.opened}>'
            yield '<summary class="own">Reasoning</summary>'
            yield f'<div class="text" dir="auto">{reasoning}</div></details>\n'
        if message.text:
            yield from self._text(message, kind)
        for attachment in message.attachments:
            yield attached(attachment, self.context.album)
        if message.tool_calls:
            yield '<div class="calls">'
            for call in message.tool_calls:
                anchor = self.context.anchors.name("c", self.session.id, call.id)
                yield from call_parts(call, anchor, self.call_context)
            yield "</div>\n"
        yield from map(self._edit, self.changes.take(message.id))
        yield "</article>\n"
        self._before = message

    def attributes(self, message: Message) -> str:
        """What else the element of a message says, as HTML."""
        return ""

    def address(self, message: Message, anchor: str) -> str:
        """The address of a message, from the page that it is on, as HTML."""
        return f"#{anchor}"

    def _head(self, message: Message, kind: str, anchor: str) -> str:
        meta = " · ".join(filter(None, self._meta(message, kind)))
        copy = copy_button("message") if message.text and kind != "other" else ""
        return (
            f'<header class="by">{self._name(message, kind)}<span class="meta">{meta}</span>'
            f'<a class="link" href="{self.address(message, anchor)}" '
            f'aria-label="Link to this message">#</a>{copy}</header>\n'
        )

    def _meta(self, message: Message, kind: str) -> Iterator[str]:
        """Yield what is shown next to the name: model, state, time, usage."""
        if message.model and not self._continues_speaker(message):
            yield in_tag(message.model, 60)
        if message.is_branch:
            yield REWOUND
        if message.state is not None and message.state != "complete":
            yield message.state
        when = self._time_of(message)
        if kind == "prompt":
            yield day_and_time(when)
        else:
            yield time_only(when)
        if message.usage:
            used = total([message.usage], self.context.cost)
            yield used.tokens_with_details
            yield used.price

    def _time_of(self, message: Message) -> datetime | None:
        """The time of a message; one that is stamped before the message it follows has its time.

        VS Code stamps an answer before its prompt. What was rewound has a time of its own.
        """
        when = message.timestamp
        if when is None or message.is_branch:
            return when
        if self._latest is None or when > self._latest:
            self._latest = when
        return self._latest

    def _continues_speaker(self, message: Message) -> bool:
        before = self._before
        return before is not None and (before.kind, before.model) == (message.kind, message.model)

    def _name(self, message: Message, kind: str) -> str:
        """Return the speaker as a heading; empty if it is the same as before."""
        if kind == "prompt":
            if self.depth:
                return tag("h3", "Asked", "who")
            return tag("h2", _PEOPLE_NAMES.get(message.kind, "You"), "who")
        if kind != "answer":
            return ""
        if message.kind != "answer":
            return tag("span", WORDS[message.kind].capitalize(), "who")
        if self._continues_speaker(message):
            return ""
        return tag("span", "Agent", "who")

    def _text(self, message: Message, kind: str) -> Iterator[str]:
        painter = self.context.painter
        if message.kind == "shell" and kind == "prompt":
            yield code(message.text, "sh", painter)
        elif kind == "other":
            word = WORDS.get(message.kind, message.kind).capitalize()
            about = tag("span", first_line(message, 100), "about")
            yield f'<details class="note"><summary class="own">{in_tag(word)} {about}</summary>'
            yield f"{block(message.text, 'wrap')}</details>\n"
        else:
            inside = rendered(message.text, painter, keep_lines=kind == "prompt")
            yield f'<div class="text" dir="auto">{inside}</div>\n'

    def _edit(self, edit: FileEdit) -> str:
        return f'<div class="edit">{edit_box(edit, self.changes)}</div>\n'


def _place_of(message: Message) -> str:
    """Return the CSS class of a message: of a person, of the agent, or other."""
    if message.kind in PEOPLE:
        return "prompt"
    if message.kind in SPOKEN and message.state != "hidden":
        return "answer"
    return "other"


def _filters(message: Message, kind: str) -> list[str]:
    """Return the filters of the page that show a message."""
    filters = []
    if message.text or kind == "prompt":
        filters.append(kind)
    if message.reasoning:
        filters.append("reasoning")
    if message.tool_calls:
        filters.append("tool")
    return filters or [kind]
