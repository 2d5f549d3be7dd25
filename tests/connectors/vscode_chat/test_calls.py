"""Tool calls and sub-agents: cases 19 to 25 of the format notes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.support.journals import aj
from tests.support.vscode import (
    FOLDER,
    Doc,
    answered,
    case,
    document,
    invocation,
    read_parts,
    read_session,
    rounds,
    sync,
    text_result,
    write,
)

# -- cases 19 to 24: tool calls ----------------------------------------------------------------


def test_case_19_a_call_is_joined_with_its_arguments_and_result() -> None:
    chat = read_session(document({"requestId": "r", "message": "go", **case(19)}))
    call = chat.call
    assert (call.id, call.name, call.kind, call.title) == (
        "toolu_01",
        "read_file",
        "read",
        "Read a.py",
    )
    assert (call.arguments, call.result) == ('{"filePath":"/w/a.py"}', "line1\nline2")
    assert (call.status, call.approval, call.server, call.display) == ("ok", "auto", None, None)
    assert call.message_id == chat.answer.id == "r-response"


def test_case_20_a_call_with_an_unrelated_id_is_joined_by_order_and_name() -> None:
    chat = read_session(document({"requestId": "r", "message": "go", **case(20)}))
    call = chat.call
    assert (call.id, call.name, call.kind, call.title) == (
        "0b1c",
        "list_dir",
        "read",
        "Reading dir",
    )
    assert (call.arguments, call.result) == ('{"path":"/w"}', "a.py")
    assert (call.status, call.approval) == ("ok", "user")
    assert chat.counted("skipped").get("part/prepareToolInvocation") == 1


def test_order_and_name_allow_gaps_both_ways() -> None:
    parts = [
        invocation("u1", "copilot_findTextInFiles"),
        invocation("u2", "copilot_readFile"),
        invocation("u3", "copilot_readFile"),
    ]
    result = rounds(
        ("a__vscode-1", "read_file", '{"n":1}'),
        ("b__vscode-2", "get_errors", '{"n":2}'),
        ("c__vscode-3", "read_file", '{"n":3}'),
        results={"a__vscode-1": text_result("one"), "c__vscode-3": text_result("three")},
    )
    chat = read_parts(*parts, result=result)
    assert [(call.id, call.name, call.arguments, call.result) for call in chat.called()] == [
        ("u1", "grep_search", None, None),
        ("u2", "read_file", '{"n":1}', "one"),
        ("u3", "read_file", '{"n":3}', "three"),
        ("b", "get_errors", '{"n":2}', None),
    ]


def test_a_call_that_is_serialised_twice_is_one_call() -> None:
    begun = invocation("toolu_1", "run_in_terminal", isConfirmed=None)
    done = {**begun, "isConfirmed": {"type": 4}, "pastTenseMessage": "Ran it"}
    other = invocation("toolu_2", "run_in_terminal")
    result = rounds(
        ("toolu_1__vscode-1", "run_in_terminal", '{"command":"ls"}'),
        ("toolu_2__vscode-2", "run_in_terminal", '{"command":"pwd"}'),
        results={"toolu_1__vscode-1": text_result("a.py"), "toolu_2__vscode-2": text_result("/")},
    )
    for parts in ((begun, done, other), (begun, other, done), (begun, {"value": "x"}, done, other)):
        chat = read_parts(*parts, result=result)
        assert [(call.id, call.arguments, call.result) for call in chat.called()] == [
            ("toolu_1", '{"command":"ls"}', "a.py"),
            ("toolu_2", '{"command":"pwd"}', "/"),
        ]
        assert (chat.called()[0].approval, chat.called()[0].title) == ("user", "Ran it")
        assert chat.counted("mapped")["part/toolInvocationSerialized"] == 3
    (call,) = read_parts(begun, done).called()  # a cancelled turn, which has no rounds
    assert (call.id, call.approval, call.result) == ("toolu_1", "user", "Ran it")


def test_one_id_may_stand_for_calls_of_several_tools() -> None:
    chat = read_parts(invocation("0", "copilot_readFile"), invocation("0", "copilot_findFiles"))
    assert [(call.id, call.name) for call in chat.called()] == [
        ("0", "read_file"),
        ("0~2", "file_search"),
    ]


def test_case_21_arguments_that_are_no_json_are_kept() -> None:
    result = {"metadata": {"toolCallRounds": [case(21)], "toolCallResults": {}}}
    chat = read_session(
        document({"requestId": "r", "message": "go", "response": [], "result": result})
    )
    first, second = chat.called()
    assert (first.id, first.name, first.kind, first.arguments) == (
        "c1",
        "run_in_terminal",
        "shell",
        '{"command": "ls',
    )
    assert (second.id, second.name, second.arguments or None) == ("c2", "get_errors", None)
    assert {call.message_id for call in chat.called()} == {chat.answer.id}
    assert chat.answer.reasoning == "hm"


def test_case_22_approval_in_all_forms() -> None:
    base = {"kind": "toolInvocationSerialized", "invocationMessage": "Using it", "isComplete": True}
    chat = read_parts(*({**base, **form} for form in case(22)))
    calls = chat.called()
    assert [call.approval for call in calls] == [
        "denied",
        None,
        "auto",
        "setting",
        "rule",
        "user",
        "skipped",
        "user",
    ]
    assert [call.status for call in calls] == [
        "denied",
        None,
        None,
        None,
        None,
        None,
        "denied",
        None,
    ]
    assert {call.name for call in calls} == {"unknown"}
    assert len({call.id for call in calls}) == 8
    assert all(call.id.startswith("r-response-call-") for call in calls)


def test_a_denial_has_the_number_0() -> None:
    call = read_parts(invocation(isConfirmed={"type": 0})).call
    assert (call.approval, call.status) == ("denied", "denied")


def test_case_23_terminal_commands() -> None:
    chat = read_parts(
        *(
            invocation(f"c{n}", "run_in_terminal", toolSpecificData=d)
            for n, d in enumerate(case(23))
        )
    )
    old, new = chat.called()
    assert [json.loads(call.arguments or "")["command"] for call in (old, new)] == [
        "ls",
        "npm test",
    ]
    assert (old.kind, old.exit_code, old.status) == ("shell", None, None)
    assert (new.title, new.result, new.exit_code) == ("npm test -- --ci", "1 failing", 1)
    assert (new.status, new.duration_ms) == ("failed", 900)


def test_a_command_that_the_user_edited_is_the_one_that_ran() -> None:
    line = {"original": "rm -rf /", "toolEdited": "rm -r /", "userEdited": "ls"}
    data = {
        "kind": "terminal",
        "language": "sh",
        "commandLine": line,
        "terminalCommandState": {"exitCode": 0},
    }
    call = read_parts(invocation("c", "run_in_terminal", toolSpecificData=data)).call
    assert (call.title, json.loads(call.arguments or "")["command"], call.exit_code) == (
        "ls",
        "rm -rf /",
        0,
    )


def test_a_command_that_was_changed_is_found_and_shown(tmp_path: Path) -> None:
    line = {"original": "npm test", "toolEdited": "npm test --runinband"}
    data = {"kind": "terminal", "commandLine": line}
    part = invocation("c", "run_in_terminal", toolSpecificData=data)
    asked = rounds(("c__vscode-1", "run_in_terminal", '{"command":"npm test"}'))
    write(tmp_path, f"{FOLDER}/s.json", document(answered(part, result=asked)))
    sync(tmp_path)
    assert "npm test --runinband" in aj(tmp_path, "search", "runinband").stdout
    assert "title: npm test --runinband" in aj(tmp_path, "show", "s", "--depth", "all").stdout


@pytest.mark.parametrize(
    ("line", "title"),
    [
        ({"original": "cd /w && ls"}, "Using it"),
        ({"original": "cd /w && ls", "toolEdited": "ls"}, "ls"),
        ({"original": "ls -a"}, "ls -a"),
        ({"original": "cd /w && ls", "userEdited": "cd /w && ls"}, "Using it"),
        ({}, "Using it"),
    ],
)
def test_a_command_that_is_not_the_one_asked_for_is_the_title(line: Doc, title: str) -> None:
    part = invocation(
        "c", "run_in_terminal", toolSpecificData={"kind": "terminal", "commandLine": line}
    )
    asked = '{"command":"cd /w && ls"}'
    call = read_parts(part, result=rounds(("c__vscode-1", "run_in_terminal", asked))).call
    assert (call.arguments, call.title) == (asked, title)


def test_case_24_tools_of_mcp_servers() -> None:
    source = {"type": "mcp", "label": "demo", "collectionId": "c", "definitionId": "d"}
    parts = [
        invocation(f"c{n}", "mcp_demo_x", source=source, resultDetails=d)
        for n, d in enumerate(case(24))
    ]
    chat = read_parts(*parts)
    plain, image, failed = chat.called()
    assert {(call.kind, call.server, call.name) for call in chat.called()} == {
        ("mcp", "demo", "mcp_demo_x")
    }
    assert [call.arguments for call in chat.called()] == ['{"q":1}', "{}", "{}"]
    assert (plain.result, plain.status) == ("plain", "ok")
    assert "aGk=" not in (image.result or "")
    assert (failed.result or "").startswith("boom")
    assert failed.status == "error"


# -- case 25: sub-agents -----------------------------------------------------------------------


def test_case_25_a_sub_agent_is_a_session_of_its_own() -> None:
    chat = read_parts(*case(25))
    (child,) = (session for session in chat.sessions if session.parent_id is not None)
    assert (child.id, child.parent_id, child.parent_call_id) == ("s/toolu_P", "s", "toolu_P")
    assert (child.agent, child.agent_name, child.title) == ("vscode-chat", "Explore", "find tests")
    assert [
        (message.id, message.role, message.kind, message.text) for message in chat.said(child.id)
    ] == [
        ("toolu_P-prompt", "user", "injected", "Find the tests"),
        ("toolu_P-answer", "assistant", "answer", "tests/"),
    ]
    (parent_call,) = chat.called()
    assert (parent_call.id, parent_call.child_session_id) == ("toolu_P", "s/toolu_P")
    assert (parent_call.result, parent_call.status, parent_call.kind) == ("tests/", "ok", "agent")
    (child_call,) = chat.called(child.id)
    assert (child_call.id, child_call.message_id, child_call.name) == (
        "toolu_C",
        "toolu_P-answer",
        "file_search",
    )


def test_sub_agents_of_1_105_to_1_108_are_recognised_by_a_flag() -> None:
    """Their calls have unrelated ids, and only the sub-agent itself is in the rounds."""
    parts = [
        invocation("u1", "runSubagent", invocationMessage="Exploring"),
        invocation("u2", "copilot_readFile", fromSubAgent=True),
        invocation("u3", "copilot_readFile"),
    ]
    result = rounds(
        ("a__vscode-1", "runSubagent", '{"description":"find","prompt":"Find the tests"}'),
        ("b__vscode-2", "read_file", '{"filePath":"/w/a.py"}'),
        results={"a__vscode-1": text_result("tests/"), "b__vscode-2": text_result("x = 1")},
    )
    chat = read_parts(*parts, result=result)
    assert [(call.id, call.result, call.child_session_id) for call in chat.called()] == [
        ("u1", "tests/", "s/u1"),
        ("u3", "x = 1", None),
    ]
    (child,) = chat.called("s/u1")
    assert (child.id, child.arguments, child.result, child.message_id) == (
        "u2",
        None,
        None,
        "u1-answer",
    )
    assert [message.text for message in chat.said("s/u1")][-1] == "tests/"
    assert [
        (child.parent_id, child.parent_call_id) for child in chat.sessions if child.id == "s/u1"
    ] == [("s", "u1")]


def test_two_sub_agents_have_their_own_calls() -> None:
    parts = [
        invocation("p1", "runSubagent", toolSpecificData={"kind": "subagent", "prompt": "one"}),
        invocation("p2", "runSubagent", toolSpecificData={"kind": "subagent", "prompt": "two"}),
        invocation("c1", subAgentInvocationId="p1"),
        invocation("c2", subAgentInvocationId="p2"),
        invocation("c3", subAgentInvocationId="p1"),
    ]
    chat = read_parts(*parts)
    assert [call.id for call in chat.called("s/p1")] == ["c1", "c3"]
    assert [call.id for call in chat.called("s/p2")] == ["c2"]
    assert [call.id for call in chat.called()] == ["p1", "p2"]


def test_a_call_of_a_sub_agent_that_is_not_there_is_kept() -> None:
    chat = read_parts(
        invocation("c1", subAgentInvocationId="gone"), invocation("c2", fromSubAgent=True)
    )
    assert {call.id for call in chat.calls.values()} == {"c1", "c2"}
