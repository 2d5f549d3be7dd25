"""Session text in exports: links, addresses, escape sequences, entities, and calls that are hard to
show.
"""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_journal.export.calls import as_json, parsed, telling
from agent_journal.export.html.colours import Painter
from agent_journal.export.html.prose import rendered
from agent_journal.export.prose import clean, markdown, short_title
from agent_journal.model import Document, FileEdit, Session
from tests.support.pages import call, message, page


def linked(url: str, shown: str = "") -> str:
    return f'<a href="{url}" rel="noopener noreferrer" target="_blank">{shown or url}</a>'


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("see https://e.org/a_b_c.", f"see {linked('https://e.org/a_b_c')}."),
        ("(http://e.org/x)", f"({linked('http://e.org/x')})"),
        ("https://e.org/x_(y)", linked("https://e.org/x_(y)")),
        ("https://e.org/?a=1&b=2, and", f"{linked('https://e.org/?a=1&amp;b=2')}, and"),
        ("**https://e.org**", f"<strong>{linked('https://e.org')}</strong>"),
        ("`https://e.org`", "<code>https://e.org</code>"),
        ("[https://e.org](https://f.org)", linked("https://f.org", "https://e.org")),
        (
            "xhttps://e.org ftp://e.org javascript:x https://",
            "xhttps://e.org ftp://e.org javascript:x https://",
        ),
        (
            "[engine.go:482](src/prompt/engine.go:482)",
            "engine.go:482 (<code>src/prompt/engine.go:482</code>)",
        ),
        ("[a.py:3](a.py:3)", "a.py:3"),
        ("[x](//evil.example)", "[x](//evil.example)"),
        ("[x](file:///etc/passwd)", "[x](file:///etc/passwd)"),
        ("a&#x202e;b &rlm;c", "ab c"),
        ("[x][1]\n\n[1]: https://e.org 'E'", '<a href="https://e.org" title="E" REL>x</a>'),
        ("[TODO]: later", "[TODO]: later"),
        ("[TODO]: later\nand then", "[TODO]: later\nand then"),
    ],
)
def test_links_and_addresses(text: str, shown: str) -> None:
    shown = shown.replace("REL", 'rel="noopener noreferrer" target="_blank"')
    assert rendered(text, Painter()) == f"<p>{shown}</p>\n"


def test_columns_of_tables_are_aligned_by_class() -> None:
    shown = rendered("| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |", Painter())
    assert "style=" not in shown
    assert '<th class="a-center">a</th>' in shown
    assert '<td class="a-right">2</td>' in shown
    assert "<td>3</td>" in shown


def test_tasks_are_boxes() -> None:
    shown = rendered("- [ ] first\n- [x] *second*\n- [y] third", Painter())
    assert (
        '<li class="task"><span class="mark" role="img" aria-label="to do">☐</span> first</li>'
        in shown
    )
    assert 'aria-label="done">☑</span> <em>second</em>' in shown
    assert "<li>[y] third</li>" in shown


def test_links_to_lines_of_files_in_markdown() -> None:
    assert list(markdown("[see](src/a.py:3) and [b](src/__b__.py:3:4-9)")) == [
        "see (`src/a.py:3`) and b (`src/__b__.py:3:4-9`)"
    ]


@pytest.mark.parametrize(
    "entity", ["&#x202e;", "&#X202E;", "&#8238;", "&rlm;", "&lrm;", "&#27;", "&#x9b;"]
)
def test_no_mark_comes_back_through_an_entity(entity: str) -> None:
    assert list(markdown(f"a{entity}b &eacute; &#233; &amp;")) == [
        f"a&amp;{entity[1:]}b &eacute; &#233; &amp;"
    ]


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a\x1b]0;SECRETCMD and more", "a0;SECRETCMD and more"),
        ("a\x1b]0;title\nSECRETCMD\x07b", "a0;title\nSECRETCMDb"),
        ("a\x1b]0;title\x07b\x1b]8;;http://x\x1b\\c", "abc"),
        ("\x1b\x1b[2J]kept", "]kept"),
    ],
)
def test_text_behind_an_open_sequence_stays(text: str, shown: str) -> None:
    assert clean(text) == shown


def test_titles_are_cut_between_words() -> None:
    stored = ("many words of a plan " * 20)[:200]  # as connectors cut it
    assert short_title(stored).endswith(("words…", "many…", "of…", "a…", "plan…"))
    assert short_title("a short one") == "a short one"
    assert short_title("x" * 200) == "x" * 199 + "…"
    assert "…</h1>" in page(Session(agent="x", id="s", title=stored))


# -- calls -------------------------------------------------------------------------------------


@pytest.mark.parametrize("depth", [90, 970, 5000, 70_000])
def test_deep_arguments_are_shown_flat(depth: int) -> None:
    arguments = '{"a":' + "[" * depth + "]" * depth + "}"
    session = Session(
        agent="x",
        id="s",
        messages=(message(1, "answer", "", tool_calls=(call("c", "T", arguments=arguments),)),),
    )
    text = page(session)
    assert "[[[[" in text
    assert len(text) < 100_000 + 10 * len(arguments)


def test_indentation_does_not_multiply_arguments() -> None:
    value = json.loads("[" * 60 + ",".join("1" * 5000) + "]" * 60)
    assert len(as_json(value)) < 20_000
    assert "\n  " in as_json({"a": "x" * 200, "b": [1]})


@pytest.mark.parametrize(
    ("arguments", "about"),
    [
        (
            "*** Begin Patch\n*** Update File: src/a.py\n@@\n*** Add File: b.py\n*** End Patch",
            "src/a.py, b.py",
        ),
        ({"input": "*** Begin Patch\n*** Delete File: c.py\n*** End Patch"}, "c.py"),
        (
            {"command": ["apply_patch", "*** Begin Patch\n*** Update File: d.py\n*** End Patch"]},
            "d.py",
        ),
        ({"taskId": "3", "status": "completed"}, "taskId 3, status completed"),
        ({"session_id": 7, "chars": "y\n"}, "session_id 7, chars y"),
        ({"skill": "pdf"}, "pdf"),
        ({"bash_id": "b1"}, "b1"),
        ({"plan": "\n# The plan\nmore"}, "The plan"),
        ({"command": "ls", "timeout": 3}, "ls"),
        ("\nconst a = 1;\nb()", "const a = 1;"),
        ({}, ""),
        ([1], ""),
    ],
)
def test_what_a_call_is_about(arguments: Any, about: str) -> None:
    text = arguments if isinstance(arguments, str) else json.dumps(arguments)
    assert telling(call("c", "T"), parsed(text)) == about


def test_a_call_is_about_the_files_it_edits() -> None:
    edits = [FileEdit(session_id="s", path="a.py"), FileEdit(session_id="s", path="a.py")]
    assert telling(call("c", "apply_patch"), None, edits) == "a.py"


def test_what_is_with_aj_restore() -> None:
    session = Session(
        agent="x", id="s", documents=(Document(session_id="s", kind="spill", name="x"),)
    )
    assert "1 file kept beside the session is left out; <code>aj restore</code>" in page(session)
