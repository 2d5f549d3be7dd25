"""The entry `statusLine` in the settings of Claude Code: set, put back, and nothing else touched.

A copy of the file as it was stays beside it until the entry is removed.
"""

from __future__ import annotations

import os
import shlex
from collections.abc import Mapping
from typing import Any

from agent_journal.convert.settings_files import (
    Settings,
    give_back,
    has_backup,
    read_settings,
    remove_backup,
    write_settings,
)

KEY = "statusLine"
_BACKUP = ".before-aj"  # after the name of the file


def settings_path(env: Mapping[str, str]) -> str:
    """Return the path of Claude Code's settings."""
    folder = env.get("CLAUDE_CONFIG_DIR")
    if not folder:
        folder = os.path.join(env.get("HOME") or os.path.expanduser("~"), ".claude")
    # Dotfiles are often links: write through them
    return os.path.realpath(os.path.join(folder, "settings.json"))


def entry_of(settings: Settings) -> Any:
    """The status line that is set; None where there is none."""
    return settings.values.get(KEY)


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
    backup = "" if is_ours(entry_of(settings)) else _BACKUP
    write_settings(settings, {**settings.values, KEY: entry}, backup)


def put_back(settings: Settings) -> Any:
    """Remove our entry; the one before it comes back, and is returned."""
    before = entry_of(read_settings(settings.path, _BACKUP))
    if is_ours(before):
        before = None
    elif give_back(settings, _BACKUP, lambda copy: {**copy.values, KEY: entry_of(settings)}):
        return before
    values = dict(settings.values)
    if before is None:
        del values[KEY]
    else:
        values[KEY] = before
    if not values and not has_backup(settings, _BACKUP):
        os.unlink(settings.path)  # there was none before
        return before
    write_settings(settings, values)
    remove_backup(settings, _BACKUP)
    return before
