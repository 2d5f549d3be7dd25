"""What `aj prune` says: which command undoes it, and lines that fit the terminal."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.journals import aj, write_claude
from tests.support.terminals import on_terminal

ID = "5ec4e700-1111-4222-8333-944445555666"
OTHER = "0ther000-1111-4222-8333-944445555666"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two sessions."""
    write_claude(tmp_path, ID)
    write_claude(tmp_path, OTHER)
    aj(tmp_path, "sync")
    return tmp_path


def test_the_command_that_is_named_brings_a_session_back(home: Path) -> None:
    done = aj(home, "prune", ID, "--yes")
    hidden = done.stderr.splitlines()[-1]
    command = hidden.split("'")[1]
    assert hidden == (
        f"1 session hidden; 'aj prune --undo {ID[:8]}' brings it back, "
        "'aj prune --purge' deletes it for good"
    )
    assert aj(home, *command.split()[1:]).stderr == "1 session brought back\n"
    both = aj(home, "prune", ID, OTHER, "--yes").stderr.splitlines()[-1]
    assert both.startswith("2 sessions hidden; 'aj prune --undo ID' brings them back, ")


def test_a_deleted_session_does_not_come_back_but_may_be_read_again(home: Path) -> None:
    aj(home, "prune", ID, "--purge", "--yes")
    done = aj(home, "prune", "--undo", ID)
    assert done.returncode == 2
    assert done.stderr.splitlines() == [
        "aj: this session was deleted for good",
        f"    'aj prune --forget {ID}' lets 'aj sync' read it again, while the agent's file exists",
    ]


def test_the_sessions_that_are_named_fit_the_terminal(home: Path) -> None:
    aj(home, "title", ID, "a very long title " * 9)
    lines = on_terminal(home, "prune", ID, "--yes", columns=60, NO_COLOR="1").splitlines()
    assert max(map(len, lines)) <= 60
    assert lines[0].startswith("  5ec4e700  ")
    assert lines[0].endswith("…")
