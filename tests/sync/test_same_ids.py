"""Two records with one id that say different things: both are kept, and both can be found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.journals import aj, aj_json, append, claude_line, open_journal, texts

_UUID = "0f0f0f0f-0000-4000-8000-000000000001"


def user_line(uuid: str, text: str) -> dict[str, Any]:
    return {**claude_line("user", 0, text), "uuid": uuid}


def answer_line(uuid: str, *blocks: dict[str, Any]) -> dict[str, Any]:
    line = claude_line("assistant", 1, "")
    line["uuid"] = uuid
    line["message"]["content"] = list(blocks)
    return line


def transcript(home: Path) -> Path:
    return home / ".claude/projects/-work-app/s1.jsonl"


def ledger(home: Path) -> dict[tuple[str, str], int]:
    query = "SELECT status, kind, sum(count) FROM ledger WHERE count > 0 GROUP BY 1, 2"
    with open_journal(home) as journal:
        return {(status, kind): count for status, kind, count in journal.db.execute(query)}


@pytest.mark.parametrize("uuid", [_UUID, "u1"])
@pytest.mark.parametrize("is_in_parts", [False, True])
def test_both_prompts_are_messages(tmp_path: Path, uuid: str, is_in_parts: bool) -> None:
    for text in ("the quick walrus", "the slow ocelot", "the slow ocelot"):
        append(transcript(tmp_path), user_line(uuid, text))
        if is_in_parts:
            assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "sync").returncode == 0
    assert texts(tmp_path) == ["the quick walrus", "the slow ocelot"]
    assert ledger(tmp_path) == {("mapped", "user"): 2, ("skipped", "user"): 1}
    shown = aj(tmp_path, "show", "s1").stdout
    exported = aj(tmp_path, "export", "s1", "-f", "json", "-o", "-").stdout
    for word in ("walrus", "ocelot"):
        assert word in shown
        assert word in exported
        assert aj_json(tmp_path, "search", word)["items"]
    assert aj(tmp_path, "verify").returncode == 0


def test_what_was_written_twice_is_one_message(tmp_path: Path) -> None:
    again = {**user_line(_UUID, "hello"), "version": "2.1.999", "cwd": "/elsewhere"}
    append(transcript(tmp_path), user_line(_UUID, "hello"), again)
    assert aj(tmp_path, "sync").returncode == 0
    assert texts(tmp_path) == ["hello"]


def test_the_blocks_of_an_answer_stay_together(tmp_path: Path) -> None:
    first = answer_line("a1", {"type": "text", "text": "First."})
    second = answer_line("a2", {"type": "text", "text": "Second."})
    other = answer_line("a1", {"type": "text", "text": "Something else."})
    append(transcript(tmp_path), user_line("u1", "hi"), first, second, first, other)
    assert aj(tmp_path, "sync").returncode == 0
    assert texts(tmp_path) == ["hi", "First.\n\nSecond.", "Something else."]


def test_two_calls_with_one_id_are_two_calls(tmp_path: Path) -> None:
    calls = [
        {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": command}}
        for command in ("make one", "make two")
    ]
    append(transcript(tmp_path), user_line("u1", "hi"))
    append(transcript(tmp_path), *(answer_line("a1", call) for call in calls))
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        messages = journal.session("s1").messages
    found = [call.arguments for message in messages for call in message.tool_calls]
    assert [json.loads(text or "")["command"] for text in found] == ["make one", "make two"]


def test_events_of_copilot_with_one_id_are_both_kept(tmp_path: Path) -> None:
    start = {"sessionId": "c1", "version": 1, "copilotVersion": "1.0.0"}
    lines: list[dict[str, Any]] = [{"type": "session.start", "data": start, "id": "e0"}]
    for text in ("the quick walrus", "the slow ocelot"):
        lines.append({"type": "user.message", "data": {"content": text}, "id": "e1"})
    for text in ("one answer", "another answer"):
        data = {"messageId": "m1", "content": text}
        lines.append({"type": "assistant.message", "data": data, "id": "e2"})
    stamped = [{**line, "timestamp": "2026-11-02T09:00:00.000Z"} for line in lines]
    append(tmp_path / ".copilot/session-state/c1/events.jsonl", *stamped)
    assert aj(tmp_path, "sync").returncode == 0
    assert texts(tmp_path, "c1") == [
        "the quick walrus",
        "the slow ocelot",
        "one answer",
        "another answer",
    ]
    assert aj(tmp_path, "verify").returncode == 0
