"""The files of a home arrive in any order and grouping: the journal is that of one full read."""

from __future__ import annotations

import os
import random
import shutil

from bench.torture.checks import Said, files_under, healed, said, succeeded
from bench.torture.homes import Case, all_cases
from bench.torture.sandbox import Home


class Arrival:
    """One case, or several of one agent together, file after file."""

    name = "arrival"
    weight = 1

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))
        self.stage = os.path.join(folder, self.name, "stage")
        self.expected: dict[tuple[Case, ...], Said] = {}

    def row(self, number: int) -> str:
        """The agent."""
        cases = all_cases()
        return cases[number % len(cases)].agent

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Let the files arrive in some order, with a sync after each group."""
        case = all_cases()[number % len(all_cases())]
        cases = [case]
        if rng.random() < 0.3:
            others = [other for other in all_cases() if other.agent == case.agent]
            cases += rng.sample(others, min(2, len(others)))
        cases = list(dict.fromkeys(cases))
        expected = self._in_peace(tuple(cases))
        paths = files_under(self.stage)
        rng.shuffle(paths)
        self._empty_home()
        syncs = 0
        while paths:
            size = rng.choice((1, 1, 2, 5, len(paths)))
            for path in paths[:size]:
                self._arrive(path)
            paths = paths[size:]
            succeeded(self.home.aj("sync", "--no-index"), "sync")
            syncs += 1
        succeeded(self.home.aj("sync"), "the last sync")
        healed(self.home, expected)
        return {"syncs": syncs + 1}

    def _in_peace(self, cases: tuple[Case, ...]) -> Said:
        """The journal of one full read; the files are then on the stage."""
        shutil.rmtree(self.stage, ignore_errors=True)
        os.makedirs(self.stage)
        for case in cases:
            case.write(self.stage)
        if cases not in self.expected:
            self._empty_home()
            for path in files_under(self.stage):
                self._arrive(path)
            succeeded(self.home.aj("sync"), "a sync in peace")
            self.expected[cases] = said(self.home)
        return self.expected[cases]

    def _empty_home(self) -> None:
        self.home.clear()
        shutil.rmtree(self.home.path)
        os.makedirs(self.home.path)

    def _arrive(self, path: str) -> None:
        target = os.path.join(self.home.path, os.path.relpath(path, self.stage))
        os.makedirs(os.path.dirname(target), exist_ok=True)
        shutil.copy2(path, target)
