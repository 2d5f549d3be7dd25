"""What a demo session is made of, before an agent's writer gives it that agent's shape.

Paths are relative to the project. A `str` step is a prompt, a `Say` one response of the model, a
`Mark` anything else.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple


class Call(NamedTuple):
    """One use of a tool. `exit_code` not 0 is a failure; `before` is the file that an edit changes."""

    tool: str
    input: dict[str, Any]
    output: str = ""
    exit_code: int = 0
    before: str = ""
    child: tuple[Any, ...] = ()  # the steps of a sub-agent
    seconds: float = 0.3


class Say(NamedTuple):
    """One response of the model."""

    text: str = ""
    calls: tuple[Call, ...] = ()
    thinking: str = ""
    seconds: int = 14


class Mark(NamedTuple):
    """Something that is neither a prompt nor a response."""

    kind: Literal["rename", "compact", "interrupt", "queued", "api_error", "shell", "resume"]
    text: str = ""
    minutes: int = 0


Step = str | Say | Mark


class Story(NamedTuple):
    """One session."""

    agent: Literal["aider", "claude-code", "codex", "copilot-cli", "cursor", "gemini"]
    key: str
    project: str
    branch: str
    days_ago: int
    time: str
    model: str
    version: str
    steps: tuple[Step, ...]
    title: str = ""
    plan: str = ""
    checkpoint: str = ""
