"""What the address of a list asks for: words, filters, and which part of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from starlette.datastructures import QueryParams

from agent_journal.answers.searching import with_conditions
from agent_journal.answers.session_conditions import is_about_sessions
from agent_journal.errors import UsageError
from agent_journal.query.parser import parse
from agent_journal.query.rendering import render
from agent_journal.query.tree import Parsed

MOST_LETTERS = 1_000
_MOST_OFFSET = 100_000
PAGE = 50
SORTS = {
    "newest": "newest",
    "oldest": "oldest",
    "cost": "cost",
    "messages": "messages",
    "longest": "time",
}  # with what the menu calls them
_OF_SEARCHES = ("newest", "oldest")  # orders that a search has, too


class Asked(NamedTuple):
    """The parameters of a list of sessions or hits."""

    words: str = ""
    agent: str = ""
    project: str = ""
    since: str = ""
    until: str = ""
    sort: str = ""
    mode: str = "hybrid"
    offset: int = 0
    is_typing: bool = False  # the last word may go on

    @property
    def parameters(self) -> Mapping[str, object]:
        """The parameters of an address that asks the same, from its beginning."""
        return {"q": self.query, "sort": self.sort}

    @property
    def parsed(self) -> Parsed:
        """The query with the conditions that other parameters add."""
        agents = (self.agent,) if self.agent else ()
        return with_conditions(
            parse(self.words),
            agents=agents,
            project=self.project or None,
            since=self.since or None,
            until=self.until or None,
        )

    @property
    def query(self) -> str:
        """The query as the box shows it: all conditions are parts of it."""
        if self.agent or self.project or self.since or self.until:
            return render(self.parsed)
        return self.words

    @property
    def is_search(self) -> bool:
        """Whether messages are asked for, not whole sessions."""
        if self.sort and self.sort not in _OF_SEARCHES:
            return False
        return not is_about_sessions(self.parsed.tree)


def read_asked(parameters: QueryParams) -> Asked:
    """Read the address of a list; UsageError when it is too long or makes no sense."""
    texts = {
        name: parameters.get(name, "").strip()
        for name in ("q", "agent", "project", "since", "until", "sort", "mode")
    }
    if any(len(text) > MOST_LETTERS for text in texts.values()):
        raise UsageError(f"a query has at most {MOST_LETTERS:,} characters")
    if texts["sort"] and texts["sort"] not in SORTS:
        raise UsageError(f"sort is one of {', '.join(SORTS)}")
    return Asked(
        words=texts["q"],
        agent=texts["agent"],
        project=texts["project"],
        since=texts["since"],
        until=texts["until"],
        sort=texts["sort"],
        mode=_mode(texts["mode"]),
        offset=read_number(parameters.get("offset", "0"), _MOST_OFFSET),
        is_typing=parameters.get("typing") == "1",
    )


def _mode(text: str) -> str:
    from agent_journal.answers.searching import MODES

    if text and text not in MODES:
        raise UsageError(f"mode is one of {', '.join(MODES)}")
    return text or "hybrid"


def read_number(text: str, most: int) -> int:
    """A number in an address; UsageError when it is none, or too large."""
    if not text.isascii() or not text.isdecimal() or int(text[:12]) > most:
        raise UsageError(f"{text[:20]!r} is not a number from 0 to {most:,}")
    return int(text)
