"""Sessions that an Aider history no longer has: they are read from an earlier version of it."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

import pytest

from tests.support.aider_histories import CHAT, RUN, history
from tests.support.journals import aj, aj_json, journal_digest

_FIRST = RUN + "#### first  \n\nDone with first.\n\n> Tokens: 1k sent, 10 received.\n\n"


def run(hour: int, word: str) -> str:
    return _FIRST.replace("09:15", f"{hour:02}:15").replace("first", word)


_SECOND = run(10, "second")
_THIRD = run(11, "third")


def written(home: Path, *texts: str) -> Path:
    """Sync a history as often as it is written: each time in place of what was there."""
    folder = home / "proj"
    for text in texts:
        history(folder, text)
        done = aj(home, "sync", cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder / CHAT


def titles(home: Path) -> list[str]:
    return sorted(item["title"] for item in aj_json(home, "ls", "--all")["items"])


def ids(home: Path) -> dict[str, str]:
    return {item["title"]: item["id"] for item in aj_json(home, "ls", "--all")["items"]}


def assert_sound(home: Path) -> None:
    """Verify has nothing to say, and a catalog made from the archive says the same."""
    found = aj(home, "verify")
    assert found.returncode == 0, found.stdout
    before = journal_digest(home)
    assert aj(home, "sync", "--rebuild", cwd=home).returncode == 0
    assert journal_digest(home) == before
    assert aj(home, "verify").returncode == 0


def test_sessions_stay_when_a_history_is_begun_again(tmp_path: Path) -> None:
    written(tmp_path, _FIRST + _SECOND, _THIRD)
    assert titles(tmp_path) == ["first", "second", "third"]
    found = aj_json(tmp_path, "search", "--no-sync", "--mode", "lexical", "second")["items"]
    assert len(found) >= 1
    assert aj_json(tmp_path, "usage")["totals"]["requests"] == 3
    assert_sound(tmp_path)


def test_sessions_stay_when_the_beginning_of_a_history_is_cut_off(tmp_path: Path) -> None:
    """The ids of what is left are other ones then; each session is listed once."""
    written(tmp_path, _FIRST + _SECOND + _THIRD, _SECOND + _THIRD)
    assert titles(tmp_path) == ["first", "second", "third"]
    assert_sound(tmp_path)


def test_sessions_stay_when_the_end_of_a_history_is_cut_off(tmp_path: Path) -> None:
    live = written(tmp_path, _FIRST + _SECOND, _FIRST)
    assert titles(tmp_path) == ["first", "second"]
    with live.open("a") as file:
        file.write(_THIRD)
    aj(tmp_path, "sync", cwd=live.parent)
    assert titles(tmp_path) == ["first", "second", "third"]
    assert_sound(tmp_path)


def test_a_session_that_comes_back_is_there_once(tmp_path: Path) -> None:
    live = written(tmp_path, _FIRST + _SECOND, _FIRST)
    with live.open("a") as file:
        file.write(_SECOND)
    aj(tmp_path, "sync", cwd=live.parent)
    assert titles(tmp_path) == ["first", "second"]
    shown = aj(tmp_path, "show", ids(tmp_path)["second"]).stdout
    assert shown.count("Done with second") == 1
    assert "earlier version" not in shown
    assert_sound(tmp_path)


def test_sessions_of_several_earlier_versions_stay(tmp_path: Path) -> None:
    fourth = run(12, "fourth")
    written(tmp_path, _FIRST, _SECOND, _THIRD, _SECOND + fourth)
    assert titles(tmp_path) == ["first", "fourth", "second", "third"]
    assert_sound(tmp_path)


def test_the_newest_version_of_a_session_is_shown(tmp_path: Path) -> None:
    written(tmp_path, _FIRST + _SECOND, (_FIRST + _SECOND).replace("Done", "Over"))
    assert titles(tmp_path) == ["first", "second"]
    shown = aj(tmp_path, "show", ids(tmp_path)["second"]).stdout
    assert ("Over with second" in shown, "Done with second" in shown) == (True, False)
    assert_sound(tmp_path)


def test_the_bytes_of_such_a_session_are_given_back(tmp_path: Path) -> None:
    written(tmp_path, _FIRST + _SECOND + _THIRD, _THIRD + run(12, "fourth"))
    known = ids(tmp_path)
    for title, text in (("first", _FIRST), ("second", _SECOND), ("fourth", run(12, "fourth"))):
        raw = aj(tmp_path, "show", known[title], "--raw").stdout
        assert raw.strip() == text.strip()
    folder = tmp_path / "restored"
    assert aj(tmp_path, "restore", known["second"], "-o", str(folder)).returncode == 0
    (restored,) = [path for path in folder.rglob("*") if path.is_file()]
    assert restored.name == f"{CHAT}.v1"
    assert restored.read_text() == _FIRST + _SECOND + _THIRD
    shown = aj(tmp_path, "show", known["second"]).stdout
    assert "kept here, in an earlier version of the file" in shown
    page = tmp_path / "second.json"
    aj(tmp_path, "export", known["second"], "-f", "json", "-o", str(page))
    assert "Done with second" in page.read_text()
    other = aj(tmp_path, "show", known["second"], "--version", "2").stderr
    assert "only version 1 of its file has this session" in other


def test_sync_and_doctor_do_not_call_them_missing(tmp_path: Path) -> None:
    live = written(tmp_path, _FIRST + _SECOND)
    history(live.parent, _THIRD)
    report: dict[str, Any] = aj_json(tmp_path, "sync", cwd=tmp_path)["items"][0]
    assert (report["sessions"], report["new_sessions"], report["left_sessions"]) == (3, 1, 0)
    items = aj_json(tmp_path, "doctor", cwd=tmp_path)["items"]
    assert [item["earlier"] for item in items if item["earlier"]] == []


def test_an_append_does_not_read_earlier_versions(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    live = written(tmp_path, _FIRST + _SECOND, _THIRD)
    with live.open("a") as file:
        file.write(run(12, "fourth"))
    from agent_journal.sync import earlier_versions
    from tests.support.journals import open_journal

    def fail(*_: object) -> None:
        raise AssertionError("an earlier version is read")

    monkeypatch.setattr(earlier_versions.EarlierVersions, "_pieces", fail)
    monkeypatch.chdir(live.parent)
    with open_journal(tmp_path) as journal:
        assert journal.sync().changed_files == 1
    assert titles(tmp_path) == ["first", "fourth", "second", "third"]


def test_a_session_that_another_folder_has_is_read_from_there(tmp_path: Path) -> None:
    """Whichever of the two is read first."""
    live = written(tmp_path, _FIRST + _SECOND)
    backup = tmp_path / "backup/proj"
    shutil.copytree(live.parent, backup)
    history(live.parent, _THIRD)
    for folder in (live.parent, backup):
        aj(tmp_path, "sync", cwd=folder)
    assert titles(tmp_path) == ["first", "second", "third"]
    shown = aj(tmp_path, "show", ids(tmp_path)["second"]).stdout
    assert (shown.count("Done with second"), "earlier version" in shown) == (1, False)
    assert_sound(tmp_path)
    history(backup, _THIRD.replace("third", "other"))
    aj(tmp_path, "sync", cwd=backup)
    assert titles(tmp_path) == ["first", "other", "second", "third"]
    assert_sound(tmp_path)


def test_a_version_that_is_no_history_stops_nothing(tmp_path: Path) -> None:
    """As when an editor saved it in another encoding, or another file was copied over it."""
    folder = tmp_path / "proj"
    history(folder, "no history")
    (folder / CHAT).write_bytes(_FIRST.encode("utf-16"))
    assert aj(tmp_path, "sync", cwd=folder).returncode == 0
    written(tmp_path, _FIRST)
    assert titles(tmp_path) == ["first"]
    assert_sound(tmp_path)
