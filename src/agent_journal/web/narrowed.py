"""What usage, activity and files are narrowed to: an agent, a project, and a time."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

from starlette.datastructures import QueryParams

from agent_journal.errors import UsageError
from agent_journal.export.prose import in_tag
from agent_journal.query.filters import Query
from agent_journal.text.dates import parse_bound
from agent_journal.web.addresses import link

_MOST_LETTERS = 1_000
ALL_TIME = "all"
PERIODS = {
    "7d": "7 days",
    "30d": "30 days",
    "90d": "90 days",
    "365d": "a year",
    ALL_TIME: "all time",
}


class Narrowed(NamedTuple):
    """The parameters that such pages share."""

    path: str  # of the page
    agent: str = ""
    project: str = ""
    since: str = ""
    until: str = ""

    @property
    def query(self) -> Query:
        """The sessions that are meant; UsageError when a time cannot be read."""
        since = None
        if self.since != ALL_TIME:
            since = _bound(self.since, is_end=False)
        until = _bound(self.until, is_end=True)
        return Query(self.agent or None, self.project or None, since, until)

    def link(self, **changes: str) -> str:
        """The address of this page with some parameters changed."""
        return link(self.path, **{**self.parameters, **changes})

    @property
    def parameters(self) -> dict[str, str]:
        """The parameters that have a value."""
        given = self._asdict()
        del given["path"]
        return {name: value for name, value in given.items() if value}


def read_narrowed(path: str, parameters: QueryParams, since: str = "") -> Narrowed:
    """Read the address of a page; `since` is what it shows when nothing is said."""
    texts = {}
    for name in ("agent", "project", "since", "until"):
        text = parameters.get(name, "").strip()
        if len(text) > _MOST_LETTERS:
            raise UsageError(f"{name} has at most {_MOST_LETTERS:,} characters")
        texts[name] = text
    if not texts["since"] and not texts["until"]:
        texts["since"] = since
    return Narrowed(path, **texts)


def _bound(text: str, *, is_end: bool) -> datetime | None:
    if not text:
        return None
    try:
        return parse_bound(text, end=is_end)
    except ValueError as error:
        raise UsageError(str(error)) from error


def narrowing(asked: Narrowed, **more: str) -> Iterator[str]:
    """The periods to choose from, a box for others, and what can be taken away."""
    yield '<form class="span" method="get" aria-label="Narrow">'
    for period, word in PERIODS.items():
        is_chosen = period == asked.since and not asked.until
        current = ' aria-current="true"' if is_chosen else ""
        address = asked.link(since=period, until="", **more)
        yield f'<a class="chip" href="{address}"{current}>{word}</a> '
    since = "" if asked.since in PERIODS else asked.since
    yield (
        '<label>from <input name="since" placeholder="2026-01-31" '
        f'value="{in_tag(since, 100)}"></label> '
        f'<label>to <input name="until" placeholder="today" value="{in_tag(asked.until, 100)}">'
        "</label> "
    )
    for name in ("agent", "project"):
        value = getattr(asked, name)
        if value:
            yield f'<input type="hidden" name="{name}" value="{in_tag(value, 1_000)}">'
            yield (
                f'<a class="chip" href="{asked.link(**{name: ""}, **more)}" aria-current="true" '
                f'title="Remove this condition">{name}: {in_tag(value, 60)} '
                '<span aria-hidden="true">×</span></a> '
            )
    yield '<button class="chip">Show</button></form>\n'
