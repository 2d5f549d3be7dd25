"""The order of hits: scores of messages, of whole sessions, of meaning and of dates combined.

The constants were chosen on LoCoMo (questions about long dialogs, session level; R@1 / R@5 / MRR in
per cent) and checked on bench/retrieval, which measures them again. Five of its dialogs (1,018
questions) have 77.6 / 94.2 / 84.7 with all parts; `sessions.py --without` gives the figures without
a part, which are at its constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agent_journal.store.catalog.search_rows import SessionFacts

# What a text gets for having a word at all, as a share of what the word says: 76.3 / 93.8 / 83.9
# without it; 1.0 and more costs on code.
HAS_WORD = 0.5
# What it gets for having all of the words, as a share of what they say together. Questions do not
# need it: 77.7 / 94.2 / 84.8 without it.
ALL_WORDS_BONUS = 1.0
# For having a few words in a row, and near each other: a command, a name, an error message.
ROW_BONUS = 1.0
NEAR_BONUS = 1.0
FEW_WORDS_BONUS = 2.0  # the same for two or three words, which are rarely a question: as good
# The best messages of a session that count, and how much: 77.1 / 94.2 / 84.4 with the best alone.
_BEST_MESSAGES = (1.0, 0.5, 0.25)
# How much a title or a line of a prompt history counts beside the messages. Where titles are first
# prompts it costs 0.3 of R@1 (LoCoMo); where they are not, they say what a session is about: the
# invented dialogs of bench/retrieval lose 0.5 without it.
_REPEATED = 0.25
# How much the whole session, its meaning and its date count, its messages being 1: without them
# 76.5 / 93.6 / 83.8, 77.4 / 93.0 / 84.3 and 75.0 / 92.3 / 82.4.
_MESSAGES = 1.0
_WHOLE = 0.6
_MEANING = 0.75
_DATE = 0.6
_ALIKE = 0.25  # a similarity that counts in full: where all are smaller, nothing is really alike
# The words count in full where the best session has so much of what they say, and then quickly
# less: the best of a paraphrase has hardly a third of it. Without this, paraphrases of
# bench/retrieval have 1.8 / 39.3 / 17.8 instead of 22.3 / 67.9 / 41.2, and LoCoMo gains 0.1.
_SURE = 2.0
_LESS_SURE = 4  # the power of the share
# How much the whole session and its meaning count where a message has a few words in a row as they
# were typed: a command or an error message is looked for as it stands, and is often only in what a
# tool printed. Questions and the sets of bench/retrieval have the same figures without it.
_AROUND_LITERAL = 0.15
_WORDS_OF_ITEM = 0.6  # the share of the words in the score of a single item; the rest is meaning
_ALL = _MESSAGES + _WHOLE + _MEANING

_RECENT = 0.15  # how much more a hit of today counts than an old one
_HALF_LIFE = 30 * 86400 * 1e6  # microseconds until that has halved
_SUB_AGENT = 0.7  # people's own sessions come first


class Scored(NamedTuple):
    """An item that matches, the row of its session (0: none) and how well it matches."""

    item_id: int
    session: int
    score: float
    part: str = ""  # of a message, where it is indexed apart
    by: str = "words"  # or "meaning"
    repeats: bool = False  # what is said elsewhere in the session: its title, a prompt history

    @property
    def key(self) -> int:
        """What it is ranked as: its session, or itself where it has none."""
        return self.session or -self.item_id


def lexical_score(score: float, when: int, session: SessionFacts | None, now: float) -> float:
    """Return the score of words, higher for recent items and lower for those of sub-agents."""
    newest = when
    if not newest and session is not None:
        newest = session.ended_at or 0
    recent: float = 1 + _RECENT * 0.5 ** (max(0.0, now - newest) / _HALF_LIFE)
    return score * recent * rank_factor(session)


def rank_factor(session: SessionFacts | None) -> float:
    """Return how much the hits of a session count: less for those of sub-agents."""
    if session is not None and session.is_sub_agent:
        return _SUB_AGENT
    return 1.0


class Evidence(NamedTuple):
    """Everything that speaks for sessions; the keys are those of `Scored.key`."""

    messages: list[Scored]  # by words
    near: list[Scored]  # by meaning
    whole: Mapping[int, float]  # scores of whole sessions
    dates: Mapping[int, float]  # how near each is to the date that was asked for, from 0 to 1
    asked: float  # how much the words of the query say together
    needs_words: bool = False  # what has none of the words comes last
    is_literal: bool = False  # something has the words as they were typed


def rank_sessions(evidence: Evidence) -> list[Scored]:
    """The best hit of each session with the score of the session, best first."""
    words = _by_session(evidence.messages)
    near = _by_session(evidence.near)
    messages = {key: _message_score(hits) for key, hits in words.items()}
    meaning = {key: max(hit.score for hit in hits) for key, hits in near.items()}
    whole = {key: evidence.whole.get(key, 0.0) for key in messages}
    sure = _sureness(messages, evidence.asked)
    around = _AROUND_LITERAL if evidence.is_literal else 1.0
    parts = (
        (_MESSAGES * sure, messages, _highest(messages)),
        (_WHOLE * sure * around, whole, _highest(whole)),
        (_MEANING * around, meaning, max(_highest(meaning), _ALIKE * sure)),
    )
    scores = dict.fromkeys((*messages, *meaning), 0.0)
    for weight, values, highest in parts:
        share = weight / highest / _ALL
        for key, value in values.items():
            scores[key] += share * value
    for key, value in evidence.dates.items():
        if key in scores:
            scores[key] += _DATE * value
    items = _item_scores(evidence.messages, evidence.near)
    # A hit with words is shown where there is one
    hits = _in_order(
        _with_score(_shown_hit(words.get(key) or near[key], items), score)
        for key, score in scores.items()
    )
    if evidence.needs_words:
        hits.sort(key=lambda hit: hit.by != "words")
    return hits


def rank_items(messages: list[Scored], near: list[Scored]) -> list[Scored]:
    """Single items by words and by meaning, best first."""
    scores = _item_scores(messages, near)
    hits = _hits_by_item(messages, near)
    return _in_order(_with_score(hit, scores[item_id]) for item_id, hit in hits.items())


def _sureness(messages: Mapping[int, float], asked: float) -> float:
    """How much the words can be trusted, from 0 to 1: little where the best has few of them."""
    if not messages:
        return 0.0
    if not asked:
        return 1.0
    share = _highest(messages) / (_SURE * asked)
    return min(1.0, share) ** _LESS_SURE


def _highest(values: Mapping[int, float]) -> float:
    return max(values.values(), default=0.0) or 1.0


def _by_session(hits: list[Scored]) -> dict[int, list[Scored]]:
    by_key: dict[int, list[Scored]] = {}
    for hit in hits:
        by_key.setdefault(hit.session or -hit.item_id, []).append(hit)
    return by_key


def _message_score(hits: list[Scored]) -> float:
    """The score of a session by its best messages, or by what repeats them if there is no other."""
    if len(hits) == 1:
        return hits[0].score
    messages = [hit.score for hit in hits if not hit.repeats]
    repeated = max((hit.score for hit in hits if hit.repeats), default=0.0)
    if not messages:
        return repeated
    messages.sort(reverse=True)
    # Only so many count
    total = sum(share * value for share, value in zip(_BEST_MESSAGES, messages, strict=False))
    return total + _REPEATED * repeated


def _hits_by_item(messages: list[Scored], near: list[Scored]) -> dict[int, Scored]:
    """Each item once; one that is found by words and by meaning counts as found by words."""
    return {hit.item_id: hit for hit in (*near, *messages)}


def _item_scores(messages: list[Scored], near: list[Scored]) -> dict[int, float]:
    """The scores of single items: those of words and of meaning added."""
    scores = dict.fromkeys((hit.item_id for hit in (*near, *messages)), 0.0)
    highest = max((hit.score for hit in messages), default=0.0) or 1.0
    for hit in messages:
        scores[hit.item_id] += _WORDS_OF_ITEM * hit.score / highest
    for hit in near:
        scores[hit.item_id] += (1 - _WORDS_OF_ITEM) * hit.score
    return scores


def _shown_hit(hits: list[Scored], items: Mapping[int, float]) -> Scored:
    """The hit that is shown for a session: a message rather than what repeats it."""
    if len(hits) == 1:
        return hits[0]
    return max(hits, key=lambda hit: (not hit.repeats, items[hit.item_id], hit.item_id))


def _with_score(hit: Scored, score: float) -> Scored:
    return Scored(hit.item_id, hit.session, score, hit.part, hit.by, hit.repeats)


def _in_order(hits: Iterable[Scored]) -> list[Scored]:
    return sorted(hits, key=lambda hit: (-hit.score, -hit.item_id))
