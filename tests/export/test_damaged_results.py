"""Results that the archive has lost: an export says so, in what it prints and in its files."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from tests.support.journals import aj, aj_json, append, claude_line, flip_a_byte_of_the_archive


@pytest.fixture
def damaged(tmp_path: Path) -> Path:
    """A journal with a call whose long result is damaged in the archive; its file is gone."""
    call = claude_line("assistant", 1, "")
    tool_use = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": "cat big"}}
    call["message"]["content"] = [tool_use]
    result = claude_line("user", 2, "")
    text = os.urandom(4000).hex()
    tool_result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    result["message"]["content"] = [tool_result]
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    append(path, claude_line("user", 0, "read it"), call, result)
    aj(tmp_path, "sync")
    path.unlink()
    aj(tmp_path, "sync")
    flip_a_byte_of_the_archive(tmp_path)
    return tmp_path


@pytest.mark.parametrize("form", ["json", "jsonl", "html", "md"])
def test_every_format_says_it_and_exits_with_1(damaged: Path, form: str) -> None:
    path = damaged / f"talk.{form}"
    done = aj(damaged, "export", "s1", "-o", str(path))
    assert done.returncode == 1
    assert "1 result could not be read: the archive is damaged" in done.stderr
    written = path.read_text()
    if form in ("html", "md"):
        assert "This result is damaged in the archive." in written
    else:
        head = json.JSONDecoder().raw_decode(written)[0]
        assert head["unreadable_results"] == 1


def test_standard_output_and_json_say_it(damaged: Path) -> None:
    done = aj(damaged, "export", "s1", "-f", "json", "-o", "-")
    assert done.returncode == 1
    assert "1 result could not be read" in done.stderr
    assert json.loads(done.stdout)["unreadable_results"] == 1
    answer = aj_json(damaged, "export", "s1", "-f", "json", "-o", str(damaged / "talk.json"))
    assert answer["problems"] == 1


def test_a_whole_session_says_nothing(damaged: Path) -> None:
    flip_a_byte_of_the_archive(damaged)
    done = aj(damaged, "export", "s1", "-f", "json", "-o", "-")
    assert (done.returncode, done.stderr) == (0, "")
    assert "unreadable_results" not in json.loads(done.stdout)
