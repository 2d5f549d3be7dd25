"""Editing sessions of VS Code: every layout, the order of things, and damage."""

from __future__ import annotations

import copy
import hashlib
import json
import random
import time
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.ledger import Ledger
from agent_journal.connectors.vscode_chat.buffer import Buffer
from agent_journal.connectors.vscode_chat.changes import Budget
from agent_journal.connectors.vscode_chat.editing import EditingReader
from agent_journal.model import FileEdit
from agent_journal.model.diffs import apply_diff
from agent_journal.model.file_history import file_at
from tests.support.assemble import BytesContent

NAME = "workspaceStorage/w1/chatEditingSessions/s1/state.json"


def read_bytes(
    data: bytes, contents: dict[str, bytes] | None = None
) -> tuple[list[FileEdit], Ledger]:
    reader = EditingReader(FileIdentity(NAME, f"/u/{NAME}", "document", None))
    companions = {f"contents/{name}": text for name, text in (contents or {}).items()}
    edits = list(reader.read(BytesContent(data, companions=companions)))
    assert reader.ledger.total_bytes == reader.offset == len(data)
    assert all(isinstance(edit, FileEdit) and edit.session_id == "s1" for edit in edits)
    return edits, reader.ledger  # type: ignore[return-value]


def read(document: Any, contents: dict[str, bytes] | None = None) -> list[FileEdit]:
    edits, ledger = read_bytes(json.dumps(document).encode(), contents)
    assert [key[:2] for key in ledger.counts] == [("mapped", "editing-session")]
    return edits


def troubles(document: Any, contents: dict[str, bytes] | None = None) -> list[tuple[str, str]]:
    _, ledger = read_bytes(json.dumps(document).encode(), contents)
    return [(trouble.kind, trouble.reason) for trouble in ledger.troubles]


def told(edits: list[FileEdit]) -> list[tuple[Any, ...]]:
    return [(e.message_id, e.path, e.kind, e.state, e.lines_added, e.lines_removed) for e in edits]


def uri(path: str) -> dict[str, Any]:
    return {"$mid": 1, "scheme": "file", "path": path}


def place(start_line: int, start: int, end_line: int, end: int) -> dict[str, int]:
    return {
        "startLineNumber": start_line,
        "startColumn": start,
        "endLineNumber": end_line,
        "endColumn": end,
    }


def operation(kind: str, path: str, request: str, epoch: int, **more: Any) -> dict[str, Any]:
    return {"type": kind, "uri": uri(path), "requestId": request, "epoch": epoch, **more}


def text_edit(
    path: str, request: str, epoch: int, *edits: tuple[tuple[int, int, int, int], str]
) -> dict[str, Any]:
    made = [{"range": place(*where), "text": text} for where, text in edits]
    return operation("textEdit", path, request, epoch, edits=made)


def baseline(path: str, request: str, epoch: int, text: str, **more: Any) -> list[Any]:
    return [
        f"file://{path}::{request}",
        {
            "uri": uri(path),
            "requestId": request,
            "content": text,
            "epoch": epoch,
            "telemetryInfo": {},
            **more,
        },
    ]


def timeline(
    operations: list[Any], baselines: list[Any] | None = None, now: int = 10_000, **more: Any
) -> dict[str, Any]:
    return {
        "version": 2,
        "initialFileContents": [],
        "recentSnapshot": {"entries": []},
        "timeline": {
            "checkpoints": [],
            "currentEpoch": now,
            "epochCounter": now,
            "fileBaselines": baselines or [],
            "operations": operations,
        },
        **more,
    }


def name_of(text: str) -> str:
    return hashlib.sha1(text.encode()).hexdigest()[:7]


def entry(
    path: str, original: str, current: str, state: int = 0, request: str = "r1", **more: Any
) -> dict[str, Any]:
    return {
        "resource": f"file://{path}",
        "languageId": "plaintext",
        "originalHash": name_of(original),
        "currentHash": name_of(current),
        "state": state,
        "snapshotUri": f"chat-editing-snapshot-text-model:{path}",
        "telemetryInfo": {"requestId": request},
        **more,
    }


def blobs(*texts: str) -> dict[str, bytes]:
    return {name_of(text): text.encode() for text in texts}


def stops(request: str, *snapshots: list[Any]) -> dict[str, Any]:
    return {
        "requestId": request,
        "stops": [{"stopId": f"s{n}", "entries": each} for n, each in enumerate(snapshots)],
    }


def linear(history: list[Any], index: int | None = None, **more: Any) -> dict[str, Any]:
    count = sum(len(item.get("stops", [1])) for item in history)
    return {
        "version": 2,
        "sessionId": "s1",
        "linearHistory": history,
        "linearHistoryIndex": count if index is None else index,
        "initialFileContents": [],
        "recentSnapshot": {"entries": []},
        **more,
    }


# -- the cases of the format -------------------------------------------------------------------


def test_made_and_edited_in_one_request_and_an_undone_edit_in_the_next() -> None:
    document = timeline(
        [
            operation(
                "create",
                "/w/n.txt",
                "r1",
                2,
                initialContent="a\nb\n",
                telemetryInfo={"requestId": "r1"},
            ),
            text_edit("/w/n.txt", "r1", 3, ((2, 1, 2, 2), "B")),
            text_edit("/w/n.txt", "r2", 5, ((1, 1, 1, 2), "A")),
        ],
        now=5,
    )
    document["timeline"]["checkpoints"] = [
        {"checkpointId": "c0", "epoch": 0, "label": "Initial State"},
        {"checkpointId": "c1", "requestId": "r1", "epoch": 1, "label": "Request r1"},
        {"checkpointId": "c2", "requestId": "r2", "epoch": 4, "label": "Request r2"},
    ]
    first, second = read(document)
    assert told([first, second]) == [
        ("r1", "/w/n.txt", "create", None, 2, 0),
        ("r2", "/w/n.txt", "edit", "undone", 1, 1),
    ]
    assert first.diff == "--- /dev/null\n+++ b/w/n.txt\n@@ -0,0 +1,2 @@\n+a\n+B\n"
    assert second.diff == "--- a/w/n.txt\n+++ b/w/n.txt\n@@ -1,2 +1,2 @@\n-a\n+A\n B\n"
    assert first.before is second.before is None
    assert first.origin == "editing-session"
    assert file_at([first, second], "/w/n.txt", ["r1", "r2"], 2) == "a\nB\n"


def test_a_history_of_stops() -> None:
    data = (
        b'{"version":2,"sessionId":"s","linearHistoryIndex":2,"linearHistory":[{"requestId":"r1","stops":[{"entries":'
        b'[{"resource":"file:///w/f","languageId":"plaintext","originalHash":"6fcf9df","currentHash":"6fcf9df","state":0,'
        b'"snapshotUri":"chat-editing-snapshot-text-model:/w/f","telemetryInfo":{"requestId":"r1"}}]},{"stopId":'
        b'"d19944f6-f46c-4e17-911b-79a8e843c7c0","entries":[{"resource":"file:///w/f","languageId":"plaintext",'
        b'"originalHash":"6fcf9df","currentHash":"9063a9f","state":1,"snapshotUri":'
        b'"chat-editing-snapshot-text-model:/w/f","telemetryInfo":{"requestId":"r1"}}]}]}],"initialFileContents":'
        b'[["file:///w/f","6fcf9df"]],"recentSnapshot":{"entries":[]}}'
    )
    edits, _ = read_bytes(data, {"6fcf9df": b"x\n", "9063a9f": b"y\n"})
    assert told(edits) == [("r1", "/w/f", "edit", "kept", 1, 1)]
    assert edits[0].diff == "--- a/w/f\n+++ b/w/f\n@@ -1,1 +1,1 @@\n-x\n+y\n"
    assert edits[0].before == "x\n"


# -- timelines ---------------------------------------------------------------------------------


def test_several_files_and_what_a_person_did_between() -> None:
    edits = read(
        timeline(
            [
                text_edit("/w/a", "r1", 3, ((1, 1, 1, 1), "1")),
                text_edit("/w/b", "r1", 5, ((1, 1, 1, 1), "1")),
                text_edit("/w/a", "r1", 6, ((1, 1, 1, 1), "2")),
                text_edit("/w/b", "r2", 9, ((1, 1, 1, 1), "3")),
                text_edit("/w/a", "r2", 11, ((1, 1, 1, 1), "3")),
            ],
            [
                baseline("/w/a", "r1", 2, "a\n"),
                baseline("/w/b", "r1", 4, "b\n"),
                baseline("/w/b", "r2", 8, "1b\n"),
                baseline("/w/a", "r2", 10, "mine\n"),
                baseline("/w/gone", "r0", 1, "of a request that was undone and then replaced\n"),
            ],
        )
    )
    assert [(e.message_id, e.path, e.before) for e in edits] == [
        ("r1", "/w/a", "a\n"),
        ("r1", "/w/b", "b\n"),
        ("r2", "/w/b", None),
        ("r2", "/w/a", "mine\n"),
    ]
    assert file_at(edits, "/w/a", ["r1", "r2"], 1) == "21a\n"
    assert file_at(edits, "/w/a", ["r1", "r2"], 2) == "3mine\n"
    assert file_at(edits, "/w/b", ["r1", "r2"], 2) == "31b\n"


def test_operations_come_in_the_order_of_their_epochs() -> None:
    edits = read(
        timeline(
            [
                text_edit("/w/a", "r2", 4, ((1, 1, 1, 9), "two")),
                text_edit("/w/a", "r1", 2, ((1, 1, 1, 9), "one")),
            ],
            [baseline("/w/a", "r1", 1, "zero"), baseline("/w/a", "r2", 3, "one")],
        )
    )
    assert [(e.message_id, e.before) for e in edits] == [("r1", "zero"), ("r2", None)]


def test_a_request_that_is_undone_from_its_middle_on() -> None:
    edits = read(
        timeline(
            [
                text_edit("/w/a", "r1", 2, ((1, 1, 1, 1), "x")),
                text_edit("/w/a", "r1", 4, ((1, 1, 1, 1), "y")),
            ],
            [baseline("/w/a", "r1", 1, "a")],
            now=4,
        )
    )
    assert [(e.state, e.before) for e in edits] == [(None, "a"), ("undone", None)]
    assert file_at(edits, "/w/a", ["r1"], 1) == "xa"


def test_deleted_renamed_and_made_again() -> None:
    rename = operation("rename", "/w/old", "r1", 3, oldUri=uri("/w/old"), newUri=uri("/w/new"))
    edits = read(
        timeline(
            [
                rename,
                text_edit("/w/new", "r1", 4, ((1, 1, 1, 4), "new")),
                operation("delete", "/w/gone", "r1", 5, finalContent="gone\n"),
                operation("create", "/w/old", "r2", 6, initialContent=""),
                operation("create", "/w/brief", "r2", 7, initialContent="x"),
                operation("delete", "/w/brief", "r2", 8),
                operation(
                    "rename", "/w/old", "r3", 9, oldUri=uri("/w/old"), newUri=uri("/w/older")
                ),
                operation("create", "/w/gone", "r3", 10, initialContent="back\n"),
                operation("delete", "/w/gone", "r4", 11, finalContent="by hand\n"),
            ],
            [baseline("/w/old", "r1", 2, "old\n")],
        )
    )
    assert told(edits) == [
        ("r1", "/w/new", "rename", None, 1, 1),
        ("r1", "/w/gone", "delete", None, 0, 1),
        ("r2", "/w/old", "create", None, 0, 0),
        ("r3", "/w/older", "rename", None, 0, 0),
        ("r3", "/w/gone", "create", None, 1, 0),
        ("r4", "/w/gone", "delete", None, 0, 1),
    ]
    assert [e.before for e in edits] == ["old\n", "gone\n", None, "", None, "by hand\n"]
    assert edits[0].diff == "--- a/w/old\n+++ b/w/new\n@@ -1,1 +1,1 @@\n-old\n+new\n"
    assert edits[3].diff == "--- a/w/old\n+++ b/w/older\n"
    requests = ["r1", "r2", "r3", "r4"]
    assert [file_at(edits, "/w/old", requests, n) for n in range(5)] == [
        "old\n",
        None,
        "",
        None,
        None,
    ]
    assert [file_at(edits, "/w/new", requests, n) for n in range(3)] == [None, "new\n", "new\n"]
    assert [file_at(edits, "/w/gone", requests, n) for n in range(5)] == [
        "gone\n",
        None,
        None,
        "back\n",
        None,
    ]


def test_a_file_renamed_there_and_back_or_before_it_is_known() -> None:
    def rename(old: str, new: str, epoch: int) -> dict[str, Any]:
        return operation("rename", old, "r1", epoch, oldUri=uri(old), newUri=uri(new))

    assert (
        read(
            timeline([rename("/a", "/b", 2), rename("/b", "/a", 3)], [baseline("/a", "r1", 1, "x")])
        )
        == []
    )
    (edit,) = read(timeline([rename("/a", "/b", 2), rename("/b", "/c", 3)]))
    assert (edit.path, edit.kind, edit.diff, edit.before) == (
        "/c",
        "rename",
        "--- a/a\n+++ b/c\n",
        None,
    )
    made = [operation("create", "/a", "r1", 1, initialContent="x\n"), rename("/a", "/b", 2)]
    assert told(read(timeline(made))) == [("r1", "/b", "create", None, 1, 0)]
    gone = [rename("/a", "/b", 2), operation("delete", "/b", "r1", 3)]
    assert told(read(timeline(gone, [baseline("/a", "r1", 1, "x\n")]))) == [
        ("r1", "/a", "delete", None, 0, 1)
    ]


@pytest.mark.parametrize(
    ("before", "edits", "after"),
    [
        ("a\U0001f600b\n", [((1, 2, 1, 4), "x")], "axb\n"),
        ("a\U0001f600b\n", [((1, 4, 1, 5), "x")], "a\U0001f600x\n"),
        ("a\U0001f600b\n", [((1, 3, 1, 3), "x")], "ax\U0001f600b\n"),  # never into a pair
        ("a\U0001f600b\n", [((1, 3, 1, 5), "x")], "ax\n"),
        ("ü\U0001f600\U0001f600", [((1, 1, 1, 4), "")], "\U0001f600"),
        ("a\r\nb\r\nc", [((2, 1, 2, 2), "B")], "a\r\nB\r\nc"),
        ("a\r\nb\r\nc", [((1, 2, 2, 1), "")], "ab\r\nc"),
        # As VS Code gives it to the file
        ("a\r\nb\r\nc", [((3, 2, 3, 2), "\nd\n")], "a\r\nb\r\nc\r\nd\r\n"),
        ("a\nb\n", [((2, 2, 2, 2), "\r\nc")], "a\nb\nc\n"),
        ("a\rb\r\nc\nd", [((4, 1, 4, 2), "D")], "a\rb\r\nc\nD"),
        ("a\u2028b\nc", [((2, 1, 2, 2), "C")], "a\u2028b\nC"),
        ("abc", [((1, 1, 1, 2), "x"), ((1, 3, 1, 4), "z")], "xbz"),
        ("abc", [((1, 3, 1, 4), "zz"), ((1, 1, 1, 2), "")], "bzz"),
        ("abc", [((1, 2, 1, 2), "1"), ((1, 2, 1, 2), "2"), ((1, 2, 1, 3), "B")], "a12Bc"),
        ("abc", [((1, 99, 1, 99), "!"), ((0, 0, 0, 5), "?")], "?abc!"),
        ("a\nb", [((9, 1, 9, 1), "!")], "a\nb!"),
        ("a\nb\n", [((3, 1, 3, 1), "c\n")], "a\nb\nc\n"),
        ("a\nb\n", [((2, 1, 3, 1), "")], "a\n"),
        ("", [((1, 1, 1, 1), "a\r\nb\r\n")], "a\nb\n"),
        ("abc", [((1, 3, 1, 1), "x")], "xc"),
        ("abc", [], "abc"),
    ],
)
def test_edits_count_as_vs_code_does(before: str, edits: list[Any], after: str) -> None:
    buffer = Buffer(before, Budget(0))
    buffer.apply([{"range": place(*where), "text": text} for where, text in edits])
    assert buffer.text == after
    found = read(
        timeline([text_edit("/w/a", "r1", 2, *edits)], [baseline("/w/a", "r1", 1, before)])
    )
    assert [apply_diff(before, edit.diff or "") for edit in found] == (
        [after] if after != before else []
    )


def test_notebooks_are_listed_without_diff() -> None:
    cell = operation("textEdit", "/w/n.ipynb", "r1", 2, cellIndex=0, edits=[])
    cell["uri"] = {
        "$mid": 1,
        "scheme": "vscode-notebook-cell",
        "path": "/w/n.ipynb",
        "fragment": "W0",
    }
    edits = read(
        timeline(
            [
                cell,
                operation("notebookEdit", "/w/m.ipynb", "r1", 3, cellEdits=[{}]),
                operation(
                    "create",
                    "/w/o.ipynb",
                    "r2",
                    4,
                    initialContent="{}",
                    notebookViewType="jupyter-notebook",
                ),
                operation("delete", "/w/o.ipynb", "r3", 5, finalContent="{}"),
            ],
            [baseline("/w/n.ipynb", "r1", 1, "{}", notebookViewType="jupyter-notebook")],
        )
    )
    assert [(e.path, e.kind, e.diff, e.before) for e in edits] == [
        ("/w/n.ipynb", "edit", None, None),
        ("/w/m.ipynb", "edit", None, None),
        ("/w/o.ipynb", "create", None, None),
        ("/w/o.ipynb", "delete", None, None),
    ]


def test_the_text_before_the_session_where_no_baseline_has_it() -> None:
    document = timeline(
        [text_edit("/w/f", "r1", 2, ((1, 1, 1, 2), "y"))],
        initialFileContents=[["file:///w/f", name_of("x\n")]],
    )
    (edit,) = read(document, blobs("x\n"))
    assert (edit.before, edit.lines_added) == ("x\n", 1)
    (edit,) = read(document)
    assert (edit.kind, edit.diff, edit.before, edit.lines_added) == ("edit", None, None, None)
    assert troubles(document) == [("contents", "contents/6fcf9df is missing")]


def test_a_request_is_known_by_its_checkpoint() -> None:
    document = timeline(
        [text_edit("/w/f", "", 4, ((1, 1, 1, 1), "y"))],
        [baseline("/w/f", "r2", 3, "x")],
    )
    del document["timeline"]["operations"][0]["requestId"]
    document["timeline"]["checkpoints"] = [
        {"epoch": 0},
        {"epoch": 1, "requestId": "r1"},
        {"epoch": 2, "requestId": "r2"},
    ]
    assert [e.message_id for e in read(document)] == ["r2"]


def test_accepted_and_rejected_files_of_a_timeline() -> None:
    operations = [
        text_edit("/w/f", "r1", 2, ((1, 1, 1, 1), "1")),
        text_edit("/w/f", "r2", 4, ((1, 1, 1, 1), "2")),
        text_edit("/w/f", "r3", 6, ((1, 1, 1, 1), "3")),
    ]
    baselines = [
        baseline("/w/f", f"r{n}", 2 * n - 1, text)
        for n, text in ((1, "f\n"), (2, "1f\n"), (3, "21f\n"))
    ]

    def states(recent: dict[str, Any]) -> list[Any]:
        return [
            e.state
            for e in read(timeline(operations, baselines, recentSnapshot={"entries": [recent]}))
        ]

    assert states(entry("/w/f", "321f\n", "321f\n", 1)) == ["kept", "kept", "kept"]
    # Rejecting goes back to what was accepted last.
    assert states(entry("/w/f", "1f\n", "1f\n", 2)) == [None, "undone", "undone"]
    assert states(entry("/w/f", "f\n", "f\n", 2)) == ["undone", "undone", "undone"]
    assert states(entry("/w/f", "other\n", "other\n", 2)) == [None, None, "undone"]
    assert states(entry("/w/f", "f\n", "321f\n", 0)) == [None, None, None]
    # What a person changed in between belongs to nobody's edits.
    baselines[1] = baseline("/w/f", "r2", 3, "mine\n")
    baselines[2] = baseline("/w/f", "r3", 5, "2mine\n")
    assert states(entry("/w/f", "32mine\n", "32mine\n", 1)) == [None, "kept", "kept"]


# -- histories ---------------------------------------------------------------------------------


def test_a_history_of_whole_snapshots() -> None:
    """1.96: a snapshot before each request, of all files changed so far."""
    history = [
        {"requestId": "r1", "workingSet": [], "entries": []},
        {
            "requestId": "r2",
            "workingSet": [],
            "entries": [entry("/w/f", "x\n", "y\n", request="r1")],
        },
        {
            "requestId": "r3",
            "workingSet": [],
            "entries": [
                entry("/w/f", "x\n", "z\n", request="r2"),
                entry("/w/new", "", "new\n", request="r2"),
            ],
        },
    ]
    recent = [
        entry("/w/f", "x\n", "z\n", 2, request="r2"),
        entry("/w/new", "", "newer\n", 1, request="r3"),
    ]
    initial = [["file:///w/f", name_of("x\n")], ["file:///w/new", name_of("")]]
    document = linear(
        history,
        initialFileContents=initial,
        recentSnapshot={"entries": recent},
        filesToSkipCreating=[],
    )
    edits = read({**document, "version": 1}, blobs("x\n", "y\n", "z\n", "new\n", "newer\n"))
    assert told(edits) == [
        ("r1", "/w/f", "edit", "undone", 1, 1),
        ("r2", "/w/f", "edit", "undone", 1, 1),
        ("r2", "/w/new", "create", "kept", 1, 0),
        ("r3", "/w/new", "edit", "kept", 1, 1),
    ]
    assert [e.before for e in edits] == ["x\n", None, None, None]
    assert file_at(edits, "/w/new", ["r1", "r2", "r3"], 2) == "new\n"


def test_undone_requests_of_a_history_are_pending() -> None:
    history = [
        {"requestId": "r1", "entries": [entry("/w/f", "x\n", "x\n")]},
        {"requestId": "r2", "entries": [entry("/w/f", "x\n", "y\n")]},
    ]
    document = linear(
        history,
        1,
        recentSnapshot={"entries": [entry("/w/f", "x\n", "y\n")]},
        pendingSnapshot={"entries": [entry("/w/f", "x\n", "z\n")]},
    )
    edits = read(document, blobs("x\n", "y\n", "z\n"))
    assert told(edits) == [
        ("r1", "/w/f", "edit", None, 1, 1),
        ("r2", "/w/f", "edit", "undone", 1, 1),
    ]
    assert file_at(edits, "/w/f", ["r1", "r2"], 2) == "y\n"


def test_stops_list_only_what_concerns_them() -> None:
    f = [entry("/w/f", "0\n", f"{n}\n") for n in range(5)]
    history = [
        stops("r1", [f[0]], [entry("/w/g", "g\n", "g\n")], [f[1], entry("/w/g", "g\n", "h\n")]),
        stops("r2", [], []),
        # Between the requests a person changed the file.
        stops("r3", [f[2]], [f[3]], [f[4]]),
    ]
    contents = blobs("0\n", "1\n", "2\n", "3\n", "4\n", "g\n", "h\n")
    edits = read(linear(history), contents)
    assert [(e.message_id, e.path, e.before) for e in edits] == [
        ("r1", "/w/f", "0\n"),
        ("r1", "/w/g", "g\n"),
        ("r3", "/w/f", "2\n"),
    ]
    assert file_at(edits, "/w/f", ["r1", "r2", "r3"], 3) == "4\n"
    # Undone to the middle of the last request.
    edits = read(linear(history, 6), contents)
    assert [(e.message_id, e.path, e.state) for e in edits[2:]] == [
        ("r3", "/w/f", None),
        ("r3", "/w/f", "undone"),
    ]
    assert file_at(edits, "/w/f", ["r1", "r2", "r3"], 3) == "3\n"


def test_one_stop_and_what_came_of_it() -> None:
    history = [stops("r1", [entry("/w/f", "x\n", "x\n")])]
    recent = {"entries": [entry("/w/f", "x\n", "y\n"), entry("/w/g", "x\n", "y\n", isDeleted=True)]}
    edits = read(linear(history, recentSnapshot=recent), blobs("x\n", "y\n"))
    assert told(edits) == [("r1", "/w/f", "edit", None, 1, 1), ("r1", "/w/g", "delete", None, 0, 1)]
    assert read(linear(history), blobs("x\n")) == []


def test_a_rejected_request_before_the_last() -> None:
    history = [
        stops("r1", [entry("/w/f", "x\n", "x\n")], [entry("/w/f", "x\n", "y\n")]),
        stops("r2", [entry("/w/f", "x\n", "x\n", 2)], [entry("/w/f", "x\n", "z\n", 1)]),
    ]
    edits = read(linear(history), blobs("x\n", "y\n", "z\n"))
    assert [(e.state, e.before) for e in edits] == [("undone", "x\n"), ("kept", "x\n")]
    assert [file_at(edits, "/w/f", ["r1", "r2"], n) for n in (1, 2)] == ["x\n", "z\n"]


def test_missing_contents_cost_their_diff_only() -> None:
    history = [
        stops("r1", [entry("/w/f", "x\n", "x\n")], [entry("/w/f", "x\n", "y\n")]),
        stops("r2", [entry("/w/f", "x\n", "y\n")], [entry("/w/f", "x\n", "z\n")]),
        stops("r3", [entry("/w/f", "x\n", "z\n")], [entry("/w/f", "x\n", "x\n")]),
    ]
    edits = read(linear(history), blobs("x\n", "z\n"))
    assert [(e.diff is None, e.before, e.after) for e in edits] == [
        (True, "x\n", None),
        (True, None, "z\n"),
        (False, None, None),
    ]
    assert [file_at(edits, "/w/f", ["r1", "r2", "r3"], n) for n in range(4)] == [
        "x\n",
        None,
        "z\n",
        "x\n",
    ]
    assert troubles(linear(history), blobs("x\n", "z\n")) == [
        ("contents", "contents/9063a9f is missing")
    ]
    assert troubles(linear(history), {**blobs("x\n", "z\n"), name_of("y\n"): b"\xff"})[0][
        1
    ].endswith("is not text")


def test_only_the_newest_snapshot_is_there() -> None:
    document = {
        "version": 2,
        "recentSnapshot": {"entries": [entry("/w/f", "x\n", "y\n", 1, request="r7")]},
    }
    assert told(read(document, blobs("x\n", "y\n"))) == [("r7", "/w/f", "edit", "kept", 1, 1)]
    assert read({"version": 2, "recentSnapshot": {"entries": []}}) == []


def test_a_hash_cannot_lead_out_of_the_folder() -> None:
    history = [
        stops(
            "r1",
            [entry("/w/f", "x\n", "x\n")],
            [{**entry("/w/f", "x\n", "x\n"), "currentHash": "../state"}],
        )
    ]
    edits = read(linear(history), {**blobs("x\n"), "../state": b"secret"})
    assert [e.diff for e in edits] == [None]


# -- any text, any damage ----------------------------------------------------------------------

WORDS = st.sampled_from(
    ["a", "b", "\n", "\r\n", "ü", "\U0001f600", "\u2028", "\x0c", "longer text"]
)


def units(text: str) -> list[str]:
    """The text in UTF-16 units."""
    data = text.encode("utf-16-le")
    return [data[at : at + 2].decode("utf-16-le", "surrogatepass") for at in range(0, len(data), 2)]


def edited(text: str, edits: list[tuple[tuple[int, int, int, int], str]]) -> str:
    """The reference: offsets in UTF-16 units, from the last edit to the first."""
    lines = text.split("\n")
    starts = [0]
    for line in lines:
        starts.append(starts[-1] + len(units(line)) + 1)
    whole = units(text)
    for (line, column, end_line, end_column), new in reversed(edits):
        whole[starts[line - 1] + column - 1 : starts[end_line - 1] + end_column - 1] = units(new)
    return "".join(whole).encode("utf-16-le", "surrogatepass").decode("utf-16-le")


def random_edits(draw: random.Random, text: str) -> list[tuple[tuple[int, int, int, int], str]]:
    """Edits in order that do not overlap, at places between characters."""
    places = [
        (number, len(units(line[:at])) + 1)
        for number, line in enumerate(text.split("\n"), 1)
        for at in range(len(line.removesuffix("\r")) + 1)
    ]
    ends = sorted(draw.choice(places) for _ in range(2 * draw.randint(1, 3)))
    words = ["", "x", "y\n", "\U0001f600", "two\nlines", "ü"]
    return [
        ((*start, *end), draw.choice(words))
        for start, end in zip(ends[::2], ends[1::2], strict=True)
    ]


def test_new_files_have_the_line_ends_of_their_system() -> None:
    for path, eol in (("/w/f", "\n"), ("/c:/w/f", "\r\n")):
        made = [
            operation("create", path, "r1", 1, initialContent=""),
            text_edit(path, "r1", 2, ((1, 1, 1, 1), "a\nb\r\n")),
        ]
        (edit,) = read(timeline(made))
        assert apply_diff("", edit.diff or "") == f"a{eol}b{eol}"


@settings(deadline=None)
@given(st.lists(WORDS, max_size=30).map("".join), st.randoms(use_true_random=False), st.booleans())
def test_diffs_lead_from_the_first_text_to_the_last(
    text: str, draw: random.Random, is_windows: bool
) -> None:
    root, eol = ("c:\\w\\", "\r\n") if is_windows else ("/w/", "\n")
    current = {"f": text.replace("\r", ""), "g": "g\n"}
    texts = {root + name: first.replace("\n", eol) for name, first in current.items()}
    operations: list[Any] = []
    baselines: dict[tuple[str, str], Any] = {}
    for number in range(draw.randint(1, 6)):
        request, name = f"r{number // 2}", draw.choice("ffg")
        path = "/" + root.replace("\\", "/").lstrip("/") + name
        baselines.setdefault(
            (name, request), baseline(path, request, 2 * number, current[name].replace("\n", eol))
        )
        edits = random_edits(draw, current[name])
        operations.append(text_edit(path, request, 2 * number + 1, *edits))
        current[name] = edited(current[name], edits)
    found = read(timeline(operations, list(baselines.values())))
    for edit in found:
        assert edit.before in (None, texts[edit.path])
        texts[edit.path] = apply_diff(texts[edit.path], edit.diff or "")
    assert texts == {root + name: last.replace("\n", eol) for name, last in current.items()}
    for path in {edit.path for edit in found}:
        assert file_at(found, path, ["r0", "r1", "r2"], 3) == texts[path]


@given(st.lists(WORDS, max_size=30).map("".join), st.randoms(use_true_random=False))
def test_many_edits_at_once_are_as_a_few(text: str, draw: random.Random) -> None:
    text = text.replace("\r", "")
    edits = [{"range": place(*where), "text": new} for where, new in random_edits(draw, text)]
    few, many = Buffer(text, Budget(0)), Buffer(text, Budget(0))
    few.apply(edits)
    last = place(1, 1, 1, 1)
    many.apply([*edits, *({"range": last, "text": ""} for _ in range(200))])
    assert many.text == few.text


SAMPLES = [
    timeline(
        [
            operation("create", "/w/n", "r1", 2, initialContent="a\n"),
            text_edit("/w/n", "r1", 3, ((1, 1, 1, 2), "B")),
            operation("rename", "/w/n", "r2", 5, oldUri=uri("/w/n"), newUri=uri("/w/m")),
            operation("delete", "/w/m", "r2", 6, finalContent="B\n"),
            operation("notebookEdit", "/w/x", "r2", 7),
        ],
        [baseline("/w/f", "r1", 1, "x\n")],
        6,
        recentSnapshot={"entries": [entry("/w/n", "", "a\n", 2)]},
        initialFileContents=[["file:///w/f", name_of("x\n")]],
    ),
    linear(
        [
            stops("r1", [entry("/w/f", "x\n", "x\n")], [entry("/w/f", "x\n", "y\n", 1)]),
            {"requestId": "r2", "entries": []},
        ],
        1,
        recentSnapshot={
            "entries": [entry("/w/f", "x\n", "x\n", 2), entry("/w/g", "x\n", "y\n", request="r2")]
        },
        pendingSnapshot={"entries": []},
        initialFileContents=[["file:///w/f", name_of("x\n")]],
    ),
]
ODD = st.sampled_from(
    [
        None,
        True,
        False,
        0,
        -1,
        1.5,
        10**30,
        "",
        "x",
        "../x",
        [],
        {},
        [[]],
        [None],
        {"a": 1},
        {"uri": {"uri": {}}},
    ]
)


def refused(ledger: Ledger) -> set[str]:
    """Why the whole file was not read."""
    return {reason for status, _, reason in ledger.counts if status == "malformed"}


def places_in(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    keys = (
        value.keys()
        if isinstance(value, dict)
        else range(len(value))
        if isinstance(value, list)
        else ()
    )
    return [path, *(place for key in keys for place in places_in(value[key], (*path, key)))]


@settings(max_examples=300, deadline=None)
@given(
    st.sampled_from(SAMPLES),
    st.lists(st.tuples(st.integers(0, 10_000), ODD, st.booleans()), min_size=1, max_size=4),
)
def test_no_wrong_type_anywhere_is_too_much(
    sample: dict[str, Any], changes: list[tuple[int, Any, bool]]
) -> None:
    document: Any = copy.deepcopy(sample)
    for number, odd, is_gone in changes:
        found = [place for place in places_in(document) if place]
        if not found:
            break
        *way, last = found[number % len(found)]
        inner = document
        for key in way:
            inner = inner[key]
        if is_gone:
            del inner[last]
        else:
            inner[last] = copy.deepcopy(odd)
    _, ledger = read_bytes(json.dumps(document).encode(), blobs("x\n", "y\n"))
    assert refused(ledger) <= {"a layout that is not known"}


@given(
    st.recursive(
        ODD,
        lambda inner: (
            st.lists(inner) | st.dictionaries(st.sampled_from(["timeline", "entries"]), inner)
        ),
    )
)
def test_any_json_is_read_or_refused(value: Any) -> None:
    _, ledger = read_bytes(json.dumps(value).encode())
    assert refused(ledger) <= {"a layout that is not known", "not a JSON object"}


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", "not JSON"),
        (b"{", "not JSON"),
        (b"[]", "not a JSON object"),
        (b"{}", "a layout that is not known"),
        (b'{"timeline":[]}', "a layout that is not known"),
        (b"\xff\xfe", "not JSON"),
    ],
)
def test_what_is_no_editing_session(data: bytes, reason: str) -> None:
    edits, ledger = read_bytes(data)
    assert edits == []
    assert [key[:2] for key in ledger.counts] == [("malformed", "editing-session")]
    assert ledger.troubles[0].reason.startswith(reason)


def test_half_a_surrogate_pair_and_a_mark_of_byte_order() -> None:
    document = json.dumps(
        timeline([operation("create", "/w/f", "r1", 1, initialContent="a\ud83d\n")])
    )
    edits, _ = read_bytes(b"\xef\xbb\xbf" + document.encode())
    assert (edits[0].diff or "").endswith("+a\ufffd\n")


def test_what_cannot_be_read_is_told_and_costs_its_file_only() -> None:
    broken = text_edit("/w/a", "r1", 2, ((1, 1, 1, 1), "x"))
    broken["edits"][0]["range"]["endColumn"] = "9"
    overlapping = text_edit("/w/b", "r1", 3, ((1, 1, 1, 3), "x"), ((1, 2, 1, 4), "y"))
    unplaced = text_edit("/w/c", "r1", 4, ((1, 1, 1, 1), "x"))
    del unplaced["epoch"]
    later = [text_edit(f"/w/{name}", "r1", 5, ((1, 1, 1, 1), "1")) for name in "abcd"]
    document = timeline(
        [broken, overlapping, unplaced, *later, operation("teleport", "/w/e", "r1", 6), "odd"],
        [baseline(f"/w/{name}", "r1", 1, "text\n") for name in "abcde"],
    )
    found = {edit.path: edit.diff is not None for edit in read(document)}
    assert found == {"/w/a": False, "/w/b": False, "/w/c": False, "/w/d": True, "/w/e": False}
    reasons = [reason for _, reason in troubles(document)]
    assert sorted(reasons) == [
        "an operation has no epoch",
        "an operation names no file",
        "an operation of a kind that is not known: teleport",
        "edits overlap",
        "the range of an edit is not four numbers",
    ]


# -- size --------------------------------------------------------------------------------------


def test_thousands_of_operations_on_large_files_take_seconds() -> None:
    text = "".join(f"line {n} of a file that is not small\n" for n in range(20_000))
    operations, baselines = [], []
    for number in range(4000):
        if number % 400 == 0:
            baselines.append(baseline("/w/f", f"r{number // 400}", 2 * number + 1, text))
        line = number * 5 + 1
        operations.append(
            text_edit("/w/f", f"r{number // 400}", 2 * number + 2, ((line, 1, line, 1), "new\n"))
        )
    start = time.monotonic()
    edits = read(timeline(operations, baselines))
    assert len(edits) == 10
    assert [edit.lines_added for edit in edits] == [400] * 10
    assert time.monotonic() - start < 10


def test_a_file_made_to_be_slow_is_not() -> None:
    """One line of millions of characters, changed again and again by ever new requests."""
    text = "x" * 4_000_000
    operations = [
        text_edit("/w/f", f"r{n}", n + 2, ((1, n + 1, 1, n + 2), "y")) for n in range(3000)
    ]
    data = json.dumps(timeline(operations, [baseline("/w/f", "r0", 1, text)])).encode()
    start = time.monotonic()
    edits, ledger = read_bytes(data)
    assert time.monotonic() - start < 20
    assert len(edits) == 3000
    assert any("too much work" in trouble.reason for trouble in ledger.troubles)
