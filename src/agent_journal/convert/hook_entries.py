"""Hooks of agents that start a sync in the background when a session ends or is compacted.

They print nothing, so nothing enters a prompt. Only events that an agent documents are used.
"""

from __future__ import annotations

import os
import shlex
from typing import Any, NamedTuple

from agent_journal.connectors.base import Env
from agent_journal.convert.own_program import program_words
from agent_journal.convert.settings_entries import find_value, is_ours
from agent_journal.convert.settings_files import (
    back_up,
    read_settings,
    remove_backup,
    write_settings,
)
from agent_journal.errors import ConfigError

_BACKUP = ".before-aj-hooks"
_SECONDS = 30
_KEY = "hooks"


class HookClient(NamedTuple):
    """An agent with hooks: its events for us, and what a person must know."""

    title: str
    variable: str  # that names its folder
    folder: str  # else, below the home folder
    file: str
    events: tuple[str, ...]
    remark: str = ""


CLIENTS = {
    "claude-code": HookClient(
        "Claude Code",
        "CLAUDE_CONFIG_DIR",
        ".claude",
        "settings.json",
        ("SessionEnd", "PreCompact"),
    ),
    "copilot-cli": HookClient(
        "Copilot CLI",
        "COPILOT_HOME",
        ".copilot",
        os.path.join("hooks", "agent-journal.json"),
        ("sessionEnd",),
    ),
    "codex": HookClient(
        "Codex",
        "CODEX_HOME",
        ".codex",
        "hooks.json",
        ("Stop", "PreCompact"),
        "Codex runs it after you have trusted it: it asks, or use /hooks there",
    ),
    "gemini": HookClient(
        "Gemini CLI",
        "GEMINI_CLI_HOME",
        ".gemini",
        "settings.json",
        ("SessionEnd", "PreCompress"),
    ),
}


def hooks_path(agent: str, env: Env) -> str:
    """The file that an agent reads hooks from."""
    client = CLIENTS[agent]
    folder = env.variable(client.variable)
    if agent == "gemini" and folder:
        folder = os.path.join(folder, client.folder)
    return os.path.realpath(os.path.join(folder or env.path(client.folder), client.file))


def hook_values(agent: str) -> dict[str, Any]:
    """What a file has that holds nothing but our hooks."""
    client = CLIENTS[agent]
    hooks = {event: [_group(agent)] for event in client.events}
    if agent == "copilot-cli":
        return {"version": 1, _KEY: hooks}
    return {_KEY: hooks}


def install_hooks(agent: str, env: Env) -> bool:
    """Add our hooks to those of an agent, and return whether anything was changed."""
    settings = read_settings(hooks_path(agent, env))
    values = settings.values
    wanted = hook_values(agent)
    hooks = _hooks_of(values, settings.path)
    for event, groups in wanted[_KEY].items():
        others = [group for group in _groups_of(hooks, event, settings.path) if not is_ours(group)]
        hooks = {**hooks, event: [*others, *groups]}
    new = {**values, **{name: wanted[name] for name in wanted if name not in values}, _KEY: hooks}
    if new == values:
        return False
    if not is_ours(find_value(settings, [_KEY])):
        back_up(settings, _BACKUP)
    write_settings(settings, new)
    return True


def remove_hooks(agent: str, env: Env) -> bool:
    """Remove our hooks, and return whether there were any."""
    settings = read_settings(hooks_path(agent, env))
    hooks = _hooks_of(settings.values, settings.path)
    if not is_ours(hooks):
        return False
    left: dict[str, Any] = {}
    for event, groups in hooks.items():
        if isinstance(groups, list) and is_ours(groups):
            groups = [group for group in groups if not is_ours(group)]
            if not groups:
                continue
        left[event] = groups
    values = {name: value for name, value in settings.values.items() if name != _KEY}
    if left:
        values = {**settings.values, _KEY: left}
    if not left and values in ({}, {"version": 1}):
        os.unlink(settings.path)  # it held nothing else
    else:
        write_settings(settings, values)
    remove_backup(settings, _BACKUP)
    return True


def are_installed(agent: str, env: Env) -> bool:
    """Whether every hook of ours is there."""
    settings = read_settings(hooks_path(agent, env))
    hooks = _hooks_of(settings.values, settings.path)
    return all(is_ours(hooks.get(event)) for event in CLIENTS[agent].events)


def _group(agent: str) -> dict[str, Any]:
    """One of our hooks, in the form that an agent wants."""
    line = shlex.join([*program_words(), "sync", "--detach"])
    if agent == "copilot-cli":
        return {"type": "command", "bash": line, "powershell": f"& {line}", "timeoutSec": _SECONDS}
    hook: dict[str, Any] = {"type": "command", "command": line, "timeout": _SECONDS}
    if agent == "gemini":
        hook = {"name": "agent-journal", **hook, "timeout": _SECONDS * 1000}
    return {"hooks": [hook]}


def _hooks_of(values: dict[str, Any], path: str) -> dict[str, Any]:
    hooks = values.get(_KEY, {})
    if not isinstance(hooks, dict):
        raise ConfigError(f"{path}: {_KEY} is no object, and was left alone")
    return hooks


def _groups_of(hooks: dict[str, Any], event: str, path: str) -> list[Any]:
    groups = hooks.get(event, [])
    if not isinstance(groups, list):
        raise ConfigError(f"{path}: {event} is no list, and was left alone")
    return groups
