"""The agents that sessions can be converted for, each imported when it is used."""

from __future__ import annotations

from importlib import import_module
from typing import NamedTuple

from agent_journal.convert.target import NewFile, Target


class TargetModule(NamedTuple):
    """Where a target is, and the agent that reads its files; None when they are opened by hand."""

    module: str
    attribute: str
    agent: str | None


TARGETS = {
    "vscode": TargetModule("agent_journal.convert.vscode", "VsCode", None),
    "claude-code": TargetModule(
        "agent_journal.convert.claude_code", "ClaudeCodeTarget", "claude-code"
    ),
    "copilot-cli": TargetModule(
        "agent_journal.convert.copilot_cli", "CopilotCliTarget", "copilot-cli"
    ),
    "codex": TargetModule("agent_journal.convert.codex", "CodexTarget", "codex"),
    "gemini": TargetModule("agent_journal.convert.gemini", "GeminiTarget", "gemini"),
}

# Names of agents whose files are those of a target
ALIASES = {"vscode-chat": "vscode", "vscode-export": "vscode"}


def next_step(name: str, path: str) -> str | None:
    """What a person does with a file, of an agent that opens files by hand."""
    describe = getattr(import_module(TARGETS[name].module), "next_step", None)
    if describe is None:
        return None
    return str(describe(path))


def installed_files(
    name: str, files: tuple[NewFile, ...], root: str, folder: str | None
) -> tuple[NewFile, ...]:
    """The files as they are written into the agent's own folder `root`."""
    rename = getattr(import_module(TARGETS[name].module), "installed_files", None)
    if rename is None:
        return files
    renamed: tuple[NewFile, ...] = rename(files, root, folder)
    return renamed


def get_target(name: str) -> Target:
    """The target of a name."""
    entry = TARGETS[name]
    target: Target = getattr(import_module(entry.module), entry.attribute)()
    return target
