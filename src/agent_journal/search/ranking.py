"""Which hit comes first: scores of words and of meaning in one, newer over older, people's own
sessions first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agent_journal.store.catalog.connection import Connection

_RECENT = 0.15  # how much more a hit of today counts than an old one
_HALF_LIFE = 30 * 86400 * 1e6  # microseconds until that has halved
_SUB_AGENT = 0.7  # people's own sessions come first
_SESSION = 0.25  # how much of the score of a session's title its messages get
# The weights are those of bench/retrieval, which measures others beside them.
# The share of the words in a score, the rest is meaning; where all of them match they say enough
ALL_WORDS = 0.6
SOME_WORDS = 0.25  # a question in whole sentences shares some words with many texts


class Scored(NamedTuple):
    """An item that matches, the row of its session (0: none) and how well it matches."""

    item_id: int
    session: int
    score: float
    is_reasoning: bool = False
    by: str = "words"  # or "meaning"


class Standing(NamedTuple):
    """What the rank of a session's hits depends on."""

    is_sub_agent: bool
    ended_at: int | None


def standings(db: Connection, sessions: Iterable[int]) -> dict[int, Standing]:
    """The sessions that the catalog knows, of some."""
    wanted = ",".join(str(session) for session in set(sessions) if session)
    query = f"SELECT id, parent_uid IS NOT NULL, ended_at FROM sessions WHERE is_known = 1 AND id IN ({wanted})"
    return {
        row_id: Standing(bool(is_sub_agent), ended)
        for row_id, is_sub_agent, ended in db.execute(query)
    }


def worth(score: float, when: int, standing: Standing | None, now: float) -> float:
    """A score, higher for what is new and lower for what sub-agents did."""
    newest = when or (standing.ended_at if standing is not None else 0) or 0
    recent: float = 1 + _RECENT * 0.5 ** (max(0.0, now - newest) / _HALF_LIFE)
    return score * recent * (_SUB_AGENT if standing is not None and standing.is_sub_agent else 1)


def likeness(score: float, standing: Standing | None) -> float:
    """How alike a text is, less for what sub-agents did."""
    return score * (_SUB_AGENT if standing is not None and standing.is_sub_agent else 1)


def fused(lexical: list[Scored], near: list[Scored], share: float) -> list[Scored]:
    """Both lists in one: the words of a hit count by their part of the best score, its meaning as
    it is.
    """
    best = max((hit.score for hit in lexical), default=0.0) or 1.0
    scores: dict[int, float] = {hit.item_id: share * hit.score / best for hit in lexical}
    for hit in near:
        scores[hit.item_id] = scores.get(hit.item_id, 0.0) + (1 - share) * hit.score
    known: Mapping[int, Scored] = {hit.item_id: hit for hit in (*near, *lexical)}
    return [hit._replace(score=scores[item_id]) for item_id, hit in known.items()]


def raised(hits: list[Scored], titles: Mapping[int, float]) -> list[Scored]:
    """Hits in a session whose title, folder or branch matches, too, count more; `titles` has their
    scores.
    """
    return (
        [hit._replace(score=hit.score + _SESSION * titles.get(hit.session, 0.0)) for hit in hits]
        if titles
        else hits
    )


def best(hits: list[Scored], *, per_session: bool) -> list[Scored]:
    """Best first; with `per_session`, the best of each session only."""
    ordered = sorted(hits, key=lambda hit: (-hit.score, -hit.item_id))
    if not per_session:
        return ordered
    first: dict[int, Scored] = {}
    for hit in ordered:
        first.setdefault(hit.session or -hit.item_id, hit)
    return list(first.values())
