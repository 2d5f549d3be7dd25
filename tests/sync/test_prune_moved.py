"""`aj prune` and files that are found at another path than when their session was pruned."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.aider_histories import RUN, history
from tests.support.journals import aj, aj_json

SECRET = "wobbly-zeppelin-4711"


def moved_history(home: Path) -> tuple[str, str, Path]:
    """A history whose first session is hidden, in a folder that was then moved: ids and path."""
    runs = [RUN.replace("09:15", f"{hour}:15") for hour in (10, 11)]
    path = history(home / "work/shop", f"{runs[0]}#### {SECRET}  \n{runs[1]}#### hello  \n")
    assert run_there(path, home, "sync") == 0
    first, second = (row["id"] for row in aj_json(home, "ls")["items"][::-1])
    assert run_there(path, home, "prune", first, "--yes") == 0
    os.rename(home / "work", home / "job")
    moved = home / "job/shop" / path.name
    return first, second, moved


def run_there(path: Path, home: Path, *args: str) -> int:
    return aj(home, *args, cwd=path.parent).returncode


def listed(home: Path) -> list[str]:
    return [row["id"] for row in aj_json(home, "ls")["items"]]


def test_other_sessions_of_a_history_that_moved_are_derived_like_they_were_read(
    tmp_path: Path,
) -> None:
    _, second, path = moved_history(tmp_path)
    assert run_there(path, tmp_path, "sync") == 0
    assert listed(tmp_path) == [second]
    assert aj(tmp_path, "verify").stdout.count("differ") == 0


def test_a_purge_keeps_other_sessions_of_a_history_that_moved(tmp_path: Path) -> None:
    _, second, path = moved_history(tmp_path)
    with path.open("a") as file:
        file.write(f"{RUN.replace('09:15', '12:15')}#### one more  \n")
    assert run_there(path, tmp_path, "sync") == 0
    path.unlink()
    assert aj(tmp_path, "sync").returncode == 0
    before = listed(tmp_path)
    assert len(before) == 2
    assert second in before
    done = aj(tmp_path, "prune", "--purge", "--yes")
    assert done.returncode == 0, done.stderr
    assert listed(tmp_path) == before
    assert aj(tmp_path, "verify").returncode == 0
