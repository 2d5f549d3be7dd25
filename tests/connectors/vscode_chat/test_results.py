"""Where results and arguments come from, and whether a call succeeded."""

from __future__ import annotations

import json

import pytest

from tests.support.vscode import (
    Doc,
    document,
    invocation,
    read_parts,
    read_session,
    rounds,
    text_result,
)

_DETAILS = {"input": "{}", "output": [{"type": "embed", "isText": True, "value": "of the details"}]}
_TERMINAL = {
    "kind": "terminal",
    "commandLine": {"original": "ls"},
    "terminalCommandOutput": {"text": "of the terminal"},
}
_SIMPLE = {"kind": "simpleToolInvocation", "input": "in", "output": "of the simple one"}
_SUBAGENT = {"kind": "subagent", "prompt": "p", "result": "of the sub-agent"}
_PAST: Doc = {"pastTenseMessage": {"value": "Did it"}}


@pytest.mark.parametrize(
    ("more", "recorded", "result"),
    [
        (
            {"resultDetails": _DETAILS, "toolSpecificData": _TERMINAL, **_PAST},
            "of the model",
            "of the model",
        ),
        (
            {"resultDetails": _DETAILS, "toolSpecificData": _TERMINAL, **_PAST},
            None,
            "of the details",
        ),
        ({"toolSpecificData": _TERMINAL, **_PAST}, None, "of the terminal"),
        ({"toolSpecificData": _SIMPLE, **_PAST}, None, "of the simple one"),
        ({"toolSpecificData": _SUBAGENT, **_PAST}, None, "of the sub-agent"),
        (_PAST, None, "Did it"),
        ({}, None, None),
    ],
)
def test_where_a_result_is_taken_from(more: Doc, recorded: str | None, result: str | None) -> None:
    results = {} if recorded is None else {"c__vscode-1": text_result(recorded)}
    chat = read_parts(
        invocation("c", **more), result=rounds(("c__vscode-1", "read_file", "{}"), results=results)
    )
    (call,) = chat.called()
    assert call.result == result
    assert call.status == (None if result is None else "ok")


@pytest.mark.parametrize(
    ("more", "arguments"),
    [
        ({"resultDetails": _DETAILS | {"input": '{"q":1}'}}, {"q": 1}),
        ({"toolSpecificData": {"kind": "input", "rawInput": {"q": 1}}}, {"q": 1}),
        ({"toolSpecificData": _TERMINAL}, {"command": "ls"}),
    ],
)
def test_where_arguments_are_taken_from_when_no_round_has_them(more: Doc, arguments: Doc) -> None:
    assert json.loads(read_parts(invocation("c", "x", **more)).call.arguments or "") == arguments


def test_simple_input_is_kept_as_it_is() -> None:
    assert read_parts(invocation("c", "x", toolSpecificData=_SIMPLE)).call.arguments == "in"


def test_arguments_of_the_round_come_first() -> None:
    result = rounds(("c__vscode-1", "run_in_terminal", '{"command":"asked"}'))
    call = read_parts(
        invocation("c", "run_in_terminal", toolSpecificData=_TERMINAL), result=result
    ).call
    assert call.arguments == '{"command":"asked"}'


@pytest.mark.parametrize(
    ("more", "status", "exit_code"),
    [
        ({**_PAST, "isConfirmed": {"type": 0}}, "denied", None),
        ({**_PAST, "isConfirmed": {"type": 5}}, "denied", None),
        ({**_PAST, "isConfirmed": False}, "denied", None),
        ({**_PAST, "isConfirmed": True}, "ok", None),
        ({**_PAST, "isConfirmed": {"type": 4}}, "ok", None),
        ({"resultDetails": {"input": "{}", "output": "x", "isError": True}}, "error", None),
        ({"resultDetails": {"input": "{}", "output": "x", "isError": False}}, "ok", None),
        ({"toolSpecificData": {**_TERMINAL, "terminalCommandState": {"exitCode": 2}}}, "failed", 2),
        ({"toolSpecificData": {**_TERMINAL, "terminalCommandState": {"exitCode": 0}}}, "ok", 0),
        (
            {"toolSpecificData": {**_SIMPLE, "output": "ERROR while calling tool: no"}},
            "error",
            None,
        ),
        ({}, None, None),
    ],
)
def test_whether_a_call_succeeded(more: Doc, status: str | None, exit_code: int | None) -> None:
    call = read_parts(invocation("c", "x", **more)).call
    assert (call.status, call.exit_code) == (status, exit_code)


def test_a_call_without_result_in_a_cancelled_turn_was_interrupted() -> None:
    chat = read_parts(invocation("c1"), invocation("c2", **_PAST), modelState={"value": 2})
    assert [call.status for call in chat.called()] == ["interrupted", "ok"]


def test_calls_of_two_turns_that_share_an_id_stay_two() -> None:
    """Some models number their calls from 1 in every turn; VS Code adds a suffix for that."""
    turns = [
        {
            "requestId": f"r{n}",
            "message": "x",
            "response": [invocation("call_1", pastTenseMessage=f"result {n}")],
        }
        for n in (1, 2)
    ]
    chat = read_session(document(*turns))
    assert [(call.message_id, call.result) for call in chat.called()] == [
        ("r1-response", "result 1"),
        ("r2-response", "result 2"),
    ]


@pytest.mark.parametrize("shown", [0, 2])
def test_calls_of_one_turn_that_share_an_id_have_their_own_results(shown: int) -> None:
    asked = [(f"call_1__vscode-{n}", "read_file", f'{{"n":{n}}}') for n in (1, 2)]
    result = rounds(
        *asked, results={f"call_1__vscode-{n}": text_result(f"result {n}") for n in (1, 2)}
    )
    chat = read_parts(*[invocation("call_1")] * shown, result=result)
    assert [(call.arguments, call.result) for call in chat.called()] == [
        ('{"n":1}', "result 1"),
        ('{"n":2}', "result 2"),
    ]


def test_a_call_does_not_take_the_result_of_a_later_one_with_its_id() -> None:
    first = rounds(("call_1__vscode-1", "read_file", "{}"))
    second = rounds(
        ("call_1__vscode-2", "read_file", "{}"),
        results={"call_1__vscode-2": text_result("of the second")},
    )
    results = (first, second)
    turns = [
        {"requestId": f"r{n}", "message": "x", "response": [], "result": item}
        for n, item in enumerate(results)
    ]
    assert [call.result for call in read_session(document(*turns)).called()] == [
        None,
        "of the second",
    ]


def test_children_belong_to_the_sub_agent_of_their_own_turn() -> None:
    def turn_with(number: int) -> Doc:
        data = {"kind": "subagent", "prompt": f"prompt {number}", "result": f"result {number}"}
        parts = [
            invocation("p", "runSubagent", toolSpecificData=data),
            invocation("c", subAgentInvocationId="p"),
        ]
        return {"requestId": f"r{number}", "message": "x", "response": parts}

    chat = read_session(document(turn_with(1), turn_with(2)))
    children = [call.child_session_id for call in chat.called()]
    assert len(set(children)) == 2
    for child, text in zip(children, ("result 1", "result 2"), strict=True):
        assert child is not None
        answer = chat.said(child)[-1]
        assert answer.text == text
        assert [call.message_id for call in chat.called(child)] == [answer.id]


def test_results_of_the_last_round_may_stand_in_the_next_request() -> None:
    first = {**rounds(("c__vscode-1", "read_file", "{}")), "maxToolCallsExceeded": True}
    first["metadata"]["maxToolCallsExceeded"] = True
    second = rounds(results={"c__vscode-1": text_result("late")})
    chat = read_session(
        document(
            {"requestId": "r1", "message": "x", "response": [invocation("c")], "result": first},
            {"requestId": "r2", "message": "go on", "response": [{"value": "y"}], "result": second},
        )
    )
    assert chat.call.result == "late"


@pytest.mark.parametrize(
    ("content", "result"),
    [
        ([{"$mid": 21, "value": "one"}, {"$mid": 21, "value": "two"}], ("one", "two")),
        ([{"value": {"node": {"type": 1, "ctor": 3}}}], ("<image>",)),
        ([{"value": {"node": {"type": 3, "text": "no"}}}, {"value": "x"}], ("x",)),
        ([{"value": "thought", "id": "t"}, {"value": "x"}], ("x",)),
        ([{"mimeType": "image/png", "data": "iVBO"}, {"value": "x"}], ("x",)),
    ],
)
def test_results_of_every_shape(content: list[Doc], result: tuple[str, ...]) -> None:
    chat = read_parts(
        invocation("c"), result=rounds(("c__vscode-1", "x", "{}"), results={"c__vscode-1": content})
    )
    assert all(part in (chat.call.result or "") for part in result)
    for absent in ("iVBO", "no", "thought"):
        assert absent not in (chat.call.result or "")


def test_a_result_nested_hundreds_deep_is_read() -> None:
    node: Doc = {"type": 2, "text": "deep"}
    for _ in range(150):
        node = {"type": 1, "ctor": 2, "children": [node]}
    results = {"c__vscode-1": [{"$mid": 23, "value": {"node": node}}]}
    chat = read_parts(invocation("c"), result=rounds(("c__vscode-1", "x", "{}"), results=results))
    assert chat.call.result == "deep"
