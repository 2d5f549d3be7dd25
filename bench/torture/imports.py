"""Mutated files imported by name: nothing raises, every byte is kept, and verify is content."""

from __future__ import annotations

import os
import random
import shutil

from bench.torture.checks import behaved, current_bytes_are_kept, files_under, said, succeeded
from bench.torture.homes import Case, all_cases
from bench.torture.mutations import move, mutate_files, require_no_reader_failed
from bench.torture.sandbox import Home
from tests.support.paths import CASES

_COPIES = 6  # of every file, each with other ids
_WRITTEN_BY_OTHERS = ("vscode_export", "claude_web")
_ROWS = ("exports of others", "exports as json", "exports as jsonl", "logs elsewhere")


class Imports:
    """Exports, and logs outside of the agent's folder, in which records are mutated."""

    name = "imports"
    weight = 1

    def __init__(self, folder: str) -> None:
        self.home = Home(os.path.join(folder, self.name))
        self.originals = os.path.join(folder, self.name, "originals")

    def row(self, number: int) -> str:
        """What is imported."""
        return _ROWS[number % len(_ROWS)]

    def trial(self, number: int, rng: random.Random) -> dict[str, int]:
        """Write files, import them in groups, and verify the journal."""
        home = self.home
        case = rng.choice(all_cases())
        self._write_originals(self.row(number), case)
        self._empty_home()
        has_own_files = rng.random() < 0.5
        if has_own_files:  # an export may then be a copy of them
            case.write(home.path)
        records = self._write_copies(rng)
        before = rng.random() < 0.5
        if before:
            succeeded(home.aj("sync"), "sync")
        self._import(rng)
        succeeded(home.aj("sync"), "the last sync")
        succeeded(home.aj("verify"), "verify")
        current_bytes_are_kept(home, said(home))
        require_no_reader_failed(home)
        return {"records": records}

    def _empty_home(self) -> None:
        self.home.clear()
        shutil.rmtree(self.home.path)
        os.makedirs(self.home.path)

    def _write_originals(self, row: str, case: Case) -> None:
        """Write the files that are mutated afterwards."""
        shutil.rmtree(self.originals, ignore_errors=True)
        os.makedirs(self.originals)
        if row == "exports of others":
            for folder in _WRITTEN_BY_OTHERS:
                shutil.copytree(CASES / folder, self.originals, dirs_exist_ok=True)
            return
        if row == "logs elsewhere":
            case.write(self.originals)
            return
        self._empty_home()
        case.write(self.home.path)
        succeeded(self.home.aj("sync"), "a sync in peace")
        form = row.rpartition(" ")[2]
        exported = ("export", "--all", "-f", form, "-o", self.originals)
        succeeded(self.home.aj(*exported), "export")

    def _write_copies(self, rng: random.Random) -> int:
        """Write mutated copies into the home; returns how many records are mutated."""
        share = rng.choice((0.02, 0.1, 0.3, 1.0))
        stage = os.path.join(self.home.folder, "stage")
        records = 0
        for copy in range(_COPIES):
            shutil.copytree(self.originals, stage)
            records += mutate_files(stage, share, rng)
            target = os.path.join(self.home.path, "elsewhere", str(copy))
            move(stage, target, rng.choice(("", f"{copy}")))  # without salt: with the same ids
        return records

    def _import(self, rng: random.Random) -> None:
        """Import files by name, or the folders that they are in."""
        folder = os.path.join(self.home.path, "elsewhere")
        paths = files_under(folder)
        if rng.random() < 0.3:
            paths = sorted(os.path.join(folder, name) for name in os.listdir(folder))
        rng.shuffle(paths)
        size = rng.choice((1, 3, len(paths)))
        for start in range(0, len(paths), size):
            behaved(self.home.aj("import", *paths[start : start + size]), "import")
