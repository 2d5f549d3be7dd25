"""Sessions that an Aider history no longer has: an earlier version has them, and aj says so."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tests.support.aider_histories import RUN, history
from tests.support.journals import aj, aj_json

_FIRST = RUN + "#### first  \n\nDone.\n\n"
_SECOND = _FIRST.replace("09:15", "10:15").replace("first", "second")
_THIRD = _FIRST.replace("09:15", "11:15").replace("first", "third")


def begun_again(home: Path, text: str) -> None:
    """Sync a history with two sessions, and write another one in its place."""
    live = history(home / "proj", _FIRST + _SECOND)
    assert aj(home, "sync", cwd=live.parent).returncode == 0
    history(live.parent, text)


def synced(home: Path) -> dict[str, Any]:
    item: dict[str, Any] = aj_json(home, "sync", cwd=home)["items"][0]
    return item


def earlier_titles(home: Path) -> list[str]:
    items = aj_json(home, "doctor", cwd=home)["items"]
    return [session["title"] for item in items for session in item["earlier"]]


def test_sync_counts_sessions_that_came_and_those_that_left(tmp_path: Path) -> None:
    begun_again(tmp_path, _THIRD)
    report = synced(tmp_path)
    assert (report["sessions"], report["new_sessions"], report["left_sessions"]) == (1, 1, 2)


def test_sync_says_where_sessions_are_that_left(tmp_path: Path) -> None:
    begun_again(tmp_path, _SECOND)
    said = aj(tmp_path, "sync", cwd=tmp_path).stderr
    assert "1 session is only in an earlier version of its file" in said
    assert "aj restore --all --all-versions" in said


def test_a_history_that_is_written_again_as_it_was_has_lost_nothing(tmp_path: Path) -> None:
    begun_again(tmp_path, (_FIRST + _SECOND).replace("Done.", "Over."))
    report = synced(tmp_path)
    assert (report["rewritten_files"], report["new_sessions"], report["left_sessions"]) == (1, 0, 0)


def test_doctor_names_sessions_that_only_an_earlier_version_has(tmp_path: Path) -> None:
    begun_again(tmp_path, _SECOND + _THIRD)
    synced(tmp_path)
    assert earlier_titles(tmp_path) == ["first"]
    said = aj(tmp_path, "doctor", cwd=tmp_path).stdout
    assert "  1 session that only an earlier version of a file has" in said
    assert "no action needed; 1 session that only an earlier version of a file has" in said
    folder = tmp_path / "restored"
    aj(tmp_path, "restore", "--all", "--all-versions", "-o", str(folder))
    restored = [path.read_text() for path in folder.rglob("*") if path.is_file()]
    assert any("#### first" in text for text in restored)


def test_doctor_says_nothing_of_sessions_that_are_still_there(tmp_path: Path) -> None:
    begun_again(tmp_path, (_FIRST + _SECOND).replace("Done.", "Over."))
    synced(tmp_path)
    assert earlier_titles(tmp_path) == []
