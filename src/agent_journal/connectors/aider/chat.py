"""A chat history: runs, prompts (`#### …`), aider's own lines (`> …`) and answers (the rest)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from agent_journal.connectors.aider import edits
from agent_journal.connectors.aider.conversation import Conversation
from agent_journal.connectors.aider.line_kinds import (
    OUTPUT_MARK,
    PROMPT_MARK,
    PromptKind,
    line_kind,
    note_prompt_spaces,
    note_spaces,
    prompt_kind,
    starts_run,
    without_mark,
)
from agent_journal.connectors.aider.output import (
    Output,
    OutputKind,
    classified,
    is_question,
    tokens,
    usage,
)
from agent_journal.connectors.aider.state import (
    HEADER,
    MAX_HELD,
)
from agent_journal.connectors.values import title_of
from agent_journal.model import MessageKind, Piece, Role, Withdrawal

if TYPE_CHECKING:
    from agent_journal.connectors.aider.history import HistoryReader

_THINKING = re.compile(r"<(think|thinking-content-[0-9a-f]+)>$")
_THOUGHT = re.compile(r"</(think|thinking-content-[0-9a-f]+)>$")
_SCRIPTED = re.compile(r" (?:--message|--message-file|--msg|-m|-f)[ =]")
_EDIT_FORMAT = re.compile(r" with (\S+) edit format")
# Errors after which none of the other edits of an answer is applied without a word
_NOT_APPLIED = re.compile(
    r"The LLM did not conform|Malformed response|UnifiedDiffNo|# \d+ SEARCH/REPLACE blocks? failed"
)
_MAX_ECHO = 1000  # characters of its first line
_ECHO = ("echo", "repeats the prompt or the answer before it")
# Output that is shown as a message; all other kinds are events, calls, edits or usage.
_PRINTED: tuple[OutputKind, ...] = ("", "error", "interrupt", "failed")
_EVENTS = {
    "version": "version",
    "model": "model",
    "setting": "setting",
    "launch": "launch",
    "commit": "commit",
    "undo": "undo",
    "passed": "edit not applied",
    "created": "file created",
    "added": "file added",
    "dropped": "file dropped",
    "asked": "question",
}


class Chat:
    """The grammar of a chat history; what it remembers is in the reader's state."""

    def __init__(self, reader: HistoryReader) -> None:
        self.reader = reader
        self._current = Conversation(reader)

    def flush(self) -> list[Piece]:
        """Return the current message as far as it was read."""
        return self._current.flush()

    def resume(self) -> list[Piece]:
        """Take back the edits that were yielded at the end: what follows may tell their outcome."""
        state = self.reader.state
        if not state.edits.is_yielded or state.answer is None:
            return []
        state.edits.is_yielded = False
        run_id = self._current.run.id
        return [Withdrawal(session_id=run_id, message_id=state.answer, is_of_edits=True)]

    def end(self) -> list[Piece]:
        """Return the edits of the last answer, whose outcome is not known yet."""
        if self.reader.state.edits.is_yielded:
            return []
        pieces = self._current.proposed_edits()
        self.reader.state.edits.is_yielded = bool(pieces)
        return pieces

    # -- lines ---------------------------------------------------------------------------------

    def line(self, text: str, offset: int, length: int) -> Iterable[Piece]:
        """Return the pieces of a line that is not blank."""
        state = self.reader.state
        header = HEADER.match(text) if text[0] == "#" else None
        if header:
            if starts_run(state, header[1]):
                return self._current.start_run(header[1], offset, length)
            state.is_quoting = bool(state.fence)
        kind = line_kind(state, text)
        pieces: list[Piece]
        if kind == "prompt":
            note_prompt_spaces(state, text)
            pieces = self._prompt(without_mark(text, PROMPT_MARK), offset, length)
            state.previous = "prompt"
        elif kind == "output":
            # Output right after a prompt or other output may be what a command printed.
            if state.previous not in ("prompt", "output"):
                note_spaces(state, text)
            pieces = self._output(without_mark(text, OUTPUT_MARK), offset, length)
            state.previous = "output"
        elif kind == "more output":
            # Output with line breaks in it: only its first line has the mark.
            pieces = self._output(without_mark(text, ""), offset, length)
        else:
            pieces = self._answer(text, offset)
            state.previous = "text"
        state.blanks = 0
        return pieces

    def blank(self) -> None:
        """Count a blank line."""
        state = self.reader.state
        if state.previous != "start":
            state.previous = "blank"
        state.blanks += 1
        if state.block.kind == "answer":
            state.block.blanks += 1
            edits.blank(state.edits)

    # -- messages ------------------------------------------------------------------------------

    def _prompt(self, text: str, offset: int, length: int) -> list[Piece]:
        reader = self.reader
        state = reader.state
        if self._is_continued(text):
            self._continue_prompt(text)
            return []
        state.fence = ""
        if is_question(text):  # answered by the answer to an earlier one
            reader.mapped("question")
            return [*self._current.close(), self._current.event("question", text, offset, length)]
        if state.echo and text.strip()[:_MAX_ECHO] == state.echo:
            return self._echo(offset)
        kind = prompt_kind(text)
        pieces = self._current.open("prompt", "user", kind.message_kind, offset)
        pieces += self._current.end_proposals()
        state.is_command = kind.message_kind != "prompt"
        state.prompt = state.block.id
        state.echo = kind.echo[:_MAX_ECHO]
        state.mode = kind.mode if kind.echo else ""
        if text == "<blank>":
            reader.skipped("empty prompt", "the person only pressed Enter")
            return pieces
        reader.mapped(kind.message_kind)
        if kind.mode and not kind.echo:
            state.held = text
        else:
            self._current.add(text)
        self._note_title(kind, text)
        if kind.shell_command:
            pieces += self._current.flush()
            pieces.append(self._current.call(kind.shell_command, state.prompt, offset, length))
        return pieces

    def _is_continued(self, text: str) -> bool:
        """Whether a line belongs to the prompt before it.

        Formatters put blank lines between the lines of a prompt, which are headings to them.
        """
        state = self.reader.state
        if state.block.kind not in ("prompt", "echo"):
            return False
        if state.previous == "prompt":
            return True
        is_spread = state.has_spaced_prompts is False and state.blanks == 1 and not state.echo
        return is_spread and not state.is_command and not text.startswith(("/", "!"))

    def _continue_prompt(self, text: str) -> None:
        block = self.reader.state.block
        if block.kind == "echo":
            self.reader.skipped(*_ECHO)
            return
        self.reader.mapped("prompt")
        if text.strip() in ("", "<blank>"):
            block.blanks += 1
            return
        if self.reader.state.held:
            self._add_words(text)
        self._current.add(text)
        if block.message_kind == "prompt":
            self._current.run.spoken.note_prompt(text)

    def _add_words(self, text: str) -> None:
        """Note the first of the words of a command that stands on a line of its own."""
        state = self.reader.state
        command = state.held
        state.held = ""
        state.block.message_kind = "prompt"
        state.is_command = False
        state.mode = prompt_kind(command).mode
        state.echo = text.strip()[:_MAX_ECHO]
        self._current.add(command)

    def _echo(self, offset: int) -> list[Piece]:
        """Skip what aider repeats: the words of a command, or the architect's answer."""
        state = self.reader.state
        state.echo = ""
        is_for_editor = state.answer is not None
        self.reader.skipped(*_ECHO)
        pieces = self._current.open("echo", "user", "injected", offset)
        pieces += self._current.end_proposals()
        if is_for_editor:
            state.mode = "code"
        return pieces

    def _note_title(self, kind: PromptKind, text: str) -> None:
        run = self._current.run
        if kind.message_kind == "prompt":
            run.spoken.note_prompt(kind.words or text)
        elif kind.message_kind in ("command", "shell") and run.command is None:
            run.command = title_of(text)

    def _answer(self, text: str, offset: int) -> list[Piece]:
        state = self.reader.state
        self.reader.mapped("answer")
        pieces: list[Piece] = []
        if state.block.kind != "answer":
            pieces = self._current.open("answer", "assistant", "answer", offset)
            pieces += self._current.end_proposals()
            state.answer = state.block.id
            state.answer_offset = offset
            state.fence = ""
            state.is_command = False
            state.is_quoting = False
        block = state.block
        if block.is_thinking and _THOUGHT.match(text):
            pieces += self._current.flush()
            block.is_thinking = False
            block.blanks = 0
            return pieces
        if text[0] == "<" and _THINKING.match(text) and not self._current.has_text:
            block.is_thinking = True
            return pieces
        if not block.is_noted and not block.is_thinking:
            block.is_noted = True
            self._begin_answer(text)
        self._current.add(text)
        if not block.is_thinking:
            if state.fence or text[0] in "`<":  # spares most lines a call
                state.fence = edits.open_fence(state.fence, text)
            state.is_quoting = state.is_quoting and state.fence != ""
            edits.feed(state.edits, text)
        return pieces

    def _begin_answer(self, text: str) -> None:
        """Note the first line of an answer: an architect's is repeated for the editor."""
        state = self.reader.state
        run = self._current.run
        run.spoken.note_answer(text)
        state.echo = ""
        if (state.mode or run.edit_format) == "architect":
            state.echo = text.strip()[:_MAX_ECHO]

    # -- aider's own lines ---------------------------------------------------------------------

    def _output(self, text: str, offset: int, length: int) -> list[Piece]:
        reader = self.reader
        state = reader.state
        state.fence = ""
        output = self._classified(text)
        if output.kind in _PRINTED:
            return self._printed(text, output, offset)
        pieces = self._current.close()
        if output.kind == "asked":
            state.may_run = output.value == "run"
        elif output.kind != "running":
            state.may_run = False
        if output.kind == "running":
            reader.mapped("shell command")
            message_id = state.answer or state.prompt
            pieces.append(self._current.call(output.value, message_id, offset, length))
        elif output.kind == "usage":
            pieces.append(self._usage(text, offset, length))
        elif output.kind in ("applied", "others applied"):
            reader.mapped("edit applied")
            pieces += self._applied(output, offset)
        else:
            self._learn(output, text)
            reader.mapped(_EVENTS[output.kind])
            pieces.append(self._current.event(_EVENTS[output.kind], text, offset, length))
        return pieces

    def _classified(self, text: str) -> Output:
        """Return what a line says here.

        Aider names its command line only before the first prompt, and runs a command only after
        it asked.
        """
        state = self.reader.state
        output = classified(text)
        if output.kind == "launch" and state.prompt is not None:
            return Output("")
        if output.kind == "running" and not state.may_run:
            return Output("")
        return output

    def _learn(self, output: Output, text: str) -> None:
        """Remember what a line says about the run."""
        run = self._current.run
        state = self.reader.state
        if output.kind == "version":
            run.version = run.version or output.value
        elif output.kind == "model":
            run.use(output.value)
            edit_format = _EDIT_FORMAT.search(text)
            run.edit_format = edit_format[1] if edit_format else ""
        elif output.kind == "launch":
            run.is_scripted = _SCRIPTED.search(text) is not None
        elif output.kind == "created":
            state.created = [*state.created, output.value or state.subject][-MAX_HELD:]
        elif output.kind == "passed":
            edits.drop(state.edits, output.value)

    def _printed(self, text: str, output: Output, offset: int) -> list[Piece]:
        """Return the pieces of a line that is part of what aider or a command printed."""
        state = self.reader.state
        block = state.block
        if output.kind == "failed":
            edits.drop(state.edits, output.value)
        elif output.kind == "interrupt" and not state.edits.is_counted:
            state.edits.has_outcome = True  # the answer was cut off
        elif output.kind == "error" and _NOT_APPLIED.match(text):
            state.edits.has_outcome = True
        kind = self._printed_kind(output)
        self.reader.mapped(kind)
        if not text.strip():
            if block.kind == "output":
                block.blanks += 1
            return []
        pieces: list[Piece] = []
        if block.kind != "output" or block.message_kind != kind:
            role: Role = "user" if kind == "interrupt" else "system"
            pieces = self._current.open("output", role, kind, offset)
        state.subject = text[:1000]
        self._current.add(text)
        return pieces

    def _printed_kind(self, output: Output) -> MessageKind:
        state = self.reader.state
        if output.kind == "error" or output.kind == "interrupt":
            return output.kind
        if state.block.kind == "output" and state.block.message_kind == "error":
            return "error"
        return "command_output" if state.is_command else "notice"

    def _usage(self, text: str, offset: int, length: int) -> Piece:
        found = tokens(text)
        if found.sent is None and found.received is None:
            self.reader.unknown("tokens")
            return self._current.event("tokens", text, offset, length, raw=text)
        self.reader.mapped("usage")
        self.reader.state.edits.is_counted = True
        run = self._current.run
        if found.session_cost is not None:
            run.cost = found.session_cost
        return usage(
            found, run.id, f"{run.id}:{offset}", self._current.model, self.reader.state.answer
        )

    def _applied(self, output: Output, offset: int) -> Iterator[Piece]:
        state = self.reader.state
        state.edits.has_outcome = True
        if output.kind == "others applied":
            # Of several blocks only those that failed are sent again.
            blocks = (edit for edit in state.edits.found if edit.form == "block")
            paths = list(dict.fromkeys(edit.path for edit in blocks))
        elif output.value in state.applied:
            paths = []
        else:
            paths = [output.value]
        for path in paths:
            state.applied = [*state.applied, path][-MAX_HELD:]
            yield from edits.file_edits(
                edits.applied(state.edits, path),
                path,
                is_new=path in state.created,
                session_id=self._current.run.id,
                message_id=state.answer,
                offset=offset,
            )
