"""The settings files of agents: one entry is written or removed, and nothing else is touched.

A file is written only if it is plain JSON or TOML, whole or not at all, and a copy of it as it was
is kept beside it. One with comments that would be lost is left alone.
"""

from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

from agent_journal.convert.json_edits import edited
from agent_journal.errors import CannotWrite, ConfigError, UsageError
from agent_journal.store.atomic import write_private

_PRIVATE = 0o600
_BY_HAND = "change it with an editor"
_ANY_WRITE = stat.S_IWUSR | stat.S_IWGRP | stat.S_IWOTH


class Settings(NamedTuple):
    """A settings file: where it is, its bytes (None: there is none), and what they say."""

    path: str
    data: bytes | None
    values: dict[str, Any]

    @property
    def is_toml(self) -> bool:
        """Whether it is TOML; else it is JSON."""
        return self.path.endswith(".toml")


def read_settings(path: str, ending: str = "") -> Settings:
    """Read a settings file; ConfigError when it is anything but plain JSON or TOML.

    With the ending of its name, the copy of the file is read.
    """
    try:
        if os.path.exists(path + ending) and not os.path.isfile(path + ending):
            raise ConfigError(f"{path + ending} is not a file, and was left alone", _BY_HAND)
        with open(path + ending, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return Settings(path, None, {})
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error
    settings = Settings(path, data, {})
    try:
        values = _parsed(settings, data)
    except (ValueError, RecursionError) as error:
        name = "TOML" if settings.is_toml else "JSON"
        message = f"{path} is not plain {name} ({error}), and was left alone"
        raise ConfigError(message, _BY_HAND) from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path} holds no settings, and was left alone")
    return settings._replace(values=values)


def write_settings(settings: Settings, values: dict[str, Any], backup: str = "") -> None:
    """Write other values, unless somebody has changed the file since it was read.

    With the ending of a name, `backup`, a copy of the file as it is is kept beside it.
    """
    new = _formatted(settings, values)
    if _parsed(settings, new) != values:
        raise ConfigError(f"{settings.path} cannot be written as it is", "use an editor")
    _replace(settings, new, backup)


def give_back(settings: Settings, ending: str, change: Callable[[Settings], Any]) -> bool:
    """Write the copy of a file over it, if nothing but `change` was done to it since.

    `change` makes the values of the file of those of the copy.
    """
    try:
        before = read_settings(settings.path, ending)
        if before.data is None or _formatted(before, change(before)) != settings.data:
            return False
    except (ConfigError, UsageError):
        return False
    _replace(settings, before.data)
    remove_backup(settings, ending)
    return True


def has_backup(settings: Settings, ending: str) -> bool:
    """Whether there is a copy of the file as it was."""
    return os.path.exists(settings.path + ending)


def remove_backup(settings: Settings, ending: str) -> None:
    """Remove the copy of the file as it was."""
    try:
        os.unlink(settings.path + ending)
    except FileNotFoundError:
        pass


def _replace(settings: Settings, new: bytes, backup: str = "") -> None:
    """Replace the file; the copy of it is written when nothing speaks against that."""
    if read_settings(settings.path).data != settings.data:
        raise UsageError(f"{settings.path} has just been changed", "try again")
    mode = _PRIVATE
    if settings.data is not None:
        mode = stat.S_IMODE(os.stat(settings.path).st_mode)
        if not mode & _ANY_WRITE:
            raise ConfigError(f"{settings.path} is read-only, and was left alone", _BY_HAND)
    if backup and settings.data is not None:
        _write(settings.path + backup, settings.data)
    _write(settings.path, new, mode)


def _write(path: str, data: bytes, mode: int = _PRIVATE) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_private(path, [data], durable=True)
        if mode != _PRIVATE:
            os.chmod(path, mode)  # as the person had it
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror or error}"
        raise CannotWrite(message, "check the disk and the folder's permissions") from error


def _parsed(settings: Settings, data: bytes) -> Any:
    text = data.decode("utf-8")
    if settings.is_toml:
        import tomllib

        return tomllib.loads(text)
    return json.loads(
        text,
        object_pairs_hook=_unique,
        parse_constant=_refuse,
        parse_float=_finite,
    )


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise ValueError("a name occurs twice")
    return found


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if number in (float("inf"), float("-inf")):
        raise ValueError(f"{text} is too large")
    return number


def _formatted(settings: Settings, values: dict[str, Any]) -> bytes:
    if settings.is_toml:
        return _formatted_toml(settings, values)
    return _formatted_json(settings, values)


def _formatted_json(settings: Settings, values: dict[str, Any]) -> bytes:
    """Return settings as JSON; what stays the same is written as it was."""
    before = (settings.data or b"{\n}\n").decode("utf-8")
    return edited(before, settings.values, values).encode("utf-8")


def _formatted_toml(settings: Settings, values: dict[str, Any]) -> bytes:
    """Return settings as TOML; what stays the same is written as it was, with its comments."""
    import tomlkit

    before = (settings.data or b"").decode("utf-8")
    try:
        document = tomlkit.parse(before)
        _change(document, settings.values, values)
        text = tomlkit.dumps(document)
    except (tomlkit.exceptions.TOMLKitError, ValueError, TypeError) as error:
        raise ConfigError(f"{settings.path} cannot be changed: {error}", _BY_HAND) from None
    if not _comments(before) <= _comments(text):
        raise ConfigError(f"{settings.path} would lose comments, and was left alone", _BY_HAND)
    return text.encode("utf-8")


def _change(table: Any, old: dict[str, Any], new: dict[str, Any]) -> None:
    """Change a table of tomlkit where two values of it differ."""
    for name in old.keys() - new.keys():
        del table[name]
    for name, value in new.items():
        if name in old and old[name] == value:
            continue
        if isinstance(value, dict) and isinstance(old.get(name), dict):
            _change(table[name], old[name], value)
        else:
            table[name] = value


def _comments(text: str) -> set[str]:
    return {line.strip() for line in text.splitlines() if line.lstrip().startswith("#")}
