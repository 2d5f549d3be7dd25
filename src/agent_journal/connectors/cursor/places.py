"""Where Cursor keeps its files: the editor as VS Code does, the command line in the home folder."""

from __future__ import annotations

import os

from agent_journal.connectors.base import Env
from agent_journal.connectors.vscode_chat.places import product_bases, windows_homes

_PRODUCTS = ("Cursor", "Cursor - Insiders", "Cursor Nightly")
_SERVER = (".cursor-server", "data", "User")
_BELOW = ("workspaceStorage", "globalStorage", "projects", "chats", "conversations", "plans")


def folders(env: Env) -> list[str]:
    """The folders there are; where they would be when there is none."""
    editors = [
        os.path.join(base, product, "User") for base in product_bases(env) for product in _PRODUCTS
    ]
    found = [*editors, env.path(*_SERVER), *_command_line(env)]
    there = [folder for folder in found if os.path.isdir(folder)]
    return there or [editors[0], _command_line(env)[0]]


def settled(path: str) -> str:
    """The root a path means: itself, the `User` folder in it, or the folder around what lies in a
    root.
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
    return inner if os.path.isdir(inner) else path


def _command_line(env: Env) -> list[str]:
    given, config = env.variable("CURSOR_CONFIG_DIR"), env.variable("XDG_CONFIG_HOME")
    found = [given] if given else []
    if config and env.platform not in ("darwin", "win32"):
        found.append(os.path.join(config, "cursor"))
    # The editor writes transcripts to the home folder, wherever the command line was told to keep
    # its own.
    return [
        *found,
        env.path(".cursor"),
        *(os.path.join(home, ".cursor") for home in windows_homes(env)),
    ]
