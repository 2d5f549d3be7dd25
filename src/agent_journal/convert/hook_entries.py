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
    Settings,
    give_back,
    has_backup,
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
    new = _with_hooks(settings, hook_values(agent))
    if new == settings.values:
        return False
    has_ours = _has_ours(find_value(settings, [_KEY]))
    write_settings(settings, new, "" if has_ours else _BACKUP)
    return True


def _with_hooks(settings: Settings, wanted: dict[str, Any]) -> dict[str, Any]:
    """The values of settings with our hooks, and without earlier ones of ours."""
    values = settings.values
    hooks = _hooks_of(values, settings.path)
    for event, groups in wanted[_KEY].items():
        others = _without_ours(_groups_of(hooks, event, settings.path))
        hooks = {**hooks, event: [*others, *groups]}
    missing = {name: wanted[name] for name in wanted if name not in values}
    return {**values, **missing, _KEY: hooks}


def remove_hooks(agent: str, env: Env) -> bool:
    """Remove our hooks, and return whether there were any."""
    settings = read_settings(hooks_path(agent, env))
    hooks = _hooks_of(settings.values, settings.path)
    if not _has_ours(hooks):
        return False
    wanted = hook_values(agent)
    if give_back(settings, _BACKUP, lambda copy: _with_hooks(copy, wanted)):
        return True
    left: dict[str, Any] = {}
    for event, groups in hooks.items():
        if isinstance(groups, list) and _has_ours(groups):
            groups = _without_ours(groups)
            if not groups:
                continue
        left[event] = groups
    values = {name: value for name, value in settings.values.items() if name != _KEY}
    if left:
        values = {**settings.values, _KEY: left}
    is_ours_alone = not left and values in ({}, {"version": 1})
    if is_ours_alone and not has_backup(settings, _BACKUP):
        os.unlink(settings.path)  # it held nothing else
    else:
        write_settings(settings, values)
    remove_backup(settings, _BACKUP)
    return True


def are_installed(agent: str, env: Env) -> bool:
    """Whether every hook of ours is there."""
    settings = read_settings(hooks_path(agent, env))
    hooks = _hooks_of(settings.values, settings.path)
    return all(_has_ours(hooks.get(event)) for event in CLIENTS[agent].events)


def _group(agent: str) -> dict[str, Any]:
    """One of our hooks, in the form that an agent wants."""
    line = shlex.join([*program_words(), "sync", "--detach"])
    if agent == "copilot-cli":
        return {"type": "command", "bash": line, "powershell": f"& {line}", "timeoutSec": _SECONDS}
    hook: dict[str, Any] = {"type": "command", "command": line, "timeout": _SECONDS}
    if agent == "gemini":
        hook = {"name": "agent-journal", **hook, "timeout": _SECONDS * 1000}
    return {"hooks": [hook]}


def _without_ours(groups: list[Any]) -> list[Any]:
    """Groups of hooks without ours; the hooks of others in the same group stay."""
    left = []
    for group in groups:
        if not _has_ours(group):
            left.append(group)
        elif isinstance(group.get("hooks"), list):
            others = [hook for hook in group["hooks"] if not _has_ours(hook)]
            if others:
                left.append({**group, "hooks": others})
    return left


def _has_ours(value: Any) -> bool:
    """Whether a hook of ours, which runs `aj sync`, is in a value; other uses of `aj` are not."""
    if isinstance(value, list):
        return any(map(_has_ours, value))
    if not isinstance(value, dict):
        return False
    for name in ("command", "bash"):
        line = value.get(name)
        if isinstance(line, str) and "sync" in line.split() and is_ours({name: line}):
            return True
    return any(map(_has_ours, value.values()))


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
