"""A conversation on the page: what was said, and between it what was done, folded into one line.

The three depths of reading differ only in what is open: Story shows texts, Steps also the calls
between them, Everything also what is inside of each.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from msgspec.structs import replace

from agent_journal.export.family import Member
from agent_journal.export.html.figures import counted, duration, total
from agent_journal.export.html.messages import Conversation, PageContext
from agent_journal.export.prose import in_tag, short_title
from agent_journal.export.words import PEOPLE, SPOKEN
from agent_journal.model import Message, ToolCall
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.web.addresses import session_address

DEPTHS = ("story", "steps", "everything")


class WebConversation(Conversation):
    """Renders some messages of a session."""

    def __init__(
        self,
        member: Member,
        context: PageContext,
        children: Sequence[SessionRow],
        reading: str = "story",
    ) -> None:
        if reading == "everything":
            self.opened = " open"
        super().__init__(member, context)
        self._row = member.row
        self._sub_agents = children
        self._said: Message | None = None
        self._are_steps_open = reading != "story"

    def messages(self, messages: Iterable[Message]) -> Iterator[str]:
        """Yield the HTML of messages that follow each other."""
        steps: list[Message] = []
        for message in messages:
            before, said, after = _divided(message)
            if before is not None:
                steps.append(before)
            if said is not None:
                yield from self._steps(steps)
                steps = []
                self._before = self._said  # what is folded in between does not name the speaker
                yield from self.message(said, self.anchor(said))
                self._said = said
            if after is not None:
                steps.append(after)
        yield from self._steps(steps)

    def attributes(self, message: Message) -> str:
        """What an article says beside its class: where it is in the session."""
        return f' data-at="{message.seq}" tabindex="-1"'

    def address(self, message: Message, anchor: str) -> str:
        """A message is found by its position, also when it is not in the page."""
        return session_address(self._row, message.seq)

    def children(self, call: ToolCall) -> Iterator[str]:
        """Links to the sub-agents that a call started."""
        return map(sub_agent_link, self._started_by(call))

    def _started_by(self, call: ToolCall) -> Iterator[SessionRow]:
        for row in self._sub_agents:
            if call.child_session_id == row.id or row.parent_call_id == call.id:
                yield row

    def _steps(self, messages: Sequence[Message]) -> Iterator[str]:
        """What was done between two texts, behind one line."""
        if not messages:
            return
        is_open = " open" if self._are_steps_open else ""
        # A feed consists of articles
        yield '<div role="article" aria-label="Steps">'
        yield f'<details class="steps"{is_open}><summary>{self._summary(messages)}</summary>\n'
        for message in messages:
            yield from self.message(message, self.anchor(message))
        yield "</details>\n"
        # Folded steps would hide them; the style shows these lines only while the steps are folded
        calls = (call for message in messages for call in message.tool_calls)
        links = "".join(sub_agent_link(row) for call in calls for row in self._started_by(call))
        if links:
            yield f'<div class="started">{links}</div>\n'
        yield "</div>\n"

    def _summary(self, messages: Sequence[Message]) -> str:
        calls = [call for message in messages for call in message.tool_calls]
        facts = []
        if calls:
            facts.append(counted(len(calls), "step"))
            facts.append(_names(calls))
        else:
            facts.append(_kinds(messages))
        files = {edit.path for call in calls for edit in self.changes.of_call(call.id)}
        if files:
            facts.append(f"{counted(len(files), 'file')} changed")
        failed = sum(call.success is False for call in calls)
        if failed:
            facts.append(f'<span class="failed">{failed} failed</span>')
        took = sum(call.duration_ms or 0 for call in calls)
        if took:
            facts.append(duration(took))
        used = [message.usage for message in messages if message.usage]
        facts.append(total(used, self.context.cost).price)
        return " · ".join(filter(None, facts))


def sub_agent_link(row: SessionRow) -> str:
    """A line that leads to a sub-agent."""
    name = f"Sub-agent {in_tag(row.agent_name, 60)}".rstrip()
    title = in_tag(short_title(row.title), 120)
    facts = counted(row.message_count, "message")
    return (
        f'<p class="file sub-agent"><a href="{session_address(row)}">{name}</a> '
        f'{title} <span class="meta">{facts}</span></p>\n'
    )


def _divided(message: Message) -> tuple[Message | None, Message | None, Message | None]:
    """The reasoning of a message, what it says, and its calls: each as a message, or None."""
    is_said = message.kind in PEOPLE or (
        message.kind in SPOKEN and message.state != "hidden" and bool(message.text)
    )
    if not is_said:
        return message, None, None
    before = after = None
    if message.reasoning:
        before = replace(message, text="", attachments=(), tool_calls=(), usage=None)
    if message.tool_calls:
        after = replace(message, text="", attachments=(), reasoning=None, usage=None)
    return before, replace(message, reasoning=None, tool_calls=()), after


def _names(calls: Sequence[ToolCall]) -> str:
    """Which tools were used, the most used first."""
    from collections import Counter

    names = Counter(call.name or "unknown tool" for call in calls)
    shown = [in_tag(name, 30) for name, _ in names.most_common(3)]
    if len(names) > len(shown):
        shown.append("…")
    return ", ".join(shown)


def _kinds(messages: Sequence[Message]) -> str:
    from agent_journal.export.words import WORDS

    words = []
    for message in messages:
        word = "reasoning"
        if message.text:
            word = WORDS.get(message.kind, message.kind)
        words.append(in_tag(word, 60))
    return ", ".join(dict.fromkeys(words)).capitalize()
