"""The conversation of a session: prompts, answers, reasoning, calls, and the sub-agents within the
calls.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from agent_journal.export.changes import Changes
from agent_journal.export.family import Member
from agent_journal.export.html.attachments import Album, attached
from agent_journal.export.html.calls import Desk, call_parts, edit_box, todo_list
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
_DEEPEST = 6  # sub-agents of sub-agents that are nested; what is deeper stands at the end


class House:
    """What all conversations of one page share. `cost` prices a response."""

    def __init__(self, family: Sequence[Member], pictures: Mapping[str, bytes], cost: Cost) -> None:
        self.anchors = Anchors(family[0].session.id)
        self.album = Album(pictures)
        self.painter = Painter()
        self.cost = cost
        self._waiting = {member.session.id: member for member in family[1:]}

    def turn_page(self, pictures: Mapping[str, bytes]) -> None:
        """Begins a page: what may be painted and shown is measured by the page."""
        self.album.__init__(pictures)  # type: ignore[misc]
        self.painter.__init__()  # type: ignore[misc]

    def take_any(self) -> Member | None:
        """A sub-agent that has no place yet."""
        return self._waiting.pop(next(iter(self._waiting))) if self._waiting else None

    def take(self, parent_id: str, call: ToolCall | None = None) -> list[Member]:
        """The sub-agents of a session that a call started, or all of its that are left; each is
        told once.
        """
        found = [
            member
            for member in self._waiting.values()
            if (call is None and member.session.parent_id == parent_id)
            or (call is not None and _started(member, parent_id, call))
        ]
        for member in found:
            del self._waiting[member.session.id]
        return found


def _started(member: Member, parent_id: str, call: ToolCall) -> bool:
    session = member.session
    return call.child_session_id == session.id or (
        session.parent_call_id == call.id and session.parent_id == parent_id
    )


def is_shown(message: Message) -> bool:
    """Whether a message has a place in the page."""
    return message.kind not in NOT_SHOWN and bool(
        message.text
        or message.reasoning
        or message.tool_calls
        or message.attachments
        or message.kind in PEOPLE
    )


def first_line(message: Message, width: int) -> str:
    """What a prompt begins with, as HTML."""
    first = next((line for line in clean(message.text).split("\n") if line.strip()), "")
    return in_tag(first, width) or "(no text)"


class Conversation:
    """One session of the family, as parts of HTML."""

    def __init__(self, member: Member, house: House, depth: int = 0) -> None:
        self.session = member.session
        self.house = house
        self.depth = depth
        self.changes = Changes(member.session)
        self.desk = Desk(self.changes, house.painter, house.album, self._children)
        self._before: Message | None = None

    def anchor(self, message: Message) -> str:
        """The name of a message's place."""
        return self.house.anchors.name("m", self.session.id, message.id)

    def parts(self, messages: Sequence[Message], anchors: Sequence[str]) -> Iterator[str]:
        """Messages one after the other."""
        for start in range(0, len(messages), _LEAF):
            yield '<div class="leaf">\n'
            for message, anchor in zip(
                messages[start : start + _LEAF], anchors[start : start + _LEAF], strict=True
            ):
                yield from self._message(message, anchor)
                self._before = message
            yield "</div>\n"

    def rest(self) -> Iterator[str]:
        """What belongs to no message: edits, todos, plans, sub-agents whose call is not there."""
        yield from map(self._edit, self.changes.rest())
        if self.session.todos:
            yield f'<section class="rest"><h2 class="own">Todos</h2>{todo_list(self.session.todos)}</section>\n'
        for plan in self.session.plans:
            inside = rendered(plan.text, self.house.painter)
            yield f'<details class="note"><summary>{in_tag(plan.kind)}: {in_tag(plan.name)}</summary>'
            yield f'<div class="text">{inside}</div></details>\n'
        for member in self.house.take(self.session.id) if self.depth < _DEEPEST else ():
            yield from self._sub_agent(member, is_folded=True)
        while self.depth == 0 and (left := self.house.take_any()) is not None:
            yield from self._sub_agent(left, is_folded=True)

    def whole(self) -> Iterator[str]:
        """All of it."""
        messages = [message for message in self.session.messages if is_shown(message)]
        yield from self.parts(messages, [self.anchor(message) for message in messages])
        yield from self.rest()

    # -- sub-agents ----------------------------------------------------------------------------

    def _children(self, call: ToolCall) -> Iterator[str]:
        if self.depth < _DEEPEST:
            for member in self.house.take(self.session.id, call):
                yield from self._sub_agent(member, is_folded=False)

    def _sub_agent(self, member: Member, is_folded: bool) -> Iterator[str]:
        session = member.session
        name = f"Sub-agent {in_tag(session.agent_name, 60)}".rstrip()
        used = total(session.usage, self.house.cost)
        beside = " · ".join(
            filter(None, (in_tag(", ".join(session.models), 80), used.tokens, used.price))
        )
        head = f'<b>{name}</b> {in_tag(session.title, 120)} <span class="meta">{beside}</span>'
        yield (
            f'<details class="note"><summary>{head}</summary>'
            if is_folded
            else f'<p class="file">{head}</p>'
        )
        yield f'<section class="sub" aria-label="{name}">\n'
        yield from Conversation(member, self.house, self.depth + 1).whole()
        yield f"</section>{'</details>' if is_folded else ''}\n"

    # -- messages ------------------------------------------------------------------------------

    def _message(self, message: Message, anchor: str) -> Iterator[str]:
        if message.kind in PEOPLE:
            parts, kind = self._prompt(message), "prompt"
        elif message.kind in SPOKEN and message.state != "hidden":
            parts, kind = self._answer(message), "answer"
        else:
            parts, kind = self._other(message), "other"
        has = [kind] if message.text or kind == "prompt" else []
        has += ["reasoning"] if message.reasoning else []
        has += ["tool"] if message.tool_calls else []
        bare = "" if message.text else " bare"
        yield f'<article class="msg {kind}{bare}" id="{anchor}" data-has="{" ".join(has or [kind])}">\n'
        yield self._head(message, kind, anchor)
        if message.reasoning:
            yield '<details class="reasoning"><summary class="own">Reasoning</summary>'
            yield f'<div class="text" dir="auto">{rendered(message.reasoning, self.house.painter)}</div></details>\n'
        yield from parts
        for one in message.attachments:
            yield attached(one, self.house.album)
        if message.tool_calls:
            yield '<div class="calls">'
            for call in message.tool_calls:
                yield from call_parts(
                    call, self.house.anchors.name("c", self.session.id, call.id), self.desk
                )
            yield "</div>\n"
        yield from map(self._edit, self.changes.take(message.id))
        yield "</article>\n"

    def _head(self, message: Message, kind: str, anchor: str) -> str:
        used = total([message.usage], self.house.cost) if message.usage else None
        beside = [in_tag(message.model, 60)] if message.model and not self._goes_on(message) else []
        beside += [REWOUND] if message.is_branch else []
        beside += [message.state] if message.state not in (None, "complete") else []
        when = day_and_time(message.timestamp) if kind == "prompt" else time_only(message.timestamp)
        beside += [when] if when else []
        if used is not None and used.tokens:
            beside.append(f'<span title="{used.told}">{used.tokens}</span>')
        beside += [used.price] if used is not None and used.price else []
        name = self._name(message, kind)
        copy = copy_button("message") if message.text and kind != "other" else ""
        return (
            f'<header class="by">{name}<span class="meta">{" · ".join(beside)}</span>'
            f'<a class="link" href="#{anchor}" aria-label="Link to this message">#</a>{copy}</header>\n'
        )

    def _goes_on(self, message: Message) -> bool:
        before = self._before
        return before is not None and (before.kind, before.model) == (message.kind, message.model)

    def _name(self, message: Message, kind: str) -> str:
        if kind == "prompt":
            who = {"command": "You, a command", "shell": "You, in the shell"}.get(
                message.kind, "You"
            )
            return tag(
                "h2" if self.depth == 0 else "h3", who if self.depth == 0 else "Asked", "who"
            )
        if kind == "answer":
            who = "Agent" if message.kind == "answer" else WORDS[message.kind].capitalize()
            return (
                ""
                if message.kind == "answer" and self._goes_on(message)
                else tag("span", who, "who")
            )
        return ""

    def _prompt(self, message: Message) -> Iterator[str]:
        if message.kind == "shell":
            yield code(message.text, "sh", self.house.painter)
        elif message.text:
            yield f'<div class="text" dir="auto">{rendered(message.text, self.house.painter, keep_lines=True)}</div>\n'

    def _answer(self, message: Message) -> Iterator[str]:
        if message.text:
            yield f'<div class="text" dir="auto">{rendered(message.text, self.house.painter)}</div>\n'

    def _other(self, message: Message) -> Iterator[str]:
        if message.text:
            word = WORDS.get(message.kind, message.kind).capitalize()
            about = tag("span", first_line(message, 100), "about")
            yield f'<details class="note"><summary class="own">{in_tag(word)} {about}</summary>'
            yield f"{block(message.text, 'wrap')}</details>\n"

    def _edit(self, edit: FileEdit) -> str:
        return f'<div class="edit">{edit_box(edit, self.changes)}</div>\n'
