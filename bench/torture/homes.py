"""The home folders of trials: the cases of the connectors' tests, and small conversations."""

from __future__ import annotations

import functools
import os
import shutil
from pathlib import Path
from typing import NamedTuple

from bench.torture.sandbox import Home
from tests.support import cursor_home
from tests.support.journals import write_claude
from tests.support.paths import CASES

from agent_journal.connectors import BUILT_IN

EPOCH = 1_780_000_000  # all files are of one day, whenever the repository was cloned
# Small: most of the time of a trial is spent on reading them again.
_MIXED = (("claude-code", "tool-results"), ("codex", "conversation"), ("gemini", "both"))


def agents() -> list[str]:
    """The agents that have cases."""
    return [agent for agent in BUILT_IN if any(_folder(agent).glob("*/home"))]


def _folder(agent: str) -> Path:
    return CASES / agent.replace("-", "_")


class Case(NamedTuple):
    """A case of a connector's tests."""

    agent: str
    name: str

    def write(self, home: str) -> None:
        """Copy its files into a home folder."""
        if self.agent == "cursor":
            cursor_home.build(self.name, Path(home))
        else:
            source = _folder(self.agent) / self.name / "home"
            shutil.copytree(source, home, dirs_exist_ok=True, copy_function=shutil.copyfile)
        set_times(home)


@functools.cache
def all_cases() -> list[Case]:
    """Every case of every connector; the agents take turns."""
    numbered = [
        (number, Case(agent, path.parent.name))
        for agent in agents()
        for number, path in enumerate(sorted(_folder(agent).glob("*/home")))
    ]
    return [case for _, case in sorted(numbered)]


def set_times(folder: str) -> None:
    """Give all files times that are the same in every run."""
    paths = sorted(Path(folder).rglob("*"))
    for number, path in enumerate(paths):
        if path.is_file():
            os.utime(path, (EPOCH + number, EPOCH + number))


def write_mixed(home: Home) -> None:
    """A few sessions of several agents."""
    for agent, name in _MIXED:
        Case(agent, name).write(home.path)
    grow(home, 0)


def grow(home: Home, step: int) -> None:
    """Append to two conversations and begin a new one."""
    folder = Path(home.path)
    for session in ("old-a", "old-b"):
        write_claude(folder, session, count=6, start=6 * step)
    write_claude(folder, f"new-{step}", count=8)
