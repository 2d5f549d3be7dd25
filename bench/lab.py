"""Where measurements are taken: processes in a home folder and a journal of their own, and what
they cost.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from typing import NamedTuple

import corpus
from tree import Watch

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
AJ = os.path.join(os.path.dirname(sys.executable), "aj")  # the command as it is installed
BARE = ("-c", "pass")


class Run(NamedTuple):
    """What one process cost."""

    wall: float  # seconds
    cpu: float  # seconds, user and system
    peak: float  # bytes


class Row(NamedTuple):
    """One line of the table."""

    part: str
    name: str
    value: float
    unit: str
    limit: float | None  # None: for information
    at_least: bool = False
    beside: str = ""

    @property
    def is_met(self) -> bool:
        """Whether the figure is within its target."""
        if self.limit is None:
            return True
        return self.value >= self.limit if self.at_least else self.value <= self.limit


class Sizes(NamedTuple):
    """How much is measured."""

    megabytes: int = 200
    one_file: int = 300
    small_sessions: int = 4160  # 5,000 files: some sessions have a second one
    long_session: int = 50_000  # messages
    repeats: int = 10
    chats: int = 1000  # of 1 MB each
    one_chat: int = 200
    messages: tuple[int, ...] = (10_000, 100_000, 1_000_000)
    cursor: int = 1000
    home_share: float = 1  # of the sizes of the real and the dense home
    first_syncs: int = 5  # of each of them
    watch_seconds: int = 60  # of each of its measurements
    watch_kills: int = 50


class Failed(Exception):
    """A measured command failed, so there is nothing to report."""


class Lab:
    """Runs processes in a home folder and a journal of their own."""

    def __init__(self, scratch: str, sizes: Sizes) -> None:
        self.scratch = scratch
        self.sizes = sizes
        self._journals: dict[str, tuple[str, Run]] = {}
        self.run((AJ, "--version"), scratch, scratch)  # compiles the modules, once, unmeasured

    @staticmethod
    def command(arguments: Sequence[str]) -> list[str]:
        """The command line of Python with the arguments."""
        return [sys.executable, *arguments]

    @staticmethod
    def environment(home: str, journal: str) -> dict[str, str]:
        """The environment of a process that is measured."""
        kept = ("PATH", "LANG", "SYSTEMROOT")
        env = {name: os.environ[name] for name in kept if name in os.environ}
        return env | {
            "HOME": home,
            "AJ_HOME": journal,
            "PYTHONPATH": os.path.join(ROOT, "src"),
            "NO_COLOR": "1",
        }

    def run(
        self,
        arguments: Sequence[str],
        home: str,
        journal: str,
        watched: bool = False,
        core: int | None = None,
    ) -> Run:
        """Runs Python with the arguments; what it cost. `watched`: the peak is that of all its
        processes together. `core`: the only one it may use.
        """
        log = os.path.join(self.scratch, "output")
        with open(log, "wb") as output:
            started = time.perf_counter()
            child = subprocess.Popen(
                self.command(arguments),
                env=self.environment(home, journal),
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=output,
                cwd=home,
                preexec_fn=None if core is None else partial(_stay_on, core),
            )
            watch = Watch(child.pid)
            if watched:
                watch.start()
            _, status, usage = os.wait4(child.pid, 0)
            wall = time.perf_counter() - started
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode:
            with open(log, encoding="utf-8", errors="replace") as output_text:
                tail = output_text.read()[-2000:]
            raise Failed(
                f"python {' '.join(arguments)} ended with status {child.returncode}:\n{tail}"
            )
        # ru_maxrss is in kilobytes, but in bytes on macOS.
        peak = usage.ru_maxrss * (1 if sys.platform == "darwin" else 1024)
        if watched:
            peak = watch.stop() or peak
        return Run(wall, usage.ru_utime + usage.ru_stime, peak)

    def aj(
        self,
        *arguments: str,
        home: str,
        journal: str,
        watched: bool = False,
        core: int | None = None,
    ) -> Run:
        """Runs an `aj` command."""
        return self.run((AJ, *arguments), home, journal, watched, core)

    def output(self, arguments: Sequence[str], home: str, journal: str) -> str:
        """Runs Python with the arguments; what it printed."""
        self.run(arguments, home, journal)
        with open(os.path.join(self.scratch, "output"), encoding="utf-8") as printed:
            return printed.read()

    def bare(self) -> Run:
        """What starting Python alone costs."""
        return fastest(
            [self.run(BARE, self.scratch, self.scratch) for _ in range(self.sizes.repeats)]
        )

    def synced(self, home: str) -> tuple[str, Run]:
        """A journal of that home, and what the first sync cost; without the search index, which has
        its own part.
        """
        if home not in self._journals:
            journal = tempfile.mkdtemp(dir=self.scratch)
            self._journals[home] = (
                journal,
                self.aj("sync", "--no-index", home=home, journal=journal),
            )
        return self._journals[home]

    def main_corpus(self) -> str:
        """The home folder that most parts measure with."""
        return corpus.cached(corpus.Parameters(self.sizes.megabytes))


def fastest(runs: list[Run]) -> Run:
    """The least wall and CPU time of several runs: what disturbs a measurement only ever adds to
    it.
    """
    return Run(
        min(run.wall for run in runs), min(run.cpu for run in runs), max(run.peak for run in runs)
    )


def _stay_on(core: int) -> None:
    """Binds this process, and those it starts, to one core; where that is possible."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, {core})


def logs(home: str) -> list[str]:
    """All session logs under a folder."""
    return [
        os.path.join(folder, name)
        for folder, _, names in os.walk(home)
        for name in names
        if name.endswith(".jsonl")
    ]


def log_bytes(home: str) -> int:
    """The size of all logs."""
    return sum(map(os.path.getsize, logs(home)))


def all_bytes(folder: str) -> int:
    """The size of all files."""
    return sum(
        os.path.getsize(os.path.join(where, name))
        for where, _, names in os.walk(folder)
        for name in names
    )
