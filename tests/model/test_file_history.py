"""Files as they were after each request."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from agent_journal.model import FileEdit, Message, Session, ToolCall
from agent_journal.model.diffs import Differ
from agent_journal.model.file_history import edits_of, file_at, requests_of, timeline, version_at
from tests.support.file_edits import TEXTS, edit


def test_a_file_after_each_request() -> None:
    edits = [
        edit("r1", "a\n", "b\n", tells=True),
        edit("r3", "b\n", "c\n"),
        edit("r4", "user\n", "d\n", tells=True),
    ]
    requests = ["r1", "r2", "r3", "r4"]
    assert [file_at(edits, "/w/f", requests, n) for n in range(5)] == [
        "a\n",
        "b\n",
        "b\n",
        "c\n",
        "d\n",
    ]
    assert file_at(edits, "/w/other", requests, 4) is None
    assert version_at(edits, "/w/other", requests, 4).missing == "unknown"


def test_made_deleted_and_made_again() -> None:
    edits = [edit("r1", None, "a\n"), edit("r2", "a\n", None), edit("r3", None, "b\n")]
    requests = ["r0", "r1", "r2", "r3"]
    assert [file_at(edits, "/w/f", requests, n) for n in range(1, 5)] == [None, "a\n", None, "b\n"]
    assert [version_at(edits, "/w/f", requests, n).missing for n in (1, 3)] == ["absent", "absent"]


def test_undone_edits_do_not_count() -> None:
    edits = [
        edit("r1", "a\n", "b\n", tells=True),
        edit("r2", "user\n", "c\n", tells=True, state="undone"),
        edit("r3", "mine\n", "d\n", tells=True, state="undone"),
    ]
    # Undoing gives back what the first of them found.
    assert [file_at(edits, "/w/f", ["r1", "r2", "r3"], n) for n in range(4)] == [
        "a\n",
        "b\n",
        "user\n",
        "user\n",
    ]
    edits = [edit("r1", None, "b\n", state="undone")]
    assert version_at(edits, "/w/f", ["r1"], 1).missing == "absent"


def test_a_renamed_file_is_followed_by_both_names() -> None:
    made = Differ().diff("/w/old", "/w/new", "a\n", "b\n").text
    assert made.startswith("--- a/w/old\n+++ b/w/new\n")
    edits = [
        edit("r1", "0\n", "a\n", "/w/old", tells=True),
        edit("r2", "a\n", "b\n", "/w/new", kind="rename", diff=made, tells=True),
        edit("r3", "b\n", "c\n", "/w/new"),
    ]
    requests = ["r1", "r2", "r3"]
    assert [file_at(edits, "/w/old", requests, n) for n in range(4)] == ["0\n", "a\n", None, None]
    assert [file_at(edits, "/w/new", requests, n) for n in range(4)] == [None, None, "b\n", "c\n"]
    assert version_at(edits, "/w/old", requests, 3).missing == "absent"


def test_where_the_data_does_not_allow_it() -> None:
    requests = ["r1", "r2", "r3", "r4"]
    edits = [
        edit("r1", "a\n", "b\n"),
        edit("r2", "x\n", "y\n", tells=True),
        edit("r3", "q\n", "z\n"),
    ]
    assert [file_at(edits, "/w/f", requests, n) for n in range(4)] == [None, None, "y\n", None]
    second = FileEdit(session_id="s", path="/w/f", message_id="r2", after="b\n")
    edits = [edit("r1", "a\n", "b\n", diff=None, tells=True), second]
    assert [file_at(edits, "/w/f", requests, n) for n in range(3)] == ["a\n", None, "b\n"]


def test_the_recording_counts_where_the_conversation_names_the_same_change() -> None:
    named = FileEdit(
        session_id="s", path="/w/f", message_id="r1", origin="response", state="undone"
    )
    later = FileEdit(session_id="s", path="/w/f", message_id="r3", origin="response")
    other = FileEdit(session_id="s", path="/w/g", message_id="r1", origin="response")
    backup = FileEdit(session_id="s", path="/w/f", kind="backup", message_id="r1")
    recorded = edit("r1", "a\n", "b\n", tells=True)
    found = timeline([named, later, other, backup, recorded], ["r1", "r2", "r3"])
    assert [(n, e.path, e.origin, e.state) for n, e in found] == [
        (1, "/w/g", "response", None),
        (1, "/w/f", "editing-session", "undone"),
        (3, "/w/f", "response", None),
    ]
    assert file_at([named, recorded], "/w/f", ["r1"], 1) == "a\n"
    assert file_at([later, recorded], "/w/f", ["r1", "r2", "r3"], 3) is None


@given(st.lists(st.tuples(st.sampled_from("fg"), st.one_of(st.none(), TEXTS)), max_size=8))
def test_any_history_is_followed(history: list[tuple[str, str | None]]) -> None:
    texts: dict[str, str | None] = {"f": "start\n", "g": None}
    requests = [f"r{n}" for n in range(len(history))]
    edits = []
    expected = [dict(texts)]
    for request, (path, after) in zip(requests, history, strict=True):
        before = texts[path]
        if before is not None or after is not None:
            edits.append(
                edit(request, before, after, path, tells=not any(e.path == path for e in edits))
            )
        texts[path] = after
        expected.append(dict(texts))
    for path in {e.path for e in edits}:
        for n, version in enumerate(expected):
            assert file_at(edits, path, requests, n) == version[path]


def test_edits_find_their_request_by_message_and_call() -> None:
    arguments = json.dumps({"file_path": "/w/f", "content": "no end"})
    session = Session(
        agent="claude-code",
        id="s",
        messages=(
            Message(session_id="s", id="p1", role="user", kind="prompt", text="one"),
            Message(session_id="s", id="c1", role="user", kind="command", text="/x"),
            Message(
                session_id="s",
                id="a1",
                role="assistant",
                kind="answer",
                record_ids=("u1", "u2"),
                tool_calls=(ToolCall(session_id="s", id="t1", name="Write", arguments=arguments),),
            ),
            Message(session_id="s", id="p2", role="user", kind="prompt", text="two"),
        ),
        file_edits=(
            FileEdit(
                session_id="s",
                path="/w/f",
                kind="create",
                call_id="t1",
                diff="@@ -0,0 +1,1 @@\n+no end",
            ),
            FileEdit(session_id="s", path="/w/g", message_id="u2"),
            FileEdit(session_id="s", path="/w/h", message_id="p2"),
        ),
    )
    requests = requests_of(session)
    assert [request.id for request in requests] == ["p1", "p2"]
    edits = edits_of(session, requests)
    assert [item.message_id for item in edits] == ["p1", "p1", "p2"]
    # The diff of a new file does not tell whether its last line ended; the call does.
    assert file_at(edits, "/w/f", ["p1", "p2"], 1) == "no end"
