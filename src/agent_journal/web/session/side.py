"""Beside a conversation: its prompts, its sub-agents, and the sessions it belongs with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.export.html.figures import counted
from agent_journal.export.prose import clean, in_tag, short_title
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import (
    SessionRow,
    children_of,
    descendants_of,
    find_session_row,
)
from agent_journal.store.catalog.neighbours import forks_of
from agent_journal.store.catalog.prompts import (
    count_prompts,
    load_prompts,
    prompt_positions,
    prompts_near,
)
from agent_journal.web.addresses import session_address
from agent_journal.web.context import context_of
from agent_journal.web.frame import respond
from agent_journal.web.session.head import row_of
from agent_journal.web.session.parameters import number_parameter

_PROMPTS = 60  # in the page at once: a long session has thousands
_MOST_SUB_AGENTS = 200
_MOST_FORKS = 20


class _Outline(NamedTuple):
    """Some prompts of a session, with the positions of as many before them and one behind."""

    first: int  # its number; the first prompt of a session is number 0
    known: list[int]  # positions
    known_from: int  # the number of the first position that is known
    total: int

    def position(self, number: int) -> int:
        return self.known[number - self.known_from]


def side(journal: Journal, row: SessionRow, at: int | None) -> Iterator[str]:
    """The column beside the conversation, with the prompts around a position."""
    yield '<aside class="side-column">\n'
    yield from _outline(journal, row, at)
    yield from _related(journal, row)
    yield "</aside>\n"


def outline_part(request: Request) -> Response:
    """Some prompts, for a page that is already open."""
    with context_of(request).journal() as journal:
        row = row_of(request, journal)
        total = count_prompts(journal.db, row.row_id).all
        first = min(number_parameter(request, "from", 0), total)
        start = max(0, first - _PROMPTS)
        count = first - start + _PROMPTS + 1
        known = prompt_positions(journal.db, row.row_id, start, count)
        return respond(_prompts(journal, row, _Outline(first, known, start, total)))


def _outline(journal: Journal, row: SessionRow, at: int | None) -> Iterator[str]:
    position = -1 if at is None else at
    counts = count_prompts(journal.db, row.row_id, position)
    yield '<nav class="outline" aria-label="Prompts"><details open>'
    count = counted(counts.all - counts.commands, "prompt")
    if counts.commands:
        count += f", {counted(counts.commands, 'command')}"
    yield f"<summary>{count}</summary>"
    yield '<div id="outline">'
    first = max(0, min(counts.reached - 1 - _PROMPTS // 2, counts.all - _PROMPTS))
    before = counts.reached - first
    known = prompts_near(journal.db, row.row_id, position, before + _PROMPTS, _PROMPTS - before + 1)
    start = max(0, first - _PROMPTS)
    yield from _prompts(journal, row, _Outline(first, known, start, counts.all))
    yield "</div></details></nav>\n"


def _prompts(journal: Journal, row: SessionRow, outline: _Outline) -> Iterator[str]:
    """A window of the outline, with the ways to the windows beside it."""
    first = outline.first
    after = min(first + _PROMPTS, outline.total)
    shown = [outline.position(number) for number in range(first, after)]
    if first:
        before = max(0, first - _PROMPTS)
        address = session_address(row, outline.position(before))
        yield f'<a class="more" data-from="{before}" href="{address}">↑ {first:,} earlier</a>'
    wide = ' class="wide"' if after >= 1_000 else ""
    yield f'<ol start="{first + 1}"{wide}>'
    for prompt in load_prompts(journal.db, row.row_id, shown):
        address = session_address(row, prompt.position)
        yield (
            f'<li><a href="{address}" data-go="{prompt.position}" dir="auto">'
            f"{_first_line(prompt.text)}</a></li>"
        )
    yield "</ol>"
    if after < outline.total:
        left = outline.total - after
        address = session_address(row, outline.position(after))
        yield f'<a class="more" data-from="{after}" href="{address}">↓ {left:,} later</a>'


def _first_line(text: str) -> str:
    first = next((line for line in clean(text[:2_000]).split("\n") if line.strip()), "")
    return in_tag(first, 120) or "(no text)"


# -- sessions that belong together ---------------------------------------------------------------


def _related(journal: Journal, row: SessionRow) -> Iterator[str]:
    parent = None
    if row.parent_id is not None:
        parent = find_session_row(journal.db, row.agent, row.parent_id)
    origin = None
    if row.fork_of is not None:
        origin = find_session_row(journal.db, row.agent, row.fork_of)
    forks = forks_of(journal.db, row)[:_MOST_FORKS]
    if parent is not None:
        yield f'<nav class="related" aria-label="Parent"><h2>Started by</h2>{_link(parent)}</nav>\n'
    if origin is not None:
        yield f'<nav class="related" aria-label="Origin"><h2>Continues</h2>{_link(origin)}</nav>\n'
    if forks:
        links = "".join(f"<li>{_link(fork)}</li>" for fork in forks)
        yield f'<nav class="related" aria-label="Forks"><h2>Continued by</h2><ul>{links}</ul></nav>'
    yield from _sub_agents(journal, row)


def _sub_agents(journal: Journal, row: SessionRow) -> Iterator[str]:
    family = descendants_of(journal.db, row)
    if not family:
        return
    shown = {found.id for found in family[:_MOST_SUB_AGENTS]}
    left_out = len(family) - len(shown)
    yield '<nav class="related" aria-label="Sub-agents">'
    yield f"<h2>{counted(len(family), 'sub-agent')}</h2>"
    yield from _tree(journal, row, shown)
    if left_out:
        yield f'<p class="meta">and {left_out:,} more</p>'
    yield "</nav>\n"


def _tree(journal: Journal, row: SessionRow, left: set[str]) -> Iterator[str]:
    """The sub-agents of a session and theirs; each once, whatever a file says of its parents."""
    children = [found for found in children_of(journal.db, row.agent, row.id) if found.id in left]
    if not children:
        return
    left.difference_update(found.id for found in children)
    yield "<ul>"
    for child in children:
        yield f"<li>{_link(child)}"
        yield from _tree(journal, child, left)
        yield "</li>"
    yield "</ul>"


def _link(row: SessionRow) -> str:
    name = in_tag(row.agent_name, 40) or in_tag(short_title(row.title), 80) or "(no title)"
    title = in_tag(short_title(row.title), 160)
    return (
        f'<a href="{session_address(row)}" title="{title}" dir="auto">{name}</a> '
        f'<span class="meta">{counted(row.message_count, "message")}</span>'
    )
