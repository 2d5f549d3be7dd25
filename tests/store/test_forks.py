"""Which sessions continue others."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.journals import aj, aj_json, append, claude_line

_BEGAN = "created_at: 2026-11-02T09:00:00.000Z"


def test_sessions_of_two_agents_are_never_forks_of_each_other(tmp_path: Path) -> None:
    """Ids of messages can be as short as `m1`."""
    line = claude_line("user", 0, "hello") | {"uuid": "m1"}
    append(tmp_path / ".claude/projects/-work-app/s1.jsonl", line)
    message = {"id": "m1", "timestamp": "2026-11-20T10:00:00Z", "type": "user", "content": "hi"}
    document = {"sessionId": "g1", "projectHash": "0", "messages": [message]}
    path = tmp_path / ".gemini/tmp/app/chats/session-2026-11-20T10-00-g1.json"
    path.parent.mkdir(parents=True)
    path.write_text(json.dumps(document))
    aj(tmp_path, "sync", "--no-index")
    sessions = aj_json(tmp_path, "ls")["items"]
    assert [session["fork_of"] for session in sessions] == [None, None]


def _events(home: Path, session: str, *events: dict[str, object]) -> None:
    append(home / f".copilot/session-state/{session}/events.jsonl", *events)


def _workspace(home: Path, session: str, *lines: str) -> None:
    text = "\n".join((f"id: {session}", *lines, ""))
    (home / f".copilot/session-state/{session}/workspace.yaml").write_text(text)


def _begins_earlier(home: Path) -> None:
    data = {"sessionId": "b", "startTime": "2026-11-02T08:00:00.000Z"}
    _events(home, "b", {"type": "session.start", "id": "e2", "data": data})


def _ends_earlier(home: Path) -> None:
    _workspace(home, "b", _BEGAN)
    aj(home, "sync", "--no-index")
    _workspace(home, "b", _BEGAN, "updated_at: 2026-11-02T09:10:00.000Z")


@pytest.mark.parametrize("become_origin", [_begins_earlier, _ends_earlier])
def test_of_two_that_begin_alike_the_earlier_is_found_without_new_messages(
    tmp_path: Path, become_origin: Callable[[Path], None]
) -> None:
    for session in ("a", "b"):
        _events(tmp_path, session, {"type": "user.message", "id": "e1", "data": {"content": "hi"}})
    _workspace(tmp_path, "a", _BEGAN, "updated_at: 2026-11-02T09:30:00.000Z")
    aj(tmp_path, "sync", "--no-index")
    become_origin(tmp_path)
    aj(tmp_path, "sync", "--no-index")
    assert _origins(tmp_path) == {"a": "b", "b": None}
    verified = aj(tmp_path, "verify")
    assert verified.returncode == 0, verified.stdout


def test_a_session_that_no_file_has_any_more_is_not_the_earlier_one(tmp_path: Path) -> None:
    """Its log has no first line, which names the session, and later takes back all messages."""
    chats = tmp_path / ".gemini/tmp/app/chats"
    began = {"id": "g1", "type": "gemini", "content": "hi"}
    gone = chats / "session-2026-11-20T09-00-a.jsonl"
    append(gone, began | {"timestamp": "2026-11-20T09:00:00Z"})
    append(
        chats / "session-2026-11-20T10-00-b.jsonl",
        {"sessionId": "b", "startTime": "2026-11-20T10:00:00Z"},
        began | {"timestamp": "2026-11-20T10:00:00Z"},
    )
    aj(tmp_path, "sync", "--no-index")
    assert _origins(tmp_path) == {gone.stem: None, "b": gone.stem}
    append(gone, {"$rewindTo": "g0"})
    aj(tmp_path, "sync", "--no-index")
    assert _origins(tmp_path) == {"b": None}
    verified = aj(tmp_path, "verify")
    assert verified.returncode == 0, verified.stdout


def _origins(home: Path) -> dict[str, str | None]:
    return {session["id"]: session["fork_of"] for session in aj_json(home, "ls")["items"]}
