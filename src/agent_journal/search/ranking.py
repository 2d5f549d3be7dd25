"""The order of hits: scores of messages, of whole sessions, of meaning and of dates combined.

The constants were chosen on LoCoMo (1,982 questions about long dialogs, session level; R@1 / R@5 /
MRR in per cent) and checked on bench/retrieval, which measures them again. With all parts it is
77.7 / 94.4 / 85.0; what is lost without a part is behind its constant.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from agent_journal.store.catalog.search_rows import SessionFacts

# What a text gets for having a word at all, as a share of what the word says: 77.0 / 94.4 / 84.6
# without it; 1.0 and more costs on code.
HAS_WORD = 0.5
# What it gets for having all of the words, as a share of what they say together.
ALL_WORDS_BONUS = 1.0
# For having a few words in a row, and near each other: a command, a name, an error message.
ROW_BONUS = 1.0
NEAR_BONUS = 1.0
FEW_WORDS_BONUS = 2.0  # the same for two or three words, which are rarely a question: as good
# The best messages of a session that count, and how much: 76.7 / 94.1 / 84.5 with the best alone.
_BEST_MESSAGES = (1.0, 0.5, 0.25)
# How much a title or a line of a prompt history counts beside the messages. Where titles are first
# prompts it costs 0.3 of R@1; where they are not, they say what a session is about.
_REPEATED = 0.25
# How much the whole session, its meaning and its date count, its messages being 1: without them
# 76.1 / 93.8 / 84.0, 76.9 / 93.8 / 84.2 and 74.4 / 92.7 / 82.5.
_MESSAGES = 1.0
_WHOLE = 0.6
_MEANING = 0.75
_DATE = 0.6
_ALIKE = 0.5  # a similarity that counts in full: where all are smaller, nothing is really alike
# The least similarity of a session that has none of the words, where others have them.
_LEAST_ALIKE = 0.1
_HALF_SURE = 0.5
_NEAR_DATE = 0.5  # about a week from the date that was asked for
# The words count in full where the best session has so much of what they say. Of questions whose
# words are in the session, 9 of 10 have it; of paraphrases none has half of it. Without it
# paraphrases have 4.5 / 36.6 / 17.4 (29.5 / 67.0 / 46.3 with it), LoCoMo loses 0.3.
_SURE = 3.0
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


def rank_sessions(evidence: Evidence) -> list[Scored]:
    """The best hit of each session with the score of the session, best first."""
    messages = _message_scores(evidence.messages)
    meaning = _best_scores(evidence.near)
    whole = {key: evidence.whole.get(key, 0.0) for key in messages}
    sure = _sureness(messages, evidence.asked)
    least = 0.0
    if sure > _HALF_SURE:
        least = _LEAST_ALIKE
    dated = {key for key, value in evidence.dates.items() if value > _NEAR_DATE}
    known = messages.keys() | dated
    meaning = {key: value for key, value in meaning.items() if key in known or value >= least}
    parts = (
        (_MESSAGES * sure, messages, _highest(messages)),
        (_WHOLE * sure, whole, _highest(whole)),
        (_MEANING, meaning, max(_highest(meaning), _ALIKE * sure)),
    )
    scores = dict.fromkeys((*messages, *meaning), 0.0)
    for weight, values, highest in parts:
        for key, value in values.items():
            scores[key] += weight * value / highest / _ALL
    for key in scores:
        scores[key] += _DATE * evidence.dates.get(key, 0.0)
    shown = _shown_hits(evidence)
    hits = _in_order(shown[key]._replace(score=score) for key, score in scores.items())
    if evidence.needs_words:
        hits.sort(key=lambda hit: hit.by != "words")
    return hits


def rank_items(messages: list[Scored], near: list[Scored]) -> list[Scored]:
    """Single items by words and by meaning, best first."""
    scores = _item_scores(messages, near)
    hits = _hits_by_item(messages, near)
    return _in_order(hit._replace(score=scores[item_id]) for item_id, hit in hits.items())


def _sureness(messages: Mapping[int, float], asked: float) -> float:
    """How much the words can be trusted, from 0 to 1: little where the best has few of them."""
    if not messages:
        return 0.0
    if not asked:
        return 1.0
    share = _highest(messages) / (_SURE * asked)
    return min(1.0, share**2)


def _highest(values: Mapping[int, float]) -> float:
    return max(values.values(), default=0.0) or 1.0


def _message_scores(hits: list[Scored]) -> dict[int, float]:
    """The score of each session by its best messages, or by what repeats them if that is more."""
    by_key: dict[int, list[float]] = {}
    repeated: dict[int, float] = {}
    for hit in hits:
        if hit.repeats:
            repeated[hit.key] = max(repeated.get(hit.key, 0.0), hit.score)
        else:
            by_key.setdefault(hit.key, []).append(hit.score)
    scores = dict(repeated)
    for key, values in by_key.items():
        best = values
        if len(values) > 1:
            best = sorted(values, reverse=True)
        # Only so many count
        total = sum(share * value for share, value in zip(_BEST_MESSAGES, best, strict=False))
        scores[key] = total + _REPEATED * repeated.get(key, 0.0)
    return scores


def _best_scores(hits: list[Scored]) -> dict[int, float]:
    scores: dict[int, float] = {}
    for hit in hits:
        scores[hit.key] = max(scores.get(hit.key, 0.0), hit.score)
    return scores


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


def _shown_hits(evidence: Evidence) -> dict[int, Scored]:
    """The hit that is shown for each session: a message with words where there is one."""
    shown: dict[int, Scored] = {}
    best: dict[int, tuple[bool, bool, float, int]] = {}
    hits = _hits_by_item(evidence.messages, evidence.near)
    scores = _item_scores(evidence.messages, evidence.near)
    for item_id, hit in hits.items():
        rank = (hit.by == "words", not hit.repeats, scores[item_id], item_id)
        key = hit.key
        if key not in best or rank > best[key]:
            best[key] = rank
            shown[key] = hit
    return shown


def _in_order(hits: Iterable[Scored]) -> list[Scored]:
    return sorted(hits, key=lambda hit: (-hit.score, -hit.item_id))
