"""The entry `statusLine` in the settings of Claude Code: set, put back, and nothing else touched.

The file is written only if it is plain JSON, whole or not at all, and a copy of it as it was stays
beside it until the entry is removed.
"""

from __future__ import annotations

import json
import os
import re
import shlex
import stat
from collections.abc import Mapping
from typing import Any, NamedTuple

from agent_journal.errors import CannotWrite, ConfigError, UsageError
from agent_journal.store.atomic import write_private

KEY = "statusLine"
_BACKUP = ".before-aj"  # after the name of the file
_PRIVATE = 0o600
_INDENT = re.compile(r"\{\r?\n([ \t]+)\"")


class Settings(NamedTuple):
    """The settings file: where it is, its bytes (None: there is none), and what they say."""

    path: str
    data: bytes | None
    values: dict[str, Any]

    @property
    def entry(self) -> Any:
        """The status line that is set; None where there is none."""
        return self.values.get(KEY)

    @property
    def backup_path(self) -> str:
        """Where the file is kept as it was."""
        return self.path + _BACKUP


def settings_path(env: Mapping[str, str]) -> str:
    """Return the path of Claude Code's settings."""
    folder = env.get("CLAUDE_CONFIG_DIR")
    if not folder:
        folder = os.path.join(env.get("HOME") or os.path.expanduser("~"), ".claude")
    # Dotfiles are often links: write through them
    return os.path.realpath(os.path.join(folder, "settings.json"))


def read_settings(path: str) -> Settings:
    """Read the settings; ConfigError when they are anything but plain JSON."""
    try:
        with open(path, "rb") as file:
            data = file.read()
    except FileNotFoundError:
        return Settings(path, None, {})
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {error.strerror or error}") from error
    try:
        values = _parsed(data)
    except (ValueError, RecursionError) as error:
        message = f"{path} is not plain JSON ({error}), and was left alone"
        raise ConfigError(message, "put the entry there with an editor") from None
    if not isinstance(values, dict):
        raise ConfigError(f"{path} holds no settings, and was left alone")
    return Settings(path, data, values)


def entry_for(command: str) -> dict[str, Any]:
    """Return the entry that runs a command."""
    return {"type": "command", "command": command}


def is_ours(entry: Any) -> bool:
    """Whether an entry runs `aj statusline`."""
    if not isinstance(entry, dict) or not isinstance(entry.get("command"), str):
        return False
    try:
        words = shlex.split(entry["command"])
    except ValueError:
        return False
    if "statusline" not in words:
        return False
    program = os.path.splitext(os.path.basename(words[0].replace("\\", "/")))[0]
    return program == "aj" or "agent_journal" in words


def set_entry(settings: Settings, entry: dict[str, Any]) -> None:
    """Write an entry into the settings; they are kept as they were, unless the entry is ours."""
    if settings.data is not None and not is_ours(settings.entry):
        _write(settings.backup_path, settings.data)
    _replace(settings, {**settings.values, KEY: entry})


def put_back(settings: Settings) -> Any:
    """Remove our entry; the one before it comes back, and is returned."""
    before = None
    if os.path.exists(settings.backup_path):
        before = read_settings(settings.backup_path).entry
    values = dict(settings.values)
    if before is None or is_ours(before):
        before = None
        del values[KEY]
    else:
        values[KEY] = before
    _replace(settings, values)
    try:
        os.unlink(settings.backup_path)
    except FileNotFoundError:
        pass
    return before


def _replace(settings: Settings, values: dict[str, Any]) -> None:
    """Write other values, unless somebody has changed the file since it was read."""
    new = _formatted(values, settings.data)
    if _parsed(new) != values:
        raise ConfigError(f"{settings.path} cannot be written as it is", "use an editor")
    if read_settings(settings.path).data != settings.data:
        raise UsageError(f"{settings.path} has just been changed", "try again")
    mode = _PRIVATE
    if settings.data is not None:
        mode = stat.S_IMODE(os.stat(settings.path).st_mode)
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


def _parsed(data: bytes) -> Any:
    return json.loads(
        data.decode("utf-8"),
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


def _formatted(values: dict[str, Any], old: bytes | None) -> bytes:
    """Return settings as JSON, indented and ended as they were."""
    before = (old or b"{\n}\n").decode("utf-8")
    indent: str | int = 2
    found = _INDENT.search(before)
    if found:
        indent = found[1]
    text = json.dumps(values, indent=indent, ensure_ascii=not _has_only_letters(values))
    if before.endswith("\n"):
        text += "\n"
    if "\r\n" in before:
        text = text.replace("\n", "\r\n")
    return text.encode("utf-8")


def _has_only_letters(values: dict[str, Any]) -> bool:
    """Whether all texts can be written as they are; halves of letters can only be escaped."""
    try:
        json.dumps(values, ensure_ascii=False).encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True
