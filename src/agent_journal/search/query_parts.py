"""The parts that tantivy queries are built from, for one search."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_journal.errors import UsageError
from agent_journal.search.lexical_documents import schema

if TYPE_CHECKING:
    import tantivy


class QueryParts:
    """Builds simple queries and combines them."""

    def __init__(self) -> None:
        import tantivy

        self._query = tantivy.Query
        self._occur = tantivy.Occur
        self._schema = schema()

    def _all_of(self, parts: list[tantivy.Query | None]) -> tantivy.Query | None:
        known = [(self._occur.Must, part) for part in parts if part is not None]
        if not known:
            return None
        return self._query.boolean_query(known)

    def _any_of(self, parts: list[tantivy.Query | None]) -> tantivy.Query | None:
        known = [(self._occur.Should, part) for part in parts if part is not None]
        if not known:
            return None
        return self._query.boolean_query(known)

    def _but_not(self, wanted: tantivy.Query, excluded: tantivy.Query) -> tantivy.Query:
        return self._query.boolean_query(
            [(self._occur.Must, wanted), (self._occur.MustNot, excluded)]
        )

    def _unscored(self, query: tantivy.Query) -> tantivy.Query:
        return self._query.const_score_query(query, 0.0)

    def _pattern(self, field: str, pattern: str, typed: str) -> tantivy.Query:
        try:
            return self._query.regex_query(self._schema, field, pattern)
        except ValueError as error:
            if len(typed) >= 60:
                typed = typed[:60] + "…"
            message = f"the index cannot search for {typed}: {error}"
            raise UsageError(message, "use a simpler expression") from error

    def _term(self, field: str, term: str) -> tantivy.Query:
        return self._query.term_query(self._schema, field, term)
