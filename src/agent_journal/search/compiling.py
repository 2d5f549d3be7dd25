"""A query tree as a tantivy query. What is known of sessions only (project, model, …) is asked of
the catalog.
"""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from agent_journal.errors import JournalError
from agent_journal.query.tree import (
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Phrase,
    Regex,
    Value,
    Word,
    bounds,
    words_of,
)
from agent_journal.search.lexical import analyzers, schema
from agent_journal.search.terms import humps, prepared
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import PROJECT_NAMES, REPOSITORY
from agent_journal.text.dates import to_micros

if TYPE_CHECKING:
    import tantivy

EXACT_SESSION = "exact session"  # a field that nobody can type
_SESSION_FIELDS = {
    "agent": "s.agent",
    "project": PROJECT_NAMES,
    "repo": REPOSITORY,
    "branch": "coalesce(s.git_branch, '')",
    "model": "model_names(s.models)",
    "session": "s.uid",
    EXACT_SESSION: "s.agent || ':' || s.uid",
}
_SHORTEST = 4  # letters of a word that has other forms
_ALIKE, _FORMS, _LONGER = 300, 12, 5
_CONTAINED = ("project", "model")  # a part of the value will do
_NAMES = ("project", "model", "repo")
_FLAGS = {
    "prompt": ("kind", ("prompt",)),
    "answer": ("kind", ("answer",)),
    "tool": ("kind", ("tool",)),
    "reasoning": ("kind", ("reasoning",)),
    "failed": ("status", ("failed", "error")),
    "hidden": ("flag", ("hidden",)),
}
# They are in every text: where not all words have to match they would only hide the others.
_SMALL = """
a about an and are as at be been but by can did do does for from had has have how i if in into is it its me my no not of
on or our such that the their then there these they this to us was we were what when where which who why will with
you"""
_SMALL_WORDS = frozenset(_SMALL.split())
_SESSION_FLAGS = {"subagent": "s.parent_uid IS NOT NULL", "edited": "s.edit_count > 0"}


class Compiler:
    """Makes queries for one search."""

    def __init__(self, db: Connection, searcher: tantivy.Searcher) -> None:
        import tantivy

        self._db = db
        self._searcher = searcher
        self._found: dict[str, list[str]] = {}  # forms of words: each is asked for twice
        # SQLite's own lower() knows the letters of English only.
        db.create_function("folded", 1, lambda text: (text or "").lower(), deterministic=True)
        db.create_function("model_names", 1, _model_names, deterministic=True)
        self._now = datetime.now(UTC)
        self._query = tantivy.Query
        self._occur = tantivy.Occur
        self._types = tantivy.FieldType
        self._schema = schema()
        self._analyzers = analyzers()

    def compile(
        self, tree: Node | None, *, any_word: bool = False, with_hidden: bool = False
    ) -> tantivy.Query:
        """The query for a tree; with `any_word`, one of its words is enough, and all else must
        hold.
        """
        if any_word:
            hard = conditions(tree)
            inner = self._both([self._any_word(tree), None if hard is None else self._node(hard)])
        else:
            inner = None if tree is None else self._node(tree)
        wanted = inner if inner is not None else self._query.all_query()
        if with_hidden:
            return wanted
        hidden = self._query.term_query(self._schema, "flag", "hidden")
        return self._query.boolean_query(
            [(self._occur.Must, wanted), (self._occur.MustNot, hidden)]
        )

    def dated(self, query: tantivy.Query) -> tantivy.Query:
        """A query for what has a time."""
        known = self._query.range_query(self._schema, "time", self._types.Integer, 1, None)
        return self._query.boolean_query([(self._occur.Must, query), (self._occur.Must, known)])

    def undated(self, query: tantivy.Query) -> tantivy.Query:
        """A query for what has none."""
        known = self._query.range_query(self._schema, "time", self._types.Integer, 1, None)
        return self._query.boolean_query([(self._occur.Must, query), (self._occur.MustNot, known)])

    def titles(self, tree: Node | None) -> tantivy.Query:
        """The query for sessions by their title, folder and branch: each word that matches counts."""
        words = [self._loose(one) for one in words_of(tree) if isinstance(one, Word)]
        said = self._either([word for word in words if word is not None])
        if said is None:
            return self._query.empty_query()
        kind = self._query.const_score_query(self._term("kind", "session"), 0.0)
        return self._query.boolean_query([(self._occur.Must, kind), (self._occur.Must, said)])

    def among(self, tree: Node, ids: list[int] | None) -> tantivy.Query:
        """The query for conditions that items with a vector are to meet: some of them, or all."""
        inner = self._node(tree)
        these = (
            self._query.all_query()
            if ids is None
            else self._query.term_set_query(self._schema, "id", ids)
        )
        # The reasoning of a message has a document of its own under the same id, but no part in its
        # vector.
        without = [
            self._either(
                [self._term("kind", kind) for kind in ("reasoning", "tool", "event", "edit")]
            )
        ]
        parts = [
            (self._occur.Must, these),
            *((self._occur.MustNot, one) for one in without if one is not None),
        ]
        parts += [(self._occur.Must, inner)] if inner is not None else []
        return self._query.boolean_query(parts)

    def words(self, text: str) -> list[str]:
        """The terms that a text is indexed under."""
        return list(self._analyzers["words"].analyze(prepared(text)))

    # -- the tree ------------------------------------------------------------------------------

    def _node(self, node: Node) -> tantivy.Query | None:
        match node:
            case Word():
                return self._word(node)
            case Phrase():
                return self._phrase(node.text)
            case Regex():
                return self._regex(node)
            case Field():
                return self._field(node)
            case Dates():
                return self._dates(node)
            case Not():
                inner = self._node(node.node)
                return None if inner is None else self._without(inner)
            case Or():
                return self._either([self._node(one) for one in node.nodes])
            case And():
                return self._both([self._node(one) for one in node.nodes])

    def _any_word(self, tree: Node | None) -> tantivy.Query | None:
        """One of the words; those that are in every text only where there are no others."""
        words = [one for one in words_of(tree) if isinstance(one, Word)]
        said = [word for word in words if word.text.lower() not in _SMALL_WORDS] or words
        return self._either([self._loose(word) for word in said])

    def _both(self, parts: list[tantivy.Query | None]) -> tantivy.Query | None:
        known = [(self._occur.Must, part) for part in parts if part is not None]
        return self._query.boolean_query(known) if known else None

    def _either(self, parts: list[tantivy.Query | None]) -> tantivy.Query | None:
        known = [(self._occur.Should, part) for part in parts if part is not None]
        return self._query.boolean_query(known) if known else None

    def _without(self, inner: tantivy.Query) -> tantivy.Query:
        return self._query.boolean_query(
            [(self._occur.Must, self._query.all_query()), (self._occur.MustNot, inner)]
        )

    # -- words ---------------------------------------------------------------------------------

    def _word(self, word: Word) -> tantivy.Query | None:
        terms = self.words(word.text)
        if not terms:
            return None  # nothing in it can be looked up: `-`, `?`
        if word.is_prefix:
            last = self._pattern("body", f"{re.escape(terms[-1])}.*", word.text)
            before = [(self._occur.Must, self._term("body", term)) for term in terms[:-1]]
            return self._query.boolean_query([*before, (self._occur.Must, last)])
        if len(terms) > 1:
            return self._phrase(word.text)
        term = terms[0]
        ways = [self._term("body", term), self._query.boost_query(self._term("parts", term), 0.8)]
        ways += [
            self._query.boost_query(self._term("body", form), 0.6) for form in self._forms(term)
        ]
        parts = [
            (self._occur.Must, self._term("parts", part.lower()))
            for part in humps(word.text).split()
        ]
        if parts:
            ways.append(self._query.boost_query(self._query.boolean_query(parts), 0.7))
        return self._query.disjunction_max_query(ways)

    def _forms(self, term: str) -> list[str]:
        """Other forms of an English word that occur: for `limit` also `limits`, `limited` and
        `limiting`.
        """
        if term not in self._found:
            self._found[term] = self._find_forms(term)
        return self._found[term]

    def _find_forms(self, term: str) -> list[str]:
        if len(term) < _SHORTEST or not (term.isascii() and term.isalpha()):
            return []
        [stem] = self._analyzers["stems"].analyze(term) or [term]
        # The end of a stem may differ from the word: `retri` is the stem of retry and retries.
        alike = self._searcher.terms_with_prefix(
            "body", stem[: max(3, len(stem) - 1)], limit=_ALIKE
        )
        longest = len(term) + _LONGER  # the others are other words, mostly
        forms = [
            form for form, _ in alike if form != term and len(form) <= longest and form.isalpha()
        ]
        return [form for form in forms if self._analyzers["stems"].analyze(form) == [stem]][:_FORMS]

    def _loose(self, word: Word) -> tantivy.Query | None:
        """A word of which parts will do: `op.create_table()` also finds a text that has only
        `create`.
        """
        terms = [] if word.is_prefix else self.words(word.text)
        if len(terms) < 2:
            return self._word(word)
        return self._either(
            [self._phrase(word.text), *(self._word(Word(term)) for term in dict.fromkeys(terms))]
        )

    def _phrase(self, text: str) -> tantivy.Query | None:
        terms = self.words(text)
        if len(terms) < 2:
            return self._term("body", terms[0]) if terms else None
        return self._query.phrase_query(self._schema, "body", terms)  # type: ignore[arg-type]

    def _regex(self, regex: Regex) -> tantivy.Query:
        # Words are indexed in lower case; only an escape such as \S keeps its letter. ^ and $ go
        # without saying.
        pattern = re.sub(
            r"\\.|[A-Z]|\$\Z",
            lambda found: found[0] if found[0][0] == "\\" else found[0].lower().strip("$"),
            regex.pattern,
            flags=re.DOTALL,
        )
        return self._pattern("body", pattern.removeprefix("^"), f"/{regex.pattern}/")

    def _pattern(self, field: str, pattern: str, asked: str) -> tantivy.Query:
        try:
            return self._query.regex_query(self._schema, field, pattern)
        except ValueError as error:
            short = asked if len(asked) < 60 else asked[:60] + "…"
            raise JournalError(
                f"the index cannot look for {short}: {error}", "use a simpler one"
            ) from error

    def _term(self, field: str, term: str) -> tantivy.Query:
        return self._query.term_query(self._schema, field, term)

    # -- fields --------------------------------------------------------------------------------

    def _field(self, field: Field) -> tantivy.Query | None:
        if field.name in _SESSION_FIELDS:
            return self._sessions(*_condition(field))
        if field.name == "is":
            return self._either([self._flag(value.text) for value in field.values])
        if field.name == "file":
            return self._either([self._path(value) for value in field.values])
        return self._either([self._raw(field.name, value) for value in field.values])

    def _raw(self, name: str, value: Value) -> tantivy.Query:
        text = value.text.lower()
        if value.is_prefix:
            return self._pattern(name, f"{re.escape(text)}.*", value.text)
        return self._term(name, text)

    def _path(self, value: Value) -> tantivy.Query:
        """A path that ends with the value, at a folder; with stars, one that is like it."""
        text = value.text.lower().replace("\\", "/")
        pattern = ".*".join(re.escape(part) for part in text.rstrip("/").split("*"))
        tail = ".*" if value.is_prefix else "(/.*)?"  # a folder means all that is in it
        start = "" if text.startswith(("*", "/")) else "(.*/)?"
        return self._pattern("path", f"{start}{pattern}{tail}".replace("/.*.*", "/.*"), value.text)

    def _flag(self, flag: str) -> tantivy.Query | None:
        if flag in _SESSION_FLAGS:
            return self._sessions(_SESSION_FLAGS[flag], [])
        if flag == "error":
            return self._either([self._term("kind", "error"), self._term("status", "error")])
        name, values = _FLAGS[flag]
        return self._either([self._term(name, value) for value in values])

    def _sessions(self, condition: str, values: list[str]) -> tantivy.Query:
        query = f"SELECT id FROM sessions s WHERE s.is_known = 1 AND ({condition})"
        ids = [row[0] for row in self._db.execute(query, values)]
        if not ids:
            return self._query.empty_query()
        return self._query.const_score_query(
            self._query.term_set_query(self._schema, "session", ids), 0.0
        )

    def _dates(self, node: Dates) -> tantivy.Query | None:
        since, until = bounds(node, self._now)
        low, high = to_micros(since), to_micros(until)
        if low is None and high is None:
            return None
        found = self._query.range_query(self._schema, "time", self._types.Integer, low, high)
        return self._query.const_score_query(found, 0.0)


def conditions(node: Node | None) -> Node | None:
    """The part of a query that must hold as it is: all but its plain words, which may be missing or
    told in others.
    """
    if isinstance(node, And):
        parts = tuple(part for one in node.nodes if (part := conditions(one)) is not None)
        return And(parts) if len(parts) > 1 else parts[0] if parts else None
    if isinstance(node, Or):
        ways = tuple(conditions(one) for one in node.nodes)
        return None if None in ways else Or(tuple(way for way in ways if way is not None))
    return None if isinstance(node, Word) else node


def _model_names(models: str | None) -> str:
    """The models of a session, each as the agent calls it and as it is grouped."""
    import json

    from agent_journal.text.names import model_name

    names: list[str] = json.loads(models or "[]")
    return " ".join((*names, *map(model_name, names)))


def _condition(field: Field) -> tuple[str, list[str]]:
    """A session-level field as SQL: equal, or containing, or beginning with one of the values."""
    column, ways, values = _SESSION_FIELDS[field.name], [], []
    for value in field.values:
        text = value.text.lower()
        if field.name == "session":
            text = text.rpartition(":")[2]
        if field.name in _NAMES and value.is_prefix:  # one of the names begins with it
            ways.append(f"instr(' ' || folded({column}), ' ' || ?) > 0")
        elif field.name in _CONTAINED:
            ways.append(f"instr(folded({column}), ?) > 0")
        elif (
            field.name in ("repo", "branch") and not value.is_prefix
        ):  # all of it, or its last part
            ways.append(f"substr('/' || folded({column}), -length('/' || ?)) = '/' || ?")
            values.append(text)
        elif value.is_prefix or field.name in ("session", "agent"):
            ways.append(f"substr(folded({column}), 1, length(?)) = ?")
            values.append(text)
        else:
            ways.append(f"folded({column}) = ?")
        values.append(text)
    return " OR ".join(ways), values
