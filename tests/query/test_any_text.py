"""What holds for any text: it is read or refused, and reads the same when it is rendered."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_journal.query import limits
from agent_journal.query.parser import QuerySyntaxError, parse
from agent_journal.query.rendering import render
from agent_journal.query.tree import And, Node, Not, Or, Word, words_of
from tests.support.query_trees import NOW, parse_or_error, typed

_SYNTAX = (
    'a foo " ( ) - -- OR AND NOT | / \\ \\/ * i , . .. .* > < = '
    ":// :: [ ? + é → /i -( T14:00 today 2d 2026-01 user"
)
_NAMES = "file: agent: since: role: is:error sort:newest agnt: date: date:2026-01,2025"
_MORE = (
    "has:plan cost:>5 messages: tool:Bash( tool:b(a) cost:<=1..2 -word -rf --force date:last-week"
)
_PIECES = [
    *_SYNTAX.split(),
    *_MORE.split(),
    *_NAMES.split(),
    " ",
    " ",
    "\n",
    "\u3000",
    " OR ",
    " NOT ",
]
texts = st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=20).map("".join))


@given(texts)
def test_any_text_is_read_or_refused_and_reads_the_same_when_rendered(text: str) -> None:
    parsed = parse_or_error(text)
    if isinstance(parsed, QuerySyntaxError):
        assert 0 <= parsed.place <= len(text)
        assert len((parsed.hint or "").split("\n")) == 3
        return
    again = render(parsed)
    assert typed(parse(again, NOW)) == typed(parsed)
    assert render(parse(again, NOW)) == again
    assert is_flat(parsed.tree)


def is_flat(tree: Node | None) -> bool:
    match tree:
        case And(nodes) | Or(nodes):
            return len(nodes) > 1 and all(
                type(node) is not type(tree) and is_flat(node) for node in nodes
            )
        case Not(node):
            return not isinstance(node, Not) and is_flat(node)
    return True


@given(
    st.lists(
        st.from_regex(r"\A\w[\w'.?!,]*\Z").filter(lambda word: word not in ("AND", "OR", "NOT")),
        min_size=2,
    )
)
def test_plain_words_are_those_words(plain: list[str]) -> None:
    assert typed(parse(" ".join(plain)).tree) == typed(And(tuple(Word(word) for word in plain)))


_LONG = r"""a " "a / /a - ( f( ) * : agent:a( (f( \ /( /a. file:a, file:a,file:a, date:2d,"""
_SPACED = r"word OR NOT /a /\/ -a (a) \/ /a/ ab:x date:2d -/ x|"


@pytest.fixture
def without_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Texts of any length are read, as if nobody had limited them."""
    for name in ("MAX_CHARACTERS", "MAX_WORDS", "MAX_PATTERNS"):
        monkeypatch.setattr(limits, name, 10**9)


@pytest.mark.usefixtures("without_limits")
@pytest.mark.parametrize("piece", [*_LONG.split(), *(piece + " " for piece in _SPACED.split())])
def test_long_texts_are_read_or_refused(piece: str) -> None:
    """Anything quadratic would hang here."""
    parsed = parse_or_error((piece * 100_000)[:100_000])
    if isinstance(parsed, QuerySyntaxError):
        assert len(f"{parsed.message}{parsed.hint}") < 500


@pytest.mark.usefixtures("without_limits")
def test_a_long_query_is_read_whole() -> None:
    parsed = parse("(word OR -f(x) file:a,b) " * 8000)
    assert isinstance(parsed.tree, And)
    assert len(parsed.tree.nodes) == 8000
    assert parse(render(parsed)) == parsed


def test_the_deepest_query_is_read_and_rendered() -> None:
    parsed = parse("-(a OR b " * 100 + "c" + ")" * 100)
    assert parse(render(parsed)) == parsed
    assert words_of(parsed.tree) == ()
