"""The validator catches what it is there for: every cause for which VS Code refuses or blanks a
chat.
"""

from __future__ import annotations

import copy
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.vscode_validator import MIDDLE, NEW, problems

TEXT = "fix 😀"
VALID: dict[str, Any] = {
    "version": 3,
    "requesterUsername": "user",
    "responderUsername": "Claude Code",
    "initialLocation": "panel",
    "sessionId": "6f0c1f7e-3f5b-4d0e-9a55-0c6f1c6f7b01",
    "creationDate": 1760000000000,
    "lastMessageDate": 1760000005000,
    "isImported": False,
    "customTitle": "Fix",
    "requests": [
        {
            "requestId": "request_1",
            "message": {
                "text": TEXT,
                "parts": [
                    {
                        "kind": "text",
                        "range": {"start": 0, "endExclusive": 6},
                        "text": TEXT,
                        "editorRange": {
                            "startLineNumber": 1,
                            "startColumn": 1,
                            "endLineNumber": 1,
                            "endColumn": 7,
                        },
                    }
                ],
            },
            "variableData": {
                "variables": [{"id": "a", "name": "a", "kind": "generic", "value": "x"}]
            },
            "response": [
                {"kind": "thinking", "value": "look", "id": "t", "generatedTitle": "look"},
                {"value": "I will."},
                {
                    "kind": "toolInvocationSerialized",
                    "toolId": "Bash",
                    "toolCallId": "toolu_1",
                    "invocationMessage": "Running pytest",
                    "pastTenseMessage": "Running pytest",
                    "generatedTitle": "Running pytest",
                    "isConfirmed": {"type": 1},
                    "isComplete": True,
                    "toolSpecificData": {
                        "kind": "terminal",
                        "commandLine": {"original": "pytest"},
                        "command": "pytest",
                    },
                    "resultDetails": {"input": "{}", "output": "1"},
                },
            ],
            "responseId": "response_1",
            "agent": {"id": "github.copilot.editsAgent", "name": "agent"},
            "result": {
                "timings": {"firstProgress": 1, "totalElapsed": 5},
                "metadata": {
                    "toolCallRounds": [
                        {"toolCalls": [{"id": "toolu_1", "name": "Bash", "arguments": "{}"}]}
                    ],
                    "toolCallResults": {"toolu_1": {"content": []}},
                },
            },
            "timestamp": 1760000000000,
            "modelState": {"value": 1, "completedAt": 1760000005000},
            "modelId": "a/b",
        }
    ],
}
Change = Callable[[dict[str, Any]], object]
PART = {"kind": "text", "text": "m", "range": {"start": 0, "endExclusive": 1}}
URI = {"$mid": 1, "scheme": "file", "path": "/a"}


def turn(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = document["requests"][0]
    return found


def call(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = turn(document)["response"][2]
    return found


def metadata(document: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = turn(document)["result"]["metadata"]
    return found


def add(part: Any) -> Change:
    return lambda document: turn(document)["response"].append(part)


def say(message: Any) -> Change:
    return lambda document: turn(document).update(message=message)


def change_part(**fields: Any) -> Change:
    return lambda document: turn(document)["message"]["parts"][0].update(fields)


BROKEN: dict[str, tuple[Change, str]] = {
    "no requester": (lambda d: d.pop("requesterUsername"), "1.106 refuses"),
    "no responder": (lambda d: d.pop("responderUsername"), "1.107 and later refuse"),
    "no requests": (lambda d: d.update(requests={}), "requests is no array"),
    "no id": (lambda d: d.pop("sessionId"), "sessionId"),
    "an id that is a path": (lambda d: d.update(sessionId="../x"), "file name"),
    "a date as text": (lambda d: d.update(creationDate="2026-01-01"), "creationDate"),
    "another location": (lambda d: d.update(initialLocation="chat"), "initialLocation"),
    # Edge case 42: each of these shows an empty chat.
    "text in the response": (add("text"), "a str in the response"),
    "null in the response": (add(None), "a NoneType in the response"),
    "a number in the response": (add(1), "a int in the response"),
    "a response that is text": (lambda d: turn(d).update(response="text"), "response is no array"),
    "a message part of kind file": (
        say({"text": "m", "parts": [{**PART, "kind": "file"}]}),
        "kind that is not known",
    ),
    "a message part without range": (
        say({"text": "m", "parts": [{"kind": "text", "text": "m"}]}),
        "without range",
    ),
    "a message without parts": (say({"text": "m"}), "without parts"),
    "a range that runs backwards": (
        change_part(range={"start": 3, "endExclusive": 1}),
        "ends before it starts",
    ),
    "a range in code points": (change_part(range={"start": 0, "endExclusive": 5}), "UTF-16"),
    "a range beyond the text": (
        change_part(range={"start": 0, "endExclusive": 7}),
        "beyond the end",
    ),
    "an agent part without agent": (change_part(kind="agent"), "without agent"),
    "no editor range": (change_part(editorRange=None), "editorRange"),
    "a variable that is null": (
        lambda d: turn(d)["variableData"]["variables"].append(None),
        "no object",
    ),
    "a variable with an address": (
        lambda d: turn(d)["variableData"]["variables"][0].update(value=URI),
        "1.106 does not revive",
    ),
    "an address without $mid": (
        lambda d: turn(d)["variableData"]["variables"][0].update(
            value={"scheme": "file", "path": "/a"}
        ),
        "$mid",
    ),
    "an unknown kind": (add({"kind": "somethingNew2027"}), "is not known"),
    "a kind of 1.109": (add({"kind": "questionCarousel", "questions": []}), "came with 1.109"),
    "thinking in pieces": (add({"kind": "thinking", "value": ["a"]}), "came with 1.104"),
    "nothing at all": (add({}), "file tree"),
    "a file tree": (add({"label": "a", "uri": URI}), "file tree"),
    "an edit with an address": (
        add({"kind": "textEditGroup", "uri": URI, "edits": []}),
        "does not revive",
    ),
    "a reference to nothing": (add({"kind": "inlineReference"}), "without a target"),
    "a warning without words": (add({"kind": "warning"}), "without content"),
    "a button": (add({"kind": "command", "command": {"id": "x", "title": "y"}}), "runs a command"),
    "trusted text": (add({"value": "x", "isTrusted": True}), "trusted"),
    "text with HTML": (add({"value": "x", "supportHtml": True}), "trusted"),
    "a call that says nothing": (
        lambda d: call(d).update(invocationMessage=""),
        "invocationMessage",
    ),
    "a call without a name": (lambda d: call(d).pop("toolId"), "toolId"),
    "the same call twice": (lambda d: turn(d)["response"].append(call(d)), "was there before"),
    "the call of nobody": (lambda d: call(d).update(subAgentInvocationId="x"), "no call before it"),
    "confirmed by true": (lambda d: call(d).update(isConfirmed=True), "isConfirmed"),
    "a terminal without a command": (
        lambda d: call(d).update(toolSpecificData={"kind": "terminal"}),
        "a command",
    ),
    "a todo without a state": (
        lambda d: call(d).update(
            toolSpecificData={"kind": "todoList", "todoList": [{"id": "1", "title": "a"}]}
        ),
        "status",
    ),
    "an output that is text": (
        lambda d: call(d)["resultDetails"].update(output=["x"]),
        "without value",
    ),
    "another agent": (lambda d: turn(d).update(agent={}), "tool history"),
    "a round without results": (lambda d: metadata(d).pop("toolCallResults"), "is left out"),
    "arguments that are no object": (
        lambda d: metadata(d)["toolCallRounds"][0]["toolCalls"][0].update(arguments="[1]"),
        "no JSON object",
    ),
    "outputs in a list": (
        lambda d: call(d)["resultDetails"].update(output=[{"value": "1"}]),
        "output as text",
    ),
    "a terminal for newer versions only": (
        lambda d: call(d)["toolSpecificData"].pop("command"),
        "undefined",
    ),
    "a terminal with a language": (
        lambda d: call(d)["toolSpecificData"].update(language="sh"),
        "undefined",
    ),
    "denied by a number": (lambda d: call(d).update(isConfirmed={"type": 0}), "as approved"),
    "a call that is never over": (lambda d: call(d).pop("pastTenseMessage"), "pastTenseMessage"),
    "a call without a title": (lambda d: call(d).pop("generatedTitle"), "sent to a model"),
    "thinking without a title": (
        lambda d: turn(d)["response"][0].pop("generatedTitle"),
        "sent to a model",
    ),
    "servers that start": (
        add({"kind": "mcpServersStarting", "value": "x"}),
        "empties the chat",
    ),
    "no time": (lambda d: turn(d).pop("timestamp"), "no timestamp"),
    "used context": (lambda d: turn(d).update(usedContext={}), "usedContext"),
    "a time that is none": (lambda d: turn(d).update(timestamp=-1), "timestamp"),
    "a state that is none": (lambda d: turn(d).update(modelState={"value": 9}), "modelState"),
    "an error without words": (lambda d: turn(d)["result"].update(errorDetails={}), "errorDetails"),
    "two requests of one id": (lambda d: d["requests"].append(turn(d)), "same id"),
}


def test_the_document_of_the_description_is_valid() -> None:
    assert problems(VALID) == []


@pytest.mark.parametrize("name", BROKEN)
def test_every_pitfall_is_caught(name: str) -> None:
    change, why = BROKEN[name]
    document = copy.deepcopy(VALID)
    change(document)
    found = problems(document)
    assert any(why in problem for problem in found), found


def test_what_vs_code_accepts_is_accepted() -> None:
    document = copy.deepcopy(VALID)
    document["requests"] = [
        {"requestId": "r", "message": "hi"},
        {"requestId": "q", "message": "", "response": []},
    ]
    assert problems(document, is_ours=False) == []


def test_newer_versions_know_what_older_ones_do_not() -> None:
    document = copy.deepcopy(VALID)
    turn(document)["response"] += [
        {"kind": "questionCarousel", "questions": []},
        {"kind": "textEditGroup", "uri": URI, "edits": []},
        {"kind": "somethingNew2027"},
    ]
    assert problems(document)
    assert problems(document, (MIDDLE, NEW), is_ours=False) == []
