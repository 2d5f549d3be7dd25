"""What `FILE[:LINES]` means."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.cli.blame_request import split_range
from agent_journal.errors import UsageError
from agent_journal.provenance.blame import Range


def test_a_file_and_its_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py:3").write_text("the name of a file\n")
    assert split_range("a.py") == ("a.py", None)
    assert split_range("b.py:3") == ("b.py", Range(3, 3))
    assert split_range("b.py:3-14") == ("b.py", Range(3, 14))
    assert split_range("a.py:3") == ("a.py:3", None)
    assert split_range("a.py:3:1") == ("a.py:3", Range(1, 1))


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "no file is named"),
        ("a.py:0", "lines are counted from 1"),
        ("a.py:0-4", "lines are counted from 1"),
        ("a.py:5-4", "line 4 is before line 5"),
        ("a.py:3-", "'3-' is not a range of lines"),
        ("a.py:-3", "'-3' is not a range of lines"),
        ("a.py:1,3", "'1,3' is not a range of lines"),
        ("a.py:", "'' is not a range of lines"),
        ("a.py:\N{ARABIC-INDIC DIGIT THREE}", "'\N{ARABIC-INDIC DIGIT THREE}' is not a range of"),
        ("a.py:" + "9" * 5_000, "is not a range of lines"),
    ],
)
def test_what_are_no_lines(
    text: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("a.py").write_text("some text\n")
    with pytest.raises(UsageError) as raised:
        split_range(text)
    assert message in str(raised.value)
