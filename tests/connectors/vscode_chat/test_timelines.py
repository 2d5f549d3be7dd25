"""Editing sessions with a timeline: what each request did to each file."""

from __future__ import annotations

from typing import Any

import pytest

from agent_journal.connectors.vscode_chat.buffer import Buffer
from agent_journal.connectors.vscode_chat.changes import Budget
from agent_journal.model.diffs import apply_diff
from agent_journal.model.file_history import file_at
from tests.support.vscode_edits import (
    baseline,
    blobs,
    entry,
    name_of,
    operation,
    place,
    read,
    read_bytes,
    summary,
    text_edit,
    timeline,
    troubles,
    uri,
)

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
    assert summary([first, second]) == [
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
    assert summary(edits) == [("r1", "/w/f", "edit", "kept", 1, 1)]
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
    assert summary(edits) == [
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
    assert summary(read(timeline(made))) == [("r1", "/b", "create", None, 1, 0)]
    gone = [rename("/a", "/b", 2), operation("delete", "/b", "r1", 3)]
    assert summary(read(timeline(gone, [baseline("/a", "r1", 1, "x\n")]))) == [
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
