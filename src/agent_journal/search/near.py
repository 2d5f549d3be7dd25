"""Finds items by meaning: those whose vectors are like that of the words of a query."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.query.tree import Node, Phrase, Word, words_of
from agent_journal.search.compiling import Compiler, conditions
from agent_journal.search.families import Families
from agent_journal.search.known_sessions import KnownSessions
from agent_journal.search.message_hits import CANDIDATES, MOST_CANDIDATES, MessageHits
from agent_journal.search.ranking import Scored, rank_factor
from agent_journal.search.words import names
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.search_rows import sessions_of_items

if TYPE_CHECKING:
    from agent_journal.search.vectors import Vectors

_FEW = 20  # hits: when fewer meet the conditions, all that do are compared
# Letters of a part in camelCase that is meant as a word. Letters at random have parts, too, which
# are in the table when they are short: of eight such letters, 17 of 100 names would be known.
_LONG_PART = 4


class Near:
    """Compares the vectors of a journal with queries."""

    def __init__(
        self,
        db: Connection,
        vectors: Vectors,
        compiler: Compiler,
        families: Families,
        messages: MessageHits,
        known: KnownSessions,
    ) -> None:
        self._db = db
        self._vectors = vectors
        self._compiler = compiler
        self._families = families
        self._messages = messages
        self._known = known

    def find(self, tree: Node | None) -> list[Scored]:
        """Items with a similar vector that meet the conditions of the query, best first."""
        text = " ".join(word.text for word in words_of(tree) if self._has_meaning(word))
        if not text:
            return []
        found = self._nearest(text, None)
        hard = conditions(tree)
        if hard is not None and found:
            allowed = self._allowed(hard, [item_id for _, item_id in found])
            if len(allowed) < _FEW:  # those that meet the conditions may be further away
                allowed = self._allowed(hard, None)
                found = self._nearest(text, allowed)
            found = [(score, item_id) for score, item_id in found if item_id in allowed]
        return self._scored(found)

    def _has_meaning(self, word: Word | Phrase) -> bool:
        """Whether a word can be compared by meaning.

        A prefix says only which letters are meant, and a name with a part that is no word and
        nowhere in the journal (`xkq_handler`) is something else than its other parts.
        """
        if isinstance(word, Word) and word.is_prefix:
            return False
        if any(map(self._is_noise, self._families.terms(word.text))):
            return False
        return all(self._is_known(*name) for name in names(word.text))

    def _is_known(self, whole: str, *parts: str) -> bool:
        """Whether a word is known, or all parts of a name in camelCase are: `loginHandler`."""
        if self._is_known_word(whole):
            return True
        has_long_part = any(len(part) >= _LONG_PART for part in parts)
        return has_long_part and all(map(self._is_known_word, parts))

    def _is_known_word(self, word: str) -> bool:
        return word.isdigit() or self._vectors.knows(word) or self._families.count("body", word) > 0

    def _is_noise(self, term: str) -> bool:
        """Whether a term is a checksum or the like: letters and digits, and nothing has it."""
        is_mixed = any(map(str.isdigit, term)) and not term.isdigit()
        return is_mixed and not self._families.count("body", term)

    def _nearest(self, text: str, among: set[int] | None) -> list[tuple[float, int]]:
        weigh = self._families.vector_weight
        return self._vectors.nearest(self._db, text, CANDIDATES, among, weigh)

    def _allowed(self, hard: Node, ids: list[int] | None) -> set[int]:
        """The items with a vector that meet conditions; of some, or of all."""
        most = MOST_CANDIDATES
        if ids:
            most = len(ids) * 3  # parts of a message have its id
        return self._messages.ids(self._compiler.among(hard, ids), most)

    def _scored(self, found: list[tuple[float, int]]) -> list[Scored]:
        session_of = sessions_of_items(self._db, {item_id for _, item_id in found})
        facts = self._known.facts(session_of.values())
        hits = []
        for score, item_id in found:
            session = session_of.get(item_id)
            if session is None:
                continue  # the item is gone
            if session not in facts:
                session = 0
            value = score * rank_factor(facts.get(session))
            hits.append(Scored(item_id, session, value, by="meaning"))
        return hits
