"""The sessions of a conversion: which sub-agents and edits have found their place in an answer."""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.convert.accounting import Account
from agent_journal.convert.vscode.calls import Names
from agent_journal.model import FileEdit, Message, Session, ToolCall
from agent_journal.model.diffs import Differ


class Family:
    """All sessions of a conversion, and what is known across all answers."""

    def __init__(self, family: Sequence[Session], account: Account) -> None:
        self.account = account
        self.names = Names()
        self.differ = Differ()
        self._children: dict[tuple[str, str | None], list[Session]] = {}
        for child in family[1:]:
            caller = (child.parent_id or "", child.parent_call_id)
            self._children.setdefault(caller, []).append(child)
        self._not_written = {child.id: child for child in family[1:]}
        self._edits = {session.id: Edits(session) for session in family}

    def take_child(self, call: ToolCall, session: Session) -> Session | None:
        """The sub-agent that a call started, given out once."""
        named = self._not_written.pop(call.child_session_id or "", None)
        if named is not None:
            return named
        for child in self._children.get((session.id, call.id), ()):
            if child.id in self._not_written:
                return self._not_written.pop(child.id)
        return None

    def take_strays(self, session: Session) -> list[Session]:
        """The sub-agents of a session whose calls are not known, given out once."""
        strays = []
        for (parent, _), children in self._children.items():
            if parent == session.id:
                strays += [child for child in children if child.id in self._not_written]
        for child in strays:
            del self._not_written[child.id]
        return strays

    def take_rest(self) -> list[Session]:
        """The sub-agents that nothing led to, given out once."""
        rest = list(self._not_written.values())
        self._not_written.clear()
        return rest

    def edits(self, session: Session) -> Edits:
        """The edits of a session."""
        return self._edits[session.id]


class Edits:
    """The edits of a session, by the call or message they belong to."""

    def __init__(self, session: Session) -> None:
        calls = {call.id for message in session.messages for call in message.tool_calls}
        self.by_call: dict[str, list[FileEdit]] = {}
        self._by_message: dict[str | None, list[FileEdit]] = {}
        for edit in session.file_edits:
            if edit.call_id is not None and edit.call_id in calls:
                self.by_call.setdefault(edit.call_id, []).append(edit)
            else:
                self._by_message.setdefault(edit.message_id, []).append(edit)

    def take_of_message(self, message: Message) -> list[FileEdit]:
        """The edits that belong to a message and to no call of it, given out once."""
        edits: list[FileEdit] = []
        for name in (message.id, *message.record_ids):
            edits += self._by_message.pop(name, ())
        return edits

    def take_rest(self) -> list[FileEdit]:
        """The edits of messages that are not in the conversation, given out once."""
        rest = [edit for edits in self._by_message.values() for edit in edits]
        self._by_message.clear()
        return rest
