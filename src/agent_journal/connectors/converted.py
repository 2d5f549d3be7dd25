"""Marks in sessions that `aj convert` wrote, for what the agent itself has no place for.

Texts of the harness are put into an element with their kind, so that they are not taken for what a
person typed:

    <agent_journal kind="notification">
    The build has finished.
    </agent_journal>
"""

from __future__ import annotations

import re
from typing import NamedTuple, cast, get_args

from agent_journal.model import MessageKind

NO_RESULT = "[no result was recorded]"  # of a call for which the agent demands one
# Before a prompt that the agent would take for a command: nobody sees it
NOT_A_COMMAND = "\u200b"
_NOTE = re.compile(r'<agent_journal kind="([a-z_]+)">\n(.*)\n</agent_journal>', re.DOTALL)


class ConvertedText(NamedTuple):
    """A text that was converted from another agent."""

    kind: MessageKind
    text: str


def converted_note(kind: MessageKind, text: str) -> str:
    """Return a text of the harness in the element by which it is known later."""
    return f'<agent_journal kind="{kind}">\n{text}\n</agent_journal>'


def converted_text(text: str) -> ConvertedText | None:
    """Return what is in that element; None for any other text."""
    found = _NOTE.fullmatch(text)
    if found is None or found[1] not in get_args(MessageKind):
        return None
    return ConvertedText(cast("MessageKind", found[1]), found[2])
