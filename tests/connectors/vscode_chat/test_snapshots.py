"""Editing sessions with a history of snapshots."""

from __future__ import annotations

from agent_journal.model.file_history import file_at
from tests.support.vscode_edits import blobs, entry, linear, name_of, read, stops, summary, troubles


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
    assert summary(edits) == [
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
    assert summary(edits) == [
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
    assert summary(edits) == [
        ("r1", "/w/f", "edit", None, 1, 1),
        ("r1", "/w/g", "delete", None, 0, 1),
    ]
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
    assert summary(read(document, blobs("x\n", "y\n"))) == [("r7", "/w/f", "edit", "kept", 1, 1)]
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
