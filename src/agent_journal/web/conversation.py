"""A conversation on the page: as it is exported, with places to link to and sub-agents as links."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from agent_journal.export.family import Member
from agent_journal.export.html.figures import counted
from agent_journal.export.html.messages import Conversation, PageContext
from agent_journal.export.prose import in_tag, short_title
from agent_journal.model import Message, ToolCall
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.web.sessions_page import session_address


class WebConversation(Conversation):
    """Renders some messages of a session."""

    def __init__(
        self, member: Member, context: PageContext, children: Sequence[SessionRow]
    ) -> None:
        super().__init__(member, context)
        self._sub_agents = children

    def messages(self, messages: Iterable[Message]) -> Iterator[str]:
        """Yield the HTML of messages that follow each other."""
        for message in messages:
            yield from self.message(message, self.anchor(message))

    def attributes(self, message: Message) -> str:
        """What an article says beside its class: where it is in the session."""
        return f' data-at="{message.seq}"'

    def children(self, call: ToolCall) -> Iterator[str]:
        """Links to the sub-agents that a call started."""
        for row in self._sub_agents:
            if call.child_session_id == row.id or row.parent_call_id == call.id:
                name = f"Sub-agent {in_tag(row.agent_name, 60)}".rstrip()
                title = in_tag(short_title(row.title), 120)
                facts = counted(row.message_count, "message")
                yield (
                    f'<p class="file sub-agent"><a href="{session_address(row)}">{name}</a> '
                    f'{title} <span class="meta">{facts}</span></p>\n'
                )
