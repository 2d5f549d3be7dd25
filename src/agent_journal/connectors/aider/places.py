"""Where to look for Aider's histories: named folders and files, never the whole home folder.

Aider writes into the root of the git repository it is started in, or else into the working folder.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator

from agent_journal.connectors.base import DEEP, Env, Unlisted, is_folder

CHAT = ".aider.chat.history.md"
INPUT = ".aider.input.history"
NAMES = (CHAT, INPUT)
MAX_FOLDERS = 20_000
MAX_DEPTH = 8
_VARIABLES = ("AIDER_CHAT_HISTORY_FILE", "AIDER_INPUT_HISTORY_FILE")
# Folders of programs, not of projects; folders whose name begins with a dot are left out as well.
_PASSED = frozenset(("node_modules", "__pycache__", "venv", "site-packages", "Library", "AppData"))


def default_roots(env: Env) -> list[str]:
    """The files aider's own variables name, the working folder, the home folder and the known
    projects.

    Of the working folder and of a project, all folders up to the root of its repository.
    """
    roots = [*_moved(env), env.home]
    above: dict[str, list[str]] = {}
    for folder in (env.folder, *env.projects):
        if folder and os.path.isabs(folder):
            roots += _up_to_repository(os.path.normpath(folder), above)
    return list(dict.fromkeys(root for root in roots if root))


def _moved(env: Env) -> Iterator[str]:
    """The files that aider is told to write to, from the folder it is started in."""
    for name in _VARIABLES:
        value = env.variable(name)
        if value and "\0" not in value:
            path = env.path(value[2:]) if value[:2] in ("~/", "~\\") else value
            if os.path.isabs(path) or env.folder:
                yield named_root(os.path.normpath(os.path.join(env.folder, path)))


def _up_to_repository(folder: str, above: dict[str, list[str]]) -> list[str]:
    """A folder and its parents up to the one with `.git`; only the folder itself where there is
    none.
    """
    if folder not in above:
        parent = os.path.dirname(folder)
        if os.path.lexists(os.path.join(folder, ".git")):
            above[folder] = [folder]
        else:
            higher = _up_to_repository(parent, above) if parent != folder else []
            is_inside = bool(higher) and os.path.lexists(os.path.join(higher[-1], ".git"))
            above[folder] = [folder, *higher] if is_inside else [folder]
    return above[folder]


def named_root(path: str) -> str:
    """The root for one path of the settings: the folder of a history, any other file itself, a
    folder with what is below it.
    """
    if os.path.basename(path) in NAMES:
        return os.path.dirname(path)
    return path if path.endswith(DEEP) or os.path.isfile(path) else path.rstrip("/\\") + DEEP


def named_roots(path: str, env: Env) -> list[str]:
    """The roots for a path or pattern of the settings.

    `~/src/**/.aider.chat.history.md` is the folder with everything below it,
    `~/src/*/.aider.chat.history.md` each folder that matches. A pattern without a place
    (`**/.aider.chat.history.md`) means the places that are looked in anyway, and everything below
    the repository at hand.
    """
    if not any(mark in path for mark in "*?["):
        return [named_root(path)]
    if not os.path.isabs(path):
        here = _up_to_repository(env.folder, {})[-1] if env.folder else ""
        is_home = not here or (env.home + os.sep).startswith(here.rstrip(os.sep) + os.sep)
        return _apart(default_roots(env) + ([] if is_home else [here + DEEP]))
    before, _, after = path.partition("**")
    if after or path.endswith("**"):
        base = before.rstrip("/\\") or os.sep
        return [base + DEEP] if not any(mark in base for mark in "*?[") else _matching(base, DEEP)
    return _matching(path, "")


def _matching(pattern: str, end: str) -> list[str]:
    import glob

    return _apart(match + end if end else named_root(match) for match in sorted(glob.glob(pattern)))


def _apart(roots: Iterable[str]) -> list[str]:
    """Each place once: a folder that the walk through another one comes to is no root of its own."""
    unique = list(dict.fromkeys(roots))
    bases = [root[: -len(DEEP)] for root in unique if root.endswith(DEEP)]
    return [
        root
        for root in unique
        if root.endswith(DEEP) or not any(_reaches(base, root) for base in bases)
    ]


def _reaches(base: str, folder: str) -> bool:
    if folder == base:
        return True
    if not folder.startswith(base + os.sep) or os.path.isfile(folder):
        return False
    parts = folder[len(base) + 1 :].split(os.sep)
    return len(parts) <= MAX_DEPTH and all(map(_is_walked, parts))


def _is_walked(name: str) -> bool:
    return name not in _PASSED and not name.startswith(".")


def walked(base: str) -> Iterator[str | Unlisted]:
    """A folder and those below it, in order, down to MAX_DEPTH and at most MAX_FOLDERS; links are
    not followed.
    """
    waiting = [(base, 0)]
    count = 0
    while waiting:
        folder, depth = waiting.pop()
        count += 1
        if count > MAX_FOLDERS:
            yield Unlisted(
                base,
                f"more than {MAX_FOLDERS:,} folders; name the folders of your projects instead",
            )
            return
        yield folder
        if depth == MAX_DEPTH:
            continue
        try:
            with os.scandir(folder) as entries:
                below = sorted(
                    entry.path
                    for entry in entries
                    if _is_walked(entry.name) and _is_own_folder(entry)
                )
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield Unlisted(folder, error.strerror or str(error))
            continue
        waiting += [(path, depth + 1) for path in reversed(below)]


def _is_own_folder(entry: os.DirEntry[str]) -> bool:
    return not entry.is_symlink() and is_folder(entry)
