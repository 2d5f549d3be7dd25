"""What Copilot CLI and the APIs behind it demand of a converted session."""

from __future__ import annotations

import json
from pathlib import Path

from agent_journal.model import Attachment
from tests.support.converting import convert
from tests.support.target_sessions import answer, back, call, lines, message, session

TARGET = "copilot-cli"


def _of(kind: str, found: list[dict[str, object]]) -> list[dict[str, object]]:
    return [line["data"] for line in found if line["type"] == kind]  # type: ignore[misc]


def test_a_title_with_odd_letters(tmp_path: Path) -> None:
    title = "🧠 plan \u2028 é \x9f"
    talk = session(message(0), answer(1), title=title)
    (found,) = back(TARGET, tmp_path, talk)
    assert (found.title or "").startswith("🧠 plan")
    (workspace,) = [f for f in convert(TARGET, [talk]).files if f.path.endswith(".yaml")]
    assert "🧠" in workspace.content.decode()


def test_arguments_that_are_text_are_those_of_a_custom_tool(tmp_path: Path) -> None:
    talk = session(
        message(0), answer(1, call("apply_patch", arguments="*** Begin Patch"), call(id="c2"))
    )
    (data,) = _of("assistant.message", lines(TARGET, talk))
    assert [request["type"] for request in data["toolRequests"]] == ["custom", "function"]
    (found,) = back(TARGET, tmp_path, talk)
    assert json.loads(found.messages[1].tool_calls[0].arguments or "") == "*** Begin Patch"


def test_arguments_of_a_function_are_an_object() -> None:
    given = ("[1]", "null", '{"a":1}')
    calls = [call(id=f"c{number}", arguments=text) for number, text in enumerate(given)]
    (data,) = _of("assistant.message", lines(TARGET, session(message(0), answer(1, *calls))))
    written = [request.get("arguments") for request in data["toolRequests"]]
    assert written == [{"input": [1]}, None, {"a": 1}]


def test_ids_in_letters_that_the_api_allows() -> None:
    talk = session(message(0), answer(1, call(id="line-1/0"), call(id="w" * 41), call(id="ok_1")))
    (data,) = _of("assistant.message", lines(TARGET, talk))
    ids = [request["toolCallId"] for request in data["toolRequests"]]
    assert ids[2] == "ok_1"
    assert "line-1/0" not in ids
    assert max(map(len, ids)) <= 40


def test_names_of_tools_in_letters_that_the_api_allows() -> None:
    talk = session(message(0), answer(1, call("shell<|channel|>"), call("view", id="c2")))
    (data,) = _of("assistant.message", lines(TARGET, talk))
    names = [request["name"] for request in data["toolRequests"]]
    assert names == ["shell__channel__", "view"]
    assert [data["toolName"] for data in _of("tool.execution_start", lines(TARGET, talk))] == names


def test_reasoning_alone_is_part_of_the_next_answer(tmp_path: Path) -> None:
    talk = session(
        message(0),
        answer(1, text="", reasoning="first"),
        answer(2, text="", reasoning="second"),
        answer(3, reasoning="third", text="done"),
        message(4),
        answer(5, text="", reasoning="never said"),
    )
    (found,) = back(TARGET, tmp_path, talk)
    reasons = [m.reasoning for m in found.messages if m.kind == "answer"]
    assert reasons == ["first\n\nsecond\n\nthird"]
    report = {
        (loss.fate, loss.why): loss.count
        for loss in convert(TARGET, [talk]).losses.entries()
        if loss.field == "messages.reasoning"
    }
    assert report == {
        ("mapped", ""): 1,
        ("adapted", "an answer that is only reasoning is part of the next one"): 2,
        ("dropped", "no answer follows that it could be part of"): 1,
    }


def test_no_user_message_is_empty_and_the_first_message_is_the_users(tmp_path: Path) -> None:
    picture = Attachment(kind="image", name="a.png", mime_type="image/png")
    talk = session(
        message(0, "notice", "system"), answer(1), message(2, text="", attachments=(picture,))
    )
    found = lines(TARGET, talk)
    texts = [data["content"] for data in _of("user.message", found)]
    assert texts == ["[This conversation begins with the agent.]", "[attached: a.png]"]
    back(TARGET, tmp_path, talk)


def test_a_file_that_is_gone_is_not_named_by_its_path(tmp_path: Path) -> None:
    there = tmp_path / "there.py"
    there.write_text("x")
    files = (
        Attachment(kind="file", path=str(there)),
        Attachment(kind="file", path="/gone.py", name="gone.py"),
    )
    (data,) = _of("user.message", lines(TARGET, session(message(0, attachments=files), answer(1))))
    assert [attached.get("path") for attached in data["attachments"]] == [str(there), None]
    assert data["attachments"][1]["displayName"] == "gone.py"


def test_the_first_event_says_where_the_session_comes_from() -> None:
    talk = session(message(0), answer(1))
    (start,) = _of("session.start", lines(TARGET, talk))
    origin = {"by": "agent-journal test", "agent": talk.agent, "session": talk.id}
    assert start["converted"] == origin
