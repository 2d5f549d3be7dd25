"""The run and the message of a chat history that are being read."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agent_journal.connectors.aider import edits
from agent_journal.connectors.aider.state import (
    BlockKind,
    MessageBlock,
    Proposals,
    Run,
    run_id,
)
from agent_journal.model import Event, Message, MessageKind, Piece, Role, ToolCall
from agent_journal.model.origins import PROPOSED_EDIT

if TYPE_CHECKING:
    from agent_journal.connectors.aider.history import HistoryReader


class Conversation:
    """Gathers the lines of a message, and makes pieces of the current run.

    Only the text since the last flush is held here: the rest is in the reader's state.
    """

    def __init__(self, reader: HistoryReader) -> None:
        self.reader = reader
        self._text: list[str] = []

    # -- runs ----------------------------------------------------------------------------------

    def start_run(self, header: str, offset: int, length: int) -> list[Piece]:
        """End the current run and start one."""
        state = self.reader.state
        pieces = [*self.close(), *self.end_proposals()]
        if state.run is not None:
            self.reader.end_run(state.run)
        number = self._run_number(header, offset)
        state.run = Run(run_id(state.history, header, number), header)
        state.is_spaced = False
        state.has_spaced_prompts = None
        state.echo = ""
        state.mode = ""
        state.previous = "start"
        state.blanks = 0
        state.fence = ""
        state.prompt = None
        state.may_run = False
        self.reader.mapped("run")
        event = self.event("run", f"aider chat started at {header}", offset, length)
        return [*pieces, replace(event, timestamp=self.run.started_at)]

    def _run_number(self, header: str, offset: int) -> int:
        """Return what distinguishes a run from others with the same start.

        That is its number among them, or its offset where the time went back.
        """
        state = self.reader.state
        if header < state.latest:
            return offset
        if header == state.latest:
            state.repeat += 1
        else:
            state.repeat = 0
        state.latest = header
        return state.repeat

    @property
    def run(self) -> Run:
        """The current run; lines before the first header make up a run without a start."""
        state = self.reader.state
        if state.run is None:
            state.run = Run(run_id(state.history, "", 0))
        return state.run

    def end_proposals(self) -> list[Piece]:
        """Start a prompt or an answer: return the edits of the last answer of unknown outcome."""
        state = self.reader.state
        pieces = self.proposed_edits()
        state.edits = Proposals()
        state.created = []
        state.applied = []
        state.answer = None
        return pieces

    def proposed_edits(self) -> list[Piece]:
        """Return the edits of the last answer, of which aider did not say what became of them."""
        state = self.reader.state
        if state.answer is None or state.edits.has_outcome or not state.edits.found:
            return []
        pieces: list[Piece] = []
        for path, own in edits.proposed(state.edits, self._edit_format).items():
            pieces += edits.file_edits(
                own,
                path,
                is_new=path in state.created,
                session_id=self.run.id,
                message_id=state.answer,
                offset=state.answer_offset,
                origin=PROPOSED_EDIT,
            )
        return pieces

    @property
    def _edit_format(self) -> str:
        """The form in which the model was asked for edits; empty where it is not known."""
        mode = self.reader.state.mode
        if mode not in ("", "code", "ok"):
            return mode
        if mode and self.run.edit_format in edits.TALKING_FORMATS:
            return ""  # the editor's, which has a format of its own
        return self.run.edit_format

    # -- messages ------------------------------------------------------------------------------

    @property
    def has_text(self) -> bool:
        """Whether the current message has any text yet."""
        return bool(self._text) or self.reader.state.block.has_text

    def flush(self) -> list[Piece]:
        """Return the text of the current block that was not yielded yet."""
        if not self._text:
            return []
        block = self.reader.state.block
        text = "".join(self._text)
        self._text = []
        message = Message(
            session_id=self.run.id,
            id=block.id,
            role=block.role,
            kind=block.message_kind,
            text="" if block.is_thinking else text,
            reasoning=text if block.is_thinking else "",
            model=self.model if block.role == "assistant" else None,
            continues=block.is_begun,
            offset=block.offset,
        )
        block.begin()
        return [message]

    def close(self) -> list[Piece]:
        """End the current block."""
        if self.reader.state.held:
            self._text.append(self.reader.state.held)
            self.reader.state.held = ""
        pieces = self.flush()
        self.reader.state.block = MessageBlock()
        return pieces

    def open(
        self, kind: BlockKind, role: Role, message_kind: MessageKind, offset: int
    ) -> list[Piece]:
        """End the current block and begin another."""
        pieces = self.close()
        self.reader.state.block = MessageBlock(kind, f"line-{offset}", role, message_kind, offset)
        return pieces

    def add(self, text: str) -> None:
        """Add a line to the current block, with the blank lines before it."""
        block = self.reader.state.block
        if self._text or block.is_begun:
            self._text.append("\n" * (block.blanks + 1) + text)
        elif text.strip():
            self._text.append(text)
        else:
            return
        block.blanks = 0

    @property
    def model(self) -> str | None:
        """The model of the answers that follow."""
        return next(reversed(self.run.models), None)

    def call(self, command: str, message_id: str | None, offset: int, length: int) -> ToolCall:
        """Return a command that was run in a shell."""
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

    def event(
        self, kind: str, text: str, offset: int, length: int, raw: str | None = None
    ) -> Event:
        """Return a line that is not part of a message."""
        return Event(
            session_id=self.run.id,
            type=kind,
            id=f"line-{offset}",
            text=text,
            raw=raw,
            offset=offset,
            length=length,
        )
