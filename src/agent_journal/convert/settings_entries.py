"""Entries of ours in the settings of agents: put there, found, and removed again."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agent_journal.convert.settings_files import (
    Settings,
    give_back,
    has_backup,
    read_settings,
    remove_backup,
    write_settings,
)
from agent_journal.errors import ConfigError, UsageError


class Entry(NamedTuple):
    """A value in a settings file, by the names that lead to it.

    `backup` ends the name of the copy of the file as it was.
    """

    path: str
    names: tuple[str, ...]
    value: Any
    backup: str

    def snippet(self) -> str:
        """The entry as a person would write it into the file."""
        values = _nested(self.names, self.value)
        if self.path.endswith(".toml"):
            import tomlkit

            return tomlkit.dumps(values).strip()
        return json.dumps(values, indent=2, ensure_ascii=False)


def put_entry(entry: Entry) -> bool:
    """Write an entry, and return whether anything was changed."""
    settings = read_settings(_real(entry.path))
    before = find_value(settings, entry.names)
    if before is not None and not is_ours(before):
        message = f"{settings.path} has another entry {entry.names[-1]}"
        raise UsageError(message, "rename or remove it; nothing was changed")
    value = with_additions(entry.value, before)
    if before == value:
        return False
    values = _with_value(settings.values, entry.names, value, settings.path)
    write_settings(settings, values, entry.backup if before is None else "")
    return True


def remove_entry(entry: Entry) -> bool:
    """Remove an entry of ours, and return whether there was one."""
    settings = read_settings(_real(entry.path))
    before = find_value(settings, entry.names)
    if before is None:
        return False
    if not is_ours(before):
        message = f"the entry {entry.names[-1]} in {settings.path} is not that of aj"
        raise UsageError(message, "nothing was changed")
    if give_back(settings, entry.backup, lambda copy: _installed(copy, entry.names, before)):
        return True
    values = _without_value(settings.values, entry.names)
    if not values and not has_backup(settings, entry.backup):
        os.unlink(settings.path)  # there was none before
        return True
    write_settings(settings, values)
    remove_backup(settings, entry.backup)
    return True


def with_additions(value: Any, before: Any) -> Any:
    """Our value with what a person added to an older one: other settings and variables."""
    if not isinstance(value, Mapping) or not isinstance(before, Mapping):
        return value
    added = {name: one for name, one in before.items() if name not in value and name != "env"}
    variables = before.get("env")
    if not isinstance(variables, Mapping):
        return {**value, **added}
    variables = {name: one for name, one in variables.items() if name != "AJ_HOME"}
    variables |= value.get("env", {})
    if variables:
        added["env"] = variables
    return {**value, **added}


def _installed(settings: Settings, names: Sequence[str], value: Any) -> dict[str, Any]:
    return _with_value(settings.values, names, value, settings.path)


def find_entry(entry: Entry) -> Any:
    """What the file has in the place of an entry; None when there is nothing."""
    return find_value(read_settings(_real(entry.path)), entry.names)


def find_value(settings: Settings, names: Sequence[str]) -> Any:
    """The value that names lead to; None when there is none."""
    value: Any = settings.values
    for name in names:
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def is_ours(value: Any) -> bool:
    """Whether something in an entry runs `aj`."""
    return any(_runs_aj(command) for command in _commands(value))


def _runs_aj(words: Sequence[str]) -> bool:
    program = os.path.splitext(os.path.basename(words[0].replace("\\", "/")))[0]
    return program == "aj" or "agent_journal" in words


def _commands(value: Any) -> list[list[str]]:
    """The command lines in a value, wherever they are."""
    if isinstance(value, list):
        return [command for below in value for command in _commands(below)]
    if not isinstance(value, Mapping):
        return []
    found = [command for below in value.values() for command in _commands(below)]
    for name in ("command", "bash"):
        line = value.get(name)
        if isinstance(line, str) and line:
            found.append([*_words(line), *_texts(value.get("args"))])
    return found


def _words(line: str) -> list[str]:
    import shlex

    if os.path.exists(line):
        return [line]  # a path, perhaps with spaces
    try:
        return shlex.split(line) or [line]
    except ValueError:
        return [line]


def _texts(value: Any) -> list[str]:
    if not isinstance(value, list):
        return []
    return [text for text in value if isinstance(text, str)]


def _real(path: str) -> str:
    return os.path.realpath(path)  # dotfiles are often links: write through them


def _nested(names: Sequence[str], value: Any) -> dict[str, Any]:
    for name in reversed(names):
        value = {name: value}
    nested: dict[str, Any] = value
    return nested


def _with_value(
    values: Mapping[str, Any], names: Sequence[str], value: Any, path: str
) -> dict[str, Any]:
    name, *rest = names
    if not rest:
        return {**values, name: value}
    below = values.get(name, {})
    if not isinstance(below, dict):
        raise ConfigError(f"{path}: {name} is no object, and was left alone")
    return {**values, name: _with_value(below, rest, value, path)}


def _without_value(values: Mapping[str, Any], names: Sequence[str]) -> dict[str, Any]:
    """Values without one of them, and without what only held it."""
    name, *rest = names
    left = dict(values)
    below = left.pop(name)
    if rest:
        below = _without_value(below, rest)
        if below:
            left = {key: below if key == name else value for key, value in values.items()}
    return left
