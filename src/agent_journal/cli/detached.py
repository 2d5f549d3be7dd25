"""`aj sync --detach`: a sync in a process of its own, after the one that is running.

The process waits for the write lock, and holds `waiting.lock` as long as it waits: of several only
one is needed. It lets go of it before it looks for files, so whoever finds it held knows that
everything written until now will be read. The system releases both locks when a process dies.
"""

from __future__ import annotations

import os
import sys
import time

from agent_journal.config.loading import load
from agent_journal.errors import JournalError
from agent_journal.store.catalog.store import translated, try_lock

_LOCK = "waiting.lock"
_LONGEST_WAIT = 86_400.0  # seconds for other syncs
# Seconds to find out whether another process waits: one that only looks has the lock for a moment
_LOOKING = 0.5
_PAUSE = 0.02


def detach() -> int:
    """Start a process that syncs, unless one waits already; return at once with the exit code."""
    descriptor = _open_lock(load().home)
    is_free = try_lock(descriptor)
    os.close(descriptor)
    if is_free:
        start_process("agent_journal.cli.detached")
    return 0


def main() -> int:
    """Wait for the sync that is running, then sync; the exit code of the process."""
    from agent_journal.journal import Journal

    os.umask(0o077)
    with Journal.open() as journal:
        turn = _Turn(journal.config.home)
        try:
            if turn.is_taken():
                journal.sync(wait=_LONGEST_WAIT, begins=turn.give_up)
        finally:
            turn.give_up()
    return 0


class _Turn:
    """The right to be the one process that waits."""

    def __init__(self, home: str) -> None:
        self._descriptor: int | None = _open_lock(home)

    def is_taken(self) -> bool:
        """Whether this process has it now; false when another one waits."""
        deadline = time.monotonic() + _LOOKING
        assert self._descriptor is not None
        while not try_lock(self._descriptor):
            if time.monotonic() > deadline:
                return False
            time.sleep(_PAUSE)
        if hasattr(os, "pwrite"):  # not on Windows
            os.ftruncate(self._descriptor, 0)
            os.pwrite(self._descriptor, str(os.getpid()).encode(), 0)
        return True

    def give_up(self) -> None:
        """Let another process wait."""
        if self._descriptor is not None:
            os.close(self._descriptor)
            self._descriptor = None


def _open_lock(home: str) -> int:
    path = os.path.join(home, _LOCK)
    with translated(path):
        os.makedirs(home, mode=0o700, exist_ok=True)
        return os.open(path, os.O_RDWR | os.O_CREAT, 0o600)


def start_process(module: str) -> None:
    """Start a module as a process that outlives the terminal and prints nothing."""
    import subprocess

    flags = 0
    for name in ("CREATE_NEW_PROCESS_GROUP", "CREATE_NO_WINDOW"):  # on Windows
        flags |= getattr(subprocess, name, 0)
    # -P: what is in the working folder is not imported
    command = [sys.executable, "-P", "-m", module]
    nothing = subprocess.DEVNULL
    try:
        subprocess.Popen(
            command,
            stdin=nothing,
            stdout=nothing,
            stderr=nothing,
            start_new_session=True,
            creationflags=flags,
        )
    except OSError as error:
        raise JournalError(f"cannot start {sys.executable}: {error.strerror or error}") from error


if __name__ == "__main__":
    sys.exit(main())
