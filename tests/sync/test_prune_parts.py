"""`aj prune` and sessions that an agent began with the same id: each is hidden alone."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from tests.support.journals import aj, aj_json, journal_digest
from tests.support.paths import CASES

FIRST = "b07h0000-0000-4000-8000-000000000003"
LATER = "session-2026-11-15T18-30-b07h0000"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """A session of Gemini CLI, another one that it began in a new file, and a sub-agent."""
    home = tmp_path / "home"
    shutil.copytree(CASES / "gemini/both/home", home)
    assert aj(home, "sync").returncode == 0
    assert listed(home) == [LATER, FIRST]
    return home


def listed(home: Path) -> list[str]:
    return [row["id"] for row in aj_json(home, "ls")["items"]]


def is_whole(home: Path) -> bool:
    return aj(home, "verify").returncode == 0


@pytest.mark.parametrize("options", [(), ("--purge",)])
def test_a_session_that_went_on_in_another_file_stays(home: Path, options: tuple[str]) -> None:
    before = journal_digest(home)
    assert aj(home, "prune", FIRST, "--yes", *options).returncode == 0
    assert listed(home) == [LATER]
    assert is_whole(home)
    aj(home, "sync", "--full")
    assert listed(home) == [LATER]
    shutil.rmtree(home / ".agent-journal/index")
    aj(home, "sync")
    assert listed(home) == [LATER]
    assert is_whole(home)
    done = aj(home, "prune", "--forget" if options else "--undo", FIRST)
    assert done.returncode == 0, done.stderr
    aj(home, "sync")
    assert journal_digest(home) == before
    assert is_whole(home)


def test_a_deleted_session_that_is_forgotten_leaves_its_id_to_the_next(home: Path) -> None:
    """As in a journal that never saw the first file."""
    aj(home, "prune", FIRST, "--purge", "--yes")
    for path in (home / ".gemini/tmp/fig/chats").glob("*T18-[04]0*"):
        path.unlink()
    aj(home, "prune", "--forget", FIRST)
    aj(home, "sync")
    assert listed(home) == [FIRST]
    assert is_whole(home)


def test_a_hidden_session_stays_hidden_where_its_file_was_moved(home: Path) -> None:
    aj(home, "prune", LATER, "--yes")
    before = listed(home)
    os.rename(home / ".gemini/tmp/fig", home / ".gemini/tmp/pear")
    aj(home, "sync")
    assert listed(home) == before == [FIRST]
    assert is_whole(home)
    shutil.rmtree(home / ".agent-journal/index")
    aj(home, "sync")
    assert listed(home) == before
    assert is_whole(home)
