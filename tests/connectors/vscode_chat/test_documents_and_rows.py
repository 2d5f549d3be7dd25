"""Whole documents and rows of databases: cases 11 to 13 of the format notes."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from agent_journal.connectors.vscode_chat import CONNECTOR
from tests.support.vscode import (
    FOLDER,
    case,
    document,
    index_entry,
    read_extract,
    read_session,
    state_db,
)


def test_case_11_a_whole_document() -> None:
    chat = read_session(case(11), f"{FOLDER}/a.json")
    assert [(message.id, message.text) for message in chat.said("a")] == [
        ("r1", "one"),
        ("r2", "two"),
    ]
    assert chat.session.id == "a"
    assert chat.session.started_at is None  # a creation date of 1970 is none


@pytest.mark.parametrize("as_blob", [False, True])
def test_case_12_the_row_of_the_oldest_versions(tmp_path: Path, as_blob: bool) -> None:
    value = json.dumps(case(12))
    path = state_db(
        tmp_path / "state.vscdb", {"interactive.sessions": value.encode() if as_blob else value}
    )
    chat = read_extract(path, "old")
    assert [(message.id, message.kind, message.text) for message in chat.said("old")] == [
        ("request-0", "prompt", "why?"),
        ("request-0-response", "answer", "because"),
    ]
    assert chat.session.started_at == datetime.fromtimestamp(1690000000, UTC)
    (extract,) = CONNECTOR.extract(str(path))[0]
    assert (extract.role, extract.session_id) == ("session", "old")


def test_a_row_of_many_sessions_is_one_file_for_each(tmp_path: Path) -> None:
    sessions = [
        document({"requestId": "r", "message": f"m{n}"}, sessionId=f"s{n}") for n in range(3)
    ]
    path = state_db(
        tmp_path / "state.vscdb", {"interactive.sessions": [*sessions, None, 5, "x", {}]}
    )
    extracts = {extract.session_id: extract.data for extract in CONNECTOR.extract(str(path))[0]}
    assert {f"s{n}" for n in range(3)} <= set(extracts)
    assert [read_extract(path, f"s{n}").said(f"s{n}")[0].text for n in range(3)] == [
        "m0",
        "m1",
        "m2",
    ]


@pytest.mark.parametrize("value", ["", "{", "null", "[]", "{}", "5", b"\xff\xfe", b""])
def test_rows_of_another_shape_are_no_sessions(tmp_path: Path, value: str | bytes) -> None:
    path = state_db(
        tmp_path / "state.vscdb",
        {"interactive.sessions": value, "chat.ChatSessionStore.index": value},
    )
    for extract in CONNECTOR.extract(str(path))[0]:
        assert extract.session_id is None


def test_only_our_rows_are_taken(tmp_path: Path) -> None:
    rows = {
        "interactive.sessions": case(12),
        "secret://x": "marker-1",
        "memento/x": {"y": "marker-2"},
    }
    path = state_db(tmp_path / "state.vscdb", rows)
    assert not any(b"marker" in extract.data for extract in CONNECTOR.extract(str(path))[0])


@pytest.mark.parametrize("data", [b"no database", b"SQLite format 3\0" + b"\xff" * 5000])
def test_a_file_that_is_not_a_database_is_reported(tmp_path: Path, data: bytes) -> None:
    (tmp_path / "state.vscdb").write_bytes(data)
    with pytest.raises((OSError, ValueError)):
        CONNECTOR.extract(str(tmp_path / "state.vscdb"))[0]


def test_a_damaged_database_is_read_from_its_backup(tmp_path: Path) -> None:
    path = state_db(tmp_path / "state.vscdb", {"interactive.sessions": case(12)})
    path.rename(tmp_path / "state.vscdb.backup")
    path.write_bytes(b"no database")
    assert [extract.session_id for extract in CONNECTOR.extract(str(path))[0]] == ["old"]


def test_rows_whose_ids_are_alike_stay_apart(tmp_path: Path) -> None:
    ids = ["a/b", "a_b", "a?b", "x" * 300 + "1", "x" * 300 + "2", ".", "..", "A/b", "A_B"]
    sessions = [document({"message": "x"}, sessionId=session_id) for session_id in ids]
    extracts, _ = CONNECTOR.extract(
        str(state_db(tmp_path / "state.vscdb", {"interactive.sessions": sessions}))
    )
    assert [extract.session_id for extract in extracts] == ids
    assert len({extract.name for extract in extracts}) == len(ids)
    assert not [extract.name for extract in extracts if "/" in extract.name]


def test_reading_a_database_leaves_it_and_its_folder_as_they_were(tmp_path: Path) -> None:
    path = state_db(tmp_path / "state.vscdb", {"interactive.sessions": case(12)})
    before = path.read_bytes()
    CONNECTOR.extract(str(path))[0]
    assert path.read_bytes() == before
    assert [entry.name for entry in tmp_path.iterdir()] == ["state.vscdb"]


def test_the_index_knows_titles_but_makes_no_session(tmp_path: Path) -> None:
    entries = {"s": index_entry("s", "From the index"), "n": index_entry("n", "New Chat")}
    index = {"version": 1, "entries": {**entries, "odd": None, "odd2": {"sessionId": 5}}}
    chat = read_extract(
        state_db(tmp_path / "state.vscdb", {"chat.ChatSessionStore.index": index}), None
    )
    titled = {session.id: session for session in chat.sessions if session.title is not None}
    assert set(titled) == {"s"}
    hint = titled["s"]
    assert (hint.title, hint.title_rank, hint.title_source) == ("From the index", 30, "index")
    assert all(session.is_hint for session in chat.sessions)


@pytest.mark.parametrize(
    ("prompts", "title", "source"),
    [
        (["continue", "fix the parser\nnow"], "fix the parser now", "prompt"),
        (["continue"], "I look at the parser.", "answer"),
        (
            ["<context>\nThe date\n</context>\nCurrent File Path: a.py\nfix it in a.py"],
            "fix it in a.py",
            "prompt",
        ),
    ],
)
def test_a_title_from_what_was_said(prompts: list[str], title: str, source: str) -> None:
    requests = [
        {"message": prompt, "response": [{"value": "I look at the parser. Then more."}]}
        for prompt in prompts
    ]
    session = read_session(document(*requests)).session
    assert (session.title, session.title_rank, session.title_source) == (title, 10, source)


def test_an_empty_word_in_the_index_is_a_poor_title(tmp_path: Path) -> None:
    index = {"version": 1, "entries": {"s": index_entry("s", "go ahead")}}
    path = state_db(tmp_path / "state.vscdb", {"chat.ChatSessionStore.index": index})
    (hint,) = read_extract(path, None).sessions
    assert (hint.title, hint.title_rank) == ("go ahead", 1)


def test_case_13_the_title_of_the_second_version() -> None:
    chat = read_session(case(13), f"{FOLDER}/s2.json")
    assert (chat.session.id, chat.session.title, chat.session.title_rank) == ("s2", "Old title", 45)
    assert chat.said("s2") == []
