"""What a demo session consists of, before an agent's writer writes it as that agent would.

Paths are relative to the project. A `str` step is a prompt, a `Say` one response of the model, a
`Mark` anything else.
"""

from __future__ import annotations

from typing import Any, Literal, NamedTuple


class Call(NamedTuple):
    """One use of a tool; `before` is the file that an edit changes."""

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

    agent: Literal[
        "aider",
        "claude-code",
        "cline",
        "codex",
        "copilot-cli",
        "cursor",
        "gemini",
        "opencode",
        "pi",
    ]
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


class Chat(NamedTuple):
    """One chat of VS Code.

    `era` is how it is stored: a log of changes, one document, or an element of a row in a database.
    `#file:path` in a prompt attaches that file, `[[path]]` in an answer is a link to one.
    """

    key: str
    era: Literal["log", "json", "row"]
    days_ago: int
    time: str
    mode: Literal["agent", "ask"]
    model: str
    version: str  # of the Copilot Chat extension
    steps: tuple[Step, ...]
    title: str = ""  # set after the first turn
    listed_as: str = ""  # in the list that VS Code shows; a chat that it forgot has none
    stopped: bool = False  # by the person, in the second turn
    torn: bool = False  # a crash left half a line before the second turn
    has_folder: bool = True
