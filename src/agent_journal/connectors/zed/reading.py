"""Reads a thread of Zed: one row with a document."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.row_lines import RowLine, RowsReader, json_column
from agent_journal.connectors.titles import SpokenTitle
from agent_journal.connectors.values import array, count, mapping, string, title_of
from agent_journal.connectors.zed.thread import (
    Turn,
    file_edit,
    tool_call,
    turn_of,
    with_own_results,
)
from agent_journal.model import Event, Message, MessageKind, Piece, Session, Usage
from agent_journal.text.dates import parse_time

_TITLE_RANK = 40
_PROMPT_TITLE_RANK = 10
_DEFAULT_TITLES = ("New Thread", "New Agent Thread", "Untitled")


class Row(RowLine):
    """The row of a thread."""

    summary: Any = None
    updated_at: Any = None
    parent_id: Any = None
    folder_paths: Any = None
    created_at: Any = None
    data: Any = None


class ThreadReader(RowsReader[Row]):
    """Reads a thread."""

    record_type = Row

    def __init__(self, file: FileIdentity) -> None:
        super().__init__(file)
        self._row = Row()
        self._thread: dict[str, Any] = {}
        self._title = SpokenTitle()
        self._answers = 0

    def row(self, row: Row, offset: int, length: int) -> Iterable[Piece] | None:
        """Return the pieces of a thread."""
        if row.table != "threads":
            return None
        thread = json_column(row.data)
        if not isinstance(thread, dict):
            raise ValueError("the data of a thread is not a JSON object")
        self._row = row
        self._thread = thread
        pieces: list[Piece] = []
        for number, message in enumerate(with_own_results(array(thread.get("messages")))):
            try:
                turn = turn_of(message, number)
            except ValueError as error:
                self.ledger.add("malformed", "message", 0, str(error))
                self.ledger.trouble(offset, "message", f"message {number}: {error}")
                continue
            if turn is not None:
                pieces += self._turn(turn, number, (offset, length), isinstance(row.data, dict))
        pieces += self._usage()
        return pieces

    def finished(self) -> Iterable[Piece]:
        """Nothing: a thread is one row."""
        self.completeness = self._answers
        return ()

    def _turn(
        self, turn: Turn, number: int, place: tuple[int, int], is_plain: bool
    ) -> Iterator[Piece]:
        text = "\n\n".join(filter(None, turn.texts))
        yield Message(
            session_id=self.id,
            id=turn.id,
            role=turn.role,
            kind=self._kind(turn, text),
            text=text,
            reasoning="\n\n".join(filter(None, turn.thoughts)),
            model=self._model() if turn.role == "assistant" else None,
            record_ids=(turn.id,),
            attachments=tuple(turn.attachments),
            offset=place[0],
            length=place[1],
        )
        for use in turn.uses:
            call = tool_call(use, self.id, turn.id)
            quote = None
            if use.path is not None and is_plain:
                quote = self.quote(use.result, place, "data", "messages", number, *use.path)
            yield replace(call, result_at=quote, offset=place[0], length=place[1])
            edit = file_edit(use, call)
            if edit is not None:
                yield replace(edit, offset=place[0])
        for kind, value in turn.others:
            self.ledger.add("unknown", f"part/{kind}"[:80], 0)
            raw = msgspec.json.encode(value).decode()
            yield Event(session_id=self.id, type=kind[:80], id=f"{turn.id}:{kind[:80]}", raw=raw)

    def _kind(self, turn: Turn, text: str) -> MessageKind:
        if turn.role == "assistant":
            self._answers += 1
            self._title.note_answer(text)
            return "answer"
        if turn.role == "system":
            return "system_prompt"
        if turn.is_hidden:
            return "injected"
        self._title.note_prompt(text)
        if self._parent() is not None:
            return "injected"  # another agent wrote it
        return "prompt"

    def _usage(self) -> Iterator[Usage]:
        """Yield the sum of all calls, which is the only complete record."""
        tokens = mapping(self._thread.get("cumulative_token_usage"))
        counts = [
            count(tokens.get(name))
            for name in (
                *("input_tokens", "output_tokens"),
                *("cache_read_input_tokens", "cache_creation_input_tokens"),
            )
        ]
        if not any(counts):
            return
        sent, received, read, written = counts
        yield Usage(
            session_id=self.id,
            key=f"thread:{self.id}",
            model=self._model(),
            timestamp=self._updated(),
            input_tokens=sent,
            cache_read_tokens=read,
            cache_write_tokens=written,
            output_tokens=received,
            requests=self._answers,
        )

    # -- the session ---------------------------------------------------------------------------

    def _model(self) -> str | None:
        return string(mapping(self._thread.get("model")).get("model"))

    def _parent(self) -> str | None:
        return string(self._row.parent_id)

    def _updated(self) -> datetime | None:
        return parse_time(self._row.updated_at) or parse_time(self._thread.get("updated_at"))

    def sessions(self) -> Iterable[Session]:
        """Return the thread, once it was read."""
        if not self._thread:
            return
        row = self._row
        model = self._model()
        folders = (string(row.folder_paths) or "").split("\n")
        session = Session(
            agent="zed",
            id=self.id,
            project_path=folders[0] or None,
            models=(model,) if model else (),
            started_at=parse_time(row.created_at) or self._updated(),
            ended_at=self._updated(),
            parent_id=self._parent(),
            tags=("imported",) if self._thread.get("imported") is True else (),
        )
        title = title_of(self._thread.get("title")) or title_of(row.summary)
        title = title or title_of(self._thread.get("summary"))
        if title and title not in _DEFAULT_TITLES:
            session = replace(session, title=title, title_rank=_TITLE_RANK, title_source="title")
        elif self._title.text is not None:
            session = replace(
                session,
                title=self._title.text,
                title_rank=_PROMPT_TITLE_RANK,
                title_source=self._title.source,
            )
        yield session
