"""Every --json answer comes in one envelope."""

from __future__ import annotations

import io
import json
import sys
from pathlib import Path

import pytest

from agent_journal.answers.answer import whole_answer
from agent_journal.cli.output import print_json
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


def test_a_long_answer_has_the_same_bytes_as_a_short_one(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = "".join(map(chr, range(0x300))) + "\u2028\ufeff\uffff\U0001f600"
    item = {"text": letters, "number": 2**63 - 1, "flag": True, "none": None, "list": [{"a": -1}]}
    for text in ("plain", "a path that is not Unicode: \udce4"):
        answer = whole_answer("blame", [item, {"path": text}])
        printed = []
        for is_long in (False, True):
            data = io.BytesIO()
            stdout = io.TextIOWrapper(data, "utf-8", errors="replace", newline="\n")
            monkeypatch.setattr(sys, "stdout", stdout)
            print_json(answer, is_long=is_long)
            stdout.flush()
            printed.append(data.getvalue())
        monkeypatch.undo()
        assert printed[0] == printed[1]
        assert json.loads(printed[1])["items"][0] == item
