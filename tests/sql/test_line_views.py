"""The lines that edits wrote and the commits that tools made, as tables."""

from __future__ import annotations

from pathlib import Path

from tests.support.journals import open_journal
from tests.support.repositories import ClaudeSession


def test_written_lines_and_session_commits(tmp_path: Path) -> None:
    session = ClaudeSession(tmp_path, "s1", "/work/app")
    session.prompt("write")
    session.edit("a.py", "old = 1\n", "new = 2\n++ plus\n")
    session.run("git commit -am x", "[main (root-commit) 1a2b3c4] Add [it]\n 1 file changed")
    session.run("echo", "[main 5d6e7f8] of no commit")
    with open_journal(tmp_path) as journal:
        journal.sync()
        lines = journal.database().ask("SELECT path, line, text FROM written_lines ORDER BY line")
        commits = journal.database().ask("SELECT session_id, sha, subject FROM session_commits")
        assert lines.rows == [("/work/app/a.py", 3, "new = 2"), ("/work/app/a.py", 4, "++ plus")]
        assert commits.rows == [("s1", "1a2b3c4", "Add [it]")]
