"""Reads the invented sessions that `aj demo` shows from `stories/<agent>/<name>.toml`.

agent = "claude-code"
title = "Flaky retry test"

[[steps]]
prompt = "Why does the test fail?"

[[steps]]
say = "I'll read it."
thinking = "Look for the clock."

[[steps.calls]]
tool = "Read"
input.file_path = "tests/test_retry.py"
output = "…"

[[steps]]
mark = "interrupt"
"""

from __future__ import annotations

import os
import tomllib
from typing import Any, TypeVar

from agent_journal.demo.steps import Call, Chat, Mark, Say, Step, Story

T = TypeVar("T", Story, Chat)
_FOLDER = os.path.join(os.path.dirname(__file__), "stories")


def read_stories(kind: type[T], agent: str, *names: str) -> tuple[T, ...]:
    """Return the stories of an agent: a Story or a Chat for each name."""
    return tuple(_read_story(kind, agent, name) for name in names)


def _read_story(kind: type[T], agent: str, name: str) -> T:
    with open(os.path.join(_FOLDER, agent, f"{name}.toml"), "rb") as file:
        table = tomllib.load(file)
    steps = tuple(_step(step) for step in table.pop("steps"))
    return kind(**table, steps=steps)


def _step(table: dict[str, Any]) -> Step:
    if "prompt" in table:
        return str(table["prompt"])
    if "mark" in table:
        return Mark(kind=table.pop("mark"), **table)
    return _say(table)


def _say(table: dict[str, Any]) -> Say:
    calls = tuple(_call(call) for call in table.pop("calls", ()))
    return Say(text=table.pop("say", ""), calls=calls, **table)


def _call(table: dict[str, Any]) -> Call:
    child = tuple(_say(step) for step in table.pop("child", ()))
    count = table.pop("output_lines", None)
    if count is not None:
        table["output"] = _repeated(table["output"], count)
    return Call(child=child, **table)


def _repeated(form: str, count: int) -> str:
    """Return so many lines of one form, as a long run of tests prints them."""
    return "\n".join(
        form.format(n=n, percent=100 * n / count, seconds=0.004 + n % 7 / 1000)
        for n in range(1, count + 1)
    )
