"""Calls and results that are joined by ids: an id may come again, and others than results."""

from __future__ import annotations

import json
from typing import Any

import pytest

from agent_journal.connectors import get_connector, jsonl
from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.row_lines import OpenCalls
from agent_journal.model import ToolCall
from agent_journal.store.quotes import text_at
from agent_journal.testing.contents import BytesContent

LONG = "a long result "


def call(message: str, **more: Any) -> ToolCall:
    return ToolCall(session_id="s", id="call_0", message_id=message, **more)


def result(text: str, status: Any = "ok") -> ToolCall:
    return ToolCall(session_id="s", id="call_0", result=text, status=status)


def test_each_call_of_an_id_has_its_own_result() -> None:
    calls = OpenCalls()
    for number in range(3):
        calls.asked(call(f"m{number}"))
        if number < 2:
            calls.answered(result(f"answer {number}", "ok" if number else "error"))
    found = [(each.id, each.message_id, each.result, each.status) for each in calls.all()]
    assert found == [
        ("call_0", "m0", "answer 0", "error"),
        ("call_0@m1", "m1", "answer 1", "ok"),
        ("call_0@m2", "m2", None, "running"),
    ]


def test_an_answer_may_ask_with_one_id_many_times() -> None:
    calls = OpenCalls()
    names = [calls.asked(call("m")).id for _ in range(3000)]
    for number in range(3000):
        calls.answered(result(str(number)))
    assert len(set(names)) == 3000
    assert [each.result for each in calls.all()] == [str(number) for number in range(3000)]


def test_a_result_may_come_first_or_again() -> None:
    calls = OpenCalls()
    calls.answered(result("early"))
    assert calls.asked(call("m", name="bash")).result == "early"
    calls.answered(result("later"))
    (found,) = calls.all()
    assert (found.name, found.result) == ("bash", "later")


def crush(*results: Any) -> tuple[str, Any]:
    return "crush", {"table": "messages", "id": "m1", "role": "tool", "parts": list(results)}


def crush_result(name: str, text: str) -> Any:
    return {"type": "tool_result", "data": {"tool_call_id": name, "content": text}}


def amazon_q(*results: Any) -> tuple[str, Any]:
    content = {"ToolUseResults": {"tool_use_results": list(results)}}
    history = [{"user": {"content": content}, "assistant": {}}]
    return "amazon-q", {"table": "conversations", "key": "/x", "value": {"history": history}}


def amazon_q_result(name: str, *content: Any) -> Any:
    return {"tool_use_id": name, "content": list(content), "status": "Success"}


def qwen(*results: Any) -> tuple[str, Any]:
    message = {"role": "user", "parts": list(results)}
    return "qwen-code", {"type": "tool_result", "sessionId": "s", "message": message}


def qwen_result(name: str, text: str) -> Any:
    return {"functionResponse": {"id": name, "name": "read", "response": {"output": text}}}


@pytest.mark.parametrize(
    ("agent", "row"),
    [
        crush("odd", crush_result("c1", LONG + "1"), 7, crush_result("c2", LONG + "2")),
        amazon_q(
            None,
            amazon_q_result("c1", {"Text": LONG + "1"}),
            "odd",
            amazon_q_result("c2", {"Text": LONG + "2"}),
        ),
        amazon_q(
            amazon_q_result("c1", 5, {"Text": LONG + "1"}),
            amazon_q_result("c2", "Text", {"Text": LONG + "2"}),
        ),
        qwen("odd", qwen_result("c1", LONG + "1"), [], qwen_result("c2", LONG + "2")),
    ],
    ids=["crush", "amazon-q", "amazon-q-parts", "qwen-code"],
)
def test_what_is_no_result_moves_no_other(
    agent: str, row: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jsonl, "QUOTED_FROM", 1)
    data = json.dumps(row).encode() + b"\n"
    role = "log" if agent == "qwen-code" else "session"
    reader = get_connector(agent).reader(FileIdentity("s", "/x/s", role, "s"), None)  # type: ignore[arg-type]
    found = {}
    for piece in reader.read(BytesContent(data)):
        if isinstance(piece, ToolCall):
            found[piece.id] = piece.result
            at = piece.result_at
            if at is not None:
                assert text_at(data[at.offset : at.offset + at.length], at.path) == piece.result
    assert found == {"c1": LONG + "1", "c2": LONG + "2"}
