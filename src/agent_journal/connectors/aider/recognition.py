"""Whether a text is one of Aider's histories, and which run it begins with."""

from __future__ import annotations

import os

from agent_journal.connectors.aider.history import PROMPT_TIME
from agent_journal.connectors.aider.places import CHAT
from agent_journal.connectors.aider.state import HEADER, history_name, run_id
from agent_journal.connectors.base import Recognition
from agent_journal.connectors.recognition import begins_as_json, without_padding

_MARKS = ("#### ", "> ")
# How transcripts of other agents begin, which may quote a history
_FOREIGN_STARTS = (b"user:\n", b"user:\r\n", b"assistant:\n")


def recognise(path: str, head: bytes) -> Recognition | None:
    """A history by its text; one that a person named like Aider does, whatever it begins with."""
    text = without_padding(head)
    if not path.endswith(CHAT) and (begins_as_json(head) or text.startswith(_FOREIGN_STARTS)):
        return None
    is_history, session = first_session(path, text)
    return Recognition("log", session) if is_history else None


def first_session(path: str, head: bytes) -> tuple[bool, str | None]:
    """Whether a file that begins with `head` is a history, and the id of its first run.

    A prompt history has no runs. A chat history that was cut off at its beginning is recognised by
    its name and by lines of prompts or of Aider's output.
    """
    lines = [line for line in head.decode("utf-8", "replace").split("\n") if line.strip("\0\r\t ")]
    if not lines:
        return False, None
    header = HEADER.match(lines[0])
    history = history_name(path, head)
    if header:
        return True, history and run_id(history, header[1], 0)
    if PROMPT_TIME.match(lines[0]):
        return any(line.startswith("+") for line in lines), None
    has_name = os.path.basename(path).endswith(CHAT)
    if has_name and any(line.startswith(_MARKS) for line in lines):
        return True, history and run_id(history, "", 0)
    return any(map(HEADER.match, lines)), history and run_id(history, "", 0)
