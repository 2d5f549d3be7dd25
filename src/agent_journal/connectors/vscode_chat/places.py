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
# Chats are kept where the window runs; these are for code-server and the like, and for the files
# of the extension.
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
    """The `User` folders that exist; the one of VS Code if there is none."""
    bases = []
    portable = env.variable("VSCODE_PORTABLE")
    if portable is not None:
        bases.append(os.path.join(portable, "user-data"))
    for base in product_bases(env):
        bases += [os.path.join(base, product) for product in PRODUCTS]
    if env.platform not in ("darwin", "win32"):
        bases += [env.path(".var", "app", *place.split("/")) for place in _FLATPAKS]
    bases += [env.path(*place.split("/")) for place in _SERVERS]
    folders = [os.path.join(base, "User") for base in bases]
    existing = [folder for folder in folders if os.path.isdir(folder)]
    return existing or [os.path.join(product_bases(env)[0], "Code", "User")]


def user_folder_of(path: str) -> str:
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


def product_bases(env: Env) -> list[str]:
    """The folders with a folder for each product, of this system and of Windows under WSL."""
    bases = []
    given = env.variable("VSCODE_APPDATA")
    if given is not None:
        bases.append(given)
    if env.platform == "darwin":
        bases.append(env.path("Library", "Application Support"))
    elif env.platform == "win32":
        bases.append(env.variable("APPDATA") or env.path("AppData", "Roaming"))
    else:
        bases.append(env.variable("XDG_CONFIG_HOME") or env.path(".config"))
    bases += [os.path.join(home, "AppData", "Roaming") for home in windows_homes(env)]
    return bases


def windows_homes(env: Env) -> list[str]:
    """The home folders of the Windows side, seen from WSL."""
    is_wsl = env.variable("WSL_DISTRO_NAME") or env.variable("WSL_INTEROP")
    if env.platform != "linux" or not is_wsl:
        return []
    return [user.path for user in listing(_WINDOWS_USERS, lambda _: None)]
