"""The workspaces VS Code has storage for, and whether it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_journal.connectors.vscode_chat.document import workspace_place
from agent_journal.errors import UsageError

_CURE = "open that folder in VS Code once, or name the folder in workspaceStorage itself"


class Workspace(NamedTuple):
    """A folder of workspaceStorage, and the `User` folder it is in."""

    folder: str
    root: str

    @property
    def database(self) -> str:
        """Where VS Code keeps its list of chats."""
        return os.path.join(self.folder, "state.vscdb")


def find_workspace(wanted: str, roots: Sequence[str]) -> Workspace:
    """The storage of a project's folder, or the one that is named itself; of several the one that
    was used last.
    """
    real = _settled(os.path.expanduser(wanted))
    everywhere = [one for root in roots for one in _workspaces(os.path.realpath(root))]
    named = [
        one
        for one in everywhere
        if _settled(one.folder) == real or os.path.basename(one.folder) == wanted
    ]
    found = named or [one for one in everywhere if _is_of(one, real)]
    usable = [one for one in found if os.path.isfile(one.database)]
    if not usable:
        why = "VS Code has never opened it" if not found else "its state.vscdb is missing"
        raise UsageError(f"VS Code has no storage for {wanted}: {why}", _CURE)
    products = {
        one.root: one for one in sorted(usable, key=lambda one: os.path.getmtime(one.database))
    }
    if len(products) > 1:
        several = ", ".join(sorted(one.folder for one in products.values()))
        raise UsageError(
            f"several products have storage for {wanted}: {several}", "name one of these folders"
        )
    return next(iter(products.values()))


def running(workspace: Workspace) -> str | None:
    """Who has the data of this workspace open; None when nobody does, as far as can be told."""
    lock = os.path.join(os.path.dirname(workspace.root), "code.lock")
    held = _lock_holder(lock)
    return held or _opener(workspace)


def _workspaces(root: str) -> Iterator[Workspace]:
    storage = os.path.join(root, "workspaceStorage")
    try:
        names = sorted(os.listdir(storage))
    except OSError:
        return
    for name in names:
        if os.path.isdir(os.path.join(storage, name)):
            yield Workspace(os.path.join(storage, name), root)


def _is_of(workspace: Workspace, real: str) -> bool:
    """Whether it is the storage of a folder (or workspace file) on this machine."""
    try:
        with open(os.path.join(workspace.folder, "workspace.json"), "rb") as file:
            place = workspace_place(file.read())
    except OSError:
        return False
    return (
        place is not None
        and not place.remote
        and place.scheme == "file"
        and _settled(place.path) == real
    )


def _settled(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def _lock_holder(path: str) -> str | None:
    """VS Code writes its process id into `code.lock` while it runs; after a crash the file stays."""
    try:
        with open(path, "rb") as file:
            text = file.read(32).strip()
    except OSError:
        return None
    if os.name != "posix" or not text.isdigit():  # there a signal to ask with would end the process
        return f"{path} is there; remove it if VS Code is closed"
    return f"process {int(text)}" if _is_alive(int(text)) else None


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _opener(workspace: Workspace) -> str | None:
    """On Linux: the process that has a database of VS Code open; elsewhere only the lock tells."""
    if not sys.platform.startswith("linux"):
        return None
    wanted = {
        os.path.realpath(workspace.database),
        os.path.join(workspace.root, "globalStorage", "state.vscdb"),
    }
    for pid in (
        name for name in os.listdir("/proc") if name.isdigit() and int(name) != os.getpid()
    ):
        try:
            handles = os.listdir(f"/proc/{pid}/fd")
        except OSError:
            continue  # gone, or somebody else's
        for handle in handles:
            try:
                if os.readlink(f"/proc/{pid}/fd/{handle}") in wanted:
                    return f"process {pid}"
            except OSError:
                continue
    return None
