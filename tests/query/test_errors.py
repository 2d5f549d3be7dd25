"""Texts that are not queries: the message names the place and the fix."""

from __future__ import annotations

import pytest

from agent_journal.errors import UsageError
from agent_journal.query.parser import QuerySyntaxError, parse
from tests.support.query_trees import NOW

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
    ("has:picture", 4, "'has:' cannot be 'picture'", "use one of: image, edit, error, todo, plan"),
    ("cost:high", 5, "'cost:' cannot be 'high'", "use cost:>5 (dollars)"),
    ("cost:>", 5, "'cost:' cannot be '>'", "use cost:>5"),
    ("cost:5..1", 5, "'cost:' cannot be '5..1'", "cost:1..5"),
    ("messages:>1,many", 12, "'messages:' cannot be 'many'", "use messages:>100"),
    ("costs:5", 0, "no field 'costs:'", "did you mean cost:…"),
    ("sort:newst", 5, "'sort:' cannot be 'newst'", "did you mean sort:newest?"),
    ("-sort:newest", 1, "cannot be excluded", "sort:newest alone"),
    ("sort:newest,oldest", 0, "one sort order", "sort:newest alone"),
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
    ("date:last month", 5, "'last' is not a date", "date:last-month"),
    ("since:3 days ago", 6, "'3' is not a date", 'since:"3 days ago"'),
    ("date:2-hours-ago", 5, "a moment, not a span", "use since:"),
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
    ("x" * 10_001, 10_000, "at most 10,000 characters (10,001)", "the words that matter"),
    ('"' + "a " * 501 + '"', 1001, "at most 500 words (501)", "the words that matter"),
    ('"' + "日" * 501 + '"', 501, "at most 500 words (501)", "the words that matter"),
    (" OR ".join(["a"] * 252), 1250, "at most 500 words (503)", "the words that matter"),
    ("(a-b) " * 251, 1501, "at most 500 words (502)", "the words that matter"),
    ("file:" + ",".join(["a"] * 501), 1003, "at most 500 words (502)", "the words that matter"),
    ("a* " * 51, 150, "at most 50 prefixes and patterns", "the words that matter"),
    ("/a.b/ " * 51, 300, "at most 50 prefixes and patterns", "the words that matter"),
    ("x file:" + ",".join(["*.p"] * 51), 2, "at most 50 prefixes", "the words that matter"),
    ("(" * 101, 100, "more than 100 levels deep", "take out parentheses"),
]


@pytest.mark.parametrize(
    ("text", "place", "problem", "fix"), ERRORS, ids=[text[:20] for text, *_ in ERRORS]
)
def test_errors_name_the_place_and_the_fix(text: str, place: int, problem: str, fix: str) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text, NOW)
    error = caught.value
    assert isinstance(error, UsageError)
    assert (error.code, error.place) == ("query", place)
    assert error.message.startswith(f"cannot read the query at character {place + 1}: ")
    assert problem in error.message
    assert fix in error.fix


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
def test_the_caret_is_under_the_place(text: str, line: str, caret: int) -> None:
    with pytest.raises(QuerySyntaxError) as caught:
        parse(text)
    assert caught.value.hint == f"{line}\n{' ' * caret}^\nuse one of: user, assistant, system, tool"
