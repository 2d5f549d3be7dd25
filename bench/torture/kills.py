"""Kill -9 at every write: the next sync completes the journal."""

from __future__ import annotations

import os
import random
import shutil
import time
from collections.abc import Callable

from bench.torture import hook
from bench.torture.checks import (
    Said,
    behaved,
    files_under,
    healed,
    marks,
    require,
    said,
    succeeded,
)
from bench.torture.homes import grow, write_mixed
from bench.torture.sandbox import Home

_KILLED = -9
_KEPT = {"tag": "kept", "sessions": 1}
_TIMED = 0.1  # the share of kills at random times: between writes, while something is computed


class Kills:
    """Commands that are killed at their N-th change of the disk, for every N."""

    name = "kills"
    weight = 2

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))
        self.is_ready = False
        self.expected = Said({}, {})
        self.changes: dict[str, int] = {}
        self.seconds: dict[str, float] = {}

    def row(self, number: int) -> str:
        """The scene, and how kills are aimed."""
        aim = "at random times"
        if hook.is_there():
            aim = "at every write"
        return f"{SCENES[number % len(SCENES)].name}, {aim}"

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Kill a command once to three times, then let a sync heal the journal."""
        if not self.is_ready:
            self._prepare()
        scene = SCENES[number % len(SCENES)]
        self._set_up(scene)
        kills = 0
        times = rng.choice((1, 1, 1, 2, 3))
        for turn in range(times):
            # The first kill of each trial goes through all writes; the others are random.
            place = rng.random()
            if turn == 0:
                place = (number // len(SCENES) * 0.6180339887) % 1.0
            kills += self._kill(scene, place, rng)
        behaved(self.home.aj("ls"), "ls after a kill")
        succeeded(self.home.aj("sync"), "sync after a kill")
        healed(self.home, self.expected)
        if scene.start is not None:
            require(_KEPT in marks(self.home)[1], "a mark that was made before is lost")
        return {"kills": kills}

    def _kill(self, scene: Scene, place: float, rng: random.Random) -> int:
        is_timed = not hook.is_there() or rng.random() < _TIMED
        if is_timed:
            running = self.home.start(*scene.command)
            time.sleep(place * self.seconds[scene.name])
            running.kill()
            return int(running.wait().code == _KILLED)
        at = 1 + int(place * self.changes[scene.name])
        mode = rng.choice((hook.Mode.KILL, hook.Mode.TEAR))
        done = self.home.aj(*scene.command, before=lambda: hook.arm(at, mode))
        if done.code != _KILLED:  # it needed fewer writes than in peace
            behaved(done, " ".join(scene.command))
        return int(done.code == _KILLED)

    def _set_up(self, scene: Scene) -> None:
        if scene.start is None:
            self.home.clear()
        else:
            self.home.load_journal(scene.start)
        scene.change(self.home)

    def _prepare(self) -> None:
        """The journals that the scenes begin with, and one made in peace."""
        write_mixed(self.home)
        succeeded(self.home.aj("sync"), "the first sync")
        succeeded(self.home.aj("sql", "SELECT count(*) FROM messages"), "the first query")
        succeeded(self.home.aj("tag", "last", "kept"), "tag")
        self.home.save_journal("old")
        grow(self.home, 1)
        succeeded(self.home.aj("sync"), "the second sync")
        self.home.save_journal("new")
        self.home.clear()
        succeeded(self.home.aj("sync"), "a sync in peace")
        self.expected = said(self.home)
        for scene in SCENES:
            self._set_up(scene)
            self._measure(scene)
        self.is_ready = True

    def _measure(self, scene: Scene) -> None:
        """How often a command changes the disk in peace, and how long it takes."""
        note = os.path.join(self.home.scratch, "changes")

        def count_at_exit() -> None:
            hook.arm(0, hook.Mode.COUNT)
            leave = os._exit

            def noting(code: int) -> None:
                total = hook.count()
                with open(note, "w", encoding="utf-8") as file:
                    file.write(str(total))
                leave(code)

            os._exit = noting  # type: ignore[assignment]

        before = count_at_exit if hook.is_there() else None
        started = time.monotonic()
        succeeded(self.home.aj(*scene.command, before=before), " ".join(scene.command))
        self.seconds[scene.name] = time.monotonic() - started
        if before is not None:
            with open(note, encoding="utf-8") as file:
                self.changes[scene.name] = int(file.read())


class Scene:
    """A command that is killed: the journal it begins with, and what happened to that before."""

    def __init__(
        self, name: str, start: str | None, command: tuple[str, ...], change: Callable[[Home], None]
    ) -> None:
        self.name = name
        self.start = start
        self.command = command
        self.change = change


def _nothing(home: Home) -> None:
    pass


def _give_a_title(home: Home) -> None:
    succeeded(home.aj("title", "last", "A title of one's own"), "title")


def _lose_the_index(home: Home) -> None:
    shutil.rmtree(os.path.join(home.journal, "index"))


def _lose_the_search_index(home: Home) -> None:
    for name in os.listdir(os.path.join(home.journal, "index")):
        if name.startswith(("lexical", "vectors")):
            shutil.rmtree(os.path.join(home.journal, "index", name))


def _damage_the_catalog(home: Home) -> None:
    _damage(os.path.join(home.journal, "index", "journal.db"))


def _damage_the_search_index(home: Home) -> None:
    for path in files_under(os.path.join(home.journal, "index")):
        if path.endswith((".idx", ".term", "rows-1")):
            _damage(path)
    behaved(home.aj("verify"), "verify of a damaged index")  # the next sync makes what it names


def _damage(path: str) -> None:
    with open(path, "r+b") as file:
        file.write(b"this is not what was here before")


def _lose_the_mirror(home: Home) -> None:
    shutil.rmtree(os.path.join(home.journal, "parquet"))


SCENES = (
    Scene("first sync", None, ("sync",), _nothing),
    Scene("sync of news", "old", ("sync",), _nothing),
    Scene("sync --full", "old", ("sync", "--full"), _nothing),
    Scene("sync --rebuild", "new", ("sync", "--rebuild"), _nothing),
    Scene("index lost", "new", ("sync",), _lose_the_index),
    Scene("search index lost", "new", ("sync",), _lose_the_search_index),
    Scene("catalog damaged", "new", ("sync",), _damage_the_catalog),
    Scene("search index damaged", "new", ("sync",), _damage_the_search_index),
    Scene("star", "new", ("star", "last"), _nothing),
    Scene("sync of a title", "new", ("sync",), _give_a_title),
    Scene("first query", "new", ("sql", "SELECT count(*) FROM usage"), _lose_the_mirror),
)
