"""`aj show` on terminals: words wrap, Markdown is rendered, and hostile text keeps the layout."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agent_journal.cli.output import Screen
from agent_journal.cli.views.markdown import looks, markdown_lines
from agent_journal.text.width import display_width
from tests.support.journals import aj, claude_line
from tests.support.terminals import on_terminal

_ANSWER = """\
# The *pool* is full

It is **never closed**, see [the docs](https://example.org/pool) and `close(*all)` for reasons.

- Close it after *each* request, also when the handler raises an exception in the middle
  - and always in `finally`
1. Look at *.py, *.js and __init__ first

```python
def close(**kwargs):
\treturn kwargs  # **as it is**
```

| name | count | meaning |
| :--- | ---: | --- |
| `pool` | 12 | open at the same time |
| 検索 | 3 | **searches** |
"""
_PROMPT = """Why does *the* pool run out?
    # indented
- it happens at night, when nobody uses it, and in one of the hosts only"""


def _call(number: int) -> dict[str, Any]:
    line = claude_line("assistant", number, "")
    use = {"type": "tool_use", "id": f"t{number}", "name": "Bash", "input": {"command": "make"}}
    line["message"]["content"] = [use]
    return line


def _result(number: int, text: str) -> dict[str, Any]:
    line = claude_line("user", number, "")
    result = {"type": "tool_result", "tool_use_id": f"t{number - 1}", "content": text}
    line["message"]["content"] = [result]
    return line


def _write(home: Path, *lines: dict[str, Any]) -> None:
    path = home / ".claude/projects/-work-app/s1.jsonl"
    path.parent.mkdir(parents=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    aj(home, "sync")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    _write(
        tmp_path,
        claude_line("user", 0, _PROMPT),
        claude_line("assistant", 1, _ANSWER),
        _call(2),
        _result(3, "ok"),
        _call(4),
        _result(5, "a\tb " + "z" * 150),
    )
    return tmp_path


def _screen(home: Path, columns: int, *args: str, **env: str) -> list[str]:
    shown = on_terminal(home, "show", "s1", *args, columns=columns, lines=90, TZ="UTC", **env)
    lines = shown.replace("\r\n", "\n").rstrip("\n").split("\n")
    return lines[lines.index("") :]  # without the head


def test_80_columns(home: Path) -> None:
    assert _screen(home, 80) == [
        "",
        "\x1b[32;1m▌ you  00:00:00\x1b[0m",
        "  Why does *the* pool run out?",
        "      # indented",
        "  - it happens at night, when nobody uses it, and in one of the hosts only",
        "",
        "\x1b[34;1m▌ agent  00:01:00  claude-opus-5-5\x1b[0m",
        "  \x1b[1;4mThe pool is full\x1b[0m",
        "",
        "  It is \x1b[1mnever closed\x1b[0m, see \x1b[4mthe docs\x1b[0m"
        "\x1b[2m (https://example.org/pool)\x1b[0m and \x1b[36mclose(*all)\x1b[0m",
        "  for reasons.",
        "",
        "  • Close it after \x1b[3meach\x1b[0m request, "
        "also when the handler raises an exception in",
        "    the middle",
        "    • and always in \x1b[36mfinally\x1b[0m",
        "  1. Look at *.py, *.js and __init__ first",
        "",
        "  \x1b[2m```python\x1b[0m",
        "    def close(**kwargs):",
        "        return kwargs  # **as it is**",
        "  \x1b[2m```\x1b[0m",
        "",
        "  \x1b[2mname\x1b[0m  \x1b[2mcount\x1b[0m  \x1b[2mmeaning\x1b[0m",
        "  pool     12  open at the same time",
        "  検索      3  searches",
        "  \x1b[33m→ Bash make  ✓\x1b[0m",
        "\x1b[2m    │ \x1b[0mok",
        "  \x1b[33m→ Bash make  ✓\x1b[0m",
        "\x1b[2m    │ \x1b[0ma   b " + "z" * 67 + "…",
    ]


@pytest.mark.parametrize(
    ("columns", "expected"),
    [
        (
            100,
            [
                "  • Close it after each request, also when the handler raises an exception "
                "in the middle"
            ],
        ),
        (
            50,
            [
                "  • Close it after each request, also when the",
                "    handler raises an exception in the middle",
            ],
        ),
        (160, ["    │ a   b " + "z" * 147 + "…"]),
        (160, ["  検索      3  searches"]),
    ],
)
def test_other_widths(home: Path, columns: int, expected: list[str]) -> None:
    plain = [re.sub(r"\x1b\[[0-9;]*m", "", line) for line in _screen(home, columns)]
    start = plain.index(expected[0])
    assert plain[start : start + len(expected)] == expected


def test_without_colours_the_signs_stay(home: Path) -> None:
    shown = _screen(home, 80, NO_COLOR="1")
    assert "  # The *pool* is full" in shown
    assert (
        "  - Close it after *each* request, also when the handler raises an exception in" in shown
    )
    assert "  `pool`     12  open at the same time" in shown
    assert not any("\x1b" in line for line in shown)


def test_a_pipe_gets_the_text_as_it_is(home: Path) -> None:
    shown = aj(home, "show", "s1").stdout
    for line in (_PROMPT + "\n" + _ANSWER).splitlines():
        assert f"  {line}\n" in shown
    assert "    │ a\tb " + "z" * 150 in shown


def test_what_was_searched_for_is_marked_in_rendered_text(home: Path) -> None:
    shown = "\n".join(_screen(home, 80, "--find", "never pool"))
    assert "\x1b[1m\x1b[33;1mnever\x1b[0m\x1b[1m closed\x1b[0m" in shown
    assert "\x1b[1;4mThe \x1b[33;1mpool\x1b[0m\x1b[1;4m is full\x1b[0m" in shown


def test_messages_that_only_have_calls_have_no_lines_of_their_own(home: Path) -> None:
    assert aj(home, "show", "s1").stdout.count("▌ agent") == 1
    assert aj(home, "show", "s1", "-m", "2").stdout.count("▶ agent") == 1


def test_an_empty_answer_is_not_shown(tmp_path: Path) -> None:
    _write(tmp_path, claude_line("user", 0, "Why"), claude_line("assistant", 1, ""))
    assert "▌ agent" not in aj(tmp_path, "show", "s1").stdout


_EVIL = "\x1b]0;owned\x07\x1b[2J\x9b31m\u202e\u2066\x08\r"


@pytest.mark.parametrize("columns", [20, 80, 160])
@pytest.mark.parametrize("depth", ["tool", "all"])
def test_hostile_text_keeps_the_layout(tmp_path: Path, columns: int, depth: str) -> None:
    texts = [
        f"{_EVIL}**bold {_EVIL}** `code{_EVIL}` [x]({_EVIL}) | a | b |",
        "word " * 40_000,
        "字" * 40_000,
        "x" * 200_000,
        f"```\n{_EVIL}{'y' * 50_000}",
        f"| a | b |\n| --- | --- |\n| {'z' * 5_000} | {_EVIL} |\n| 1 | 2 | 3 |",
        "> " * 500 + "- " * 500 + "# " * 500 + "*" * 999 + "`" * 999 + "[" * 999,
        " " * 300 + "- deep",
    ]
    lines = [claude_line("user", 0, "\n".join(texts))]
    lines += [claude_line("assistant", number, text) for number, text in enumerate(texts, 1)]
    _write(tmp_path, *lines, _call(30), _result(31, "\n".join(texts)))
    shown = on_terminal(
        tmp_path, "show", "s1", "--depth", depth, columns=columns, lines=40, TZ="UTC"
    )
    for line in shown.split("\r\n"):
        bare = re.sub(r"\x1b\[[0-9;]*m", "", line)
        assert bare.isprintable(), repr(bare[:200])
        assert display_width(bare) <= max(columns, 22), (columns, bare[:200])


def test_a_table_that_is_too_wide_loses_nothing() -> None:
    wide = f"| {'a' * 40} | {'b' * 40} | c |\n| --- | --- | --- |\n| 1 | 2 | 3 |"
    shown = "".join(markdown_lines(wide, "  ", Screen(60, colour=True))).replace(" ", "")
    assert shown == wide.replace(" ", "").replace("\n", "")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("*.py,*.js and a * b * c", "*.py,*.js and a * b * c"),
        ("__init__ and snake_case_name", "__init__ and snake_case_name"),
        ("**kwargs, **args", "**kwargs, **args"),
        ("`a``b` and ``c`d``", "a``b and c`d"),
        ("***both***", "both"),
        ("**a `b` *c***", "a b *c*"),
        ("![a](b.png) [x](x)", "a (b.png) x"),
    ],
)
def test_only_signs_of_looks_are_removed(text: str, expected: str) -> None:
    assert looks(text)[0] == expected
