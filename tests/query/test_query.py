"""The query language: exact trees, exact errors, and what holds for any text."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_journal.errors import UsageError
from agent_journal.query.lexer import FIELDS
from agent_journal.query.tree import (
    FLAGS,
    ROLES,
    SORTS,
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Parsed,
    Phrase,
    QuerySyntaxError,
    Regex,
    Value,
    Word,
    bounds,
    fields_of,
    parse,
    render,
    words_of,
)
from agent_journal.text.dates import parse_bound
from tests.support.paths import ROOT

NOW = datetime(2026, 3, 15, 12, tzinfo=UTC)
PAGE = (ROOT / "docs/query.md").read_text()


def typed(node: object) -> object:
    """A tree with the names of its types: named tuples of different types are equal when their
    contents are.
    """
    return (type(node).__name__, *map(typed, node)) if isinstance(node, tuple) else node


def words(text: str) -> And:
    return And(tuple(Word(word) for word in text.split()))


def field(name: str, *values: str) -> Field:
    return Field(name, tuple(Value(value) for value in values))


A, B, C, D = map(Word, "abcd")

TREES: list[tuple[str, Node | None]] = [
    ("", None),
    (" \t\n", None),
    ("a", A),
    ("a b  c", And((A, B, C))),
    ("a AND b", And((A, B))),
    ("AND", None),
    # phrases
    ('"some words"', Phrase("some words")),
    ('a "b c', And((A, Phrase("b c")))),
    ('a "', A),
    ('"" a -""', A),
    ('"a"b "c"', And((Phrase("a"), B, Phrase("c")))),
    (
        'what\'s the "fix" for foo()?',
        And((*words("what's the").nodes, Phrase("fix"), *words("for foo()?").nodes)),
    ),
    # exclusion
    ("-a", Not(A)),
    ("NOT a b", And((Not(A), B))),
    ("NOT NOT a", A),
    ("-(-a)", A),
    ("-(-(a b)) c", And((A, B, C))),
    ('-"b c"', Not(Phrase("b c"))),
    ("-(a OR b)", Not(Or((A, B)))),
    ("NOT(a b)", Not(And((A, B)))),
    ("NOT ->", Not(Word("->"))),
    ("-OR", Word("-OR")),
    # groups
    ("a OR b", Or((A, B))),
    ("a | b", Or((A, B))),
    ("a b OR c d", Or((And((A, B)), And((C, D))))),
    ("(a OR b) c", And((Or((A, B)), C))),
    ("(a)OR(b)", Or((A, B))),
    ("a OR (b OR (c OR d))", Or((A, B, C, D))),
    ("((a)) (b (c))", And((A, B, C))),
    ('("") a', A),
    ("(a OR f(x)) b", And((Or((A, Word("f(x)"))), B))),
    # prefixes
    ("foo*", Word("foo", True)),
    # expressions
    ("/a +b/", Regex("a +b")),
    ("/(?i)a b/", Regex("(?i)a b")),
    (r"/a\/b\\/i", Regex(r"a/b\\", True)),
    ("(/a|b/)", Regex("a|b")),
    ("-/a(b)/", Not(Regex("a(b)"))),
    ("/[[a]/", Regex("[[a]")),
    (r"\/tmp/", Word("/tmp/")),
    (r"\/a.*", Word("/a.", True)),
    # fields
    ("agent:claude-code,codex", field("agent", "claude-code", "codex")),
    ("-tool:bash", Not(field("tool", "bash"))),
    ('file:"my file.py"', field("file", "my file.py")),
    ('file:"a b","c,d",e', field("file", "a b", "c,d", "e")),
    ("file:*.py", field("file", "*.py")),
    ("file:src/*", Field("file", (Value("src/", True),))),
    ('file:"src/*"', field("file", "src/*")),
    ("file:src/**", field("file", "src/**")),
    ("file:C:\\x", field("file", "C:\\x")),
    ("(file:f(x) OR a)", Or((field("file", "f(x)"), A))),
    ('file:"a b', field("file", "a b")),
    ("role:User is:PROMPT,answer", And((field("role", "user"), field("is", "prompt", "answer")))),
    # dates
    ("date:2d", Dates("2d", None)),
    ("date:12h", Dates("12h", None)),
    ("date:today", Dates("today", "today")),
    ("date:2026-01", Dates("2026-01", "2026-01")),
    ("date:2026-01..2026-03", Dates("2026-01", "2026-03")),
    ("date:2026-01..", Dates("2026-01", None)),
    ("since:2026-01", Dates("2026-01", None)),
    ("date:>=2026-01", Dates("2026-01", None)),
    ("date:..2026-03", Dates(None, "2026-03")),
    ("until:2026-03", Dates(None, "2026-03")),
    ("date:<=2026-03", Dates(None, "2026-03")),
    ("date:>2026-01-05", Dates(">2026-01-05", None)),
    ("date:<2d", Dates(None, "<2d")),
    (
        "-date:2025,2026-01 a",
        And((Not(Or((Dates("2025", "2025"), Dates("2026-01", "2026-01")))), A)),
    ),
]


@pytest.mark.parametrize(("text", "tree"), TREES, ids=[text for text, _ in TREES])
def test_trees(text: str, tree: Node | None) -> None:
    parsed = parse(text, NOW)
    assert typed(parsed) == typed(Parsed(tree, None))
    assert typed(parse(render(parsed), NOW)) == typed(parsed)


PLAIN = [
    "a and b or not c",
    '5" what"s',
    "a - b --flag -- -> x-y -",
    "a|b ||",
    "foo() f(x) don't C++",
    "1) a ) b(",
    "* ** /* **bold** *.c a*b",
    "/usr/bin /tmp / // /a/b/ /* x */ and/or /a/x from /tmp to build/",
    "http://x C:\\x std::vector foo:bar 10:30",
    "file:///etc/hosts model::User",
    "data:x port:80 mode:x update:x filter:x title:x agnt: dates:)",
]


@pytest.mark.parametrize("text", PLAIN)
def test_what_only_looks_special_is_words(text: str) -> None:
    parsed = parse(text)
    assert typed(parsed) == typed(Parsed(words(text), None))
    assert typed(parse(render(parsed))) == typed(parsed)


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        ("(a OR b)  AND c", "(a OR b) c"),
        ("NOT a NOT (b c)", "-a -(b c)"),
        ('file:"a",b,"c d"', 'file:a,b,"c d"'),
        ("sort:oldest a since:2d", "a date:2d.. sort:oldest"),
        ("(date:2025 OR date:2026) a", "date:2025,2026 a"),
        ("date:yesterday..yesterday", "date:yesterday"),
        ("/tmp", "/tmp"),
        ("/tmp /usr/bin", r"\/tmp /usr/bin"),  # or a later slash might end an expression
        ("(/tmp) (x/)", r"\/tmp x/"),
        ("(a OR f( ) b", "(a OR f( ) b"),
        ('agent:"//x" agent:":x"', 'agent:"//x" agent:":x"'),
    ],
)
def test_rendering(text: str, canonical: str) -> None:
    assert render(parse(text, NOW)) == canonical
    assert typed(parse(canonical, NOW)) == typed(parse(text, NOW))


ERRORS = [
    ("x agnt:claude", 2, "no field 'agnt:'", "did you mean agent:…"),
    ("Agent:claude", 0, "no field 'Agent:'", "did you mean agent:…"),
    ('files:"a b"', 0, "no field 'files:'", "did you mean file:…"),
    ("fiel:x", 0, "no field 'fiel:'", "did you mean file:…"),
    ("projekt:x", 0, "no field 'projekt:'", "did you mean project:…"),
    ("role:robot", 5, "'role:' cannot be 'robot'", "use one of: user, assistant, system, tool"),
    ("role:user,sytem", 10, "'role:' cannot be 'sytem'", "did you mean role:system?"),
    ("is:promt", 3, "'is:' cannot be 'promt'", "did you mean is:prompt?"),
    ("is:prompt*", 3, "'is:' cannot be 'prompt*'", "did you mean is:prompt?"),
    ("sort:newst", 5, "'sort:' cannot be 'newst'", "did you mean sort:newest?"),
    ("-sort:newest", 1, "cannot be excluded", "sort:newest alone"),
    ("sort:newest,oldest", 0, "one order", "sort:newest alone"),
    ("x agent: y", 8, "'agent:' has no value", "agent:value"),
    ('agent:""', 6, "'agent:' has no value", "agent:value"),
    ("agent:a,", 8, "'agent:' has no value", "agent:value"),
    ("(a agent:)", 9, "'agent:' has no value", "agent:value"),
    ("date:2026-13", 5, "'2026-13' is not a date", "2026-01..2026-03"),
    ("date:2026-01..soon", 5, "'2026-01..soon' is not a date", "use 2d"),
    ("date:²d", 5, "is not a date", "use 2d"),
    ("date:" + "9" * 5000 + "d", 5, "9…' is not a date", "use 2d"),
    ("date:>9999-12-31", 5, "is not a date", "use 2d"),
    ("until:>2026", 6, "is not a date", "use 2d"),
    ("date:..", 5, "no end", "use 2d"),
    ("date:2026-03..2026-01", 5, "ends before it begins", "the earlier date first"),
    ("date:2026-01-31T14:00", 5, "a moment, not a span", "use since:"),
    ("a /b(/", 4, "not valid: missing )", r"begin with \/"),
    ("/a{9999999999999}/", 1, "not valid", r"begin with \/"),
    ("/" + "a" * 1001 + "/", 1, "more than 1000 characters", "shorter"),
    ("x /a.*b", 2, "not closed", "end it with /"),
    (r"/a\d+/gi", 0, "not closed", "end it with / or /i"),
    ("a (b (c)", 2, "group is not closed", "close it with )"),
    ("a ()", 2, "group is empty", 'write "()" in double quotes'),
    ("a OR", 2, "nothing after this OR", 'write "OR" in double quotes'),
    ("(a |) b", 3, "nothing after this |", 'write "|" in double quotes'),
    ("OR a", 0, "nothing before this OR", "put a word before it"),
    ("a OR OR b", 5, "nothing before this OR", "put a word before it"),
    ("a NOT", 2, "nothing after this NOT", "put a word after it"),
    ("(NOT) a", 1, "nothing after this NOT", "put a word after it"),
    ("NOT OR a", 0, "nothing after this NOT", "put a word after it"),
    ("(" * 101, 100, "more than 100 deep", "take out parentheses"),
]


@pytest.mark.parametrize(
    ("text", "place", "what", "cure"), ERRORS, ids=[text[:20] for text, *_ in ERRORS]
)
def test_errors_name_the_place_and_the_cure(text: str, place: int, what: str, cure: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text, NOW)
    error = caught.value
    assert isinstance(error, UsageError)
    assert (error.code, error.place) == ("query", place)
    assert error.message.startswith(f"cannot read the query at character {place + 1}: ")
    assert what in error.message
    assert cure in error.cure


@pytest.mark.parametrize(
    ("text", "line", "caret"),
    [
        ("redis role:robot", "redis role:robot", 11),
        ("a\n\trole:robot\x1b", "a  role:robot ", 8),
        ("日本 role:robot", "日本 role:robot", 10),  # in columns: they are two wide
        (
            "x" * 100 + " role:robot " + "y" * 100,
            "…" + "x" * 34 + " role:robot " + "y" * 33 + "…",
            41,
        ),
    ],
)
def test_the_caret_stands_under_the_place(text: str, line: str, caret: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.hint == f"{line}\n{' ' * caret}^\nuse one of: user, assistant, system, tool"


def test_the_order_is_no_part_of_the_tree() -> None:
    assert parse("sort:newest") == Parsed(None, "newest")
    assert parse("a sort:newest OR sort:Oldest b") == Parsed(Or((A, B)), "oldest")
    assert parse("a OR (sort:relevance)") == Parsed(A, "relevance")


def test_bounds() -> None:
    def bound(text: str) -> tuple[datetime | None, datetime | None]:
        tree = parse(text, NOW).tree
        assert isinstance(tree, Dates)
        return bounds(tree, NOW)

    moment = timedelta(microseconds=1)
    day = parse_bound("2026-01-05"), parse_bound("2026-01-05", end=True)
    assert bound("date:2d") == (NOW - timedelta(days=2), None)
    assert bound("date:2026-01-05") == day
    assert bound("date:>2026-01-05") == (day[1] + moment, None) == bound("date:2026-01-06..")
    assert bound("date:>=2026-01-05") == (day[0], None)
    assert bound("date:<2026-01-05") == (None, day[0] - moment) == bound("until:2026-01-04")
    assert bound("date:<=2026-01-05") == (None, day[1])
    assert bound("date:<2d") == (None, NOW - timedelta(days=2) - moment)
    assert bound("date:2026-01..2026-03") == (
        parse_bound("2026-01"),
        parse_bound("2026-03", end=True),
    )
    assert bound("date:today") == (
        parse_bound("today", now=NOW),
        parse_bound("today", now=NOW, end=True),
    )


def test_words_and_fields_of_a_tree() -> None:
    tree = parse('b* (a OR "c d") a -x -(y OR tool:bash) /r/ file:f date:2d', NOW).tree
    assert typed(words_of(tree)) == typed((Word("b", True), A, Phrase("c d")))
    assert fields_of(tree) == (field("tool", "bash"), field("file", "f"))
    assert words_of(None) == ()
    assert fields_of(None) == ()


# -- any text ----------------------------------------------------------------------------------

_SYNTAX = (
    'a foo " ( ) - -- OR AND NOT | / \\ \\/ * i , . .. .* > < = '
    ":// :: [ ? + é → /i -( T14:00 today 2d 2026-01 user"
)
_NAMES = "file: agent: since: role: is:error sort:newest agnt: date: date:2026-01,2025"
_PIECES = [*_SYNTAX.split(), *_NAMES.split(), " ", " ", "\n", "\u3000", " OR ", " NOT "]
texts = st.one_of(st.text(), st.lists(st.sampled_from(_PIECES), max_size=20).map("".join))


def attempt(text: str) -> Parsed | QuerySyntaxError:
    try:
        return parse(text, NOW)
    except QuerySyntaxError as error:
        return error


@given(texts)
def test_any_text_is_read_or_refused_and_reads_the_same_when_rendered(text: str) -> None:
    parsed = attempt(text)
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


@pytest.mark.parametrize("piece", [*_LONG.split(), *(piece + " " for piece in _SPACED.split())])
def test_long_texts_are_read_or_refused(piece: str) -> None:
    """Anything quadratic would hang here."""
    parsed = attempt((piece * 100_000)[:100_000])
    if isinstance(parsed, QuerySyntaxError):
        assert len(f"{parsed.message}{parsed.hint}") < 500


def test_a_long_query_is_read_whole() -> None:
    parsed = parse("(word OR -f(x) file:a,b) " * 8000)
    assert isinstance(parsed.tree, And)
    assert len(parsed.tree.nodes) == 8000
    assert parse(render(parsed)) == parsed


def test_the_deepest_query_is_read_and_rendered() -> None:
    parsed = parse("-(a OR b " * 100 + "c" + ")" * 100)
    assert parse(render(parsed)) == parsed
    assert words_of(parsed.tree) == ()


# -- the page for users ------------------------------------------------------------------------

EXAMPLES = [row.replace("\\|", "|") for row in re.findall(r"^\| `(.+?)` \| ", PAGE, re.MULTILINE)]


@pytest.mark.parametrize("text", EXAMPLES)
def test_examples_of_the_page_are_read(text: str) -> None:
    assert parse(text) != Parsed(None, None)


def test_the_page_has_everything() -> None:
    assert len(EXAMPLES) > 60
    for name in FIELDS:
        assert any(f"{name}:" in text for text in EXAMPLES), name
    assert all(f"is:{flag}" in EXAMPLES for flag in FLAGS)
    assert all(f"sort:{order}" in EXAMPLES for order in SORTS)
    assert all(f"`{role}`" in PAGE for role in ROLES)


def test_what_the_page_calls_text_is_text() -> None:
    rows = re.findall(r"^\| `(.+?)` \| ", PAGE.split("### What is only text")[1], re.MULTILINE)
    assert len(rows) > 5
    for row in rows:
        tree = parse(row).tree
        assert isinstance(tree, (And, Word)), row
        assert len(words_of(tree)) == len(tree.nodes if isinstance(tree, And) else (tree,)), row


def test_the_message_on_the_page_is_the_real_one() -> None:
    (block,) = re.findall(r"```text\n(.*?)\n```", PAGE, re.DOTALL)
    with pytest.raises(QuerySyntaxError) as caught:
        parse(block.splitlines()[1])
    assert block == f"{caught.value.message}\n{caught.value.hint}"
