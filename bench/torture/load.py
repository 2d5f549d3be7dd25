"""Searches, lists, queries and exports while several syncs run: no error, no missing hit."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from bench.torture.checks import (
    behaved,
    current_bytes_are_kept,
    require,
    said,
    same,
    search,
    succeeded,
)
from bench.torture.homes import write_mixed
from bench.torture.sandbox import Done, Home, Running
from tests.support.journals import write_claude

_READERS: tuple[tuple[str, ...], ...] = (
    ("ls", "--json"),
    ("search", "--no-sync", "--mode", "lexical", "text"),
    ("search", "--no-sync", "--mode", "hybrid", "text"),
    ("search", "--no-sync", "--mode", "semantic", "text"),
    ("search", "--sync", "text"),
    ("show", "old-a", "--json"),
    ("sql", "--json", "SELECT count(*) FROM messages"),
    ("usage", "--json"),
    ("stats", "--json"),
    ("doctor", "--json"),
    ("verify", "--json"),
    ("export", "old-a", "-f", "html", "-o", "-"),
    ("export", "old-b", "-f", "json", "-o", "-"),
)
_WRITERS: tuple[tuple[str, ...], ...] = (
    ("sync",),
    ("sync",),
    ("sync", "--full"),
    ("sync", "--rebuild"),
)


class Load:
    """Rounds of commands that run at the same time."""

    name = "load"
    weight = 1

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))

    def row(self, number: int) -> str:
        """How many at once."""
        return f"{_at_once(number)} at once"

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Some rounds; then everything that was written is found."""
        home = self.home
        home.clear()
        shutil.rmtree(home.path)
        os.makedirs(home.path)
        write_mixed(home)
        succeeded(home.aj("sync"), "the first sync")
        commands = 0
        rounds = rng.randint(2, 4)
        for turn in range(rounds):
            commands += self._round(number, turn, rng)
        succeeded(home.aj("sync"), "the last sync")
        succeeded(home.aj("verify"), "verify")
        for turn in range(rounds):
            found = search(home, f'"said in turn{turn}"', "lexical")
            require(bool(found), f"what was said in turn {turn} is not found")
        self._compare_with_fresh()
        return {"commands": commands}

    def _round(self, number: int, turn: int, rng: random.Random) -> int:
        write_claude(Path(self.home.path), "old-a", count=3, start=100 * (turn + 1))
        write_claude(Path(self.home.path), f"said in turn{turn}", count=4)
        commands = [rng.choice(_WRITERS), rng.choice(_WRITERS)]
        commands += [rng.choice(_READERS) for _ in range(_at_once(number) - 2)]
        rng.shuffle(commands)
        running: list[tuple[tuple[str, ...], Running]] = []
        for command in commands:
            running.append((command, self.home.start(*command)))
        ends = [(command, process.wait()) for command, process in running]
        for command, done in ends:
            _require_fine(command, done)
        return len(commands)

    def _compare_with_fresh(self) -> None:
        grown = said(self.home)
        current_bytes_are_kept(self.home, grown)
        self.home.clear()
        succeeded(self.home.aj("sync"), "a fresh sync")
        same(grown, said(self.home))


def _at_once(number: int) -> int:
    return (3, 5, 8)[number % 3]


def _require_fine(command: tuple[str, ...], done: Done) -> None:
    what = " ".join(command)
    is_busy = "another process" in done.out + done.err  # it waited for a minute: a slow machine
    if is_busy or command[0] == "doctor":  # which exits with 1 for folders that are not there
        behaved(done, what)
    else:
        succeeded(done, what)
