"""Titles that old versions of Claude Code wrote into the file of another session."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agent_journal.health.verify import verify
from tests.support.journals import aj_json, journal_digest, open_journal, write_claude

SUMMARY = {"type": "summary", "summary": "Fix the old parser", "leafUuid": "s1-u3"}


def sync(home: Path) -> str | None:
    """The title of the session s1 after a sync."""
    with open_journal(home) as journal:
        journal.sync(index=False)
        assert verify(journal.db, journal.archive).differences == []
        rows = journal.db.execute("SELECT title FROM sessions WHERE uid = 's1' AND is_known = 1")
        return next((title for (title,) in rows), None)


def write_titles(home: Path) -> Path:
    path = home / ".claude/projects/-work-app/s0.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(SUMMARY) + "\n")
    return path


@pytest.mark.parametrize("is_title_first", [True, False])
def test_a_title_is_found_in_either_order(tmp_path: Path, is_title_first: bool) -> None:
    if is_title_first:
        write_titles(tmp_path)
        assert sync(tmp_path) is None
    write_claude(tmp_path)
    title = sync(tmp_path)
    if not is_title_first:
        assert title == "user text 0 of s1"
        write_titles(tmp_path)
        title = sync(tmp_path)
    assert title == "Fix the old parser"
    step_by_step = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    sync(tmp_path)
    assert step_by_step == journal_digest(tmp_path)


def test_a_title_goes_with_its_file_and_its_line(tmp_path: Path) -> None:
    titles = write_titles(tmp_path)
    write_claude(tmp_path)
    sync(tmp_path)
    titles.unlink()  # it is kept, and so is the title
    assert sync(tmp_path) == "Fix the old parser"
    titles.write_text(json.dumps({**SUMMARY, "summary": "Mend the parser"}) + "\n")
    assert sync(tmp_path) == "Mend the parser"
    write_claude(tmp_path, count=2, start=4)  # another line is the last one
    assert sync(tmp_path) == "user text 0 of s1"


def test_a_title_of_no_session_can_be_found(tmp_path: Path) -> None:
    write_claude(tmp_path)
    with (tmp_path / ".claude/projects/-work-app/s1.jsonl").open("a") as file:
        file.write(json.dumps({**SUMMARY, "leafUuid": "gone"}) + "\n")
    with open_journal(tmp_path) as journal:
        journal.sync()
    [hit] = aj_json(tmp_path, "search", "old parser")["items"]
    assert (hit["session"], hit["message"]["kind"]) == ("claude-code:s1", "event")
