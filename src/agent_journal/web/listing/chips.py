"""The chips above the list: each narrows the query, shows as pressed, and takes itself away.

All are links to the changed query, so they work without script. The menus of agents and projects
lead to `/narrow`, which changes the query that is in the box at that moment.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from agent_journal.answers.session_page import Held
from agent_journal.errors import UsageError
from agent_journal.export.prose import in_tag
from agent_journal.query.parser import parse
from agent_journal.query.tree import Dates, Field, Node, Not
from agent_journal.web.addresses import link, plain_link
from agent_journal.web.listing.asked import SORTS, Asked, read_asked
from agent_journal.web.listing.query_edits import (
    condition,
    conditions_of,
    has_condition,
    is_typable,
    nodes_of,
    project_value,
    text_of,
    with_condition,
    without_condition,
)

_FLAGS = (
    (condition("is", "starred"), "starred"),
    (condition("has", "error"), "with errors"),
    (condition("is", "edited"), "changed files"),
    (condition("is", "unfinished"), "unfinished"),
)
_TIMES = (("1d", "today"), ("7d", "7 days"), ("30d", "30 days"), ("365d", "a year"))
_MOST_NAMED = 40  # agents or projects in a menu


class Choice(NamedTuple):
    """A line of a menu."""

    address: str  # escaped
    word: str  # HTML
    is_chosen: bool = False
    sessions: int | None = None


def narrow(request: Request) -> Response:
    """Add a condition to a query, or take it away, and show the list."""
    asked = read_asked(request.query_params)
    nodes = nodes_of(parse(request.query_params.get("by", "")))
    if len(nodes) != 1 or not isinstance(nodes[0], (Field, Dates)):
        raise UsageError("by is one field of a query, such as agent:codex")
    query = _toggled(asked, nodes[0])
    return RedirectResponse(plain_link("/", q=query, sort=asked.sort), 303)


def _toggled(asked: Asked, node: Node) -> str:
    if has_condition(asked.parsed, node):
        return without_condition(asked.parsed, node)
    return with_condition(asked.parsed, node)


# -- menus: what a page has once -------------------------------------------------------------------


def menus(asked: Asked, everything: Held) -> Iterator[str]:
    """The menus of agents, projects, times and orders."""
    if not everything.keys:
        return
    yield '<nav class="menus" aria-label="Narrow and sort the list">'
    yield from _menu("Agent", _named(asked, "agent", everything.agents))
    yield from _menu("Project", _projects(asked, everything.projects))
    yield from _menu("Time", _times(asked))
    yield from _menu("Sort", _orders(asked))
    yield "</nav>\n"


def _menu(name: str, choices: Iterable[Choice]) -> Iterator[str]:
    yield f'<details class="menu"><summary>{name}</summary><ul>'
    for choice in choices:
        current = ' aria-current="true"' if choice.is_chosen else ""
        count = ""
        if choice.sessions is not None:
            count = f' <span class="meta">{choice.sessions:,}</span>'
        yield f'<li><a href="{choice.address}"{current}>{choice.word}{count}</a></li>'
    yield "</ul></details>\n"


def _choice(asked: Asked, node: Node, word: str, count: int | None = None) -> Choice:
    address = link("/narrow", q=asked.query, sort=asked.sort, by=text_of(node))
    return Choice(address, word, has_condition(asked.parsed, node), count)


def _named(asked: Asked, field: str, counts: list[tuple[str, int]]) -> Iterator[Choice]:
    for name, count in counts[:_MOST_NAMED]:
        node = condition(field, name)
        if is_typable(node):
            yield _choice(asked, node, in_tag(name, 60), count)


def _projects(asked: Asked, counts: list[tuple[str, int]]) -> Iterator[Choice]:
    others = [project for project, _ in counts]
    for project, count in counts[:_MOST_NAMED]:
        node = condition("project", project_value(project, others))
        if is_typable(node):
            yield _choice(asked, node, in_tag(project_value(project, others), 60), count)


def _times(asked: Asked) -> Iterator[Choice]:
    for time, word in _TIMES:
        yield _choice(asked, Dates(time, None), word)


def _orders(asked: Asked) -> Iterator[Choice]:
    if asked.parsed.tree is not None:
        yield Choice(link("/", q=asked.query), "best match or newest", not asked.sort)
    for order, word in SORTS.items():
        is_chosen = asked.sort == order or (
            order == "newest" and not asked.sort and asked.parsed.tree is None
        )
        yield Choice(link("/", q=asked.query, sort=order), word, is_chosen)


# -- chips: what follows the query while it is typed -----------------------------------------------


def chips(asked: Asked) -> Iterator[str]:
    """The conditions of a query, to be taken away, and some to be added."""
    yield '<p class="conditions" role="group" aria-label="Conditions">'
    for flag, word in _FLAGS:
        if not has_condition(asked.parsed, flag):
            address = link("/", q=with_condition(asked.parsed, flag), sort=asked.sort)
            yield f'<a class="chip" href="{address}">{word}</a> '
    for node in conditions_of(asked.parsed):
        address = link("/", q=without_condition(asked.parsed, node), sort=asked.sort)
        word = in_tag(_word_of(node), 80)
        yield (
            f'<a class="chip" href="{address}" aria-current="true" '
            f'title="Remove this condition">{word} <span aria-hidden="true">×</span></a> '
        )
    if asked.sort:
        word = SORTS[asked.sort]
        address = link("/", q=asked.query)
        yield (
            f'<a class="chip" href="{address}" aria-current="true" title="Remove this order">'
            f'sorted by {word} <span aria-hidden="true">×</span></a>'
        )
    yield "</p>\n"


def _word_of(node: Node) -> str:
    for flag, word in _FLAGS:
        if text_of(flag) == text_of(node):
            return word
    if isinstance(node, Dates):
        for time, word in _TIMES:
            if node == Dates(time, None):
                return f"since {word}" if word == "today" else f"last {word}"
    if isinstance(node, Not):
        return f"not {_word_of(node.node)}"
    return text_of(node)
