"""Which kind a line of a chat history is.

Aider writes a prompt after a blank line and an answer between blank lines, and ends its own lines
and those of prompts with two spaces. That tells them from headings and quotes in answers, also
where a code fence was never closed.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from agent_journal.connectors.aider.output import classified
from agent_journal.connectors.aider.state import HistoryState
from agent_journal.model import MessageKind

LineKind = Literal["prompt", "output", "more output", "answer"]
PROMPT_MARK = "#### "
OUTPUT_MARK = "> "
_MODEL_COMMANDS = ("/ask", "/code", "/architect", "/context", "/ok")  # they talk to the model
_SHELL = re.compile(r"(?:/run\s+|!\s*|/test\s+(?=\S)|/(?=git\s))(.+)$")


class PromptKind(NamedTuple):
    """The kind of message a prompt is, and the command it runs in a shell."""

    message_kind: MessageKind
    shell_command: str = ""


def starts_run(state: HistoryState, header: str) -> bool:
    """Whether a header starts a run, and is not quoted in an answer.

    A blank line precedes each. Inside an open fence two do, and no run starts before the current
    one.
    """
    if state.previous != "blank":
        return state.previous == "start"
    if not state.fence:
        return True
    current = state.run.header if state.run else ""
    return state.blanks > 1 and header >= current


def line_kind(state: HistoryState, text: str) -> LineKind:
    """Return the kind of a line that is not a header."""
    first = text[0]  # spares most lines a call
    if first == "#" and _is_prompt(state, text):
        return "prompt"
    if first == ">" and _is_output(state, text):
        return "output"
    if state.previous == "output":
        return "more output"
    return "answer"


def note_spaces(state: HistoryState, text: str) -> None:
    """Remember whether aider ends its lines with two spaces in this run."""
    state.is_spaced = state.is_spaced or text.endswith("  ")


def _is_prompt(state: HistoryState, text: str) -> bool:
    if not _has_mark(text, PROMPT_MARK):
        return False
    is_spaced = text.endswith("  ")
    if state.previous == "text" or (state.is_spaced and not is_spaced):
        return False
    is_in_fence = state.fence and state.previous != "prompt"
    # After an answer whose fence was never closed, aider writes two blank lines.
    return not is_in_fence or (is_spaced and state.blanks > 1)


def _is_output(state: HistoryState, text: str) -> bool:
    if not _has_mark(text, OUTPUT_MARK):
        return False
    if state.previous in ("prompt", "output"):  # an answer comes after a blank line
        return True
    is_spaced = text.endswith("  ")
    if state.previous == "text" or (state.is_spaced and not is_spaced):
        return False
    if not state.fence:
        return True
    if state.is_quoting or not is_spaced:
        return False
    output = without_mark(text, OUTPUT_MARK)
    return not output or classified(output).kind != ""


def without_mark(text: str, mark: str) -> str:
    """Return a line without its mark and without the two spaces at its end."""
    text = text[len(mark) :]
    if text.endswith("  "):
        return text[:-2]
    return text.rstrip()


def prompt_kind(text: str) -> PromptKind:
    """Return what a prompt is: a prompt, a slash command or a line for the shell."""
    if not text.startswith(("/", "!")):
        return PromptKind("prompt")
    shell = _SHELL.match(text)
    if shell:
        return PromptKind("shell", shell[1])
    word, _, rest = text.partition(" ")
    if word in _MODEL_COMMANDS and rest.strip():
        return PromptKind("prompt")
    return PromptKind("command")


def _has_mark(text: str, mark: str) -> bool:
    return text.startswith(mark) or text.rstrip() == mark.rstrip()
