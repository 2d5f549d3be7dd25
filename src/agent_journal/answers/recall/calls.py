"""Tool calls with their texts: what was run, and what it printed."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.answers.recall.moment import Moment
from agent_journal.model import ToolCall
from agent_journal.model.arguments import parse_arguments, split_arguments
from agent_journal.query.tree import And, Field, Node, Or, Parsed, Value
from agent_journal.search.field_queries import CALLED_WITH
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.call_rows import CallRow, calls_by_id
from agent_journal.store.catalog.results import recorded_result
from agent_journal.store.catalog.search_rows import session_rows

if TYPE_CHECKING:
    from agent_journal.store.catalog.listing import SessionRow

_LONGEST_RESULT = 20_000  # letters that are looked at
_ALIKE = 0.5  # of the words of two commands
_WORD = re.compile(r"[^\W_]+")
# What leads to a command and is none of it: `cd app && `, `FOO=1 `
_LEADS = re.compile(r"^(?:cd [^&;|\n]+(?:&&|;)\s*|[A-Z_][A-Z0-9_]*=\S*\s+)+")


class Calls:
    """Reads calls of one journal; each once."""

    def __init__(self, moment: Moment) -> None:
        self._moment = moment
        self._db = moment.journal.db
        self._bodies = BodyReader(self._db)
        self._known: dict[int, ToolCall] = {}
        self._sessions: dict[int, SessionRow] = {}

    def rows(self, ids: Iterable[int]) -> list[CallRow]:
        """Calls by the ids of their items, in that order; only those that may be shown."""
        ids = list(ids)
        found = calls_by_id(self._db, ids)
        rows = [found[item_id] for item_id in ids if item_id in found]
        return [row for row in rows if row.session_id not in self._moment.hidden]

    def body(self, row: CallRow) -> ToolCall:
        """The call itself."""
        if row.id not in self._known:
            self._known[row.id] = self._bodies.read(row.spot, ToolCall)
        return self._known[row.id]

    def command(self, row: CallRow) -> str:
        """What was run or done, as its agent wrote it; it may have secrets."""
        call = self.body(row)
        return split_arguments(call.kind, parse_arguments(call.arguments) or {}).main

    def result(self, row: CallRow) -> str:
        """What a call printed, from its beginning; it may have secrets."""
        return self._whole_result(row)[:_LONGEST_RESULT]

    def printed(self, row: CallRow) -> str:
        """The same without secrets."""
        result, command = self._whole_result(row), self.command(row)
        return self._moment.cleaning.beginning(result, _LONGEST_RESULT, command)

    def _whole_result(self, row: CallRow) -> str:
        call = self.body(row)
        if call.result is not None:
            return call.result
        return recorded_result(call, row.file_id, self._moment.journal.quotes()) or ""

    def session(self, row: CallRow) -> SessionRow | None:
        """The session of a call."""
        if row.session_id not in self._sessions:
            self._sessions |= session_rows(self._db, [row.session_id])
        return self._sessions.get(row.session_id)


def same_command(command: str) -> str:
    """What two runs of a command have in common: not the folder, variables and spaces."""
    return " ".join(_LEADS.sub("", command.strip()).split())


def is_alike(one: str, other: str) -> bool:
    """Whether two commands, as `same_command` gives them, run the same program for the same."""
    first, second = one.split(), other.split()
    if not first or not second or first[0] != second[0]:
        return one == other
    shared = len({*first} & {*second})
    return shared / len({*first} | {*second}) >= _ALIKE


def words_of_text(text: str) -> list[str]:
    """The words of a text in lower case, each once."""
    return list(dict.fromkeys(word.lower() for word in _WORD.findall(text)))


def called_with(words: Iterable[str]) -> list[Node]:
    """The conditions that a tool was called with each of some words, in one of their forms."""
    return [Or(tuple(map(_called_with, _forms(word)))) for word in words]


def all_of(nodes: list[Node]) -> Parsed:
    """The query for what meets all conditions, newest first."""
    if len(nodes) == 1:
        return Parsed(nodes[0], None)
    return Parsed(And(tuple(nodes)), None)


def _called_with(word: str) -> Node:
    return Field(CALLED_WITH, (Value(word),))


def _forms(word: str) -> tuple[str, ...]:
    """A word, and its singular or plural."""
    if word.endswith("s") and len(word) > 3:
        return word, word[:-1]
    return word, f"{word}s"
