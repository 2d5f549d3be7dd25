"""Changes of the agents' files during a sync: whatever is read is consistent, and the next sync
reads the rest.

The change happens inside the process of the sync, when Python opens or lists something for the
N-th time, so that every gap between looking and reading is hit, and always the same one. Others
come from a second process at any time.
"""

from __future__ import annotations

import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

from bench.torture.checks import (
    Said,
    current_bytes_are_kept,
    files_under,
    require,
    restored,
    said,
    succeeded,
)
from bench.torture.homes import write_mixed
from bench.torture.sandbox import Home
from tests.support.journals import write_claude

from agent_journal.journal import Journal

_EVENTS = ("open", "os.listdir", "os.scandir")
Change = Callable[[str, random.Random], None]
_FROM_OUTSIDE = 0.2  # the share of syncs that another process disturbs
_ROUNDS = 3  # syncs of a trial that are disturbed


def _append(path: str, rng: random.Random) -> None:
    session = os.path.basename(path).removesuffix(".jsonl")
    home = Path(path.partition("/.claude/")[0])
    write_claude(home, session, count=rng.randint(1, 5), start=rng.randrange(100, 100_000))


def _append_half(path: str, rng: random.Random) -> None:
    with open(path, "ab") as file:
        file.write(b'{"type":"user","message":{"role":"user","content":"half a li')


def _truncate(path: str, rng: random.Random) -> None:
    os.truncate(path, rng.randrange(os.path.getsize(path) + 1))


def _replace(path: str, rng: random.Random) -> None:
    """As editors do: another file takes the name."""
    with open(path, "rb") as file:
        lines = file.read().splitlines(keepends=True)
    other = f"{path}.new"
    with open(other, "wb") as file:
        file.writelines(lines[: rng.randrange(len(lines) + 1)])
        file.writelines(line.replace(b"text", b"word") for line in lines)
    os.replace(other, path)


def _delete(path: str, rng: random.Random) -> None:
    os.unlink(path)


def _rename(path: str, rng: random.Random) -> None:
    os.rename(path, f"{path.removesuffix('.jsonl')}-{rng.randrange(1000)}.jsonl")


def _change_in_place(path: str, rng: random.Random) -> None:
    """The same length, other content."""
    with open(path, "r+b") as file:
        data = file.read()
        at = data.find(b"text", rng.randrange(len(data) + 1))
        if at >= 0:
            file.seek(at)
            file.write(rng.choice((b"TEXT", b"tExt", b"teXt")))


CHANGES = (_append, _append_half, _truncate, _replace, _delete, _rename, _change_in_place)


class Changes:
    """Syncs during which files change, and one in peace after them."""

    name = "changes"
    weight = 1

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))

    def row(self, number: int) -> str:
        """The kind of change."""
        return CHANGES[number % len(CHANGES)].__name__.strip("_").replace("_", " ")

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Disturb some syncs, then sync in peace and compare with a fresh journal."""
        home = self.home
        home.clear()
        shutil.rmtree(home.path)
        os.makedirs(home.path)
        write_mixed(home)
        change = CHANGES[number % len(CHANGES)]
        made = 0
        for _ in range(rng.randint(1, _ROUNDS)):
            made += self._disturbed_sync(change, rng)
        succeeded(home.aj("sync"), "a sync in peace")
        succeeded(home.aj("verify"), "verify")
        found = said(home)
        current_bytes_are_kept(home, found)
        restored(home)
        if change is not _rename:  # then there are two sessions, and responses count for the first
            self._compare_with_fresh(found)
        return {"changes": made}

    def _disturbed_sync(self, change: Change, rng: random.Random) -> int:
        before = set(files_under(self.home.path))
        states = {path: _state(path) for path in before}
        at = rng.randrange(1, 60)
        times = rng.choice((1, 1, 5))
        child_rng = random.Random(rng.random())
        home = self.home.path
        if rng.random() < _FROM_OUTSIDE:
            running = self.home.start("sync")
            for _ in range(times):
                time.sleep(0.02 * rng.random())
                _change_one(home, change, child_rng)
            done = running.wait()
        else:
            done = self.home.aj("sync", before=lambda: _disturb(home, at, times, change, child_rng))
        succeeded(done, "a disturbed sync")
        after = set(files_under(self.home.path))
        return sum(path not in after or _state(path) != states[path] for path in before)

    def _compare_with_fresh(self, found: Said) -> None:
        """Sessions whose files exist say what a fresh journal says; nothing else is lost."""
        self.home.save_journal("grown")
        self.home.clear()
        succeeded(self.home.aj("sync"), "a fresh sync")
        fresh = said(self.home)
        speaking = self.home.call(_speaking)
        for name, value in fresh.digest.items():
            # Not the accounts of files, which say how often a file was rewritten, nor sessions
            # whose file was emptied: the journal goes on with what it said before.
            if name not in speaking:
                continue
            require(found.digest.get(name) == value, f"{name} is not what a fresh journal says")


def _speaking() -> set[str]:
    """The sessions with a message, as the digest names them."""
    with Journal.open() as journal:
        query = (
            "SELECT s.agent || ':' || s.uid FROM sessions s "
            "WHERE EXISTS (SELECT 1 FROM messages m WHERE m.session_id = s.id)"
        )
        return {name for (name,) in journal.db.execute(query)}


def _state(path: str) -> tuple[int, int, int]:
    stat = os.stat(path)
    return stat.st_size, stat.st_mtime_ns, stat.st_ino


def _disturb(
    home: str,
    at: int,
    times: int,
    change: Change,
    rng: random.Random,
) -> None:
    """Have this process change its agents' files at its N-th look at the disk, and later ones."""
    looks = 0
    is_changing = False

    def look(event: str, arguments: tuple[object, ...]) -> None:
        nonlocal looks, is_changing
        if event not in _EVENTS or is_changing:
            return
        looks += 1
        if at <= looks < at + times:
            is_changing = True
            _change_one(home, change, rng)
            is_changing = False

    sys.addaudithook(look)


def _change_one(home: str, change: Change, rng: random.Random) -> None:
    paths = [path for path in files_under(os.path.join(home, ".claude")) if "/old-" in path]
    if paths:
        change(rng.choice(paths), rng)
