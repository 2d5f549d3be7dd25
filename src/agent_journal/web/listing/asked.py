"""What the address of a list asks for: words, filters, and which part of the answer."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import NamedTuple

from starlette.datastructures import QueryParams

from agent_journal.errors import UsageError

MOST_LETTERS = 1_000
_MOST_OFFSET = 100_000
PAGE = 50
SORTS = ("newest", "cost", "messages", "longest")


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

    @property
    def parameters(self) -> Mapping[str, object]:
        """The parameters of an address that asks the same, from its beginning."""
        return {
            "q": self.words,
            "agent": self.agent,
            "project": self.project,
            "since": self.since,
            "until": self.until,
            "sort": self.sort,
        }

    def bound(self, name: str) -> datetime | None:
        """The time in a parameter; None where there is none."""
        from agent_journal.text.dates import parse_bound

        text = getattr(self, name)
        if not text:
            return None
        try:
            return parse_bound(text, end=name == "until")
        except ValueError as error:
            raise UsageError(str(error)) from error


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
        offset=_number(parameters.get("offset", "0"), _MOST_OFFSET),
    )


def _mode(text: str) -> str:
    from agent_journal.answers.searching import MODES

    if text and text not in MODES:
        raise UsageError(f"mode is one of {', '.join(MODES)}")
    return text or "hybrid"


def _number(text: str, most: int) -> int:
    if not text.isascii() or not text.isdecimal() or int(text[:12]) > most:
        raise UsageError(f"{text[:20]!r} is not a number from 0 to {most:,}")
    return int(text)
