"""Where Cursor keeps its files: the editor like VS Code, the command line in the home folder."""

from __future__ import annotations

import os

from agent_journal.connectors.base import Env
from agent_journal.connectors.vscode_chat.places import product_bases, windows_homes

_PRODUCTS = ("Cursor", "Cursor - Insiders", "Cursor Nightly")
_SERVER = (".cursor-server", "data", "User")
_BELOW = ("workspaceStorage", "globalStorage", "projects", "chats", "conversations", "plans")


def existing_folders(env: Env) -> list[str]:
    """Return the folders that exist; where they would be when none does."""
    editors = [
        os.path.join(base, product, "User") for base in product_bases(env) for product in _PRODUCTS
    ]
    command_line = _command_line(env)
    candidates = [*editors, env.path(*_SERVER), *command_line]
    existing = [folder for folder in candidates if os.path.isdir(folder)]
    return existing or [editors[0], command_line[0]]


def normalized_root(path: str) -> str:
    """Return the root a path means.

    That is the path itself, the `User` folder in it, or the folder around something in a root.
    """
    path = path.rstrip("/\\") or path
    parts = path.replace("\\", "/").split("/")
    for below in _BELOW:
        if below in parts[-3:]:
            depth = len(parts) - parts.index(below, max(0, len(parts) - 3))
            for _ in range(depth):
                path = os.path.dirname(path)
            return path
    inner = os.path.join(path, "User")
    if os.path.isdir(inner):
        return inner
    return path


def _command_line(env: Env) -> list[str]:
    found = []
    given = env.variable("CURSOR_CONFIG_DIR")
    if given:
        found.append(given)
    config = env.variable("XDG_CONFIG_HOME")
    if config and env.platform not in ("darwin", "win32"):
        found.append(os.path.join(config, "cursor"))
    # The editor writes transcripts here even when the command line is configured otherwise
    found.append(env.path(".cursor"))
    found += [os.path.join(home, ".cursor") for home in windows_homes(env)]
    return found
