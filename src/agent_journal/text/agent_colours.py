"""The colour in which the name of an agent is shown, the same one everywhere."""

from __future__ import annotations

# Others get one by their name.
_AGENT_COLOURS = {
    "aider": "green",
    "claude-code": "bright_yellow",
    "codex": "cyan",
    "copilot-cli": "magenta",
    "cursor": "bright_cyan",
    "gemini": "bright_blue",
    "vscode-chat": "blue",
    "vscode-export": "bright_magenta",
}
_OTHER_COLOURS = ("bright_green", "yellow", "bright_red", "red")


def agent_colour(agent: str) -> str:
    """Return the style in which the name of an agent is shown."""
    if agent in _AGENT_COLOURS:
        return _AGENT_COLOURS[agent]
    return _OTHER_COLOURS[sum(map(ord, agent)) % len(_OTHER_COLOURS)]
