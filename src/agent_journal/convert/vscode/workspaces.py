"""The workspaces VS Code has storage for, and whether it runs."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_journal.connectors.vscode_chat.document import workspace_place
from agent_journal.errors import UsageError

_HINT = "open that folder in VS Code once, or name the folder in workspaceStorage itself"


class Workspace(NamedTuple):
    """A folder of workspaceStorage, and the `User` folder it is in."""

    folder: str
    root: str

    @property
    def database(self) -> str:
        """Where VS Code keeps its list of chats."""
        return os.path.join(self.folder, "state.vscdb")


def find_workspace(wanted: str, roots: Sequence[str]) -> Workspace:
    """The storage of a project's folder, or the one that is named; of several the last used."""
    real = _normalized(os.path.expanduser(wanted))
    everywhere = [workspace for root in roots for workspace in _workspaces(os.path.realpath(root))]
    named = [
        workspace
        for workspace in everywhere
        if _normalized(workspace.folder) == real or os.path.basename(workspace.folder) == wanted
    ]
    found = named or [workspace for workspace in everywhere if _is_of(workspace, real)]
    if not found:
        raise UsageError(f"VS Code has no storage for {wanted}: VS Code has never opened it", _HINT)
    usable = [workspace for workspace in found if os.path.isfile(workspace.database)]
    if not usable:
        raise UsageError(f"VS Code has no storage for {wanted}: its state.vscdb is missing", _HINT)
    usable.sort(key=lambda workspace: os.path.getmtime(workspace.database))
    if len({workspace.root for workspace in usable}) > 1:
        last_used = {workspace.root: workspace.folder for workspace in usable}
        several = ", ".join(sorted(last_used.values()))
        raise UsageError(
            f"several products have storage for {wanted}: {several}", "name one of these folders"
        )
    return usable[-1]


def running(workspace: Workspace) -> str | None:
    """The process that has this workspace open; None when none is found."""
    lock = os.path.join(os.path.dirname(workspace.root), "code.lock")
    return _lock_holder(lock) or _opener(workspace)


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
    if place is None or place.remote or place.scheme != "file":
        return False
    return _normalized(place.path) == real


def _normalized(path: str) -> str:
    return os.path.normcase(os.path.realpath(path))


def _lock_holder(path: str) -> str | None:
    """The process in `code.lock`, which VS Code writes while it runs; a crash leaves it behind."""
    try:
        with open(path, "rb") as file:
            text = file.read(32).strip()
    except OSError:
        return None
    # Elsewhere than on POSIX the signal that asks would end the process.
    if os.name != "posix" or not text.isdigit():
        return f"{path} exists; remove it if VS Code is closed"
    if not _is_alive(int(text)):
        return None
    return f"process {int(text)}"


def _is_alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except (PermissionError, OverflowError):
        pass
    return True


def _opener(workspace: Workspace) -> str | None:
    """On Linux: the process that has a database of VS Code open."""
    if not sys.platform.startswith("linux"):
        return None
    wanted = {
        os.path.realpath(workspace.database),
        os.path.join(workspace.root, "globalStorage", "state.vscdb"),
    }
    own = str(os.getpid())
    for pid in os.listdir("/proc"):
        if not pid.isdigit() or pid == own:
            continue
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
