"""A git repository whose every line has a known owner."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime, timedelta
from random import Random

from bench.provenance.code import Coder
from bench.provenance.lines import Files, Line, combined, content

_PERSON = ("Robin Field", "robin@example.org")
_WITHOUT_SETTINGS = {"GIT_CONFIG_GLOBAL": os.devnull, "GIT_CONFIG_SYSTEM": os.devnull}


class Clock:
    """The time in an invented project; it only goes on."""

    def __init__(self, start: datetime) -> None:
        self.now = start

    def tick(self, minutes: float) -> datetime:
        """Advance; return the time."""
        self.now += timedelta(minutes=minutes)
        return self.now


class Repository:
    """A repository, what each line of its branches is, and the time in it."""

    def __init__(self, folder: str, random: Random) -> None:
        self.folder = folder
        self.random = random
        self.coder = Coder(random)
        self.clock = Clock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
        self.branch = "main"
        self.files: Files = {}  # of the branch that is checked out, as they are on disk
        self.branches: dict[str, Files] = {}
        self.newlines: dict[str, str] = {}
        self.blocks = 0
        os.makedirs(folder)
        self.git("init", "--quiet", "--initial-branch=main")
        self.git("config", "user.name", _PERSON[0])
        self.git("config", "user.email", _PERSON[1])
        self.git("config", "core.autocrlf", "false")

    def git(self, *words: str, folder: str | None = None) -> str:
        """Run git at the time of the clock; return what it prints."""
        when = self.clock.now.isoformat()
        dates = {"GIT_AUTHOR_DATE": when, "GIT_COMMITTER_DATE": when}
        done = subprocess.run(
            ["git", *words],
            cwd=folder or self.folder,
            env=os.environ | _WITHOUT_SETTINGS | dates | {"GIT_EDITOR": "true"},
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            raise RuntimeError(f"git {' '.join(words)}: {done.stdout}{done.stderr}")
        return done.stdout

    def new_block(self) -> int:
        """Return the number of a function that is about to be written."""
        self.blocks += 1
        return self.blocks

    def newline(self, path: str) -> str:
        """Return how the lines of a file end."""
        return self.newlines.get(path, "\n")

    def text(self, path: str) -> str:
        """Return the content of a file."""
        return content(self.files.get(path, []), self.newline(path))

    def write(self, path: str, lines: list[Line]) -> None:
        """Write a file."""
        self.files[path] = lines
        place = os.path.join(self.folder, path)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8", newline="") as file:
            file.write(content(lines, self.newline(path)))
        when = self.clock.now.timestamp()
        os.utime(place, (when, when))

    def rename(self, path: str, new_path: str) -> None:
        """Rename a file."""
        os.makedirs(os.path.dirname(os.path.join(self.folder, new_path)), exist_ok=True)
        self.git("mv", path, new_path)
        self.files[new_path] = self.files.pop(path)
        self.newlines[new_path] = self.newline(path)

    def commit(self, subject: str, *options: str) -> str:
        """Commit everything; return what git prints: `[main 1a2b3c4] subject`, …"""
        self.git("add", "--all")
        return self.git("commit", "--message", subject, *options)

    def is_clean(self) -> bool:
        """Whether everything is committed."""
        return not self.git("status", "--porcelain")

    # -- branches ------------------------------------------------------------------------------

    def start_branch(self, name: str) -> None:
        """Begin a branch at the present commit."""
        self.branches[self.branch] = dict(self.files)
        self.git("checkout", "--quiet", "-b", name)
        self.branch = name

    def check_out(self, name: str) -> None:
        """Go to another branch; everything must be committed."""
        self.branches[self.branch] = dict(self.files)
        self.git("checkout", "--quiet", name)
        self.branch = name
        self.files = dict(self.branches[name])

    def take(self, theirs: Files, base: Files) -> None:
        """Learn what git made of the files of this branch and another one, after a merge."""
        ours = self.files
        merged: Files = {}
        for path in self.git("ls-files").splitlines():
            merged[path] = self._merged(path, ours, theirs, base)
        self.files = merged

    def _merged(self, path: str, ours: Files, theirs: Files, base: Files) -> list[Line]:
        with open(os.path.join(self.folder, path), encoding="utf-8", newline="") as file:
            texts = file.read().split(self.newline(path))[:-1]
        own = ours.get(path, [])
        other = theirs.get(path, [])
        if own == base.get(path):
            own = []
        elif other == base.get(path):
            other = []
        return combined(texts, own, other)

    def drop(self) -> None:
        """Take back what is not committed, as `git checkout .` does."""
        self.git("checkout", "--quiet", "--", ".")
        self.git("clean", "--quiet", "--force", "-d")
