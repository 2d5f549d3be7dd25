"""The reader of both histories: the first line that is not blank tells which one a file is.

A prompt history is what prompt_toolkit writes:

# 2026-11-15 18:00:12.345678
+fix the test
+and the docs
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator

from agent_journal.connectors.aider.chat import Chat
from agent_journal.connectors.aider.lines import Line, TextReader
from agent_journal.connectors.aider.state import HEAD_SIZE, HistoryState, Run, history_name
from agent_journal.connectors.base import Content, FileIdentity, Pause
from agent_journal.connectors.recognition import without_padding
from agent_journal.model import HistoryEntry, Piece, Session
from agent_journal.text.dates import parse_time

PROMPT_TIME = re.compile(r"# (\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(?:\.\d+)?)\s*$")
_MAX_ENTRY = 2**20  # characters of a prompt that is still being read


class HistoryReader(TextReader[HistoryState]):
    """Reads `.aider.chat.history.md` and `.aider.input.history`, under whatever name."""

    state_type = HistoryState

    def __init__(self, file: FileIdentity, state: bytes | None) -> None:
        super().__init__(file, state)
        self.folder = os.path.dirname(file.path)
        self._ended: list[Session] = []  # runs that have ended, since the state was last saved
        self._chat = Chat(self)

    def sessions(self) -> Iterable[Session]:
        """Return the runs that were read, the current one last."""
        run = self.state.run
        if run is None:
            return self._ended
        return [*self._ended, run.session("aider", self.folder)]

    def end_run(self, run: Run) -> None:
        """Keep what is known of a run that has ended."""
        self._ended.append(run.session("aider", self.folder))

    def save(self) -> bytes:
        """Return offset and state; the first run is kept, since a file is named after it."""
        del self._ended[1:]
        return super().save()

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """Return the pieces from `offset` on; edits at the end that may still get an outcome."""
        if not self.state.history:
            self.state.history = self._name(content)
        if not self.state.history:
            return  # it waits for its first prompt
        if content.size > self.offset:
            yield from self._chat.resume()
        yield from super().read(content)
        yield from self._chat.end()
        self.completeness = self.offset  # of two copies the longer one has all of the other

    def _name(self, content: Content) -> str:
        """Return the name of a history; a prompt history needs none."""
        head = b""
        for chunk in content.chunks():
            head += chunk
            if len(head) >= HEAD_SIZE:
                break
        first = without_padding(head).partition(b"\n")[0].decode("utf-8", "replace")
        if PROMPT_TIME.match(first):
            return "prompts"
        return history_name(self.file.path, head) or ""

    def record(self, record: Line, offset: int, length: int, line: bytes) -> Iterable[Piece]:
        """Return the pieces of one line."""
        if not self.state.kind:
            self.state.kind = "prompts" if PROMPT_TIME.match(record.text) else "chat"
        if self.state.kind == "chat":
            return self._chat.line(record.text, offset, length)
        return self._prompt_line(record.text)

    def blank(self) -> None:
        """Count a blank line: part of an answer when more of it follows."""
        if self.state.kind == "chat":
            self._chat.blank()

    def flush(self) -> Iterable[Piece]:
        """Return the current message or prompt as far as it was read."""
        if self.state.kind == "prompts":
            return self._entry()
        return self._chat.flush()

    # -- prompt histories ----------------------------------------------------------------------

    def _prompt_line(self, text: str) -> Iterable[Piece]:
        state = self.state
        started = PROMPT_TIME.match(text)
        if started:
            self.mapped("prompt history")
            done = self._entry()
            state.position += 1
            state.when = started[1]
            state.entry = []
            state.size = 0
            return done
        if not text.startswith("+"):
            raise ValueError("neither the time of a prompt nor a line of it")
        self.mapped("prompt history")
        state.position = max(state.position, 0)
        state.size += len(text)
        if state.size <= _MAX_ENTRY:
            state.entry.append(text[1:])
        return ()

    def _entry(self) -> Iterable[Piece]:
        """Return the current prompt; yielded again with its position when more lines follow."""
        state = self.state
        text = "\n".join(state.entry)
        if not text.strip():
            return ()
        entry = HistoryEntry(
            text=text,
            position=state.position,
            timestamp=parse_time(state.when),
            project_path=self.folder,
        )
        return (entry,)
