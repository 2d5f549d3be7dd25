"""HTML pages without a browser: what they show, and that session text stays text.

tests/browser looks at the same pages in Chromium.
"""

from __future__ import annotations

import base64
import hashlib
import re

import pytest
from msgspec.structs import replace

from agent_journal.export.html.colours import Painter
from agent_journal.export.html.prose import rendered
from agent_journal.export.html.terminal import coloured
from agent_journal.model import Attachment, Event, FileEdit, Session, Todo, Usage
from tests.support.growth import assert_linear
from tests.support.html_judge import DOT, judged
from tests.support.pages import HOSTILE, call, hostile_session, message, page, page_set


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


SIGNS = ("[", "`", "*", "> ", "<", "&", "\\", "|", "- ", "#", "~")
OPENINGS = ("![", "**_", "[a](", "](", "<!--", "\x1b[")


@pytest.mark.parametrize("unit", [*SIGNS, *OPENINGS])
def test_hostile_text_is_read_in_linear_time(unit: str) -> None:
    def make(size: int) -> str:
        return unit * (size // len(unit))

    assert_linear(lambda text: rendered(text, Painter()), make, size=4_000)
    assert_linear(coloured, make, size=40_000)


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
def test_each_sub_agent_is_shown_once(parents: list[str]) -> None:
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
