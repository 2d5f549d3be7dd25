"""`hits`: what a search found."""

from __future__ import annotations

from typing import TYPE_CHECKING, NotRequired, TypedDict

from agent_journal.answers.answer import Answer, iso_time
from agent_journal.answers.hits_page import HitsPage, marker_of, snippet_of

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Found, Hit
    from agent_journal.search.snippets import Snippet
    from agent_journal.search.texts import Neighbour, Passage, Passages


class HitMessage(TypedDict):
    """The message, tool call, edit or plan that was found."""

    id: str | None
    role: str | None
    kind: str
    timestamp: str | None
    position: int | None


class HitSnippet(TypedDict):
    """The part of its text that has the words; `marks` are their start and end."""

    text: str
    marks: list[tuple[int, int]]


class HitNeighbour(TypedDict):
    """A message before or after a hit."""

    role: str
    kind: str
    timestamp: str | None
    position: int
    text: str


class HitItem(TypedDict):
    """One hit. Plans and lines of a prompt history may have no session."""

    session: NotRequired[str]
    agent: NotRequired[str]
    title: NotRequired[str | None]
    project: NotRequired[str | None]
    started_at: NotRequired[str | None]
    score: float
    by: str
    message: HitMessage
    snippet: HitSnippet
    context: list[HitNeighbour]


class HitsExtra(TypedDict):
    """How the query was read."""

    offset: int
    matched: str
    instead: str | None
    without: list[str]
    missing: list[str]
    spelled: dict[str, str]


def hits_answer(passages: Passages, parsed: Parsed, found: Found, page: HitsPage) -> Answer:
    """Return one page of hits."""
    from agent_journal.query.rendering import excluded_parts

    items = []
    marker = marker_of(parsed, found)
    for hit in found.hits:
        passage = passages.get(hit)
        if passage is not None:
            around = passages.around(hit, passage, page.context)
            items.append(_item(hit, passage, snippet_of(passage, marker), around))
    extra = HitsExtra(
        offset=page.offset,
        matched=found.how,
        instead=found.instead or None,
        without=excluded_parts(parsed),
        missing=list(found.missing),
        spelled=dict(found.spelled),
    )
    return Answer(
        "hits",
        items,
        total=found.total,
        limit=page.limit,
        has_more=page.has_more(found),
        extra=extra,
    )


def _item(hit: Hit, passage: Passage, snippet: Snippet, around: list[Neighbour]) -> HitItem:
    item = HitItem(
        score=round(hit.score, 4),
        by=hit.by,
        message=HitMessage(
            id=passage.id or None,
            role=passage.role or None,
            kind=passage.kind,
            timestamp=iso_time(passage.timestamp),
            position=passage.seq,
        ),
        snippet=HitSnippet(text=snippet.text, marks=snippet.marks),
        context=[_neighbour(message) for message in around],
    )
    row = hit.session
    if row is not None:
        item["session"] = f"{row.agent}:{row.id}"
        item["agent"] = row.agent
        item["title"] = row.title
        item["project"] = row.project_path
        item["started_at"] = iso_time(row.started_at)
    elif passage.agent is not None:
        item["agent"] = passage.agent
        item["project"] = passage.project
    return item


def _neighbour(message: Neighbour) -> HitNeighbour:
    return HitNeighbour(
        role=message.role,
        kind=message.kind,
        timestamp=iso_time(message.timestamp),
        position=message.seq,
        text=message.text,
    )
