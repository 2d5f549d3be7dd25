"""The order of hits: scores of words and of meaning combined, newer before older.

The weights were chosen with bench/retrieval, which also measures alternatives.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from agent_journal.store.catalog.search_rows import SessionFacts

_RECENT = 0.15  # how much more a hit of today counts than an old one
_HALF_LIFE = 30 * 86400 * 1e6  # microseconds until that has halved
_SUB_AGENT = 0.7  # people's own sessions come first
_SESSION = 0.5  # how much of the score of a session's title its messages get
# The share of the words in a score; the rest is meaning. Where all words match they say enough.
ALL_WORDS = 0.6
SOME_WORDS = 0.25  # a question in whole sentences shares some words with many texts


class Scored(NamedTuple):
    """An item that matches, the row of its session (0: none) and how well it matches."""

    item_id: int
    session: int
    score: float
    part: str = ""  # of a message, where it is indexed apart
    by: str = "words"  # or "meaning"


def lexical_score(score: float, when: int, session: SessionFacts | None, now: float) -> float:
    """Return the score of words, higher for recent items and lower for those of sub-agents."""
    newest = when
    if not newest and session is not None:
        newest = session.ended_at or 0
    recent: float = 1 + _RECENT * 0.5 ** (max(0.0, now - newest) / _HALF_LIFE)
    return score * recent * _factor(session)


def semantic_score(score: float, session: SessionFacts | None) -> float:
    """Return the score of meaning, lower for items of sub-agents."""
    return score * _factor(session)


def _factor(session: SessionFacts | None) -> float:
    if session is not None and session.is_sub_agent:
        return _SUB_AGENT
    return 1


def merge_scores(lexical: list[Scored], near: list[Scored], share: float) -> list[Scored]:
    """Merge both lists; `share` is the weight of the words in a score."""
    highest = max((hit.score for hit in lexical), default=0.0) or 1.0
    scores: dict[int, float] = {hit.item_id: share * hit.score / highest for hit in lexical}
    for hit in near:
        scores[hit.item_id] = scores.get(hit.item_id, 0.0) + (1 - share) * hit.score
    hits = {hit.item_id: hit for hit in (*near, *lexical)}
    return [hit._replace(score=scores[item_id]) for item_id, hit in hits.items()]


def boost_titles(hits: list[Scored], titles: Mapping[int, float]) -> list[Scored]:
    """Raise the scores of hits whose session has a matching title."""
    if not titles:
        return hits
    return [hit._replace(score=hit.score + _SESSION * titles.get(hit.session, 0.0)) for hit in hits]


def best(hits: list[Scored], *, per_session: bool) -> list[Scored]:
    """The hits, best first; with `per_session`, only the best of each session."""
    ordered = sorted(hits, key=lambda hit: (-hit.score, -hit.item_id))
    if not per_session:
        return ordered
    first: dict[int, Scored] = {}
    for hit in ordered:
        first.setdefault(hit.session or -hit.item_id, hit)
    return list(first.values())
