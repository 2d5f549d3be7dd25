"""What the handlers of requests share: the journal, the keys and the warm search."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request

from agent_journal.answers.warm_search import WarmSearch
from agent_journal.journal import Journal
from agent_journal.web.keys import Keys


class Context(NamedTuple):
    """What the handlers of requests share."""

    home: str
    keys: Keys
    search: WarmSearch

    def journal(self) -> Journal:
        """The journal at this moment, to be closed after use; every request has its own."""
        return Journal.open(self.home)


def context_of(request: Request) -> Context:
    """What the handler of a request shares with the others."""
    context: Context = request.app.state.context
    return context
