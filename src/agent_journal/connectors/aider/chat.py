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
    line_kind,
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
    COMMAND_TITLE_RANK,
    HEADER,
    MAX_HELD,
    TITLE_RANK,
)
from agent_journal.model import MessageKind, Piece, Role

if TYPE_CHECKING:
    from agent_journal.connectors.aider.history import HistoryReader

_THINKING = re.compile(r"<(think|thinking-content-[0-9a-f]+)>$")
_THOUGHT = re.compile(r"</(think|thinking-content-[0-9a-f]+)>$")
_SCRIPTED = re.compile(r" (?:--message|--message-file|--msg|-m|-f)[ =]")
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
            note_spaces(state, text)
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
        if state.previous == "prompt" and state.block.kind == "prompt":
            self._continue_prompt(text)
            return []
        state.fence = ""
        if is_question(text):  # answered by the answer to an earlier one
            reader.mapped("question")
            return [*self._current.close(), self._current.event("question", text, offset, length)]
        kind = prompt_kind(text)
        pieces = self._current.open("prompt", "user", kind.message_kind, offset)
        self._current.forget_proposals()
        state.is_command = kind.message_kind != "prompt"
        state.prompt = state.block.id
        if text == "<blank>":
            reader.skipped("empty prompt", "the person only pressed Enter")
            return pieces
        reader.mapped(kind.message_kind)
        self._current.add(text)
        rank = COMMAND_TITLE_RANK if state.is_command else TITLE_RANK
        self._current.run.propose_title(text.strip(), rank)
        if kind.shell_command:
            pieces += self._current.flush()
            pieces.append(self._current.call(kind.shell_command, state.prompt, offset, length))
        return pieces

    def _continue_prompt(self, text: str) -> None:
        self.reader.mapped("prompt")
        if text.strip() in ("", "<blank>"):
            self.reader.state.block.blanks += 1
        else:
            self._current.add(text)

    def _answer(self, text: str, offset: int) -> list[Piece]:
        state = self.reader.state
        self.reader.mapped("answer")
        pieces: list[Piece] = []
        if state.block.kind != "answer":
            pieces = self._current.open("answer", "assistant", "answer", offset)
            self._current.forget_proposals()
            state.answer = state.block.id
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
        self._current.add(text)
        if not block.is_thinking:
            state.fence = edits.open_fence(state.fence, text)
            state.is_quoting = state.is_quoting and state.fence != ""
            edits.feed(state.edits, text)
        return pieces

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
        run = self._current.run
        if found.session_cost is not None:
            run.cost = found.session_cost
        return usage(
            found, run.id, f"{run.id}:{offset}", self._current.model, self.reader.state.answer
        )

    def _applied(self, output: Output, offset: int) -> Iterator[Piece]:
        state = self.reader.state
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
