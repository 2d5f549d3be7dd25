"""Which sessions continue others."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.journals import aj, aj_json, append, claude_line


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
