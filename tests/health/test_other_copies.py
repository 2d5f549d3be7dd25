"""Copies of a session that went on differently: sync and doctor say what is not shown."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from tests.support.aider_histories import RUN, history
from tests.support.journals import aj, aj_json, append, claude_line, texts, write_claude

_FIRST = RUN + "#### first  \n\nDone.\n\n"
_SECOND = _FIRST.replace("09:15", "10:15").replace("first", "second")


def copies(home: Path) -> list[dict[str, Any]]:
    items = aj_json(home, "doctor", cwd=home)["items"]
    return [copy for item in items for copy in item["other_copies"]]


def write_two(home: Path, more_here: int, more_there: int) -> tuple[Path, Path]:
    """Two transcripts of one session, each with messages of its own after the first four."""
    here = write_claude(home)
    there = home / ".claude/projects/-work-moved/s1.jsonl"
    there.parent.mkdir()
    shutil.copy(here, there)
    for number in range(more_here):
        append(here, claude_line("user", 100 + number, f"here {number}", "s1"))
    for number in range(more_there):
        append(there, claude_line("user", 200 + number, f"there {number}", "s1"))
    return here, there


def test_sync_and_doctor_name_a_copy_that_went_on_differently(tmp_path: Path) -> None:
    here, there = write_two(tmp_path, 3, 2)
    done = aj(tmp_path, "sync")
    assert "1 kept file with messages of a session that are not shown" in done.stderr
    (copy,) = copies(tmp_path)
    assert (copy["path"], copy["other_path"]) == (str(here), str(there))
    assert (copy["session"], copy["messages"]) == ("s1", 2)
    said = aj(tmp_path, "doctor").stdout
    assert "· 1 kept file with messages of a session that are not shown" in said
    assert "kept, with 2 other messages: ~/.claude/projects/-work-moved/s1.jsonl" in said


def test_what_doctor_advises_shows_the_other_messages(tmp_path: Path) -> None:
    write_two(tmp_path, 3, 2)
    aj(tmp_path, "sync")
    aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "back"))
    (other,) = (tmp_path / "back").rglob("-work-moved/s1.jsonl")
    new = tmp_path / "new"
    assert aj(new, "import", str(other)).returncode == 0
    assert texts(new)[-2:] == ["there 0", "there 1"]


def test_a_copy_that_has_nothing_more_is_not_named(tmp_path: Path) -> None:
    write_two(tmp_path, 3, 0)
    done = aj(tmp_path, "sync")
    assert "not shown" not in done.stderr
    assert copies(tmp_path) == []


def test_a_copy_that_was_caught_up_with_is_not_named(tmp_path: Path) -> None:
    here, _ = write_two(tmp_path, 3, 2)
    aj(tmp_path, "sync")
    for number in range(2):
        append(here, claude_line("user", 200 + number, f"there {number}", "s1"))
    aj(tmp_path, "sync")
    assert copies(tmp_path) == []


def test_an_export_with_more_than_the_file_of_the_agent_is_named(tmp_path: Path) -> None:
    write_two(tmp_path, 0, 0)
    other = tmp_path / "other"
    write_claude(other, count=8)
    aj(other, "sync")
    export = tmp_path / "export.json"
    aj(other, "export", "s1", "-f", "json", "-o", str(export))
    aj(tmp_path, "sync")
    aj(tmp_path, "import", str(export))
    (copy,) = copies(tmp_path)
    assert (copy["other_path"], copy["messages"]) == (str(export), 4)


def test_a_run_that_two_histories_have_differently_is_named(tmp_path: Path) -> None:
    first = history(tmp_path / "a/app", _FIRST)
    second = history(tmp_path / "b/app", _FIRST.replace("Done.", "Over.") + _SECOND)
    aj(tmp_path, "sync", cwd=first.parent)
    aj(tmp_path, "sync", cwd=second.parent)
    (copy,) = copies(tmp_path)
    assert (copy["path"], copy["other_path"]) == (str(first), str(second))
    assert (copy["title"], copy["messages"]) == ("first", 1)
