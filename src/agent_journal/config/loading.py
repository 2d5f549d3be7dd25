"""The settings in effect: defaults < config.toml < AJ_* variables < flags (which cli handles).

Every command reads this first, so it imports next to nothing: tomllib only when there is a
config.toml, difflib only to suggest a spelling.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from typing import Any

from agent_journal.config.settings import (
    SETTINGS,
    SOURCES,
    SPECIAL_VARIABLES,
    Setting,
    Value,
    foreign_settings,
    get_setting,
)
from agent_journal.errors import ConfigError

_SOURCE_NAMES = {"vscode-chat": "vscode"}  # the setting is older than the connector
_FILE = "config.toml"
_OR_MOVE_IT = "or move it away: every setting has a default"


class Config:
    """The settings in effect, and where each comes from."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._values: dict[str, Value] = {key: setting.default for key, setting in SETTINGS.items()}
        self._origins: dict[str, str] = {}
        self.warnings: list[str] = []
        # By the name of a model; usage/prices.py checks it when it is needed
        self.prices: dict[str, Any] = {}
        self.reads_sources = True  # else only the archive is read
        self.home = home(env)
        self.config_path = os.path.join(self.home, _FILE)
        self.archive_path = os.path.join(self.home, "archive")
        self.index_path = os.path.join(self.home, "index")
        self.seen_path = os.path.join(self.home, "seen.jsonl")
        self.marks_path = os.path.join(self.home, "marks.jsonl")

    def get(self, key: str) -> Value:
        """The value of a setting as it was written; ConfigError when there is no such setting."""
        value = self._values.get(get_setting(key).key)
        if value is None and key == "storage.index_path":
            return self.index_path
        return value

    def origin(self, key: str) -> str:
        """Where the value comes from: `default`, `config.toml`, or the name of a variable."""
        return self._origins.get(get_setting(key).key, "default")

    def sources(self, agent: str) -> list[str] | None:
        """The paths that are set for an agent, expanded.

        None means auto-detect, and an empty list means that the agent is turned off.
        """
        if not self.reads_sources:
            return []
        key = source_setting(agent)
        value = self._values.get(key)
        if value is None:
            return None
        base = self._base_folder(self.origin(key))
        return [self._absolute(path, base) for path in _paths(value)]

    def without_sources(self) -> Config:
        """The same settings with every agent turned off."""
        from copy import copy

        settings = copy(self)
        settings.reads_sources = False
        return settings

    def set(self, setting: Setting, value: Value, origin: str) -> None:
        """Set a value that was checked."""
        self._values[setting.key] = value
        self._origins[setting.key] = origin
        if setting.kind in ("path", "paths"):
            for path in _paths(value):
                if "$" in expanded(path, self._env):
                    self.warnings.append(f"{setting.key}: a variable in '{path}' is not set.")
        if setting.key == "storage.index_path":
            path = expanded(str(value), self._env)
            self.index_path = os.path.normpath(os.path.join(self._base_folder(origin), path))

    def _base_folder(self, origin: str) -> str:
        """The folder that relative paths start from."""
        if origin == _FILE:
            return self.home  # so that the file means the same in every working folder
        return _working_folder()

    def _absolute(self, path: str, base: str) -> str:
        path = expanded(path, self._env)
        if "*" in path:
            return path
        return os.path.normpath(os.path.join(base, path))


def source_setting(agent: str) -> str:
    """The setting that names the folders of an agent."""
    return SOURCES + _SOURCE_NAMES.get(agent, agent.replace("-", "_"))


def home(env: Mapping[str, str]) -> str:
    """The journal folder: $AJ_HOME, or `~/.agent-journal`."""
    path = expanded(env.get("AJ_HOME") or "~/.agent-journal", env)
    if os.path.isabs(path):
        return path
    return os.path.join(_working_folder(), path)


def load(env: Mapping[str, str] | None = None) -> Config:
    """The settings in effect; ConfigError when config.toml or a variable is wrong."""
    if env is None:
        env = os.environ
    config = Config(env)
    text = read_settings(config.config_path)
    if text is not None:
        _apply_file(config, text)
    _apply_variables(config, env)
    return config


# -- config.toml -------------------------------------------------------------------------------


def read_settings(path: str) -> str | None:
    """The text of a config.toml; None when there is none."""
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise OSError(0, "it is not a regular file")
        with open(path, "rb") as file:
            # Notepad writes a byte order mark, which tomllib refuses
            return file.read().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        message = f"{path}: not UTF-8 text (byte {error.start})"
        raise ConfigError(message, f"save it as UTF-8, {_OR_MOVE_IT}") from None
    except PermissionError as error:
        folder = os.path.dirname(path)
        if not os.access(folder, os.X_OK):
            message = f"{folder} cannot be opened: {error.strerror}"
            raise ConfigError(message, "check its owner and mode") from None
        raise _unreadable(path, error) from None
    except OSError as error:
        raise _unreadable(path, error) from None


def _unreadable(path: str, error: OSError) -> ConfigError:
    message = f"{path}: cannot be read: {error.strerror or error}"
    return ConfigError(message, f"make it readable, {_OR_MOVE_IT}")


def parse_settings(text: str, path: str) -> dict[str, Any]:
    """The tables of a config.toml; ConfigError with the line when it is not valid."""
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        raise _invalid_toml(text, path, str(error)) from None


def _invalid_toml(text: str, path: str, error: str) -> ConfigError:
    reason, _, place = error.partition(" (at line ")
    reason = reason.removesuffix(" (at end of document)")
    lines = text.split("\n")
    number = len(lines)
    if place:
        number = int(place.partition(",")[0])
    hint = "Correct that line, or move the file away: every setting has a default"
    if number <= len(lines) and "\\" in lines[number - 1]:
        hint = "Put paths with backslashes between single quotes: 'C:\\Users\\me'."
    return ConfigError(f"{path}, line {number}: not valid TOML: {reason}", hint)


def _apply_file(config: Config, text: str) -> None:
    from agent_journal.config.values import check_value

    table = parse_settings(text, config.config_path)
    config.prices = table.pop("pricing", {})
    for key, value in _flattened(table, "", config):
        setting = get_setting(key)
        checked = check_value(setting, value, f"{config.config_path}: {key}")
        config.set(setting, checked, _FILE)


def _flattened(table: dict[str, Any], prefix: str, config: Config) -> Iterator[tuple[str, object]]:
    """The settings in a table and its sections, by their full names; others become warnings."""
    for name, value in table.items():
        key = prefix + name
        inside = [known for known in SETTINGS if known.startswith(key + ".")]
        if key in SETTINGS or (prefix == SOURCES and key in foreign_settings()):
            yield key, value
        elif not inside:
            config.warnings.append(f"{config.config_path}: {_unknown_key(key, value)}")
        elif isinstance(value, dict):
            yield from _flattened(value, key + ".", config)
        else:
            message = f"{config.config_path}: {key} is a section, not a value"
            raise ConfigError(message, f"it holds {', '.join(inside)}")


def _unknown_key(key: str, value: object) -> str:
    from agent_journal.text.suggestions import did_you_mean

    if isinstance(value, dict):
        sections = sorted({known.rpartition(".")[0] for known in SETTINGS})
        return _with_hint(f"unknown section {key}", did_you_mean(key, sections))
    return _with_hint(f"unknown setting {key}", did_you_mean(key, SETTINGS))


# -- variables ---------------------------------------------------------------------------------


def _apply_variables(config: Config, env: Mapping[str, str]) -> None:
    known = {name: setting for setting in SETTINGS.values() for name in reversed(setting.variables)}
    given = [name for name in env if name.startswith("AJ_") and name not in SPECIAL_VARIABLES]
    if not known.keys() >= set(given):
        known |= {setting.variables[0]: setting for setting in foreign_settings().values()}
    for name, setting in known.items():  # the name that takes precedence comes last
        text = env.get(name)
        if text:
            from agent_journal.config.values import value_from_text

            config.set(setting, value_from_text(setting, text, name, os.pathsep), name)
    for name in sorted(given):
        if name not in known:
            from agent_journal.text.suggestions import did_you_mean

            hint = did_you_mean(name, [*known, *SPECIAL_VARIABLES])
            config.warnings.append(_with_hint(f"unknown variable {name}", hint))


def _with_hint(message: str, hint: str | None) -> str:
    if hint is None:
        return message
    return f"{message}; {hint}"


# -- paths -------------------------------------------------------------------------------------


def _paths(value: Value) -> list[str]:
    if isinstance(value, list):
        return value
    return [str(value)]


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        message = "the working folder no longer exists"
        raise ConfigError(message, "change to another one") from None


def expanded(path: str, env: Mapping[str, str]) -> str:
    """A path with `~` and $NAME replaced from an environment; unset variables stay."""
    if "$" in path:
        import re

        def value(name: re.Match[str]) -> str:
            return env.get(name[1] or name[2]) or name[0]

        path = re.sub(r"\$(?:(\w+)|\{(\w+)\})", value, path)
    if path[:1] == "~" and path[1:2] in ("", "/", os.sep):
        return _user_home(env) + path[1:]
    return os.path.expanduser(path)


def _user_home(env: Mapping[str, str]) -> str:
    variable = "HOME"
    if os.name == "nt":
        variable = "USERPROFILE"
    return env.get(variable) or os.path.expanduser("~")
