"""HTML pages without a browser: the parts they are made of, what they tell, and that session text
stays text.

tests/browser looks at the same pages in Chromium.
"""

from __future__ import annotations

import base64
import hashlib
import json
import re
import subprocess
import sys
import time
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import pytest
from msgspec.structs import replace

from agent_journal.export.html.colours import Painter
from agent_journal.export.html.diffs import diff_box
from agent_journal.export.html.figures import duration, money, short
from agent_journal.export.html.prose import rendered
from agent_journal.export.html.terminal import coloured
from agent_journal.model import Attachment, Event, FileEdit, Session, Todo, Usage
from tests.support.journals import aj, aj_json, claude_line, variables, write_claude
from tests.support.pages import HOSTILE, call, hostile_session, message, page, page_set

ALLOWED = {
    "html",
    "head",
    "meta",
    "title",
    "style",
    "script",
    "body",
    "a",
    "header",
    "h1",
    "h2",
    "h3",
    "h4",
    "h5",
    "h6",
    "dl",
    "div",
    "dt",
    "dd",
    "nav",
    "details",
    "summary",
    "ol",
    "ul",
    "li",
    "input",
    "span",
    "button",
    "select",
    "option",
    "main",
    "article",
    "p",
    "pre",
    "code",
    "b",
    "strong",
    "em",
    "s",
    "time",
    "footer",
    "section",
    "figure",
    "img",
    "figcaption",
    "blockquote",
    "table",
    "thead",
    "tbody",
    "tr",
    "th",
    "td",
    "hr",
    "br",
}
VOID = ("meta", "input", "br", "hr", "img")
DOT = base64.b64decode(  # one pixel
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)
LINK = re.compile(r"https?://|mailto:|#|data:image/(png|jpeg|gif|webp);base64,|talk(-\d+)?\.html")


class Judge(HTMLParser):
    """Reads a page as a browser would, and objects to everything that is not ours."""

    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.scripts = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag in ALLOWED, tag
        self.scripts += tag == "script"
        for name, value in attrs:
            assert not name.startswith("on"), (tag, name)
            assert name != "style"
            if name in ("href", "src", "action"):
                assert LINK.match(value or ""), (tag, value)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert tag in VOID or self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] not in ("script", "style"):
            assert not set(data) & {*map(chr, range(9)), "\x1b", "\x9b", "\u202e", "\u2066"}


def judged(text: str) -> Judge:
    judge = Judge()
    judge.feed(text)
    judge.close()
    assert judge.open == []
    assert judge.scripts == 1
    return judge


def test_session_text_stays_text() -> None:
    hostile = hostile_session(HOSTILE)
    asked = hostile.messages[1].tool_calls[4]
    child = replace(hostile_session(HOSTILE[:5], "child"), parent_id="s", parent_call_id=asked.id)
    text = page(hostile, child)
    judged(text.encode("utf-8", "replace").decode())
    assert "evil.example" in text  # it is shown, and does nothing


@pytest.mark.parametrize("text", HOSTILE)
def test_each_hostile_text_alone(text: str) -> None:
    judged(page(hostile_session([text])))


def test_hostile_text_is_read_in_linear_time() -> None:
    for unit in (
        "[",
        "![",
        "`",
        "*",
        "**_",
        "> ",
        "<",
        "&",
        "\\",
        "[a](",
        "|",
        "- ",
        "#",
        "~",
        "<!--",
        "\x1b[",
        "](",
    ):
        started = time.perf_counter()
        rendered(unit * (30_000 // len(unit)), Painter())
        coloured(unit * (30_000 // len(unit)))
        assert time.perf_counter() - started < 8, unit


def test_the_policy_names_the_only_script_and_style() -> None:
    text = page(Session(agent="claude-code", id="s"))
    policy = re.findall(r'Content-Security-Policy" content="([^"]+)"', text)[0]
    for name in ("script", "style"):
        (inside,) = re.findall(rf"<{name}>(.*?)</{name}>", text, re.DOTALL)
        mark = base64.b64encode(hashlib.sha256(inside.encode()).digest()).decode()
        assert f"{name}-src 'sha256-{mark}'" in policy
    assert policy.startswith("default-src 'none';")
    assert "unsafe" not in policy
    assert "http" not in policy


# -- the parts ---------------------------------------------------------------------------------


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


def test_no_language_takes_long_for_hostile_code() -> None:
    units = (
        "(",
        '"',
        "'",
        "\\",
        "/*",
        "<",
        "a ",
        "#",
        "`",
        "\n",
        "0",
        "-",
        "'\\",
        '"\\',
        "`\\",
        '"""',
        "<!--",
    )
    for language in [language for language, _, _ in PAINTED] + ["python"]:
        for unit in units:
            started = time.perf_counter()
            Painter().paint(unit * (8_000 // len(unit)), language)
            assert time.perf_counter() - started < 4, (language, unit)


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a *b* `c<d>`", "<p>a <em>b</em> <code>c&lt;d&gt;</code></p>\n"),
        ("# Title", "<h3>Title</h3>\n"),
        (
            "[x](https://e.org/?a=1&b=2)",
            '<p><a href="https://e.org/?a=1&amp;b=2" rel="noopener noreferrer" target="_blank">x</a></p>\n',
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


# -- the page ----------------------------------------------------------------------------------


def talk() -> Session:
    calls = (
        call(
            "c1",
            "Bash",
            "shell",
            arguments='{"command":"make test"}',
            result="\x1b[32mok\x1b[0m",
            duration_ms=1500,
        ),
        call("c2", "Edit", "edit", arguments='{"file_path":"a.py"}', result="done"),
        call(
            "c3",
            "TodoWrite",
            "todo",
            arguments='{"todos":[{"content":"first","status":"completed"},{"content":"b"}]}',
        ),
        call("c4", "Grep", "search", arguments='{"pattern":"x"}', result="src/a.py:12:x = 1"),
        call("c5", "Task", "agent", arguments='{"prompt":"**look**"}', result="# Found"),
        call("c6", "Read", "read", status="error", result="no such file", exit_code=2),
        call("c7", "Look", "other", status=None),
    )
    used = Usage(
        session_id="s",
        key="k",
        input_tokens=10,
        cache_read_tokens=1990,
        output_tokens=5,
        cost_micro_usd=1_500_000,
    )
    return Session(
        agent="claude-code",
        id="s",
        title="Fix it",
        project_path="~/app",
        models=("opus",),
        usage=(used,),
        messages=(
            message(1, "prompt", "please\nfix", id="u1"),
            message(
                2,
                "answer",
                "Done.",
                id="a1",
                reasoning="hm",
                model="opus",
                tool_calls=calls,
                usage=used,
            ),
            message(3, "system_prompt", "You are secret"),
            message(4, "injected", "context"),
        ),
        events=(Event(session_id="s", type="x"),),
        file_edits=(
            FileEdit(
                session_id="s",
                path="a.py",
                call_id="c2",
                diff="@@ -1 +1 @@\n-a\n+b\n",
                lines_added=1,
            ),
        ),
        todos=(Todo(content="second", status="in_progress"),),
    )


CHILD = Session(
    agent="claude-code",
    id="s/1",
    title="Look",
    agent_name="Explore",
    parent_id="s",
    parent_call_id="c5",
    messages=(
        message(5, "prompt", "x", "s/1", id="u1"),
        message(6, "answer", "inner answer", "s/1"),
    ),
)


def test_what_a_page_shows() -> None:
    text = page(talk(), CHILD)
    judged(text)
    for part in (
        '<a href="#m-u1" dir="auto">please</a>',
        '<article class="msg prompt" id="m-u1" data-has="prompt">',
        "please<br />\nfix",
        '<details class="reasoning">',
        '<span class="t-f2">ok</span>',
        '<span class="add">+b\n</span>',
        "1 of 2 done",
        '<span class="path">src/a.py</span>:<span class="ln">12</span>:',
        "<strong>look</strong>",
        "<h3>Found</h3>",
        'aria-label="doing">◐</span> second',
        "2.0k in · 5 out",
        "$1.50",
        "exit 2",
        "No result is recorded.",
        "1 system prompt is left out",
        "1 event is left out",
        "Recognised secrets are removed",
        "<dd>~/app</dd>",
    ):
        assert part in text, part
    assert "You are secret" not in text
    inside = text[text.index('id="c-c5"') : text.index('id="c-c6"')]
    assert "Sub-agent Explore" in inside
    assert "inner answer" in inside


def test_a_page_without_calls_says_so_and_has_the_sub_agents_at_the_end() -> None:
    session = talk()
    bare = tuple(replace(one, tool_calls=()) for one in session.messages)
    text = page(
        replace(session, messages=bare, file_edits=()), CHILD, has_calls=False, is_redacted=False
    )
    assert "Tool calls, their results and the edits they made are left out." in text
    assert "Nothing is removed" in text
    assert text.index("context") < text.index("Sub-agent Explore")


def test_unknown_is_not_nothing() -> None:
    text = page(Session(agent="claude-code", id="s", messages=(message(1, "prompt", "x"),)))
    assert "<dt>Tokens</dt><dd>unknown</dd>" in text
    assert "<dt>Cost</dt><dd>unknown</dd>" in text
    assert "$0" not in text


def test_places_keep_their_names() -> None:
    first = set(re.findall(r' id="([mc]-[^"]+)"', page(talk(), CHILD)))
    longer = talk()
    longer = replace(longer, messages=(message(0, "prompt", "earlier", id="u0"), *longer.messages))
    other = replace(
        CHILD,
        id="s/0",
        messages=(message(5, "prompt", "x", "s/0", id="u1"),),
        parent_call_id="nowhere",
    )
    then = set(re.findall(r' id="([mc]-[^"]+)"', page(longer, other, CHILD)))
    assert first < then
    assert {"m-u1", "m-a1", "c-c1"} <= first
    assert len([name for name in then if name.endswith("u1")]) == 3


def test_odd_ids_make_plain_names() -> None:
    ids = ['a"b', "a b", "a/b", "é", "x" * 500, "a\x00b"]
    text = page(
        Session(agent="x", id="s", messages=tuple(message(1, "prompt", "x", id=one) for one in ids))
    )
    names = re.findall(r'<article[^>]* id="([^"]+)"', text)
    assert len(set(names)) == len(ids)
    assert all(re.fullmatch(r"m-[A-Za-z0-9_.-]{1,90}", name) for name in names)


@pytest.mark.parametrize(
    "parents", [["s", "k0", "k1"], ["k1", "k0", "s"], ["k1", "k2", "k0"], ["nowhere"] * 3]
)
def test_each_sub_agent_is_told_once(parents: list[str]) -> None:
    family = [
        replace(CHILD, id=f"k{n}", parent_id=parent, title=f"title {n}.")
        for n, parent in enumerate(parents)
    ]
    text = page(talk(), *family)
    judged(text)
    assert [text.count(f"title {n}.") for n in range(3)] == [1, 1, 1]


def test_sub_agents_of_sub_agents_have_an_end() -> None:
    chain = [replace(CHILD, id=f"k{n}", parent_id=f"k{n - 1}" if n else "s") for n in range(500)]
    assert page(talk(), *chain).count('<section class="sub"') == 500


def test_pictures_are_shown_when_their_bytes_are_there() -> None:
    mark = hashlib.sha256(DOT).hexdigest()
    svg = b"<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>"
    other = hashlib.sha256(svg).hexdigest()
    attached = (
        # The bytes say what it is
        Attachment(kind="image", mime_type="image/svg+xml", sha256=mark, name="dot"),
        Attachment(kind="image", mime_type="image/png", sha256=other, name="drawing"),
        Attachment(kind="image", mime_type="image/png", sha256="0" * 64, name="gone"),
    )
    session = Session(
        agent="x", id="s", messages=(message(1, "prompt", "see", attachments=attached),)
    )
    text = page(session, pictures={mark: DOT, other: svg})
    judged(text)
    assert text.count("<img ") == 1
    assert f'src="data:image/png;base64,{base64.b64encode(DOT).decode()}"' in text
    assert "2 pictures are named only" in text
    assert "Pictures are not redacted." in text


def test_long_sessions_are_split_before_prompts() -> None:
    kinds = ["prompt" if number in (1, 4, 10) else "answer" for number in range(11)]
    messages = tuple(message(n, kind, f"text {n}") for n, kind in enumerate(kinds))
    session = Session(agent="x", id="s", messages=messages)
    made = page_set(session, split=2)
    assert [[one.id for one in page.messages] for page in made.pages] == [
        ["m0", "m1", "m2", "m3"],
        ["m4", "m5", "m6", "m7"],
        ["m8", "m9"],
        ["m10"],
    ]
    pages = ["".join(parts) for parts in made.rendered()]
    for text in pages:
        judged(text)
    assert 'href="talk-2.html#m-m4"' in pages[0]
    assert 'href="talk.html#m-m1"' in pages[1]
    assert '<a rel="next" href="talk-3.html">' in pages[1]
    grown = replace(session, messages=(*session.messages, message(12, "answer", "x")))
    assert page_set(grown, split=2).pages[:3] == made.pages[:3]


# -- the command -------------------------------------------------------------------------------


def test_the_theme_is_set(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    for theme in ("dark", "light", "auto"):
        shown = aj(
            tmp_path, "export", "last", "-o", "-", env={"AJ_EXPORT_HTML_THEME": theme}
        ).stdout
        assert f'data-theme="{theme}"' in shown
    assert 'data-theme="dark"' in aj(tmp_path, "export", "last", "-f", "html", "-o", "-").stdout


def test_many_sessions_have_an_index(tmp_path: Path) -> None:
    for number in range(3):
        path = write_claude(tmp_path, f"s{number}")
        with path.open("a") as out:
            title = ["../../x", "<script>alert(1)</script>", "/home/sam/x"][number]
            out.write(
                json.dumps({"type": "summary", "summary": title, "leafUuid": f"s{number}-u3"})
                + "\n"
            )
    aj(tmp_path, "sync", "--no-index")
    out = tmp_path / "out"
    items = aj_json(tmp_path, "export", "--all", "-f", "html", "-o", str(out))["items"]
    names = {Path(item["path"]).name for item in items}
    assert {path.name for path in out.iterdir()} == {"index.html", *names}
    text = (out / "index.html").read_text()
    assert set(re.findall(r'<li><a href="([^"]+)"', text)) == names
    assert "<script>alert" not in text
    assert "/home/sam" not in text
    again = aj(tmp_path, "export", "--all", "-f", "html", "-o", str(out))
    assert again.returncode == 2
    assert "index.html and 3 more already exist" in again.stderr


def test_a_split_session_is_several_files(tmp_path: Path) -> None:
    write_claude(tmp_path, count=20)
    aj(tmp_path, "sync", "--no-index")
    done = aj(tmp_path, "export", "last", "-o", str(tmp_path / "a b.html"), "--split", "8")
    assert "3 pages" in done.stderr
    assert 'href="a%20b-2.html"' in (tmp_path / "a b.html").read_text()
    assert (tmp_path / "a b-3.html").exists()
    (item,) = aj_json(tmp_path, "export", "last", "-o", str(tmp_path / "c.html"), "--split", "8")[
        "items"
    ]
    assert item["pages"] == 3
    (tmp_path / "d-2.html").write_text("mine")
    refused = aj(tmp_path, "export", "last", "-o", str(tmp_path / "d.html"), "--split", "8")
    assert refused.returncode == 2
    assert (tmp_path / "d-2.html").read_text() == "mine"
    assert not (tmp_path / "d.html").exists()


def test_pictures_come_from_the_kept_bytes(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    asked = claude_line("user", 4, "")
    source = {"type": "base64", "media_type": "image/png", "data": base64.b64encode(DOT).decode()}
    asked["message"]["content"] = [
        {"type": "text", "text": "see"},
        {"type": "image", "source": source},
    ]
    with path.open("a") as out:
        out.write(json.dumps(asked).replace("/", "\\/") + "\n")
    aj(tmp_path, "sync", "--no-index")
    path.unlink()
    text = aj(tmp_path, "export", "last", "-f", "html", "-o", "-").stdout
    assert f'src="data:image/png;base64,{source["data"]}"' in text


def test_costs_are_priced_and_what_is_not_known_is_told(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    (tmp_path / ".agent-journal/config.toml").write_text(
        '[pricing."claude-opus-5-5"]\ninput = 100000\noutput = 0\n'
    )
    text = aj(tmp_path, "export", "last", "-f", "html", "-o", "-").stdout
    assert "<dt>Cost</dt><dd>$22.00</dd>" in text  # two responses of 110 tokens
    assert "110 in · 5 out</span> · $11.00" in text


def test_only_html_imports_what_html_needs(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    code = (
        "import sys; from agent_journal.cli.main import run; run(sys.argv[1:]); "
        "sys.exit(bool({'markdown_it', 'genai_prices'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, "export", "last", "-f", "json", "-o", "-"],
        env=variables(tmp_path),
        capture_output=True,
        check=False,
    )
    assert done.returncode == 0
