"""A home folder with a journal, and `aj` commands in forked processes.

The parent has imported everything, so that a command costs milliseconds, and whatever happens to a
command (a kill, a panic, a crash) happens to the child only.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import pickle
import pkgutil
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Callable
from typing import Any, NamedTuple

import agent_journal
from agent_journal.cli.main import run
from agent_journal.search import vector_files, vectors
from agent_journal.store import archive
from agent_journal.store.catalog import bodies
from agent_journal.sync import batches, capture

PATIENCE = 600.0  # seconds until a command counts as hung: no measure of speed
_NO_MODULE = ("agent_journal.__main__",)


class Broken(Exception):
    """An invariant that did not hold."""


class Done(NamedTuple):
    """What a command did; the code is negative for a signal."""

    code: int
    out: str
    err: str


def import_everything() -> None:
    """Import all modules of aj and what they use."""
    for module in pkgutil.walk_packages(agent_journal.__path__, "agent_journal."):
        if module.name not in _NO_MODULE:
            importlib.import_module(module.name)
    for name in ("duckdb", "numpy", "simsimd", "tantivy", "genai_prices.data", "hashlib"):
        with contextlib.suppress(ImportError):
            importlib.import_module(name)
    gc.collect()
    gc.freeze()


def make_everything_small() -> None:
    """Have small journals consist of several packs, blocks and batches, as large ones do."""
    archive.PACK_LIMIT = 12_000
    archive.CHUNK = 4_000
    capture.CHUNK = archive.CHUNK  # type: ignore[attr-defined]
    batches.BATCH_BYTES = 20_000
    bodies.BLOCK = 8_000
    vector_files.BLOCK = 16
    vectors._BATCH = 20
    vectors._SAVE_SECONDS = 0.0


class Running:
    """A process that was forked."""

    def __init__(self, pid: int, output: str) -> None:
        self.pid = pid
        self.output = output

    def kill(self) -> None:
        """Kill -9."""
        os.kill(self.pid, signal.SIGKILL)

    def wait(self) -> Done:
        """Wait for its end."""
        status = _end_of(self.pid)
        out, err = (_text(f"{self.output}.{name}") for name in ("out", "err"))
        return Done(os.waitstatus_to_exitcode(status), out, err)


def _end_of(pid: int) -> int:
    """The status of a process, which is killed when it does not end."""
    deadline = time.monotonic() + PATIENCE
    pause = 0.0005
    while True:
        found, status = os.waitpid(pid, os.WNOHANG)
        if found:
            return status
        if time.monotonic() > deadline:
            os.kill(pid, signal.SIGKILL)
            os.waitpid(pid, 0)
            raise Broken(f"a process did not end within {PATIENCE:.0f} s")
        time.sleep(pause)
        pause = min(0.01, pause * 1.3)


def _text(path: str) -> str:
    if not os.path.exists(path):
        return ""  # it was killed before it could print anything
    with open(path, encoding="utf-8", errors="replace") as file:
        return file.read()


class Home:
    """A home folder with the agents' files, and a journal beside it.

    Trials work on copies of a journal. The agents' files stay where they are: the journal knows
    them by path and inode.
    """

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.path = os.path.join(folder, "home")
        self.journal = os.path.join(folder, "journal")
        self.scratch = os.path.join(folder, "scratch")
        self.printed = Done(0, "", "")
        os.makedirs(self.path, exist_ok=True)
        self.clear()

    def clear(self) -> None:
        """Remove the journal, and what earlier commands said."""
        shutil.rmtree(self.journal, ignore_errors=True)
        shutil.rmtree(self.scratch, ignore_errors=True)
        os.makedirs(self.scratch)
        self._count = 0

    def save_journal(self, name: str) -> None:
        """Keep a copy of the journal as it is now."""
        copy = os.path.join(self.folder, f"saved-{name}")
        shutil.rmtree(copy, ignore_errors=True)
        shutil.copytree(self.journal, copy)

    def load_journal(self, name: str) -> None:
        """Have the journal as it was when it was saved."""
        self.clear()
        self.fill_journal(name)

    def fill_journal(self, name: str) -> None:
        """Copy a saved journal into the folder of the journal."""
        saved = os.path.join(self.folder, f"saved-{name}")
        shutil.copytree(saved, self.journal, dirs_exist_ok=True)

    def variables(self) -> dict[str, str]:
        """The environment of commands: nothing of the developer's."""
        return {
            "PATH": os.environ.get("PATH", ""),
            "HOME": self.path,
            "AJ_HOME": self.journal,
            "TZ": "UTC",
            "OPENBLAS_NUM_THREADS": "1",
        }

    def _cwd(self) -> str:
        """Aider's files are looked for where a command is run."""
        project = os.path.join(self.path, "project")
        if os.path.isdir(project):
            return project
        return self.path

    def start(self, *args: str, before: Callable[[], None] | None = None) -> Running:
        """Start an `aj` command; `before` is called in its process."""

        def command() -> int:
            if before is not None:
                before()
            return run(list(args))

        return self._fork(command)

    def aj(self, *args: str, before: Callable[[], None] | None = None) -> Done:
        """Run an `aj` command."""
        return self.start(*args, before=before).wait()

    def call(self, function: Callable[[], Any]) -> Any:
        """What a function returns in a process of its own; `printed` has what it printed."""
        path = os.path.join(self.scratch, "returned")

        def command() -> int:
            returned = function()
            with open(path, "wb") as file:
                pickle.dump(returned, file)
            return 0

        done = self._fork(command).wait()
        self.printed = done
        if done.code:
            raise Broken(f"exit {done.code}: {last_lines(done.err)}")
        with open(path, "rb") as file:
            return pickle.load(file)

    def _fork(self, command: Callable[[], int]) -> Running:
        self._count += 1
        output = os.path.join(self.scratch, f"command{self._count}")
        sys.stdout.flush()
        sys.stderr.flush()
        pid = os.fork()
        if pid == 0:
            self._become(command, output)
        return Running(pid, output)

    def _become(self, command: Callable[[], int], output: str) -> None:
        code = 1
        try:
            _redirect(1, f"{output}.out")
            _redirect(2, f"{output}.err")
            os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
            os.environ.clear()
            os.environ.update(self.variables())
            os.chdir(self._cwd())
            code = command()
        except BaseException:  # as Python would: a panic of tantivy is no Exception
            traceback.print_exc()
        finally:
            with contextlib.suppress(Exception):
                sys.stdout.flush()
                sys.stderr.flush()
            os._exit(code)


def _redirect(stream: int, path: str) -> None:
    number = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    os.dup2(number, stream)
    os.close(number)


def last_lines(text: str, count: int = 3) -> str:
    """The end of what a command said."""
    return " / ".join(text.strip().splitlines()[-count:])[:400]
