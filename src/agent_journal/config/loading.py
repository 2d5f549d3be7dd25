"""What a user can set: defaults < ~/.agent-journal/config.toml < AJ_* variables < flags (the flags
are cli's business).

Every command reads this first, so it imports next to nothing: tomllib only when there is a
config.toml, tomlkit only to write one, difflib only to suggest a spelling.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
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
from agent_journal.errors import CannotWrite, ConfigError
from agent_journal.text.suggestions import did_you_mean

_SOURCE_NAMES = {"vscode-chat": "vscode"}  # the setting is older than the connector
_TRUE = frozenset(("true", "yes", "on", "1"))
_FALSE = frozenset(("false", "no", "off", "0"))


class Config:
    """The settings in force, and where each came from."""

    __slots__ = (
        "_env",
        "_origins",
        "_values",
        "archive_path",
        "config_path",
        "home",
        "index_path",
        "prices",
        "warnings",
    )

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._values: dict[str, Value] = {key: setting.default for key, setting in SETTINGS.items()}
        self._origins: dict[str, str] = {}
        self.warnings: list[str] = []
        # By the name of a model; usage/prices.py checks it when it is asked for
        self.prices: dict[str, Any] = {}
        self.home = home(env)
        self.config_path = os.path.join(self.home, "config.toml")
        self.archive_path = os.path.join(self.home, "archive")
        self.index_path = os.path.join(self.home, "index")

    def get(self, key: str) -> Value:
        """The value of a setting as it was written; ConfigError when there is no such setting."""
        value = self._values.get(get_setting(key).key)
        return self.index_path if value is None and key == "storage.index_path" else value

    def origin(self, key: str) -> str:
        """Where the value comes from: `default`, `config.toml`, or the name of a variable."""
        return self._origins.get(get_setting(key).key, "default")

    def sources(self, agent: str) -> list[str] | None:
        """The paths a user gave for an agent, expanded; None when they are to be found, [] when it
        is turned off.
        """
        key = SOURCES + _SOURCE_NAMES.get(agent, agent.replace("-", "_"))
        value = self._values.get(key)
        if value is None:
            return None
        paths = value if isinstance(value, list) else [str(value)]
        # A relative path in the file must mean the same from every working folder.
        base = self.home if self.origin(key) == "config.toml" else _working_folder()
        expanded = [_expanded(path, self._env) for path in paths]
        return [
            path if "*" in path else os.path.normpath(os.path.join(base, path)) for path in expanded
        ]

    def _settle(self, setting: Setting, value: Value, origin: str) -> None:
        self._values[setting.key] = value
        self._origins[setting.key] = origin
        for path in value if isinstance(value, list) else [value]:
            if setting.kind in ("path", "paths") and "$" in _expanded(str(path), self._env):
                self.warnings.append(f"{setting.key}: a variable in '{path}' is not set.")
        if setting.key == "storage.index_path":
            # A relative path in the file must mean the same from every working folder.
            base = self.home if origin == "config.toml" else _working_folder()
            self.index_path = os.path.normpath(os.path.join(base, _expanded(str(value), self._env)))


def home(env: Mapping[str, str]) -> str:
    """The journal folder: $AJ_HOME, or `~/.agent-journal`."""
    path = _expanded(env.get("AJ_HOME") or "~/.agent-journal", env)
    return path if os.path.isabs(path) else os.path.join(_working_folder(), path)


def _working_folder() -> str:
    try:
        return os.getcwd()
    except OSError:
        raise ConfigError(
            "the working folder does not exist any more", "Change to another one."
        ) from None


def load(env: Mapping[str, str] | None = None) -> Config:
    """The settings in force; ConfigError when config.toml or a variable has a value it cannot have."""
    env = os.environ if env is None else env
    config = Config(env)
    text = _read(config.config_path)
    if text is not None:
        config.prices = (table := _parsed(text, config.config_path)).pop("pricing", {})
        for key, value in _flattened(table, "", config):
            setting = get_setting(key)
            config._settle(
                setting, _checked(setting, value, f"{config.config_path}: {key}"), "config.toml"
            )
    _apply_variables(config, env)
    return config


def set_value(config_path: str, key: str, values: str | Sequence[str]) -> None:
    """Writes one setting into config.toml, keeping comments; several values only for settings that
    take a list.
    """
    setting = get_setting(key)
    texts = [values] if isinstance(values, str) else list(values)
    if len(texts) != 1 and setting.kind != "paths":
        raise ConfigError(
            f"{key} takes one value, not {len(texts)}", f"Accepted: {_accepted(setting)}."
        )
    if setting.kind == "paths" and texts == ["[]"]:
        texts = []  # turned off
    value: Value = texts if len(texts) != 1 else _from_text(setting, texts[0], key)
    if isinstance(value, list) and not all(value):
        raise ConfigError(f"{key}: a path is empty", f"Accepted: {_accepted(setting)}.")
    target = os.path.realpath(config_path)  # dotfiles are often links: write through them
    old = _read(target) or ""
    _parsed(old, target)
    new = _edited(old, key, value)
    if _found(_parsed(new, target), key) != value:
        raise ConfigError(
            f"{config_path}: {key} does not fit into the file", f"Set {key} there with an editor."
        )
    _replace(target, new)


def unset_value(config_path: str, key: str) -> bool:
    """Takes one setting out of config.toml, keeping comments; whether it was there."""
    target = os.path.realpath(config_path)
    old = _read(target)
    if old is None or _found(_parsed(old, target), get_setting(key).key) is None:
        return False
    import tomlkit

    document = tomlkit.parse(old)
    *sections, name = key.split(".")
    table: Any = document
    for section in sections:
        table = table[section]
    del table[name]
    _replace(target, tomlkit.dumps(document))
    return True


# -- config.toml -------------------------------------------------------------------------------


def _read(path: str) -> str | None:
    try:
        if not os.path.isfile(path) and os.path.exists(path):
            raise OSError(0, "it is not a plain file")
        with open(path, "rb") as file:
            # Notepad writes a byte order mark, tomllib refuses it
            return file.read().decode("utf-8-sig")
    except FileNotFoundError:
        return None
    except UnicodeDecodeError as error:
        hint = "Save it as UTF-8, or move it away: every setting has a default."
        raise ConfigError(f"{path}: not UTF-8 text (byte {error.start})", hint) from None
    except OSError as error:
        folder = os.path.dirname(path)
        if isinstance(error, PermissionError) and not os.access(folder, os.X_OK):
            raise ConfigError(
                f"{folder} cannot be opened: {error.strerror}", "Check its owner and mode."
            ) from None
        hint = "Make it readable, or move it away: every setting has a default."
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}", hint) from None


def _parsed(text: str, path: str) -> dict[str, Any]:
    import tomllib

    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:  # a number of 5,000 digits is a plain ValueError
        reason, _, place = str(error).partition(" (at line ")
        reason = reason.removesuffix(" (at end of document)")
        number = int(place.partition(",")[0]) if place else text.count("\n") + 1
        line = (text.split("\n")[number - 1 :] or [""])[0]
        hint = "Correct that line, or move the file away: every setting has a default."
        if "\\" in line:
            hint = "Put paths with backslashes between single quotes: 'C:\\Users\\me'."
        raise ConfigError(f"{path}, line {number}: not valid TOML: {reason}", hint) from None


def _flattened(table: dict[str, Any], prefix: str, config: Config) -> list[tuple[str, object]]:
    """The settings in a table and the tables in it, by their full names; the others become
    warnings.
    """
    found: list[tuple[str, object]] = []
    for name, value in table.items():
        key = prefix + name
        is_section = any(known.startswith(key + ".") for known in SETTINGS)
        if key in SETTINGS or (prefix == SOURCES and key in foreign_settings()):
            found.append((key, value))
        elif is_section and isinstance(value, dict):
            found.extend(_flattened(value, key + ".", config))
        elif is_section:
            inside = ", ".join(known for known in SETTINGS if known.startswith(key + "."))
            raise ConfigError(
                f"{config.config_path}: {key} is a section, not a value", f"It holds {inside}."
            )
        else:
            kind = "section" if isinstance(value, dict) else "setting"
            sections = sorted({known.rpartition(".")[0] for known in SETTINGS})
            hint = did_you_mean(key, sections if kind == "section" else SETTINGS)
            config.warnings.append(_unknown(f"{config.config_path}: unknown {kind} {key}", hint))
    return found


def _checked(setting: Setting, value: object, where: str) -> Value:
    """A value from TOML if the setting can have it; ConfigError naming what is accepted otherwise."""
    if setting.kind == "bool" and isinstance(value, bool):
        return value
    if (
        setting.kind == "int"
        and isinstance(value, int)
        and not isinstance(value, bool)
        and value >= setting.minimum
    ):
        return value
    if (
        setting.kind == "paths"
        and isinstance(value, list)
        and all(isinstance(one, str) and one for one in value)
    ):
        return [str(one) for one in value]
    if (
        setting.kind in ("path", "paths", "text", "choice")
        and isinstance(value, str)
        and value
        and "\0" not in value
        and (setting.kind != "choice" or value in setting.choices)
    ):
        return value
    # As TOML spells it, not Python
    shown = str(value).lower() if isinstance(value, bool) else repr(value)
    raise ConfigError(f"{where} cannot be {shown}", f"Accepted: {_accepted(setting)}.")


def _accepted(setting: Setting) -> str:
    if setting.kind == "choice":
        return ", ".join(setting.choices)
    return {
        "path": "a path",
        "paths": "a path or a list of paths",
        "text": "text",
        "int": f"a whole number, {setting.minimum} or more",
        "bool": "true or false",
    }[setting.kind]


def _edited(text: str, key: str, value: Value) -> str:
    """The text with the setting in it; unchanged where tomlkit sees no way."""
    import tomlkit

    *sections, name = key.split(".")
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for index, section in enumerate(sections):
            if section not in table:
                is_inline = isinstance(table, tomlkit.items.InlineTable)
                # A super table prints no header of its own: [index.vector] without an empty [index]
                # above it.
                new = (
                    tomlkit.inline_table()
                    if is_inline
                    else tomlkit.table(is_super_table=index < len(sections) - 1)
                )
                table[section] = new
            table = table[section]
        table[name] = value
        return tomlkit.dumps(document)
    except (tomlkit.exceptions.TOMLKitError, ValueError, TypeError):
        return text


def _found(table: dict[str, Any], key: str) -> object:
    value: Any = table
    for name in key.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value


def _replace(path: str, text: str) -> None:
    part = f"{path}.{os.getpid()}.tmp"
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(part, "xb", opener=_open_private) as file:
            file.write(text.encode())
            file.flush()
            os.fsync(file.fileno())
        os.replace(part, path)
    except OSError as error:
        try:
            os.unlink(part)
        except OSError:
            pass
        raise CannotWrite(
            f"{path}: cannot be written: {error.strerror or error}",
            "Check the disk and the folder's permissions.",
        ) from None


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, 0o600)


# -- variables ---------------------------------------------------------------------------------


def _apply_variables(config: Config, env: Mapping[str, str]) -> None:
    known = {name: setting for setting in SETTINGS.values() for name in reversed(setting.variables)}
    given = [name for name in env if name.startswith("AJ_") and name not in SPECIAL_VARIABLES]
    if not known.keys() >= set(given):
        known |= {setting.variables[0]: setting for setting in foreign_settings().values()}
    for name, setting in known.items():  # the winning name of a setting comes last
        if env.get(name):
            config._settle(setting, _from_text(setting, env[name], name, os.pathsep), name)
    for name in sorted(given):
        if name not in known:
            hint = did_you_mean(name, [*known, *SPECIAL_VARIABLES])
            config.warnings.append(_unknown(f"unknown variable {name}", hint))


def _unknown(message: str, hint: str | None) -> str:
    return f"{message}; {hint}" if hint else message


def _from_text(setting: Setting, text: str, where: str, separator: str | None = None) -> Value:
    """A value from a variable or a command line."""
    value: object = text
    if setting.kind == "bool":
        word = text.strip().lower()
        value = True if word in _TRUE else False if word in _FALSE else text
    elif setting.kind == "int":
        value = int(text) if len(text) < 20 and text.strip().removeprefix("-").isdecimal() else text
    elif setting.kind == "paths" and separator is not None and separator in text:
        value = [one for one in text.split(separator) if one]
    elif setting.kind == "choice":
        value = text.strip().lower()
    return _checked(setting, value, where)


def _expanded(path: str, env: Mapping[str, str]) -> str:
    """`~` and $NAME replaced from the given environment; what is not set stays as it is."""
    if "$" in path:
        import re

        def value(name: re.Match[str]) -> str:
            return env.get(name[1] or name[2]) or name[0]

        path = re.sub(r"\$(?:(\w+)|\{(\w+)\})", value, path)
    if path[:1] == "~" and path[1:2] in ("", "/", os.sep):
        user_home = env.get("USERPROFILE" if os.name == "nt" else "HOME") or os.path.expanduser("~")
        return user_home + path[1:]
    return os.path.expanduser(path)
