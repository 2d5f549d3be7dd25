"""Markdown exports: what a page looks like, and that no session text gets out of its place.

The judge is a CommonMark parser with raw HTML turned on: it must find no HTML but ours.
"""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from agent_journal.export.family import Member
from agent_journal.export.markdown import page
from agent_journal.export.prose import as_quote, fenced, inline, markdown
from agent_journal.model import Attachment, FileEdit, Message, Plan, Session, Todo, ToolCall
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.dates import parse_bound

PARSER = MarkdownIt("commonmark", {"html": True}).enable("table").enable("strikethrough")
HOSTILE = [
    "<script>alert(1)</script>",
    "</details>",
    "</summary>",
    "<img src=x onerror=alert(1)>",
    "<svg/onload=alert(1)>",
    "<!-- open",
    "<?php",
    "<![CDATA[",
    "<a\nhref=x>",
    "<style>*{display:none}</style>",
    "`",
    "``",
    "```",
    "````",
    "~~~",
    "\n```\n",
    "\n   ```\n",
    "\n\n",
    "\r",
    "- ",
    "1. ",
    "10) ",
    "   ",
    "    ",
    "\t",
    "> ",
    "| a | b |\n|---|---|\n",
    "|",
    "\\",
    "[x](javascript:alert(1))",
    "[x](&#106;avascript:x)",
    "[x](<javascript:x>)",
    "[a]: http://e",
    "[^1]: ",
    "![p](http://e/i.png)",
    "# ",
    "===",
    "---",
    "text",
    "List<T>",
    "`<i>`",
    "&lt;b>",
    "\x1b[31m",
    "\x1b]0;t\x07",
    "[see](src/a.py:3)",
    "&#x202e;",
    "&rlm;",
    "&#27;",
    "\u202e",
    "\u2066",
    "\x00",
    "\x9b31m",
    "\u2028",
]
END = "the end of it"


def tokens(lines: Iterator[str] | list[str]) -> list[Token]:
    return PARSER.parse("\n".join([*lines, "", END]))


def inner(found: list[Token]) -> Iterator[Token]:
    for token in found:
        yield token
        yield from inner(token.children or [])


def check_harmless(found: list[Token], text: str) -> None:
    for token in inner(found):
        assert token.type not in ("html_block", "html_inline", "image"), (text, token.content)
        if token.type == "link_open":
            target = str(token.attrs.get("href", ""))
            assert target.startswith(("http", "mailto:", "#")) or ":" not in target, (text, target)
    assert (found[-1].type, found[-1].level, found[-2].content) == ("paragraph_close", 0, END), text


def texts(count: int) -> Iterator[str]:
    rng = random.Random(20261116)
    yield from HOSTILE
    yield "\t```\n\n```\n\n1. </summary><!--"  # a tab behind the mark of a quote is narrower
    yield "1. a\n   ```\n<script>x</script>\n   ```"  # the list ends, and the fence with it
    yield "a ` b\nc `<script>` d"
    yield "| `a | b` <i> |\n|---|---|\n| `a | <i>` |"
    for _ in range(count):
        yield "".join(rng.choice(HOSTILE) for _ in range(rng.randint(2, 25)))


def test_hostile_text_stays_where_it_is_put() -> None:
    for text in texts(4000):
        check_harmless(tokens(markdown(text)), text)
        check_harmless(tokens(as_quote(text)), text)
        check_harmless(tokens([f"# {inline(text)}", "", f"- [ ] {inline(text)}", ""]), text)
        found = tokens(fenced(text, "text"))
        check_harmless(found, text)
        assert [token.type for token in found] == [
            "fence",
            "paragraph_open",
            "inline",
            "paragraph_close",
        ], text


def test_nothing_steers_a_terminal_or_reorders_text() -> None:
    for text in texts(300):
        for line in (*markdown(text), *as_quote(text), *fenced(text), inline(text)):
            assert not set(line) & {
                *map(chr, range(9)),
                *map(chr, range(10, 32)),
                "\x7f",
                "\x9b",
                "\u202e",
                "\u2066",
            }


@pytest.mark.parametrize(
    "text",
    [
        "plain **bold** and `code<T>()`",
        "```rust\nlet v: Vec<u8>;\n```",
        "1. do:\n   ```sh\n   cat <in\n   ```\n2. done",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "a < b and c <= d",
        "[docs](https://e.org/x)",
        "[here](docs/a.md#b)",
    ],
)
def test_ordinary_markdown_is_left_alone(text: str) -> None:
    assert "\n".join(markdown(text)) == text


def row(session: Session) -> SessionRow:
    values: dict[str, Any] = dict.fromkeys(SessionRow._fields)
    values |= {
        "agent": session.agent,
        "id": session.id,
        "input_tokens": 1200,
        "output_tokens": 34,
        "is_automated": 0,
    }
    return SessionRow(**values | {"cost_micro_usd": 1_250_000})


def made(session: Session, *others: Session) -> str:
    family = [Member(row(one), one) for one in (session, *others)]
    return "\n".join(page(family, True, "agent-journal 9"))


def message(number: int, kind: Any, text: str, **more: Any) -> Message:
    role = {"prompt": "user", "answer": "assistant"}.get(kind, "system")
    when = parse_bound(f"2026-11-0{number}")
    return Message(
        session_id="s", id=f"m{number}", role=role, kind=kind, text=text, timestamp=when, **more
    )  # type: ignore[arg-type]


def test_a_page() -> None:
    calls = (
        ToolCall(
            session_id="s",
            id="c1",
            name="Bash",
            arguments='{"command":"ls"}',
            result="a ```` b",
            status="ok",
        ),
        ToolCall(
            session_id="s",
            id="c2",
            name="Edit",
            arguments='{"file_path":"a.py"}',
            result="done",
            status="ok",
        ),
        ToolCall(
            session_id="s",
            id="c3",
            name="TodoWrite",
            kind="todo",
            status="ok",
            arguments='{"todos":[{"content":"first","status":"completed"}]}',
        ),
    )
    text = made(
        Session(
            agent="claude-code",
            id="s",
            title="Fix *it*",
            project_path="~/work/app",
            models=("opus",),
            messages=(
                message(
                    1,
                    "prompt",
                    "please\nfix",
                    attachments=(Attachment(kind="image", name="a.png"),),
                ),
                message(2, "answer", "Done.", reasoning="hm", model="opus", tool_calls=calls),
                message(3, "system_prompt", "You are"),
                message(4, "injected", "</details>"),
            ),
            file_edits=(
                FileEdit(session_id="s", path="a.py", call_id="c2", diff="@@ -1 +1 @@\n-a\n+b\n"),
            ),
            todos=(Todo(content="second", status="in_progress"),),
            plans=(Plan(name="plan.md", text="# The plan"),),
        ),
        Session(
            agent="claude-code",
            id="s/a",
            title="Look",
            agent_name="Explore",
            messages=(message(5, "prompt", "x"),),
        ),
    )
    head, _, body = text.removeprefix("---\n").partition("---\n")
    facts = {
        name: json.loads(value)
        for name, _, value in (line.partition(": ") for line in head.splitlines())
    }
    assert facts["title"] == "Fix *it*"
    assert facts["tokens"] == {"input": 1200, "output": 34}
    assert (facts["cost_usd"], facts["redacted"], facts["models"]) == (1.25, True, ["opus"])
    for part in (
        "# Fix \\*it\\*\n",
        "## 1. please\n",
        "> please  \n> fix\n",
        "*image: a.png*",
        "**Agent** · opus",
        "<details><summary>reasoning",
        "<summary>✓ <code>Bash</code> ls</summary>\n\n```sh\nls\n```\n",
        "`````text\na ```` b\n`````\n",
        "```diff\n@@ -1 +1 @@\n-a\n+b\n```\n",
        "- [x] first\n",
        "## Todos\n\n- [ ] second (in progress)\n",
        "<summary>plan: plan.md</summary>\n\n# The plan\n",
        "# Sub-agent Explore: Look\n",
        "### 1. x\n",
    ):
        assert part in body, part
    assert "You are" not in body


def test_a_page_of_hostile_text_has_only_our_html() -> None:
    for text in texts(250):
        call = ToolCall(
            session_id="s",
            id="c",
            name=text,
            title=text,
            arguments=json.dumps({"command": text, text: 1}),
            result=text,
            status="ok",
            spilled_to=text,
            attachments=(Attachment(kind=text, text=text),),
        )
        bare = ToolCall(session_id="s", id="d", name=text, arguments=text, display=text)
        todo = ToolCall(
            session_id="s",
            id="e",
            kind="todo",
            arguments=json.dumps({"todos": [{"content": text}]}),
        )
        session = Session(
            agent="claude-code",
            id=text,
            title=text,
            project_path=text,
            git_branch=text,
            models=(text,),
            messages=(
                message(
                    1, "prompt", text, attachments=(Attachment(kind="file", name=text, note=text),)
                ),
                message(
                    2, "answer", text, reasoning=text, model=text, tool_calls=(call, bare, todo)
                ),
                message(3, "injected", text),
                message(4, "shell", text),
            ),
            file_edits=(
                FileEdit(session_id="s", path=text, call_id="c", diff=text),
                FileEdit(session_id="s", path=text, before=text, after="x"),
            ),
            todos=(Todo(content=text),),
            plans=(Plan(name=text, text=text),),
        )
        head, _, body = made(session, session).removeprefix("---\n").partition("\n---\n")
        assert all(json.loads(line.partition(": ")[2]) is not None for line in head.split("\n")), (
            text
        )
        depth = 0
        for token in inner(tokens(body.split("\n"))):
            assert token.type not in ("html_inline", "image"), (text, token.content)
            if token.type == "html_block":
                first = token.content.startswith(
                    "<details><summary>"
                ) and token.content.rstrip().endswith("</summary>")
                assert first or token.content == "</details>\n", (text, token.content)
                assert token.level == 0, text
                plain = (
                    token.content.removeprefix("<details><summary>")
                    .replace("<code>", "")
                    .replace("</code>", "")
                )
                assert "<" not in plain.replace("</summary>", "").replace("</details>", ""), (
                    text,
                    token.content,
                )
                depth += 1 if first else -1
                assert depth >= 0, text
        assert depth == 0, text
