"""What VS Code hands to a model when a converted chat is continued or opened."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from agent_journal.convert.losses import Losses
from agent_journal.convert.vscode import VsCode
from agent_journal.convert.vscode.own import own_document
from agent_journal.model import Session
from tests.support.conversions import called, fresh, said, talk
from tests.support.journals import aj, open_journal

TARGET = VsCode()


def _request(*calls: Any, **fields: Any) -> dict[str, Any]:
    request: dict[str, Any] = json.loads(_content(_talk(*calls, **fields)))["requests"][0]
    return request


def _talk(*calls: Any, **fields: Any) -> Session:
    return talk(said("user", "prompt", "hi"), said("assistant", "answer", "", 1, tool_calls=calls))


def _content(session: Session) -> bytes:
    return TARGET.convert([session], fresh()).files[0].content


def _read_back(home: Path, session: Session) -> Session:
    path = home / "chat.json"
    path.write_bytes(_content(session))
    assert aj(home, "import", str(path)).returncode == 0
    with open_journal(home) as journal:
        (found,) = journal.sessions()
        return journal.session(found.id)


def test_a_round_without_results_gets_stubs_which_are_no_results(tmp_path: Path) -> None:
    call = called("Bash", kind="shell", arguments='{"command":"ls"}')
    metadata = _request(call)["result"]["metadata"]
    (stub,) = metadata["toolCallResults"].values()
    assert stub["content"][0]["value"] == "[no result was recorded]"
    found = _read_back(tmp_path, _talk(call))
    (back,) = [call for message in found.messages for call in message.tool_calls]
    assert back.result is None


def test_arguments_are_objects_and_come_back_as_they_were(tmp_path: Path) -> None:
    calls = [
        called("apply_patch", "a", arguments="*** Begin Patch", result="ok"),
        called("run", "b", arguments='["ls", "-l"]', result="ok"),
        called("look", "c", arguments='{"path": "x"}', result="ok"),
        called("wait", "d", result="ok"),
    ]
    (turn,) = _request(*calls)["result"]["metadata"]["toolCallRounds"]
    assert [json.loads(call["arguments"]) for call in turn["toolCalls"]] == [
        {"input": "*** Begin Patch"},
        {"input": ["ls", "-l"]},
        {"path": "x"},
        {},
    ]
    found = _read_back(tmp_path, _talk(*calls))
    back = {call.name: call.arguments for m in found.messages for call in m.tool_calls}
    assert back["apply_patch"] == "*** Begin Patch"
    assert json.loads(back["run"] or "") == ["ls", "-l"]
    assert json.loads(back["look"] or "") == {"path": "x"}


def test_every_turn_is_of_the_agent_and_has_a_time() -> None:
    session = talk(
        said("user", "prompt", "hi"), said("assistant", "answer", "hello", 1, timestamp=None)
    )
    (request,) = json.loads(_content(session))["requests"]
    assert request["agent"]["id"] == "github.copilot.editsAgent"
    assert request["timestamp"] > 1e12


def test_nothing_needs_a_title_from_a_model() -> None:
    thinking = said("assistant", "answer", "", 1, reasoning="Look at it", tool_calls=(called("x"),))
    session = talk(said("user", "prompt", "hi"), thinking)
    (request,) = json.loads(_content(session))["requests"]
    assert [part["generatedTitle"] for part in request["response"]] == ["Look at it", "x"]


def test_own_chats_lose_what_a_window_showed_for_a_while_and_get_times() -> None:
    losses = Losses()
    turn = {
        "requestId": "r",
        "message": "hi",
        "response": [{"kind": "mcpServersStarting", "didStartServerIds": []}, {"value": "hello"}],
    }
    document = {"requests": [turn], "creationDate": 1760000000000}
    written = own_document(document, fresh(), losses)
    (request,) = written["requests"]
    assert request["response"] == [{"value": "hello"}]
    assert request["timestamp"] == 1760000000000
