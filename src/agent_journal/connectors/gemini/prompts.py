"""Who speaks in a user's message: the person, or the harness in the person's name."""

from __future__ import annotations

import re
from typing import Any

from agent_journal.connectors.gemini.parts import Parts
from agent_journal.connectors.gemini.records import MessageRecord
from agent_journal.model import MessageKind

_CONTEXT = (
    "System: Please continue",
    "This is the Gemini CLI. We are setting up the context",
    "<session_context>",
)
_HOOK = "<hook_context>"
_SNAPSHOT = "<state_snapshot>"
# What the harness tells its sub-agents to do, and the names of these
_INSTRUCTIONS = (
    ("Your task is to do a deep investigation of the codebase", "codebase_investigator"),
    ("Your task is to answer the following question about Gemini CLI", "cli_help"),
    ("Your task is to answer the following question about the Gemini CLI", "cli_help"),
    ("Your task is:\n<task>", "browser_agent"),
)
_TASK = re.compile(r"<(objective|user_objective|question|task)>(.*?)</\1>", re.I | re.DOTALL)
# A path (`/home/me/a.py is broken`) is not a command.
_COMMAND = re.compile(r"/[A-Za-z][\w:-]*(?=\s|\Z)|\?[\w-]*\Z")


def prompt_kind(text: str) -> MessageKind:
    """What kind of message a text is that is recorded as the person's."""
    start = text.strip()
    if start.startswith(_CONTEXT):
        return "injected"
    if start.startswith(_HOOK):
        return "hook"
    if start.startswith(_SNAPSHOT):
        return "compaction"
    if _COMMAND.match(start):
        return "command"
    return "prompt"


def instructed_agent(opening: str) -> str | None:
    """The sub-agent whose instruction a conversation opens with."""
    for mark, name in _INSTRUCTIONS:
        if opening.startswith(mark):
            return name
    return None


def task_of(instruction: str) -> str:
    """The task in the instruction of a sub-agent; all of it if the harness adds nothing."""
    found = _TASK.search(instruction)
    if found is None or instructed_agent(instruction.strip()) is None:
        return instruction
    return found[2]


def opening_of(record: MessageRecord) -> str:
    """The text of a message if a conversation can open with it; otherwise nothing."""
    if record.type != "user":
        return ""
    text = text_of(record).strip()
    if prompt_kind(text) != "prompt":
        return ""
    return text


def text_of(record: MessageRecord) -> str:
    """The text that was sent to the model."""
    return content_of(record).text


def content_of(record: MessageRecord) -> Parts:
    """The content of a message; the API calls it `parts`."""
    content: Any = record.content
    if content is None:
        content = record.parts
    return Parts(content)
