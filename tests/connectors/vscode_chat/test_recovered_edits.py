"""Editing sessions whose chat is gone: the edits are what is left of the session."""

from __future__ import annotations

from pathlib import Path

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.vscode_chat.editing import EditingReader
from agent_journal.model import Session
from tests.support.assemble import BytesContent
from tests.support.journals import aj
from tests.support.vscode import (
    CREATED,
    FOLDER,
    START,
    as_bytes,
    assert_verified,
    document,
    index_entry,
    listed,
    loaded,
    place,
    state_db,
    sync,
    turn,
    write,
)
from tests.support.vscode_edits import NAME, baseline, operation, text_edit, timeline

STATE = timeline(
    [
        operation("create", "/w/n.txt", "r1", 2, initialContent="a\nb\n"),
        text_edit("/w/n.txt", "r2", 4, ((2, 1, 2, 2), "B")),
    ],
    [baseline("/w/n.txt", "r2", 3, "a\nb\n")],
)


def sessions(state: object, workspace: object = None) -> list[Session]:
    beside = {}
    if workspace is not None:
        beside["../../workspace.json"] = as_bytes(workspace)
    path = f"/home/me/.config/Code/User/{NAME}"
    reader = EditingReader(FileIdentity(NAME, path, "document", None))
    list(reader.read(BytesContent(as_bytes(state), companions=beside)))
    return list(reader.sessions())


def test_edits_make_a_session_named_after_its_files() -> None:
    (session,) = sessions(STATE, {"folder": "file:///w"})
    assert (session.id, session.title, session.title_source) == ("s1", "Edits of n.txt", "edits")
    assert (session.project_path, session.host_app) == ("/w", "Code")
    names = ["/w/a.py", "/w/b.py", "/x/a.py", "/w/c.py", "/w/d.py", "/w/e.py"]
    created = [
        operation("create", name, "r1", n, initialContent="x\n") for n, name in enumerate(names)
    ]
    (session,) = sessions(timeline(created))
    assert (session.title, session.project_path) == ("Edits of a.py, b.py, c.py and 2 more", None)


def test_an_editing_session_without_edits_makes_none() -> None:
    assert sessions(timeline([])) == []
    assert sessions({"version": 2}) == []
    assert sessions([]) == []


def test_a_session_of_edits_alone_is_listed_and_shown(tmp_path: Path) -> None:
    write(tmp_path, "workspaceStorage/w/chatEditingSessions/s/state.json", STATE)
    write(tmp_path, "workspaceStorage/w/chatEditingSessions/none/state.json", timeline([]))
    assert sync(tmp_path).problems == 0
    assert listed(tmp_path) == ["s"]
    shown = aj(tmp_path, "show", "s").stdout
    assert "recovered: the conversation is lost" in shown
    assert "▌ 1\n  created /w/n.txt" in shown
    assert "▌ 2\n  edited /w/n.txt" in shown
    assert aj(tmp_path, "show", "s", "--file", "n.txt", "--at", "1").stdout == "a\nb\n"
    assert aj(tmp_path, "show", "s", "--file", "n.txt").stdout == "a\nB\n"
    assert_verified(tmp_path)


def test_the_list_of_chats_gives_it_a_title_and_times(tmp_path: Path) -> None:
    write(tmp_path, "workspaceStorage/w/chatEditingSessions/s/state.json", STATE)
    entry = {**index_entry("s", "Make n"), "timing": {"created": CREATED}}
    index = {"version": 1, "entries": {"s": {**entry, "lastMessageDate": CREATED + 1000}}}
    path = place(tmp_path, "workspaceStorage/w/state.vscdb")
    state_db(path, {"chat.ChatSessionStore.index": index})
    sync(tmp_path)
    session = loaded(tmp_path)
    assert (session.title, session.started_at) == ("Make n", START)
    assert session.ended_at is not None
    assert session.ended_at > START


def test_the_chat_knows_its_session_better(tmp_path: Path) -> None:
    write(tmp_path, "workspaceStorage/w/chatEditingSessions/s/state.json", STATE)
    sync(tmp_path)
    write(tmp_path, f"{FOLDER}/s.json", document(turn(1)))
    sync(tmp_path)
    session = loaded(tmp_path)
    assert (session.title, session.title_source, len(session.messages)) == ("prompt 1", "prompt", 2)
    assert len(session.file_edits) == 2
