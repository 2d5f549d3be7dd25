"""The parts of an HTML page: terminal output, diffs, code, Markdown, figures."""

from __future__ import annotations

import re
from html import unescape

import pytest

from agent_journal.export.html.colours import Painter
from agent_journal.export.html.diffs import diff_box
from agent_journal.export.html.figures import duration, money, short
from agent_journal.export.html.prose import rendered
from agent_journal.export.html.terminal import coloured
from tests.support.growth import assert_linear


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain <b>", "plain &lt;b&gt;"),
        ("\x1b[31mred\x1b[0m x", '<span class="t-f1">red</span> x'),
        (
            "\x1b[1;92mok\x1b[22m!\x1b[m.",
            '<span class="t-bold t-f10">ok</span><span class="t-f10">!</span>.',
        ),
        ("\x1b[38;5;196mx", '<span class="t-f9">x</span>'),
        ("\x1b[38;2;0;0;230mx", '<span class="t-f4">x</span>'),
        ("\x1b[38:5:2mx", '<span class="t-f2">x</span>'),
        ("\x1b[41;33mx", '<span class="t-back t-b1">x</span>'),
        ("\x1b[7mx\x1b[27my", '<span class="t-back">x</span>y'),
        ("\x1b[2K\x1b[1Ga\x1b]8;;http://x\x07b\x1b]8;;\x07\x1b[31", "ab[31"),
        ("a\r\nb\rc", "a\nb\nc"),
        ("\x1b]0;open\x1b[31mred\x1b[0m", '0;open<span class="t-f1">red</span>'),
        ("\x1b[1m\x1b\x1b[2J]kept", '<span class="t-bold">]kept</span>'),
        ("\x1b[31m\ufdd01\ufdd1x", '<span class="t-f1">1x</span>'),
        ("\x1b[999;38;5mx", "x"),
    ],
)
def test_terminal_colours(text: str, shown: str) -> None:
    assert coloured(text) == shown


def test_a_diff_is_shown_line_by_line() -> None:
    shown = diff_box("--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n a<b\n--- old\n-gone\n+new\n")
    assert '<span class="hunk">--- a/x\n+++ b/x\n@@ -1,2 +1 @@\n</span> a&lt;b\n' in shown
    assert '<span class="del">--- old\n-gone\n</span><span class="add">+new\n</span>' in shown


def test_code_is_painted_as_it_was_written() -> None:
    code = 'def f(x):\n    return "<b>"  # no\n'
    shown = Painter().paint(code, "python")
    assert '<span class="c-kw">def</span>' in shown
    assert "&lt;b&gt;" in shown
    assert (
        Painter().paint(code, "brainfuck")
        == Painter().paint(code, "")
        == code.replace("<", "&lt;").replace(">", "&gt;").replace('"', "&quot;")
    )
    assert "<span" not in Painter().paint("x = 1\n" * 10_000, "python")


def test_a_page_paints_only_so_much() -> None:
    painter = Painter()
    painted = [("<span" in painter.paint("def f(): pass\n" * 3000, "py")) for _ in range(30)]
    assert painted[0]
    assert not painted[-1]


PAINTED = [
    ("ts", "const a = `x` // no", ["kw", "str", "com"]),
    ("rust", "fn f(x: &'a str) {}", ["kw", "fn", "kw"]),
    ("sh", "if x; then echo 'a' # no\nfi", ["kw", "kw", "str", "com", "kw"]),
    ("yaml", "a: true # x", ["kw", "com"]),
    ("json", '{"a": "b", "c": 1}', ["fn", "str", "fn", "num"]),
    ("sql", "SELECT 1 -- x", ["kw", "num", "com"]),
    ("html", '<a href="x">y</a>', ["kw", "str", "kw"]),
    ("css", "/* x */ a { top: 1px }", ["com", "num"]),
    ("lua", "local x = f() -- y", ["kw", "fn", "com"]),
    ("php", "# a\nreturn 1; /* b */", ["com", "kw", "num", "com"]),
]


@pytest.mark.parametrize(("language", "code", "kinds"), PAINTED)
def test_languages(language: str, code: str, kinds: list[str]) -> None:
    shown = Painter().paint(code, language)
    assert re.findall(r'class="c-(\w+)"', shown) == kinds
    assert unescape(re.sub(r"<[^>]+>", "", shown)) == code


SIGNS = ("(", '"', "'", "\\", "/*", "<", "a ", "#", "`", "\n", "0", "-", '"""', "<!--")
ESCAPES = ("'\\", '"\\', "`\\")


@pytest.mark.parametrize("language", [*(language for language, _, _ in PAINTED), "python"])
def test_hostile_code_is_painted_in_linear_time(language: str) -> None:
    def paint(code: str) -> str:
        return Painter().paint(code, language)

    for unit in (*SIGNS, *ESCAPES):
        assert_linear(paint, lambda size, unit=unit: unit * (size // len(unit)), size=3_000)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a *b* `c<d>`", "<p>a <em>b</em> <code>c&lt;d&gt;</code></p>\n"),
        ("# Title", "<h3>Title</h3>\n"),
        (
            "[x](https://e.org/?a=1&b=2)",
            '<p><a href="https://e.org/?a=1&amp;b=2" rel="noopener noreferrer" target="_blank">'
            "x</a></p>\n",
        ),
        ("[x](javascript:alert(1))", "<p>[x](javascript:alert(1))</p>\n"),
        ("[x](src/a.py)", "<p>x (<code>src/a.py</code>)</p>\n"),
        (
            "![a](https://e.org/p.png)",
            '<p><span class="missing">picture: a (https://e.org/p.png)</span></p>\n',
        ),
        ("<b>x</b>", "<p>&lt;b&gt;x&lt;/b&gt;</p>\n"),
    ],
)
def test_markdown(text: str, shown: str) -> None:
    assert rendered(text, Painter()) == shown


def test_figures() -> None:
    assert [duration(ms) for ms in (5, 900, 61_000, 3_700_000)] == [
        "5 ms",
        "0.9 s",
        "1 min 1 s",
        "1 h 1 min",
    ]
    assert [short(n) for n in (7, 1500, 999_499, 999_500)] == ["7", "1.5k", "999.5k", "1.0M"]
    assert [money(n) for n in (0, 10, 12_345, 1_234_567)] == ["$0.00", "<$0.001", "$0.012", "$1.23"]
