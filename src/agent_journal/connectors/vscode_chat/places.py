"""Where VS Code and its relatives keep user data, on every system."""

from __future__ import annotations

import os

from agent_journal.connectors.base import Env, listing

PRODUCTS = (
    "Code",
    "Code - Insiders",
    "Code - Exploration",
    "Code - OSS",
    "code-oss-dev",
    "VSCodium",
    "VSCodium - Insiders",
    "Positron",
    "Cursor",
    "Windsurf",
    "Windsurf - Next",
    "Trae",
    "Kiro",
    "Antigravity",
)
# Chats are kept where the window runs; these are there for code-server and its like, and for the
# extension's files.
_SERVERS = (
    ".vscode-server/data",
    ".vscode-server-insiders/data",
    ".vscode-remote/data",
    ".cursor-server/data",
    ".positron-server/data",
    ".openvscode-server/data",
    ".local/share/code-server",
)
_FLATPAKS = ("com.visualstudio.code/config/Code", "com.vscodium.codium/config/VSCodium")
_WINDOWS_USERS = "/mnt/c/Users"  # as WSL shows them
_PLAIN_NAMES = ("User", "data", "user-data", "")


def user_folders(env: Env) -> list[str]:
    """The `User` folders there are; VS Code's own when there is none."""
    bases = [
        *_portable(env),
        *(os.path.join(base, product) for base in product_bases(env) for product in PRODUCTS),
    ]
    if env.platform not in ("darwin", "win32"):
        bases += [env.path(".var", "app", *place.split("/")) for place in _FLATPAKS]
    bases += [env.path(*place.split("/")) for place in _SERVERS]
    folders = [os.path.join(base, "User") for base in bases]
    return [folder for folder in folders if os.path.isdir(folder)] or [
        os.path.join(product_bases(env)[0], "Code", "User")
    ]


def settled(path: str) -> str:
    """The `User` folder a path means: itself, the folder around it, or `workspaceStorage` in it."""
    path = path.rstrip("/\\") or path
    if os.path.basename(path) in ("workspaceStorage", "globalStorage"):
        return os.path.dirname(path)
    for below in ("User", os.path.join("user-data", "User"), os.path.join("data", "User")):
        if os.path.isdir(os.path.join(path, below)):
            return os.path.join(path, below)
    return path


def product_of(root: str) -> str | None:
    """The product a `User` folder belongs to, by the name of the folder around it."""
    parts = [part for part in root.replace("\\", "/").split("/") if part]
    for part in reversed(parts):
        if part not in _PLAIN_NAMES:
            return part.lstrip(".")
    return None


def _portable(env: Env) -> list[str]:
    portable = env.variable("VSCODE_PORTABLE")
    return [os.path.join(portable, "user-data")] if portable else []


def product_bases(env: Env) -> list[str]:
    """The folders that hold a folder for each product, of this system and of Windows seen from WSL."""
    given = env.variable("VSCODE_APPDATA")
    if env.platform == "darwin":
        own = env.path("Library", "Application Support")
    elif env.platform == "win32":
        own = env.variable("APPDATA") or env.path("AppData", "Roaming")
    else:
        own = env.variable("XDG_CONFIG_HOME") or env.path(".config")
    roaming = [os.path.join(home, "AppData", "Roaming") for home in windows_homes(env)]
    return [*([given] if given else []), own, *roaming]


def windows_homes(env: Env) -> list[str]:
    """The home folders of the Windows side, seen from WSL."""
    if env.platform != "linux" or not (
        env.variable("WSL_DISTRO_NAME") or env.variable("WSL_INTEROP")
    ):
        return []
    return [user.path for user in listing(_WINDOWS_USERS, lambda _: None)]
