"""The query language: which text becomes which tree, and how a tree is written as text."""

from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from agent_journal.query.parser import parse
from agent_journal.query.rendering import render
from agent_journal.query.tree import (
    And,
    Dates,
    Field,
    Node,
    Not,
    Or,
    Parsed,
    Phrase,
    Regex,
    Value,
    Word,
    bounds,
    fields_of,
    words_of,
)
from agent_journal.text.dates import parse_bound
from tests.support.query_trees import NOW, A, B, C, D, field, typed, words

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
    ("NOT a", Not(A)),
    ("NOT a b", And((Not(A), B))),
    ("NOT NOT a", A),
    ("-(NOT a)", A),
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
    ("has:Image", field("has", "image")),
    ("cost:>5 messages:10..20", And((field("cost", ">5"), field("messages", "10..20")))),
    ("tool:Bash(git push)", field("tool", "Bash(git push)")),
    ("tool:Bash(make),Edit(a, b) a", And((field("tool", "Bash(make)", "Edit(a, b)"), A))),
    ("(tool:Bash(x) OR a)", Or((field("tool", "Bash(x)"), A))),
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
    ('date:"last month"', Dates("last month", "last month")),
    ("date:last-month", Dates("last-month", "last-month")),
    ("since:3-days-ago", Dates("3-days-ago", None)),
    ("date:monday..yesterday", Dates("monday", "yesterday")),
    ("date:>last-friday", Dates(">last-friday", None)),
    ('until:"in July"', Dates(None, "in July")),
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
    "messages: [] has: cost: $5 it has:, {cost:} message:x",
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
        ("NOT a NOT (b c)", "NOT a -(b c)"),
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
    tree = parse('b* (a OR "c d") a -word -(y OR tool:bash) /r/ file:f date:2d', NOW).tree
    assert typed(words_of(tree)) == typed((Word("b", True), A, Phrase("c d")))
    assert fields_of(tree) == (field("tool", "bash"), field("file", "f"))
    assert words_of(None) == ()
    assert fields_of(None) == ()
