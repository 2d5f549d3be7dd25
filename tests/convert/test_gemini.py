"""What Gemini CLI accepts as a session of its own, and does not delete."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

from agent_journal.convert.gemini import installed_files
from agent_journal.model import FileEdit, Message
from tests.support.converting import convert
from tests.support.target_sessions import answer, back, call, message, session


def _document(*messages: Message, **fields: Any) -> dict[str, Any]:
    made = convert("gemini", [session(*messages, **fields)])
    document: dict[str, Any] = json.loads(made.files[0].content)
    return document


def test_the_file_is_not_deleted_with_a_session_that_was_resumed() -> None:
    made = convert("gemini", [session(message(0), answer(1))])
    letters = made.files[0].path[-13:-5]
    assert not made.session_id.startswith(letters)
    assert json.loads(made.files[0].content)["lastUpdated"] == "2026-11-15T18:00:00.000Z"


def test_prompts_that_look_like_commands_reach_the_model(tmp_path: Path) -> None:
    talk = (message(0, text="/etc/hosts is wrong"), answer(1), message(2, text="?why"), answer(3))
    texts = [m["content"][0]["text"] for m in _document(*talk)["messages"] if m["type"] == "user"]
    assert texts == ["\u200b/etc/hosts is wrong", "\u200b?why"]
    (found,) = back("gemini", tmp_path, session(*talk))
    assert [m.text for m in found.messages if m.kind == "prompt"] == ["/etc/hosts is wrong", "?why"]


def test_every_call_has_a_result_and_an_object_as_arguments(tmp_path: Path) -> None:
    calls = (call(result=None, status=None), call(id="c2", arguments="*** Begin Patch"))
    talk = (message(0), answer(1, *calls))
    first, second = _document(*talk)["messages"][1]["toolCalls"]
    assert first["result"][0]["functionResponse"]["response"] == {
        "output": "[no result was recorded]"
    }
    assert second["args"] == {"input": "*** Begin Patch"}
    (found,) = back("gemini", tmp_path, session(*talk))
    assert [c.result for c in found.messages[1].tool_calls] == [None, "text"]


def test_edits_without_a_call_come_before_the_answer() -> None:
    # Gemini CLI 0.61 says that a conversation which ends with a call was interrupted
    edit = FileEdit(session_id="s", path="/work/app/a.py", kind="edit", message_id="m1")
    found = _document(message(0), answer(1, text="Done."), file_edits=(edit,))["messages"]
    assert [(m["content"], len(m.get("toolCalls", ()))) for m in found[1:]] == [
        ("", 1),
        ("Done.", 0),
    ]


def test_a_text_of_spaces_is_not_sent() -> None:
    found = _document(message(0), answer(1, call(), text="\n\n"))["messages"]
    assert found[1]["content"] == ""


def test_it_says_where_it_comes_from() -> None:
    document = _document(message(0), answer(1), agent="codex", id="c1")
    assert document["converted"] == {"by": "agent-journal test", "agent": "codex", "session": "c1"}


def test_a_project_that_gemini_knows_has_its_name(tmp_path: Path) -> None:
    made = convert("gemini", [session(message(0), answer(1))])
    project = hashlib.sha256(b"/work/app").hexdigest()
    assert made.files[0].path.startswith(f"tmp/{project}/chats/session-")
    assert installed_files(made.files, str(tmp_path), "/work/app") == made.files
    names = {"/work/app": "app", "/x": "../y", "/y": "my app", "/z": "n\u00fc"}
    (tmp_path / "projects.json").write_text(json.dumps({"projects": names}))
    (file,) = installed_files(made.files, str(tmp_path), "/work/app")
    assert file.path.startswith("tmp/app/chats/session-")
    for odd in ("/x", "/y", "/z"):
        assert installed_files(made.files, str(tmp_path), odd) == made.files
