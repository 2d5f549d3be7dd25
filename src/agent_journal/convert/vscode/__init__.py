"""Sessions as chats that VS Code imports: one document that every version from 1.95 on opens."""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.convert.target import Converted, NewIdentity
from agent_journal.model import Session


class VsCode:
    """The target: a session and its sub-agents become one chat."""

    name = "vscode"

    def convert(self, family: Sequence[Session], fresh: NewIdentity) -> Converted:
        """The session (first) with its sub-agents inside the calls that started them."""
        from agent_journal.convert.vscode.document import write_document

        return write_document(family, fresh)


TARGET = VsCode()


def next_step(path: str) -> str:
    """What a person does with a written file."""
    return (
        f"In VS Code: Command Palette, 'Chat: Import Chat...', choose {path}. "
        "Newer versions discard an imported chat unless you send a message in it, or type /fork."
    )
