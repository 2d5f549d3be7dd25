"""What Codex CLI accepts as a session of its own."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_journal.convert.target import NewFile
from agent_journal.convert.writing import write_session
from agent_journal.model import Attachment
from tests.support.converting import convert, fresh
from tests.support.target_sessions import answer, back, call, lines, message, session


def _items(found: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [line["payload"] for line in found if line["type"] == "response_item"]


def test_the_head_names_no_model_and_says_where_it_comes_from() -> None:
    (head, *rest) = lines("codex", session(message(0), answer(1), agent="gemini", id="g1"))
    assert head["payload"]["converted"] == {
        "by": "agent-journal test",
        "agent": "gemini",
        "session": "g1",
    }
    assert "model_provider" not in head["payload"]
    assert {line["type"] for line in rest} == {"response_item", "event_msg"}


def test_prompts_and_answers_are_written_for_the_model_and_for_the_person() -> None:
    found = lines("codex", session(message(0, text="hi"), answer(1, text="hello")))
    payloads = [line["payload"] for line in found[1:]]
    assert [payload["type"] for payload in payloads] == [
        "message",
        "user_message",
        "agent_message",
        "message",
    ]


def test_a_patch_is_the_input_of_a_custom_tool() -> None:
    patch = "*** Begin Patch\n*** End Patch"
    talk = session(message(0), answer(1, call("apply_patch", arguments=patch), call(id="c2")))
    calls = [item for item in _items(lines("codex", talk)) if "call_id" in item]
    assert [item["type"] for item in calls] == [
        "custom_tool_call",
        "custom_tool_call_output",
        "function_call",
        "function_call_output",
    ]
    assert calls[0]["input"] == patch


def test_names_and_ids_of_calls_are_such_as_the_api_takes() -> None:
    odd = call("search.query<|x|>", id="i" * 65)
    long = call("mcp__" + "t" * 70, id="c#2")
    calls = _items(lines("codex", session(message(0), answer(1, odd, long))))[1:]
    made = [item for item in calls if item["type"] == "function_call"]
    assert [item["name"] for item in made] == ["search_query__x__", "mcp__" + "t" * 59]
    assert len(made[0]["call_id"]) <= 64
    assert made[1]["call_id"] == "c#2"


def test_attachments_are_named_before_the_prompt(tmp_path: Path) -> None:
    picture = Attachment(kind="image", name="a.png", mime_type="image/png")
    (found,) = back("codex", tmp_path, session(message(0, attachments=(picture,)), answer(1)))
    assert [(m.kind, m.text) for m in found.messages[:2]] == [
        ("injected", "Attached image: a.png, image/png; its content is not here"),
        ("prompt", "prompt 0"),
    ]


def test_the_name_is_added_to_an_index_that_other_sessions_share(tmp_path: Path) -> None:
    index = tmp_path / "session_index.jsonl"
    index.write_text('{"id":"x","thread_name":"Other","updated_at":"2026-01-01"}')
    made = convert("codex", [session(message(0), answer(1), title="Mine")])
    write_session(str(tmp_path), made.files, force=False)
    first, second = (json.loads(line) for line in index.read_text().splitlines())
    assert (first["thread_name"], second["thread_name"]) == ("Other", "Mine")
    assert second["id"] == fresh("s").session_id


def test_a_new_shared_file_is_private(tmp_path: Path) -> None:
    write_session(str(tmp_path), [NewFile("a.jsonl", b"{}\n", is_appended=True)], force=False)
    assert (tmp_path / "a.jsonl").stat().st_mode & 0o777 == 0o600
