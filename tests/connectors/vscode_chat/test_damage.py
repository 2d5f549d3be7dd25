"""Logs and answers of VS Code that were once read wrongly, with something lost."""

from __future__ import annotations

import json
from typing import Any

from agent_journal.connectors.base import FileIdentity, Pause
from agent_journal.connectors.vscode_chat import CONNECTOR
from agent_journal.connectors.vscode_chat.document import ReplayReader
from agent_journal.model import Event, FileEdit, Message
from tests.support.assemble import BytesContent

T = 1768000000000
URI = {"$mid": 1, "scheme": "file", "path": "/w/a.py"}


def line(value: dict[str, Any]) -> bytes:
    return json.dumps(value, separators=(",", ":")).encode() + b"\n"


def read(data: bytes, **siblings: bytes) -> tuple[ReplayReader, list[object]]:
    name = "workspaceStorage/w/chatSessions/s.jsonl"
    reader = CONNECTOR.reader(FileIdentity(name, f"/h/Code/User/{name}", "replay", "s"), None)
    assert isinstance(reader, ReplayReader)
    content = BytesContent(
        data, companions={key.replace("_", "."): value for key, value in siblings.items()}
    )
    pieces = [piece for piece in reader.read(content) if not isinstance(piece, Pause)]
    assert reader.ledger.total_bytes == len(data)
    return reader, pieces


def answer(*parts: dict[str, Any], **request: Any) -> list[Message]:
    turn = {"requestId": "r", "timestamp": T, "message": "go", "response": list(parts), **request}
    _, pieces = read(line({"kind": 0, "v": {"requests": [turn]}}))
    return [piece for piece in pieces if isinstance(piece, Message) and piece.kind == "answer"]


def test_a_good_line_with_many_parts_behind_a_torn_one_is_found() -> None:
    parts = [{"kind": "undoStop", "id": str(number)} for number in range(100)]
    good = line(
        {
            "kind": 2,
            "k": ["requests"],
            "v": [{"requestId": "r", "message": "kept", "response": parts}],
        }
    )
    torn = good[: len(good) // 2]
    reader, pieces = read(line({"kind": 0, "v": {"requests": []}}) + torn + good)
    assert [
        piece.text for piece in pieces if isinstance(piece, Message) and piece.role == "user"
    ] == ["kept"]
    assert not [piece for piece in pieces if isinstance(piece, Event)]
    assert [trouble.reason for trouble in reader.ledger.troubles] == ["not JSON"]


def test_a_log_without_its_start_beside_a_damaged_document_is_replayed_on_nothing() -> None:
    log = line({"kind": 2, "k": ["requests"], "v": [{"requestId": "r", "message": "kept"}]})
    reader, pieces = read(log, s_json=b'{"requests": [')
    assert [piece.text for piece in pieces if isinstance(piece, Message)] == ["kept"]
    assert "only what the later lines say is left" in reader.ledger.troubles[0].reason


def test_a_kind_that_is_true_is_not_a_set() -> None:
    reader, _ = read(
        line({"kind": 0, "v": {"requests": []}})
        + line({"kind": True, "k": ["customTitle"], "v": "x"})
    )
    assert [session.title for session in reader.sessions()] == [None]
    assert ("unknown", "change True", "") in reader.ledger.counts


TOOL = {
    "kind": "toolInvocationSerialized",
    "toolId": "copilot_replaceString",
    "toolCallId": "c",
    "isConfirmed": True,
}
FENCE = {"value": "\n```\n"}
EDIT = {"kind": "textEditGroup", "uri": URI, "edits": [], "done": True}


def test_the_empty_fence_behind_an_edit_is_no_answer() -> None:
    answers = answer(
        {"value": "I edit."},
        TOOL,
        FENCE,
        {"kind": "codeblockUri", "uri": URI},
        EDIT,
        FENCE,
        {**TOOL, "toolCallId": "c2"},
    )
    assert [(answer.text, len(answer.tool_calls)) for answer in answers] == [("I edit.", 2)]


def test_a_fence_with_text_behind_a_call_stays_whole() -> None:
    answers = answer(TOOL, FENCE, {"value": "x = 1"}, FENCE)
    assert [answer.text for answer in answers] == ["", "\n```\nx = 1\n```\n"]


def test_times_do_not_go_backwards() -> None:
    rounds = [{"toolCalls": [{"id": "c", "name": "x", "arguments": ""}], "timestamp": T + 5000}]
    answers = answer(
        {"value": "a"}, TOOL, {"value": "b"}, result={"metadata": {"toolCallRounds": rounds}}
    )
    times = [answer.timestamp for answer in answers]
    assert times == sorted(times, key=str)


def test_text_that_was_taken_back_is_an_event() -> None:
    parts = [
        {"value": "Wrong."},
        {"kind": "clearToPreviousToolInvocation", "reason": 0},
        {"value": "Right."},
    ]
    turn = {"requestId": "r", "message": "go", "response": parts}
    _, pieces = read(line({"kind": 0, "v": {"requests": [turn]}}))
    assert [piece.text for piece in pieces if isinstance(piece, Message)] == ["go", "Right."]
    assert [piece.text for piece in pieces if isinstance(piece, Event)] == ["Wrong."]


def test_an_edit_says_what_became_of_it() -> None:
    turns = [
        {"requestId": "r1", "message": "a", "response": [EDIT]},
        {
            "requestId": "r2",
            "message": "b",
            "response": [EDIT],
            "editedFileEvents": [{"uri": URI, "eventKind": 1}],
        },
        {"requestId": "r3", "message": "c", "editedFileEvents": [{"uri": URI, "eventKind": 2}]},
    ]
    _, pieces = read(line({"kind": 0, "v": {"requests": turns}}))
    edits = [(piece.message_id, piece.state) for piece in pieces if isinstance(piece, FileEdit)]
    assert edits == [("r1", "undone"), ("r2", "undone")]


def test_a_tool_that_answered_with_nothing_did_what_it_was_asked() -> None:
    empty = {
        "$mid": 20,
        "content": [{"$mid": 23, "value": {"node": {"type": 1, "ctor": 2, "children": []}}}],
    }
    rounds = [
        {"toolCalls": [{"id": "c__vscode-1", "name": "replace_string_in_file", "arguments": "{}"}]}
    ]
    metadata = {"toolCallRounds": rounds, "toolCallResults": {"c__vscode-1": empty}}
    [only] = answer(TOOL, result={"metadata": metadata})
    assert [(call.result, call.status) for call in only.tool_calls] == [("", "ok")]


def edited(
    name: str, arguments: dict[str, Any], *shown: dict[str, Any], text: str = "done"
) -> list[FileEdit]:
    tool = {**TOOL, "toolId": name}
    rounds = [
        {"toolCalls": [{"id": "c__vscode-1", "name": name, "arguments": json.dumps(arguments)}]}
    ]
    results = {"c__vscode-1": {"content": [{"value": text}]}}
    metadata = {"toolCallRounds": rounds, "toolCallResults": results}
    turn = {
        "requestId": "r",
        "message": "go",
        "response": [tool, *shown],
        "result": {"metadata": metadata},
    }
    _, pieces = read(line({"kind": 0, "v": {"requests": [turn]}}))
    return [piece for piece in pieces if isinstance(piece, FileEdit)]


def test_edits_are_what_the_model_asked_for() -> None:
    [made] = edited("create_file", {"filePath": "/w/a.py", "content": "x\ny\n"}, EDIT)
    assert (made.kind, made.after, made.lines_added, made.lines_removed) == (
        "create",
        "x\ny\n",
        2,
        0,
    )
    assert made.diff == "--- /dev/null\n+++ b/w/a.py\n@@ -0,0 +1,2 @@\n+x\n+y\n"
    [changed] = edited(
        "replace_string_in_file",
        {"filePath": "/w/a.py", "oldString": "x = 1", "newString": "x = 2"},
    )
    assert "-x = 1\n" in (changed.diff or "")
    assert "+x = 2\n" in (changed.diff or "")
    parts = [{"filePath": f"/w/{name}", "oldString": "a", "newString": "b"} for name in ("p", "q")]
    assert [
        edit.path for edit in edited("multi_replace_string_in_file", {"replacements": parts})
    ] == ["/w/p", "/w/q"]


def test_a_patch_is_an_edit_of_each_file_in_it() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: /w/a.py\n@@\n-x\n+y\n"
        "*** Add File: /w/b.py\n+new\n*** End Patch"
    )
    edits = edited("apply_patch", {"input": patch})
    assert [(edit.path, edit.kind, edit.lines_added, edit.lines_removed) for edit in edits] == [
        ("/w/a.py", "edit", 1, 1),
        ("/w/b.py", "create", 1, 0),
    ]
    assert edits[0].diff == "@@\n-x\n+y\n"


def test_an_edit_that_failed_changed_nothing() -> None:
    assert (
        edited(
            "apply_patch",
            {"input": "*** Update File: a\n+x"},
            text="Applying patch failed with error: no",
        )
        == []
    )


def test_a_tree_has_one_line_break_where_it_has_two_reasons_for_one() -> None:
    nodes = [
        {"type": 2, "text": "a\n", "lineBreakBefore": True},
        {"type": 2, "text": "b", "lineBreakBefore": True},
    ]
    metadata = {
        "toolCallRounds": [{"toolCalls": [{"id": "c", "name": "x", "arguments": ""}]}],
        "toolCallResults": {
            "c": {"content": [{"value": {"node": {"type": 1, "children": nodes}}}]}
        },
    }
    [only] = answer(TOOL, result={"metadata": metadata})
    assert [call.result for call in only.tool_calls] == ["a\nb"]


def test_a_document_without_requests_is_no_session() -> None:
    reader, pieces = read(line({"kind": 0, "v": {"hello": 1}}))
    assert list(reader.sessions()) == pieces == []
    assert [trouble.reason for trouble in reader.ledger.troubles] == [
        "there is no session in this log"
    ]
