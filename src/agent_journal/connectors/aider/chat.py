"""A chat history: runs, prompts (`#### …`), aider's own lines (`> …`), and everything else, which
is an answer.

Aider writes a prompt after a blank line and an answer between blank lines, and ends its own lines
and those of prompts with two spaces. That tells them from headings and quotes in answers, also
where a code fence was never closed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from agent_journal.connectors.aider import edits
from agent_journal.connectors.aider.output import Output, classified, is_question, tokens, usage
from agent_journal.connectors.aider.state import (
    COMMAND_TITLE_RANK,
    HEADER,
    MAX_HELD,
    TITLE_RANK,
    Block,
    BlockKind,
    Blocks,
    Run,
    run_id,
)
from agent_journal.model import Event, Message, MessageKind, Piece, Role, ToolCall

if TYPE_CHECKING:
    from agent_journal.connectors.aider.history import HistoryReader

_ASKING = ("/ask", "/code", "/architect", "/context", "/ok")  # commands that talk to the model
_SHELL = re.compile(r"(?:/run\s+|!\s*|/test\s+(?=\S)|/(?=git\s))(.+)$")
_THINKING = re.compile(r"<(think|thinking-content-[0-9a-f]+)>$")
_THOUGHT = re.compile(r"</(think|thinking-content-[0-9a-f]+)>$")
_SCRIPTED = re.compile(r" (?:--message|--message-file|--msg|-m|-f)[ =]")
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
        self._text: list[str] = []  # of the block at hand, since it was last told

    # -- lines ---------------------------------------------------------------------------------

    def line(self, text: str, offset: int, length: int) -> Iterable[Piece]:
        """The pieces of a line that is not blank."""
        state = self.reader.state
        first = text[:1]
        if first == "#" and (header := HEADER.match(text)):
            if self._is_header(header[1]):
                return self._started(header[1], offset, length)
            state.is_quoting = bool(state.fence)
        if first == "#" and self._is_prompt(text):
            pieces = self._prompt(_unmarked(text, 5), offset, length)
            state.previous = "prompt"
        elif first == ">" and self._is_output(text):
            pieces = self._output(_unmarked(text, 2), offset, length)
            state.previous = "output"
        elif state.previous == "output":
            # A line of output with line breaks in it: only its first line has the mark.
            pieces = self._output(_unmarked(text, 0), offset, length)
        else:
            pieces = self._answer(text, offset)
            state.previous = "text"
        state.blanks = 0
        return pieces

    def blank(self) -> None:
        """Takes a blank line."""
        state = self.reader.state
        state.previous = "blank" if state.previous != "start" else "start"
        state.blanks += 1
        if state.block.kind == "answer":
            state.block.blanks += 1
            edits.blank(state.edits)

    def _is_header(self, header: str) -> bool:
        """A blank line stands before each; where a fence is open, two, and no run begins before the
        one it is in.
        """
        state = self.reader.state
        if state.previous != "blank":
            return state.previous == "start"
        return not state.fence or (state.blanks > 1 and header >= self.run.header)

    def _is_prompt(self, text: str) -> bool:
        state = self.reader.state
        if not text.startswith("#### ") and text.rstrip() != "####":
            return False
        is_spaced = text.endswith("  ")
        if state.previous == "text" or (state.is_spaced and not is_spaced):
            return False
        if state.previous != "prompt" and state.fence and not (is_spaced and state.blanks > 1):
            return False
        state.is_spaced = state.is_spaced or is_spaced
        return True

    def _is_output(self, text: str) -> bool:
        state = self.reader.state
        if not text.startswith("> ") and text.rstrip() != ">":
            return False
        is_spaced = text.endswith("  ")
        if state.previous in ("prompt", "output"):  # an answer comes after a blank line
            return True
        if state.previous == "text" or (state.is_spaced and not is_spaced):
            return False
        said = _unmarked(text, 2)
        if state.fence and (
            state.is_quoting or not (is_spaced and (not said or classified(said).kind))
        ):
            return False
        state.is_spaced = state.is_spaced or is_spaced
        return True

    # -- runs ----------------------------------------------------------------------------------

    def _started(self, header: str, offset: int, length: int) -> list[Piece]:
        reader, state = self.reader, self.reader.state
        pieces = self.close()
        before = state.run
        if before is not None:
            reader.told.append(before.session("aider", reader.folder))
        state.run = Run(run_id(reader.file.path, header, self._number(header, offset)), header)
        state.is_spaced, state.previous, state.blanks, state.fence = False, "start", 0, ""
        state.prompt, state.may_run = None, False
        self._turn()
        reader.mapped("run")
        event = self._event("run", f"aider chat started at {header}", offset, length)
        return [*pieces, event]

    def _number(self, header: str, offset: int) -> int:
        """What tells a run from others of the same start: its number among them, or its place where
        time went back.
        """
        state = self.reader.state
        if header < state.latest:
            return offset
        state.repeat = state.repeat + 1 if header == state.latest else 0
        state.latest = header
        return state.repeat

    @property
    def run(self) -> Run:
        """The run at hand; lines before the first header are a run of their own."""
        state = self.reader.state
        if state.run is None:
            state.run = Run(run_id(self.reader.file.path, "", 0))
        return state.run

    def _turn(self) -> None:
        """A new prompt or answer: what was proposed before and not applied never will be."""
        state = self.reader.state
        state.edits, state.created, state.applied = Blocks(), [], []
        state.answer = None

    # -- messages ------------------------------------------------------------------------------

    def flush(self) -> list[Piece]:
        """The text of the block at hand that was not told yet."""
        if not self._text:
            return []
        block = self.reader.state.block
        text, self._text = "".join(self._text), []
        continues = block.has_reasoning if block.is_thinking else block.has_text
        block.has_reasoning, block.has_text = (
            block.is_thinking or block.has_reasoning,
            not block.is_thinking or block.has_text,
        )
        return [
            Message(
                session_id=self.run.id,
                id=block.id,
                role=block.role,
                kind=block.message_kind,
                text="" if block.is_thinking else text,
                reasoning=text if block.is_thinking else "",
                model=self._model if block.role == "assistant" else None,
                continues=continues,
                offset=block.offset,
            )
        ]

    def close(self) -> list[Piece]:
        """Ends the block at hand."""
        pieces = self.flush()
        self.reader.state.block = Block()
        return pieces

    def _open(
        self, kind: BlockKind, role: Role, message_kind: MessageKind, offset: int
    ) -> list[Piece]:
        pieces = self.close()
        self.reader.state.block = Block(kind, f"line-{offset}", role, message_kind, offset)
        return pieces

    def _add(self, text: str) -> None:
        block = self.reader.state.block
        is_begun = self._text or (block.has_reasoning if block.is_thinking else block.has_text)
        if not is_begun and not text.strip():
            return
        self._text.append("\n" * (block.blanks + 1) + text if is_begun else text)
        block.blanks = 0

    @property
    def _model(self) -> str | None:
        models = self.run.models
        return models[-1] if models else None

    def _prompt(self, text: str, offset: int, length: int) -> list[Piece]:
        reader, state = self.reader, self.reader.state
        if state.previous == "prompt" and state.block.kind == "prompt":
            reader.mapped("prompt")
            if text.strip() in ("", "<blank>"):
                state.block.blanks += 1
            else:
                self._add(text)
            return []
        state.fence = ""
        if is_question(text):  # answered by what was said to an earlier one
            reader.mapped("question")
            return [*self.close(), self._event("question", text, offset, length)]
        kind, command = _prompt_kind(text)
        pieces = self._open("prompt", "user", kind, offset)
        self._turn()
        state.is_command = kind != "prompt"
        state.prompt = state.block.id
        if text == "<blank>":
            reader.skipped("empty prompt", "the person only pressed Enter")
            return pieces
        reader.mapped(kind)
        self._add(text)
        self.run.entitle(text.strip(), TITLE_RANK if kind == "prompt" else COMMAND_TITLE_RANK)
        if command:
            pieces += [*self.flush(), self._call(command, state.prompt, offset, length)]
        return pieces

    def _answer(self, text: str, offset: int) -> list[Piece]:
        reader, state = self.reader, self.reader.state
        reader.mapped("answer")
        pieces: list[Piece] = []
        if state.block.kind != "answer":
            pieces = self._open("answer", "assistant", "answer", offset)
            self._turn()
            state.answer, state.fence, state.is_command = state.block.id, "", False
            state.is_quoting = False
        block = state.block
        if block.is_thinking and _THOUGHT.match(text):
            pieces += self.flush()
            block.is_thinking, block.blanks = False, 0
        elif text[0] == "<" and _THINKING.match(text) and not (self._text or block.has_text):
            block.is_thinking = True
        else:
            self._add(text)
            if not block.is_thinking:
                state.fence = edits.open_fence(state.fence, text)
                state.is_quoting = state.is_quoting and state.fence != ""
                edits.feed(state.edits, text)
        return pieces

    # -- aider's own lines ---------------------------------------------------------------------

    def _output(self, text: str, offset: int, length: int) -> list[Piece]:
        reader, state = self.reader, self.reader.state
        state.fence = ""
        said = classified(text)
        if (
            state.prompt is not None
            if said.kind == "launch"
            else said.kind == "running" and not state.may_run
        ):
            said = Output("")
        if said.kind in ("", "error", "interrupt", "failed"):
            return self._said(text, said, offset)
        pieces = self.close()
        state.may_run = (
            said.value == "run"
            if said.kind == "asked"
            else said.kind == "running" and state.may_run
        )
        if said.kind == "running":
            reader.mapped("shell command")
            return [*pieces, self._call(said.value, state.answer or state.prompt, offset, length)]
        if said.kind == "usage":
            return [*pieces, *self._usage(text, offset, length)]
        if said.kind in ("applied", "others applied"):
            reader.mapped("edit applied")
            return [*pieces, *self._applied(said, offset)]
        self._learn(said, text)
        reader.mapped(_EVENTS[said.kind])
        return [*pieces, self._event(_EVENTS[said.kind], text, offset, length)]

    def _learn(self, said: Output, text: str) -> None:
        """What a line says about the run."""
        run, state = self.run, self.reader.state
        if said.kind == "version":
            run.version = run.version or said.value
        elif said.kind == "model":
            run.use(said.value)
        elif said.kind == "launch":
            run.is_scripted = _SCRIPTED.search(text) is not None
        elif said.kind == "created":
            state.created = [*state.created, said.value or state.subject][-MAX_HELD:]
        elif said.kind == "passed":
            edits.drop(state.edits, said.value)

    def _said(self, text: str, said: Output, offset: int) -> list[Piece]:
        """A line without a meaning of its own: a part of what aider or a command printed."""
        state, block = self.reader.state, self.reader.state.block
        kind: MessageKind = "command_output" if state.is_command else "notice"
        if said.kind == "failed":
            edits.drop(state.edits, said.value)
        if said.kind in ("error", "interrupt"):
            kind = said.kind
        elif block.kind == "output" and block.message_kind == "error":
            kind = "error"
        self.reader.mapped(kind)
        if not text.strip():
            block.blanks += block.kind == "output"
            return []
        pieces: list[Piece] = []
        if block.kind != "output" or block.message_kind != kind:
            pieces = self._open("output", "user" if kind == "interrupt" else "system", kind, offset)
        state.subject = text[:1000]
        self._add(text)
        return pieces

    def _usage(self, text: str, offset: int, length: int) -> Iterator[Piece]:
        found = tokens(text)
        if found.sent is None and found.received is None:
            self.reader.unknown("tokens")
            yield self._event("tokens", text, offset, length, raw=text)
            return
        self.reader.mapped("usage")
        run = self.run
        run.cost = run.cost if found.session_cost is None else found.session_cost
        yield usage(found, run.id, f"{run.id}:{offset}", self._model, self.reader.state.answer)

    def _applied(self, said: Output, offset: int) -> Iterator[Piece]:
        state = self.reader.state
        if said.kind == "applied":
            paths = [] if said.value in state.applied else [said.value]
        else:  # of several blocks only those that failed are sent again
            paths = list(
                dict.fromkeys(edit.path for edit in state.edits.found if edit.form == "block")
            )
        for path in paths:
            state.applied = [*state.applied, path][-MAX_HELD:]
            found = edits.applied(state.edits, path)
            yield from edits.file_edits(
                found, path, path in state.created, self.run.id, state.answer, offset
            )

    def _call(self, command: str, message_id: str | None, offset: int, length: int) -> ToolCall:
        return ToolCall(
            session_id=self.run.id,
            id=f"call-{offset}",
            message_id=message_id,
            name="run",
            kind="shell",
            arguments=json.dumps({"command": command.strip()}, ensure_ascii=False),
            offset=offset,
            length=length,
        )

    def _event(
        self, kind: str, text: str, offset: int, length: int, raw: str | None = None
    ) -> Event:
        when = self.run.started_at if kind == "run" else None
        return Event(
            session_id=self.run.id,
            type=kind,
            id=f"line-{offset}",
            text=text,
            raw=raw,
            timestamp=when,
            offset=offset,
            length=length,
        )


def _unmarked(text: str, mark: int) -> str:
    """A line without its mark and without the two spaces at its end."""
    text = text[mark:]
    return text[:-2] if text.endswith("  ") else text.rstrip()


def _prompt_kind(text: str) -> tuple[MessageKind, str]:
    """What a prompt is, and the command it runs in a shell."""
    if text[:1] not in ("/", "!"):
        return "prompt", ""
    if shell := _SHELL.match(text):
        return "shell", shell[1]
    word, _, rest = text.partition(" ")
    return ("prompt", "") if word in _ASKING and rest.strip() else ("command", "")
