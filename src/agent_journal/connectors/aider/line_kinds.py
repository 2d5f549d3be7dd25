"""Which kind a line of a chat history is.

Aider writes a prompt after a blank line and an answer between blank lines, and ends its own lines
and those of prompts with two spaces. That tells them from headings and quotes in answers, also
where a code fence was never closed. Formatters strip the spaces, of prompts (which are headings to
them) always: the first `####` of a run is a prompt, and shows whether they did.
"""

from __future__ import annotations

import re
from typing import Literal, NamedTuple

from agent_journal.connectors.aider.output import OutputKind, classified
from agent_journal.connectors.aider.state import HistoryState
from agent_journal.model import MessageKind

LineKind = Literal["prompt", "output", "more output", "answer"]
PROMPT_MARK = "#### "
OUTPUT_MARK = "> "
_MODEL_COMMANDS = ("/ask", "/code", "/architect", "/context", "/ok")  # they talk to the model
_SHORT_FORMS = 3  # letters that aider needs at least; `/co` is none of them
_OK = "Ok, please go ahead and make those changes."
# What aider says in the role of the person, about what the person asked for with a command
_BY_AIDER = ("# Question: ", "# Fix any errors below, if possible.")
# Lines that no answer would quote, for histories without the spaces
_SURE: tuple[OutputKind, ...] = ("usage", "applied", "commit", "interrupt")
_SHELL = re.compile(r"(?:/run\s+|!\s*|/test\s+(?=\S)|/(?=git\s))(.+)$")


class PromptKind(NamedTuple):
    """The kind of message a prompt is, and what its command runs in a shell or sends to a model."""

    message_kind: MessageKind
    shell_command: str = ""
    words: str = ""  # of `/ask words`
    echo: str = ""  # what aider repeats of them
    mode: str = ""  # ask, code, …: without words, they may follow on the next lines


def starts_run(state: HistoryState, header: str) -> bool:
    """Whether a header starts a run, and is not quoted in an answer.

    A blank line precedes each. Inside an open fence two do, unless a formatter removed one, and no
    run starts before the current one.
    """
    if state.previous != "blank":
        return state.previous == "start"
    if not state.fence:
        return True
    current = state.run.header if state.run else ""
    has_blanks = state.blanks > 1 or state.has_spaced_prompts is False
    return has_blanks and header >= current


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


def note_prompt_spaces(state: HistoryState, text: str) -> None:
    """Remember whether prompts end with two spaces in this run."""
    state.has_spaced_prompts = state.has_spaced_prompts or text.endswith("  ")


def _is_prompt(state: HistoryState, text: str) -> bool:
    if state.previous == "text" or not _has_mark(text, PROMPT_MARK):
        return False
    if state.has_spaced_prompts and not text.endswith("  "):
        return False
    is_in_fence = state.fence and state.previous != "prompt"
    # After an answer whose fence was never closed, aider writes two blank lines.
    return not is_in_fence or state.blanks > 1


def _is_output(state: HistoryState, text: str) -> bool:
    if not _has_mark(text, OUTPUT_MARK):
        return False
    if state.previous in ("prompt", "output"):  # an answer comes after a blank line
        return True
    if state.previous == "text":
        return False
    is_spaced = text.endswith("  ")
    if not state.fence and (is_spaced or not state.is_spaced):
        return True
    if state.is_quoting:
        return False
    output = without_mark(text, OUTPUT_MARK)
    kind = classified(output).kind
    if is_spaced:
        return not output or kind != ""
    if state.has_spaced_prompts is not False:
        return False
    if state.fence:
        return not output or kind in _SURE
    return kind != "" or state.block.kind == "prompt"


def without_mark(text: str, mark: str) -> str:
    """Return a line without its mark and without the two spaces at its end."""
    text = text[len(mark) :]
    if text.endswith("  "):
        return text[:-2]
    return text.rstrip()


def prompt_kind(text: str) -> PromptKind:
    """Return what a prompt is: a prompt, a slash command or a line for the shell."""
    if text.startswith(_BY_AIDER):
        return PromptKind("injected")
    if not text.startswith(("/", "!")):
        return PromptKind("prompt")
    shell = _SHELL.match(text)
    if shell:
        return PromptKind("shell", shell[1])
    word, _, rest = text.partition(" ")
    mode = _mode(word)
    words = rest.strip()
    if mode == "ok":
        return PromptKind("prompt", words=words, echo=_OK, mode=mode)
    if not mode or not words:
        return PromptKind("command", mode=mode)
    return PromptKind("prompt", words=words, echo=words, mode=mode)


def _mode(word: str) -> str:
    """Return the mode of a command, which may be shortened; empty for those of no model."""
    if len(word) < _SHORT_FORMS or word == "/co":
        return ""
    return next((name[1:] for name in _MODEL_COMMANDS if name.startswith(word)), "")


def _has_mark(text: str, mark: str) -> bool:
    return text.startswith(mark) or text.rstrip() == mark.rstrip()
