"""Answers the calls of one client: runs a tool, and keeps its answer within its length."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple, TypeVar

from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.asker import Asker
from agent_journal.answers.recall.cleaning import Cleaning
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.quotation import quote
from agent_journal.answers.recall.reply import AROUND_JSON, as_json, quoted_json
from agent_journal.answers.recall.tools import MOST_CHARS, TOOLS, Tool
from agent_journal.answers.warm_search import WarmSearch
from agent_journal.errors import JournalError
from agent_journal.journal import Journal

Result = TypeVar("Result")
_LONGEST_ERROR = 1_000


class Outcome(NamedTuple):
    """The answer of a call: text to read, and data where JSON was asked for."""

    text: str
    data: dict[str, Any] | None = None
    is_error: bool = False


class Recall:
    """Answers questions about a journal; `search` may be shared with others."""

    def __init__(
        self,
        search: WarmSearch,
        variables: Mapping[str, str],
        folder: str,
        *,
        is_redacting: bool = True,
    ) -> None:
        home = variables.get("HOME") or os.path.expanduser("~")
        self.asker = Asker(variables)
        self._search = search
        self._cleaning = Cleaning(home, is_redacting)
        self._folder = folder
        self._moment: Moment | None = None

    def call(self, name: str, given: Mapping[str, object], meta: Mapping[str, Any]) -> Outcome:
        """Call a tool that exists; what goes wrong becomes an answer that says so."""
        if self.asker.hear_call(meta):
            self._moment = None
        tool = TOOLS[name]
        try:
            arguments = Arguments(tool.parameters, given)
            return self.at_one_moment(lambda moment: _answer(moment, tool, arguments))
        except JournalError as error:
            return self.failure(error)

    def at_one_moment(self, work: Callable[[Moment], Result]) -> Result:
        """Do work that reads the journal."""
        return self._search.run(lambda journal, search: work(self._moment_of(journal)))

    def failure(self, error: JournalError) -> Outcome:
        """An error as an answer: what it says may be from a session, and is quoted."""
        text = error.message
        if error.hint:
            text += f" ({error.hint})"
        text = self._cleaning.text(text)[:_LONGEST_ERROR]
        quotation = quote([text], lambda _: "The call failed.", "", 2 * _LONGEST_ERROR)
        return Outcome(quotation.text, is_error=True)

    def _moment_of(self, journal: Journal) -> Moment:
        moment = self._moment
        if moment is None or moment.journal is not journal or not moment.is_of(journal):
            asking = self.asker.rows(journal.db)
            moment = Moment(journal, self._search, self._cleaning, self._folder, asking)
            self._moment = moment
        return moment


def _answer(moment: Moment, tool: Tool, given: Arguments) -> Outcome:
    reply = tool.answer(moment, given)
    most_chars = min(given.number("max_chars"), MOST_CHARS)
    if given.text("format") == "json":
        data = as_json(reply.answer, moment.cleaning, most_chars - AROUND_JSON)
        return Outcome(quoted_json(data), data)
    return Outcome(reply.as_text(most_chars))
