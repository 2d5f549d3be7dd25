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
_SKIPPED = frozenset(("node_modules", "__pycache__", "venv", "site-packages", "Library", "AppData"))


def default_roots(env: Env) -> list[str]:
    """Return the files of aider's own variables, the home and working folders and known projects.

    The working folder and the projects come with all folders up to the root of their repository.
    """
    roots = [*_moved(env), env.home]
    above: dict[str, list[str]] = {}
    for folder in (env.folder, *env.projects):
        if folder and os.path.isabs(folder):
            roots += _up_to_repository(os.path.normpath(folder), above)
    return list(dict.fromkeys(root for root in roots if root))


def _moved(env: Env) -> Iterator[str]:
    """Yield the roots of the files that aider's variables name; relative to the working folder."""
    for name in _VARIABLES:
        path = env.variable(name)
        if not path or "\0" in path:
            continue
        if path.startswith(("~/", "~\\")):
            path = env.path(path[2:])
        if os.path.isabs(path) or env.folder:
            yield named_root(os.path.normpath(os.path.join(env.folder, path)))


def _up_to_repository(folder: str, above: dict[str, list[str]]) -> list[str]:
    """Return a folder and its parents up to the one with `.git`; without one, only the folder.

    `above` remembers the folders that were looked at.
    """
    if folder not in above:
        above[folder] = [folder]
        parent = os.path.dirname(folder)
        if parent != folder and not _is_repository(folder):
            higher = _up_to_repository(parent, above)
            if _is_repository(higher[-1]):
                above[folder] = [folder, *higher]
    return above[folder]


def _is_repository(folder: str) -> bool:
    return os.path.lexists(os.path.join(folder, ".git"))


def named_root(path: str) -> str:
    """Return the root for a path of the settings.

    That is the folder of a history, any other file itself, or a folder with all folders below it.
    """
    if os.path.basename(path) in NAMES:
        return os.path.dirname(path)
    if path.endswith(DEEP) or os.path.isfile(path):
        return path
    return path.rstrip("/\\") + DEEP


def named_roots(path: str, env: Env) -> list[str]:
    """Return the roots for a path or pattern of the settings.

    `~/src/**/.aider.chat.history.md` is the folder with everything below it,
    `~/src/*/.aider.chat.history.md` each folder that matches. A pattern without a place
    (`**/.aider.chat.history.md`) means the default places, and everything below the current
    repository.
    """
    if not _is_pattern(path):
        return [named_root(path)]
    if not os.path.isabs(path):
        return _distinct(default_roots(env) + _below_repository(env))
    before, _, after = path.partition("**")
    if not after and not path.endswith("**"):
        return _distinct(named_root(match) for match in _matching(path))
    base = before.rstrip("/\\") or os.sep
    if _is_pattern(base):
        return _distinct(match + DEEP for match in _matching(base))
    return [base + DEEP]


def _is_pattern(path: str) -> bool:
    return any(mark in path for mark in "*?[")


def _below_repository(env: Env) -> list[str]:
    """Return the current repository with everything below it, unless the home folder is in it."""
    if not env.folder:
        return []
    repository = _up_to_repository(env.folder, {})[-1]
    if (env.home + os.sep).startswith(repository.rstrip(os.sep) + os.sep):
        return []
    return [repository + DEEP]


def _matching(pattern: str) -> list[str]:
    import glob

    return sorted(glob.glob(pattern))


def _distinct(roots: Iterable[str]) -> list[str]:
    """Return each place once, without folders that the walk through another root reaches."""
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
    return name not in _SKIPPED and not name.startswith(".")


def walked(base: str) -> Iterator[str | Unlisted]:
    """Yield a folder and those below it in order; links are not followed.

    The walk ends at MAX_DEPTH, and after MAX_FOLDERS.
    """
    waiting = [(base, 0)]
    count = 0
    while waiting:
        folder, depth = waiting.pop()
        count += 1
        if count > MAX_FOLDERS:
            reason = f"more than {MAX_FOLDERS:,} folders; name the folders of your projects instead"
            yield Unlisted(base, reason)
            return
        yield folder
        if depth == MAX_DEPTH:
            continue
        try:
            below = _folders_in(folder)
        except (FileNotFoundError, NotADirectoryError):
            continue
        except OSError as error:
            yield Unlisted(folder, error.strerror or str(error))
            continue
        waiting += [(path, depth + 1) for path in reversed(below)]


def _folders_in(folder: str) -> list[str]:
    with os.scandir(folder) as entries:
        return sorted(
            entry.path
            for entry in entries
            if _is_walked(entry.name) and not entry.is_symlink() and is_folder(entry)
        )
