"""The parts of a converted chat: tool calls, edits, attachments, usage, hostile text."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec

from agent_journal.convert.vscode import TARGET, next_step
from agent_journal.model import Attachment, FileEdit, Message, Session, Todo, Usage
from tests.support.conversions import NOW, called, families, fresh, said, talk
from tests.support.growth import assert_linear
from tests.support.journals import write_claude
from tests.support.vscode_documents import HOSTILE, back, document, parts
from tests.support.vscode_validator import problems

# -- tool calls --------------------------------------------------------------------------------


def answer(*calls: Any, text: str = "", **fields: Any) -> Session:
    message = said("assistant", "answer", text, tool_calls=tuple(calls))
    return talk(said("user", "prompt", "go"), message, **fields)


def test_a_command_is_shown_as_a_terminal_and_nothing_steers_it() -> None:
    call = called(
        "Bash",
        kind="shell",
        arguments='{"command":"ls -l"}',
        result="\x1b[31mred\x1b[0m\x1b]0;t\x07",
        exit_code=2,
        duration_ms=30,
        status="failed",
    )
    (part,) = parts(answer(call), kind="toolInvocationSerialized")
    data = part["toolSpecificData"]
    assert data["commandLine"] == {"original": "ls -l"}
    assert data["terminalCommandOutput"]["text"] == "red"
    assert data["terminalCommandState"] == {"exitCode": 2, "duration": 30}
    (again,) = [call for message in back(answer(call))[0].messages for call in message.tool_calls]
    assert (again.result, again.exit_code, again.status) == (call.result, 2, "failed")


def test_todos_errors_and_refusals_are_shown() -> None:
    todo = called(
        "TodoWrite",
        "t",
        kind="todo",
        arguments='{"todos":[{"content":"a","status":"in_progress"}]}',
    )
    error = called(
        "Read",
        "e",
        kind="read",
        arguments='{"file_path":"/x"}',
        result="no such file",
        status="error",
    )
    denied = called("Bash", "d", status="denied")
    user = called("Bash", "u", approval="user")
    todo_part, error_part, denied_part, user_part = parts(answer(todo, error, denied, user))
    assert todo_part["toolSpecificData"]["todoList"] == [
        {"id": "1", "title": "a", "status": "in-progress"}
    ]
    assert error_part["resultDetails"]["isError"] is True
    assert error_part["resultDetails"]["output"] == "no such file"
    assert (denied_part["isConfirmed"], user_part["isConfirmed"]) == (False, {"type": 4})


def test_a_long_result_is_cut_in_the_window_and_whole_in_the_file() -> None:
    call = called("Read", kind="read", result="x" * 300_000)
    converted = TARGET.convert([answer(call)], fresh())
    request = json.loads(converted.files[0].content)["requests"][0]
    assert len(request["response"][0]["resultDetails"]["output"]) < 101_000
    assert (
        request["result"]["metadata"]["toolCallResults"]["call_1"]["content"][0]["value"]
        == call.result
    )
    assert not converted.losses.is_lossy


def test_a_cut_that_loses_something_is_reported() -> None:
    call = called("Read", "c2", kind="read", result="x" * 1_500_000)
    child = talk(
        said("assistant", "answer", tool_calls=(call,)), parent_id="s", parent_call_id="call_1"
    )
    child = msgspec.structs.replace(child, id="child")
    converted = TARGET.convert([answer(called("Task", kind="agent")), child], fresh())
    (loss,) = (loss for loss in converted.losses.entries() if loss.fate == "dropped")
    assert (loss.field, loss.count) == ("tool_calls.result", 1)


def test_a_sub_agent_is_shown_inside_its_call() -> None:
    child = Session(
        agent="claude-code",
        id="s/x",
        parent_id="s",
        parent_call_id="call_1",
        agent_name="Explore",
        title="find",
        messages=(
            said("user", "injected", "find tests", 1),
            said(
                "assistant",
                "answer",
                "looking",
                2,
                reasoning="hm",
                tool_calls=(called("Grep", "call_2"),),
            ),
            said("assistant", "answer", "in tests/", 3),
        ),
    )
    family = (answer(called("Task", kind="agent", result="in tests/")), child)
    calls = parts(*family, kind="toolInvocationSerialized")
    assert calls[0]["toolSpecificData"] == {
        "kind": "subagent",
        "agentName": "Explore",
        "description": "find",
        "prompt": "find tests",
        "result": "in tests/",
    }
    assert (calls[1]["toolId"], calls[1]["subAgentInvocationId"]) == ("Grep", "call_1")
    quoted = [part["value"] for part in parts(*family) if "kind" not in part]
    assert [text.strip() for text in quoted] == [
        "> **Explore, thinking**\n>\n> hm",
        "> **Explore**\n>\n> looking",
    ]
    again = back(*family)
    assert [message.text for message in again[1].messages] == ["find tests", "in tests/"]


def test_ids_that_are_odd_or_come_twice_are_made_plain() -> None:
    first, second = parts(answer(called("a.b", "x/y"), called("a.b", "x/y")))
    assert (first["toolCallId"], second["toolCallId"]) == ("x_y", "x_y-2")
    assert first["toolId"] == "a.b"


# -- edits, attachments, plans, usage ----------------------------------------------------------


def test_edits_are_fenced_diffs_behind_their_call() -> None:
    edit = FileEdit(
        session_id="s",
        path="/w/a.py",
        call_id="call_1",
        diff="@@ -1 +1 @@\n-a\n+```\n",
        lines_added=1,
    )
    found = parts(answer(called("Edit"), file_edits=(edit,)))
    assert found[1]["value"] == "**edit** /w/a.py +1\n\n````diff\n@@ -1 +1 @@\n-a\n+```\n````"
    assert not any(part.get("kind") == "textEditGroup" for part in found)


def test_attachments_hold_no_addresses_as_objects() -> None:
    session = talk(
        said(
            "user",
            "prompt",
            "see",
            attachments=(
                Attachment(kind="file", name="a.py", path="/w/a b.py"),
                Attachment(kind="image", sha256="ab", size=3),
                Attachment(kind="paste", text="pasted"),
            ),
        )
    )
    variables = document(session)["requests"][0]["variableData"]["variables"]
    assert [one["value"] for one in variables] == ["file:///w/a%20b.py", "image", "pasted"]
    assert next(one.path for one in back(session)[0].messages[0].attachments) == "/w/a b.py"


def test_todos_of_no_call_stand_at_the_end() -> None:
    found = parts(answer(text="ok", todos=(Todo(content="a", status="done"), Todo(content="b"))))
    assert found[-1]["value"] == "\n\n**Todos**\n\n- [x] a\n- [ ] b"


def test_usage_counts_once_however_often_it_is_written() -> None:
    usage = Usage(
        session_id="s",
        key="msg_1:req_1",
        model="m",
        message_id="answer-0",
        input_tokens=5,
        cache_read_tokens=90,
        output_tokens=3,
        timestamp=NOW,
    )
    session = answer(text="ok", usage=(usage,))
    request = document(session)["requests"][0]
    assert request["modelTotals"] == [
        {"model": "m", "inputTokens": 95, "cachedTokens": 90, "outputTokens": 3}
    ]
    assert (request["promptTokens"], request["completionTokens"]) == (95, 3)
    (again,) = back(session)[0].usage
    assert (again.origin, again.input_tokens, again.cache_read_tokens, again.timestamp) == (
        "converted",
        5,
        90,
        NOW,
    )


def test_usage_of_a_converted_session_is_not_counted_twice(tmp_path: Path) -> None:
    write_claude(tmp_path)
    chats = tmp_path / ".config/Code/User/workspaceStorage/w/chatSessions"
    chats.mkdir(parents=True)
    (family,) = families(tmp_path)
    assert [usage.output_tokens for usage in family[0].usage] == [5, 5]
    converted = TARGET.convert(family, fresh())
    (chats / f"{converted.session_id}.json").write_bytes(converted.files[0].content)
    after = {one.agent: one for one, *_ in families(tmp_path)}
    assert after.keys() == {"claude-code", "vscode-chat"}
    assert [usage.output_tokens for one in after.values() for usage in one.usage] == [5, 5]


def test_edits_of_other_agents_tools_come_back() -> None:
    asked = {
        "Edit": {"file_path": "/a", "old_string": "x", "new_string": "y"},
        "Write": {"file_path": "/b", "content": "z"},
        "edit": {"path": "/c", "old_str": "x", "new_str": "y"},
        "create": {"path": "/d", "file_text": "z"},
        "MultiEdit": {"file_path": "/e", "edits": [{"old_string": "x", "new_string": "y"}]},
        "apply_patch": "*** Begin Patch\n*** Add File: /f\n+z\n*** End Patch",
    }
    calls = [
        called(name, name, arguments=json.dumps(arguments), result="done")
        for name, arguments in asked.items()
    ]
    edits = back(answer(*calls))[0].file_edits
    assert {edit.path: edit.kind for edit in edits} == {
        "/a": "edit",
        "/b": "create",
        "/c": "edit",
        "/d": "create",
        "/e": "edit",
        "/f": "create",
    }
    assert all(edit.diff for edit in edits)


# -- hostile text, names, size -----------------------------------------------------------------


def test_hostile_text_stays_text() -> None:
    call = called(
        HOSTILE,
        HOSTILE,
        kind="shell",
        server=HOSTILE,
        title=HOSTILE,
        result=HOSTILE,
        arguments=json.dumps({"command": HOSTILE}),
    )
    edit = FileEdit(session_id="s", path=HOSTILE, diff=HOSTILE, message_id=HOSTILE)
    todo, attached = Todo(content=HOSTILE), Attachment(kind=HOSTILE, name=HOSTILE, path=HOSTILE)
    prompt = Message(
        session_id="s",
        id=HOSTILE,
        role="user",
        kind="prompt",
        text=HOSTILE,
        attachments=(attached,),
    )
    reply = said(
        "assistant", "answer", HOSTILE, tool_calls=(call,), model=HOSTILE, reasoning=HOSTILE
    )
    session = talk(prompt, reply, title=HOSTILE, file_edits=(edit,), todos=(todo,))
    found = document(session)
    (file,) = TARGET.convert([session], fresh()).files
    assert "/" not in file.path
    assert file.path.endswith(".json")
    assert found["customTitle"].isprintable()
    assert found["requests"][0]["message"]["text"] == HOSTILE
    (invocation,) = (part for part in found["requests"][0]["response"] if part.get("toolId"))
    assert "\x1b" not in invocation["invocationMessage"] + json.dumps(invocation["source"])


def test_lone_surrogates_are_written() -> None:
    converted = TARGET.convert([talk(said("user", "prompt", "a\ud800b"))], fresh())
    assert problems(json.loads(converted.files[0].content)) == []


def long_talk(count: int) -> Session:
    text = "some words and a number 12345\n" * 100
    messages: list[Message] = []
    for number in range(count):
        call = called("Bash", f"c{number}", kind="shell", arguments='{"command":"ls"}', result=text)
        messages += (
            said("user", "prompt", "go", number),
            said("assistant", "answer", text, number, tool_calls=(call,)),
        )
    return talk(*messages)


def test_a_long_session_is_converted_in_linear_time() -> None:
    (file,) = TARGET.convert([long_talk(800)], fresh()).files
    assert len(file.content) > 5_000_000
    assert_linear(lambda session: TARGET.convert([session], fresh()), long_talk, size=100)


def test_the_next_step_names_the_file_and_how_to_keep_the_chat() -> None:
    assert all(
        word in next_step("/x/chat.json") for word in ("Import Chat", "/x/chat.json", "/fork")
    )
