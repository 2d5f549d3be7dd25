"""Changes config.toml and keeps its comments. Imports tomlkit only when it writes."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from agent_journal.config.loading import parse_settings, read_settings
from agent_journal.config.settings import Setting, Value, get_setting
from agent_journal.config.values import accepted, value_from_text
from agent_journal.errors import CannotWrite, ConfigError
from agent_journal.store.atomic import write_private


def set_value(config_path: str, key: str, values: str | Sequence[str]) -> None:
    """Write one setting; several values only for a setting that takes a list."""
    if isinstance(values, str):
        values = [values]
    value = _value(get_setting(key), list(values))
    path = os.path.realpath(config_path)  # dotfiles are often links: write through them
    old = read_settings(path) or ""
    parse_settings(old, path)
    new = _with_value(old, key, value)
    if _find(parse_settings(new, path), key) != value:
        message = f"{config_path}: {key} does not fit into the file"
        raise ConfigError(message, f"set {key} there with an editor")
    _write(path, new)


def unset_value(config_path: str, key: str) -> bool:
    """Remove one setting, and return whether it was set."""
    path = os.path.realpath(config_path)
    old = read_settings(path)
    if old is None or _find(parse_settings(old, path), get_setting(key).key) is None:
        return False
    import tomlkit

    document = tomlkit.parse(old)
    *sections, name = key.split(".")
    table: Any = document
    for section in sections:
        table = table[section]
    del table[name]
    _write(path, tomlkit.dumps(document))
    return True


def _value(setting: Setting, texts: list[str]) -> Value:
    """The value of a setting that is given as texts; `[]` turns the files of an agent off."""
    is_list = setting.kind == "paths"
    if is_list and texts == ["[]"]:
        return []
    if len(texts) == 1:
        return value_from_text(setting, texts[0], setting.key)
    hint = f"accepted: {accepted(setting)}"
    if not is_list:
        raise ConfigError(f"{setting.key} takes one value, not {len(texts)}", hint)
    if not all(texts):
        raise ConfigError(f"{setting.key}: a path is empty", hint)
    return texts


def _with_value(text: str, key: str, value: Value) -> str:
    """The text with the setting in it; unchanged where it does not fit."""
    import tomlkit

    *sections, name = key.split(".")
    try:
        document = tomlkit.parse(text)
        table: Any = document
        for depth, section in enumerate(sections, 1):
            if section not in table:
                # A super table prints no header: [index.vector] needs no empty [index] above it.
                is_super_table = depth < len(sections)
                if isinstance(table, tomlkit.items.InlineTable):
                    table[section] = tomlkit.inline_table()
                else:
                    table[section] = tomlkit.table(is_super_table=is_super_table)
            table = table[section]
        table[name] = value
        return tomlkit.dumps(document)
    except (tomlkit.exceptions.TOMLKitError, ValueError, TypeError):
        return text


def _find(table: dict[str, Any], key: str) -> object:
    value: Any = table
    for name in key.split("."):
        if not isinstance(value, dict):
            return None
        value = value.get(name)
    return value


def _write(path: str, text: str) -> None:
    try:
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        write_private(path, [text.encode()], durable=True)
    except OSError as error:
        message = f"{path}: cannot be written: {error.strerror or error}"
        raise CannotWrite(message, "Check the disk and the folder's permissions.") from None
