"""Which project a folder belongs to: the same for a worktree, a second clone and a moved folder.

Recognised by the repository's remote address, or else by its first commit. Only files inside `.git`
are read, and no program is run there: a folder that a session names may be anybody's.
"""

from __future__ import annotations

import os
import stat

from agent_journal.text.names import repository_name

_DEEPEST = 40  # folders up from the one that is asked for
_LARGEST = 256 * 1024


def project_of(folder: str) -> str | None:
    """The project of a folder; None when it is gone, or in no repository that can be identified."""
    # Two slashes in front can be another machine.
    if not os.path.isabs(folder) or folder.startswith(("//", "\\\\")) or "\0" in folder:
        return None
    git = _git_folder(os.path.normpath(folder))
    if git is None:
        return None
    address = _origin(_read(os.path.join(git, "config")))
    if address:
        name = repository_name(address)
        if name:
            return name
    return _first_commit(_read(os.path.join(git, "logs", "HEAD")))


def _git_folder(folder: str) -> str | None:
    """The `.git` that a folder is in; for a worktree that of its repository."""
    for _ in range(_DEEPEST):
        git = os.path.join(folder, ".git")
        if os.path.isdir(git):
            return git
        link = _read(git)
        if link.startswith("gitdir:"):
            own = os.path.join(folder, link.removeprefix("gitdir:").strip())
            shared = _read(os.path.join(own, "commondir")).strip()
            return os.path.normpath(os.path.join(own, shared))
        above = os.path.dirname(folder)
        if above == folder:
            break
        folder = above
    return None


def _read(path: str) -> str:
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):
            return ""
        with open(path, encoding="utf-8", errors="replace") as file:
            return file.read(_LARGEST)
    except OSError:
        return ""


def _origin(config: str) -> str | None:
    """The address of the remote `origin`, else of the first remote."""
    addresses: dict[str, str] = {}
    section = ""
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            section = line
        elif section.startswith('[remote "') and line.replace(" ", "").startswith("url="):
            addresses.setdefault(section, line.partition("=")[2].strip())
    return addresses.get('[remote "origin"]') or next(iter(addresses.values()), None)


def _first_commit(log: str) -> str | None:
    """The commit a repository began with, when it began here."""
    line = log.partition("\n")[0]
    words = line.split()
    is_first = len(words) > 2 and set(words[0]) == {"0"} and "commit (initial)" in line
    if not is_first:
        return None
    return f"commit:{words[1]}"
