"""Every --json answer comes in one envelope."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors import NAMES
from tests.support.journals import (
    aj_json,
)

ENVELOPE = {"schema", "kind", "items", "page", "problems"}


@pytest.mark.parametrize(
    ("args", "kind", "count"),
    [
        (["sync"], "sync", 1),
        (["ls"], "sessions", 20),
        (["show", "7cce39d6", "--edits"], "edits", 2),
        (["ls", "-n", "2"], "sessions", 2),
        (["show", "last"], "session", 1),
        (["sources"], "sources", len(NAMES)),
        (["sources", "--files", "--agent", "claude-code"], "sources", 1),
        (["verify"], "verify", 1),
        (["sql", "FROM sessions"], "rows", 22),
        (["usage", "model"], "usage", 6),
        (["stats"], "stats", 1),
        (["doctor"], "doctor", len(NAMES)),
        (["config", "show"], "config", None),
        (["config", "get", "search.max_results"], "config", 1),
    ],
)
def test_every_json_answer_is_one_envelope(
    demo: Path, args: list[str], kind: str, count: int | None
) -> None:
    answer = aj_json(demo, *args)
    assert set(answer) >= ENVELOPE
    assert (answer["schema"], answer["kind"]) == (1, kind)
    assert count is None or len(answer["items"]) == count
    page = answer["page"]
    assert page["state"] == ("complete" if len(answer["items"]) >= page["total"] else "more")


def test_listings_hold_no_conversation_text(demo: Path) -> None:
    item = aj_json(demo, "ls")["items"][0]
    assert "messages" not in item
    assert item["started_at"].endswith("Z")
