"""`aj resume` of sessions that are rows of a database: it has no file that could be put back."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from tests.support.journals import aj, variables
from tests.support.paths import CASES
from tests.support.row_databases import rows_in, write_rows

SESSIONS = [
    ("opencode", "opencode/conversation", ".local/share/opencode/opencode.db", "ses_01main"),
    ("goose", "goose/conversation", ".local/share/goose/sessions/sessions.db", "20261106_1"),
]


def synced(home: Path, case: str, place: str, session: str) -> str:
    """A synced database whose sessions are of a folder that exists; what a start would print."""
    database = home / place
    database.parent.mkdir(parents=True)
    write_rows(database, rows_in(CASES / case / "home" / Path(place).parent))
    assert aj(home, "sync", "--no-index").returncode == 0
    return session


@pytest.mark.parametrize(("agent", "case", "place", "session"), SESSIONS)
def test_a_session_in_the_database_is_resumed(
    agent: str, case: str, place: str, session: str, tmp_path: Path
) -> None:
    synced(tmp_path, case, place, session)
    (tmp_path / "bin").mkdir()
    program = tmp_path / "bin" / agent
    program.write_text('#!/bin/sh\necho "$@" > "$HOME/ran"\n')
    program.chmod(0o755)
    path = f"{tmp_path}/bin:{variables(tmp_path)['PATH']}"
    before = sorted((tmp_path / place).parent.iterdir())
    folder = ("--in", str(tmp_path))
    printed = aj(tmp_path, "resume", f"{agent}:{session}", "--print", *folder)
    assert (printed.returncode, printed.stderr) == (0, "")
    done = aj(tmp_path, "resume", f"{agent}:{session}", *folder, env={"PATH": path})
    assert done.returncode == 0
    assert "restore" not in done.stderr
    assert session in (tmp_path / "ran").read_text()
    assert sorted((tmp_path / place).parent.iterdir()) == before


@pytest.mark.parametrize("is_whole", [True, False])
@pytest.mark.parametrize(("agent", "case", "place", "session"), SESSIONS)
def test_what_is_gone_from_the_database_is_not_put_beside_it(
    agent: str, case: str, place: str, session: str, is_whole: bool, tmp_path: Path
) -> None:
    synced(tmp_path, case, place, session)
    database = tmp_path / place
    if is_whole:
        database.unlink()
    else:
        name = "session" if agent == "opencode" else "sessions"
        with closing(sqlite3.connect(database)) as db, db:
            db.execute(f"DELETE FROM {name} WHERE id = ?", (session,))
        assert aj(tmp_path, "sync", "--no-index").returncode == 0
    for option in ("--print", "--yes"):
        done = aj(tmp_path, "resume", f"{agent}:{session}", option, "--in", str(tmp_path))
        assert done.returncode == 2
        assert "is no longer in its database" in done.stderr
        assert "--with claude-code' resumes it in another agent" in done.stderr
    assert not list(tmp_path.rglob("*#rows-*"))
