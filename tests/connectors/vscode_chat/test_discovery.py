"""The files of VS Code, and the transcript that the extension keeps."""

from __future__ import annotations

import json
from pathlib import Path

from agent_journal.connectors.base import FileIdentity, FoundFile, Pause, Unlisted
from agent_journal.connectors.vscode_chat import CONNECTOR
from tests.support.assemble import DiskContent
from tests.support.vscode import CASES, read_session

# -- the transcript that the extension keeps ---------------------------------------------------


def test_a_transcript_of_the_extension() -> None:
    (path,) = CASES.glob("transcript/home/**/transcripts/*.jsonl")
    name = f"workspaceStorage/w/GitHub.copilot-chat/transcripts/{path.name}"
    chat = read_session(path.read_text(), name)
    said = chat.said(path.stem)
    assert [
        (message.kind, message.text) for message in said if message.kind in ("prompt", "answer")
    ] == [
        ("prompt", "list the files"),
        ("answer", "I look."),
        ("answer", "One file."),
    ]
    (call,) = chat.called(path.stem)
    assert (call.id, call.name, call.result, call.status) == ("toolu_9", "list_dir", "a.py", "ok")
    assert json.loads(call.arguments or "") == {"path": "/work/app"}
    assert {(session.agent, session.id) for session in chat.sessions} == {
        ("vscode-chat", path.stem)
    }
    assert chat.counted("unknown") == {}


# -- the list of files -------------------------------------------------------------------------


def touch(root: Path, *names: str) -> None:
    for name in names:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text("{}")


def test_discover_lists_session_files_and_nothing_else(tmp_path: Path) -> None:
    workspace = "workspaceStorage/0123456789abcdef0123456789abcdef"
    expected: dict[str, tuple[str, str | None]] = {
        f"{workspace}/workspace.json": ("document", None),
        f"{workspace}/state.vscdb": ("rows", None),
        f"{workspace}/chatSessions/a.json": ("session", "a"),
        f"{workspace}/chatSessions/a.jsonl": ("replay", "a"),
        f"{workspace}/chatEditingSessions/a/state.json": ("document", None),
        f"{workspace}/chatEditingSessions/a/contents/6fcf9df": ("kept", None),
        f"{workspace}/GitHub.copilot-chat/transcripts/a.jsonl": ("log", "a"),
        f"{workspace}/GitHub.copilot-chat/chat-session-resources/a/c/content.txt": ("kept", None),
        f"{workspace}/GitHub.copilot-chat/debug-logs/a/main.jsonl": ("kept", None),
        "workspaceStorage/1768000000000/chatSessions/chat-7.json": ("session", "chat-7"),
        "workspaceStorage/no-workspace/chatSessions/b.json": ("session", "b"),
        "globalStorage/state.vscdb": ("rows", None),
        "globalStorage/emptyWindowChatSessions/c.jsonl": ("replay", "c"),
        "globalStorage/transferredChatSessions/d.json": ("session", "d"),
    }
    touch(tmp_path, *expected)
    touch(
        tmp_path,
        "settings.json",
        "globalStorage/storage.json",
        "globalStorage/x.y/tokens.json",
        f"{workspace}/state.vscdb.backup",
        f"{workspace}/x.y/secret.json",
        f"{workspace}/chatSessions/a.tmp",
        "profiles/p/globalStorage/state.vscdb",
        f"{workspace}/meta.json",
    )
    found = list(CONNECTOR.discover(str(tmp_path)))
    assert {
        file.name: (file.role, file.session_id) for file in found if isinstance(file, FoundFile)
    } == expected
    assert not [entry for entry in found if isinstance(entry, Unlisted)]
    assert {file.path for file in found} == {str(tmp_path / name) for name in expected}


def test_of_the_copies_of_a_session_the_log_comes_first(tmp_path: Path) -> None:
    workspace = "workspaceStorage/w"
    names = [
        f"{workspace}/chatSessions/a.jsonl",
        f"{workspace}/chatSessions/a.json",
        f"{workspace}/GitHub.copilot-chat/transcripts/a.jsonl",
    ]
    touch(tmp_path, *names)
    ranks = {
        file.name: file.rank
        for file in CONNECTOR.discover(str(tmp_path))
        if isinstance(file, FoundFile)
    }
    assert ranks[names[0]] > ranks[names[1]] > ranks[names[2]]


def test_discover_does_not_follow_links_in_place_of_small_files(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("x")
    root = tmp_path / "User"
    editing = root / "workspaceStorage/w/chatEditingSessions/a/contents"
    editing.mkdir(parents=True)
    (editing / "6fcf9df").symlink_to(secret)
    (root / "workspaceStorage/w/workspace.json").symlink_to(secret)
    found = list(CONNECTOR.discover(str(root)))
    assert [type(entry) for entry in found] == [Unlisted, Unlisted]
    assert {entry[1] for entry in found} == {"a link in place of a file, which is not followed"}


def test_discover_of_nothing() -> None:
    assert list(CONNECTOR.discover("/does/not/exist")) == []


def test_every_fixture_is_read_without_trouble() -> None:
    for name in ("empty-window", "kinds", "log", "transcript"):
        for file in CONNECTOR.discover(str(CASES / name / "home/.config/Code/User")):
            assert isinstance(file, FoundFile)
            reader = CONNECTOR.reader(
                FileIdentity(file.name, file.path, file.role, file.session_id), None
            )
            pieces = [
                piece
                for piece in reader.read(DiskContent(file.path))
                if not isinstance(piece, Pause)
            ]
            assert pieces or file.role == "document"
            assert not reader.ledger.troubles
