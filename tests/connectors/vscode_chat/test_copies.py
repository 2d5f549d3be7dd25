"""Several copies of a session in a journal: which one is read."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.vscode import (
    CASES,
    FOLDER,
    as_bytes,
    assert_verified,
    document,
    initial,
    listed,
    loaded,
    place,
    pushed,
    state_db,
    sync,
    texts,
    turn,
    write,
)


def test_every_age_of_storage_is_read(tmp_path: Path) -> None:
    row = [document(turn(1), sessionId="row")]
    state_db(place(tmp_path, "workspaceStorage/w1/state.vscdb"), {"interactive.sessions": row})
    empty_window = [document(turn(1), sessionId="window")]
    state_db(place(tmp_path, "globalStorage/state.vscdb"), {"interactive.sessions": empty_window})
    write(tmp_path, "workspaceStorage/w1/workspace.json", {"folder": "file:///work/app"})
    write(tmp_path, "workspaceStorage/w1/chatSessions/doc.json", document(turn(1), sessionId="doc"))
    write(
        tmp_path,
        "workspaceStorage/w1/chatSessions/log.jsonl",
        [initial(sessionId="log"), pushed(turn(1))],
    )
    write(
        tmp_path,
        "workspaceStorage/no-workspace/chatSessions/none.json",
        document(turn(1), sessionId="none"),
    )
    write(
        tmp_path,
        "globalStorage/emptyWindowChatSessions/empty.json",
        document(turn(1), sessionId="empty"),
    )
    write(
        tmp_path,
        "globalStorage/transferredChatSessions/moved.json",
        document(turn(1), sessionId="moved"),
    )
    assert sync(tmp_path).problems == 0
    assert listed(tmp_path) == ["doc", "empty", "log", "moved", "none", "row", "window"]
    for session in listed(tmp_path):
        assert texts(tmp_path, session) == ["prompt 1", "answer 1"]
    projects = {session: loaded(tmp_path, session).project_path for session in listed(tmp_path)}
    assert projects["doc"] == projects["log"] == projects["row"] == "/work/app"
    assert projects["empty"] is projects["none"] is None
    assert {loaded(tmp_path, session).host_app for session in listed(tmp_path)} == {"Code"}
    assert sync(tmp_path).changed_files == 0
    assert_verified(tmp_path)


def test_case_11_a_stub_beside_a_full_document(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1), turn(2)))
    write(tmp_path, f"{FOLDER}/s.jsonl", [initial()])
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1", "prompt 2", "answer 2"]
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)


def test_a_log_with_less_than_the_document_is_a_rollback(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1), turn(2)))
    write(tmp_path, f"{FOLDER}/s.jsonl", [initial(), pushed(turn(1))])
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    assert_verified(tmp_path)


def test_a_stub_that_grows_takes_over_from_the_document(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    log_path = write(tmp_path, f"{FOLDER}/s.jsonl", [initial()])
    sync(tmp_path)
    log_path.write_bytes(log_path.read_bytes() + as_bytes([pushed(turn(1), turn(2), turn(3))]))
    sync(tmp_path)
    assert [text for text in texts(tmp_path) if text.startswith("prompt")] == [
        "prompt 1",
        "prompt 2",
        "prompt 3",
    ]
    assert_verified(tmp_path)


@pytest.mark.parametrize("better", ["w1", "w2"])
def test_of_two_workspaces_the_later_activity_is_read(tmp_path: Path, better: str) -> None:
    worse = "w2" if better == "w1" else "w1"
    write(tmp_path, f"workspaceStorage/{better}/workspace.json", {"folder": "file:///work/better"})
    write(tmp_path, f"workspaceStorage/{worse}/workspace.json", {"folder": "file:///work/worse"})
    write(tmp_path, f"workspaceStorage/{better}/chatSessions/s.json", document(turn(1), turn(9)))
    write(
        tmp_path,
        f"workspaceStorage/{worse}/chatSessions/s.json",
        document(turn(1), turn(2), turn(3)),
    )
    sync(tmp_path)
    assert [text for text in texts(tmp_path) if text.startswith("prompt")] == [
        "prompt 1",
        "prompt 9",
    ]
    assert loaded(tmp_path).project_path == "/work/better"
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)


def test_a_migrated_row_and_its_document_are_one_session(tmp_path: Path) -> None:
    state_db(
        place(tmp_path, "workspaceStorage/w/state.vscdb"),
        {"interactive.sessions": [document(turn(1))]},
    )
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1"]
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1), turn(2)))
    sync(tmp_path)
    assert texts(tmp_path) == ["prompt 1", "answer 1", "prompt 2", "answer 2"]
    assert listed(tmp_path) == ["s"]
    assert_verified(tmp_path)


def test_a_transcript_is_read_only_where_there_is_nothing_better(tmp_path: Path) -> None:
    (source,) = CASES.glob("transcript/home/**/transcripts/*.jsonl")
    write(
        tmp_path,
        f"workspaceStorage/w/GitHub.copilot-chat/transcripts/{source.name}",
        source.read_bytes(),
    )
    log_path = write(tmp_path, f"{FOLDER}/{source.name}", [initial(sessionId=source.stem)])
    sync(tmp_path)
    assert texts(tmp_path, source.stem)[0] == "list the files"
    log_path.write_bytes(as_bytes([initial(sessionId=source.stem), pushed(turn(1))]))
    sync(tmp_path)
    assert texts(tmp_path, source.stem) == ["prompt 1", "answer 1"]
    assert listed(tmp_path) == [source.stem]
    assert_verified(tmp_path)
