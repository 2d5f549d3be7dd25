"""What the items of the catalog have written: the hashes and places of their lines."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.model import Event, FileEdit, ToolCall
from agent_journal.model.arguments import parse_arguments, split_arguments
from agent_journal.model.written_lines import (
    PrintedCommit,
    WrittenFile,
    commit_hash,
    hasher,
    heredocs,
    printed_commits,
    written_lines,
)
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_rows import WritingRow, writing_rows
from agent_journal.store.catalog.results import Resolve, recorded_result

_HELD_BYTES = 16 * 2**20  # bodies of three tables are in the same blocks
_EVENT_COMMIT = "Commit "
_FAILED = ("error", "failed", "denied", "interrupted")


class ItemLines(NamedTuple):
    """The lines of an item."""

    item: int
    hashes: list[int]
    places: list[int]


class LineReader:
    """Reads what items have written."""

    def __init__(self, db: Connection, resolve: Resolve) -> None:
        self._db = db
        self._resolve = resolve
        self._bodies = BodyReader(db, _HELD_BYTES)
        self._hash_of = hasher()

    def read(self, after: int, upto: int) -> Iterator[ItemLines]:
        """The lines of the items with ids above `after` up to `upto` that have any."""
        for row in writing_rows(self._db, after, upto):
            hashes: list[int] = []
            places: list[int] = []
            if row.source == "edit":
                lines = written_lines(self._bodies.read(row.spot, FileEdit))
                self._add(WrittenFile("", lines), hashes, places)
            elif row.source == "call":
                self._read_call(row, hashes, places)
            else:
                for commit in commits_of_event(self._bodies.read(row.spot, Event)):
                    hashes.append(commit_hash(commit.sha))
                    places.append(0)
            if hashes:
                yield ItemLines(row.id, hashes, places)

    def _add(self, file: WrittenFile, hashes: list[int], places: list[int]) -> None:
        for line in file.lines:
            number = self._hash_of(line.text)
            if number is not None:
                hashes.append(number)
                places.append(line.place)

    def _read_call(self, row: WritingRow, hashes: list[int], places: list[int]) -> None:
        body = self._bodies.raw(row.spot)
        may_commit = b"commit" in body
        if not may_commit and b"<<" not in body:
            return
        call = self._bodies.read(row.spot, ToolCall)
        for file in files_of_call(call):
            self._add(file, hashes, places)
        if may_commit:
            for commit in commits_of_call(call, row.file_id, self._resolve):
                hashes.append(commit_hash(commit.sha))
                places.append(0)


def files_of_call(call: ToolCall) -> list[WrittenFile]:
    """The files that a command wrote from texts in it, if it did not fail."""
    if call.status in _FAILED or not call.arguments or "<<" not in call.arguments:
        return []
    return list(heredocs(command_of(call)))


def commits_of_call(call: ToolCall, file_id: int, resolve: Resolve) -> list[PrintedCommit]:
    """The commits that a command made, as it printed them."""
    if call.status == "denied" or "commit" not in (call.arguments or ""):
        return []
    output = recorded_result(call, file_id, resolve)
    if not output:
        return []
    return list(printed_commits(output))


def commits_of_event(event: Event) -> list[PrintedCommit]:
    """The commit that an event tells of: `Commit 8c7927a feat: add the job`."""
    _, _, told = event.text.partition(_EVENT_COMMIT)
    sha, _, subject = told.partition(" ")
    if not sha:
        return []
    return [PrintedCommit(sha, subject)]


def command_of(call: ToolCall) -> str:
    """The command of a call of a shell."""
    return split_arguments("shell", parse_arguments(call.arguments)).main
