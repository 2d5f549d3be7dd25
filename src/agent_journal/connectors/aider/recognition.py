"""Whether a text is a history of Aider's, and which run it begins with."""

from __future__ import annotations

import os

from agent_journal.connectors.aider.history import PROMPT_TIME
from agent_journal.connectors.aider.places import CHAT
from agent_journal.connectors.aider.state import HEADER, run_id

_MARKS = ("#### ", "> ")


def first_session(path: str, head: bytes) -> tuple[bool, str | None]:
    """Whether a file that begins with `head` is a history, and the id of its first run; a prompt
    history has none.

    A chat history that was cut off at its beginning is known by its name and by lines of prompts or
    of aider's own.
    """
    lines = [line for line in head.decode("utf-8", "replace").split("\n") if line.strip("\0\r\t ")]
    if not lines:
        return False, None
    if header := HEADER.match(lines[0]):
        return True, run_id(path, header[1], 0)
    if PROMPT_TIME.match(lines[0]):
        return any(line.startswith("+") for line in lines), None
    is_named = os.path.basename(path).endswith(CHAT) and any(
        line.startswith(_MARKS) for line in lines
    )
    return is_named or any(map(HEADER.match, lines)), run_id(path, "", 0)
