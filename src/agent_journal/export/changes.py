"""The edits of a session, by the call or the message that made them, as diffs."""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.model import FileEdit, Session
from agent_journal.model.diffs import Differ
from agent_journal.model.origins import PROPOSED_EDIT


class Changes:
    """The edits of a session.

    Those of a message are given out once: what is left belongs to no message that is shown.
    """

    def __init__(self, session: Session) -> None:
        self._differ = Differ()
        self._by_call: dict[str, list[FileEdit]] = {}
        self._by_message: dict[str | None, list[FileEdit]] = {}
        calls = {call.id for message in session.messages for call in message.tool_calls}
        for edit in session.file_edits:
            if edit.kind == "backup":
                continue
            if edit.call_id is not None and edit.call_id in calls:
                self._by_call.setdefault(edit.call_id, []).append(edit)
            else:
                self._by_message.setdefault(edit.message_id, []).append(edit)

    def of_call(self, call_id: str) -> Sequence[FileEdit]:
        """The edits that a call made."""
        return self._by_call.get(call_id, ())

    def take(self, message_id: str) -> Sequence[FileEdit]:
        """The edits that belong to a message and to no call of it."""
        return self._by_message.pop(message_id, ())

    def rest(self) -> list[FileEdit]:
        """The edits of requests that are not in the conversation."""
        return [edit for edits in self._by_message.values() for edit in edits]

    def diff(self, edit: FileEdit) -> str | None:
        """The edit as a unified diff; None when only its path is known."""
        if edit.diff is None and (edit.before is not None or edit.after is not None):
            return self._differ.diff(edit.path, edit.path, edit.before, edit.after).text
        return edit.diff


def lines_of(edit: FileEdit) -> str:
    """How many lines were added and removed, and the state of the edit."""
    counts = []
    if edit.lines_added is not None:
        counts.append(f"+{edit.lines_added}")
    if edit.lines_removed is not None:
        counts.append(f"−{edit.lines_removed}")
    state = "proposed" if edit.origin == PROPOSED_EDIT else edit.state
    return "".join(f" · {part}" for part in (" ".join(counts), state) if part)
