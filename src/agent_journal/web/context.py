"""What the handlers of requests share: the journal, the keys, the warm search and the feed."""

from __future__ import annotations

from typing import NamedTuple

from starlette.requests import Request

from agent_journal.answers.warm_search import WarmSearch
from agent_journal.journal import Journal
from agent_journal.web.keys import Keys
from agent_journal.web.live.feed import Feed
from agent_journal.web.remembered import Remembered


class Context(NamedTuple):
    """What the handlers of requests share."""

    home: str
    keys: Keys
    search: WarmSearch
    remembered: Remembered
    feed: Feed

    def journal(self) -> Journal:
        """The journal at this moment, to be closed after use; every request has its own."""
        return Journal.open(self.home)


def context_of(request: Request) -> Context:
    """What the handler of a request shares with the others."""
    context: Context = request.app.state.context
    return context
