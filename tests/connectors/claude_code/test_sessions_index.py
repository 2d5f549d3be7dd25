"""The list of sessions that Claude Code keeps: an odd entry costs no other its title."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.journals import aj, aj_json, write_claude

_ODD = (
    5,
    None,
    "text",
    [],
    {"sessionId": 7},
    {"sessionId": "s9", "summary": ["a", "list"]},
    {"sessionId": "s9", "isSidechain": "perhaps"},
)


def test_odd_entries_cost_no_other(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    good = {"sessionId": "s1", "customTitle": "The title"}
    index = {"version": 1, "entries": [*_ODD, good, *_ODD]}
    (path.parent / "sessions-index.json").write_text(json.dumps(index))
    done = aj(tmp_path, "sync", "--no-index")
    assert "problem" in done.stderr
    assert aj_json(tmp_path, "ls")["items"][0]["title"] == "The title"
