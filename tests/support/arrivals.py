"""The committed cases of all connectors as homes whose files arrive in any order."""

from __future__ import annotations

import os
import random
import shutil
from pathlib import Path

from tests.support import cursor_home
from tests.support.journals import journal_digest, open_journal
from tests.support.paths import CASES

_FIRST_TIME = 1_700_000_000


def all_cases() -> list[Path]:
    """The folders of the cases of all connectors."""
    return sorted(home.parent for home in CASES.glob("*/*/home"))


def cases_with_several_files() -> list[Path]:
    """The folders of the cases whose home has more than one file."""
    return [case for case in all_cases() if len(_files_below(case / "home")) > 1]


def build(case: Path, home: Path) -> list[str]:
    """Write a case into a home, each file with a time of its own; return the names of its files."""
    if case.parent.name == "cursor":
        cursor_home.build(case.name, home)
    else:
        shutil.copytree(case / "home", home)
    names = [path.relative_to(home).as_posix() for path in _files_below(home)]
    for number, name in enumerate(names):
        os.utime(home / name, (_FIRST_TIME + number, _FIRST_TIME + number))
    return names


def orders(names: list[str], count: int) -> list[list[list[str]]]:
    """Return orders in which files arrive, in groups: backwards, and at random with a seed."""
    found = [[[name] for name in reversed(names)]]
    for seed in range(1, count):
        rng = random.Random(seed)
        shuffled = rng.sample(names, len(names))
        groups = []
        while shuffled:
            size = rng.randint(1, max(1, len(shuffled) // 2))
            groups.append(shuffled[:size])
            shuffled = shuffled[size:]
        found.append(groups)
    return found


def digest_of(source: Path, home: Path, groups: list[list[str]]) -> dict[str, str]:
    """Copy groups of files to a home, with a sync after each; return what the journal says."""
    shutil.rmtree(home, ignore_errors=True)
    for group in groups:
        for name in group:
            path = home / name
            path.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(source / name, path)
        sync(home)
    return journal_digest(home, AJ_AIDER_PATH=str(home))


def sync(home: Path, **more: str) -> None:
    """Bring the journal of a home up to date; Aider's histories are anywhere below it."""
    with open_journal(home, AJ_AIDER_PATH=str(home), **more) as journal:
        journal.sync(index=False)


def _files_below(folder: Path) -> list[Path]:
    return sorted(path for path in folder.rglob("*") if path.is_file())
