"""The folder of a session that records only its hash."""

from __future__ import annotations

import hashlib
import json
from typing import Any

import pytest

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.gemini import CONNECTOR
from tests.support.assemble import BytesContent

FOLDER = "/home/sam/fig tree"
WINDOWS = "C:\\Users\\sam\\fig"
CONTEXT = "<session_context>\nI'm currently working in the directory: {}\n</session_context>"


def project(
    folder: str, *messages: dict[str, Any], lists: dict[str, bytes] | None = None
) -> str | None:
    digits = hashlib.sha256(folder.encode()).hexdigest()
    records = [{"sessionId": "s", "projectHash": digits}, *messages]
    data = b"".join(json.dumps(record).encode() + b"\n" for record in records)
    name = f"tmp/{digits}/chats/session-x.jsonl"
    reader = CONNECTOR.reader(FileIdentity(name, f"/h/{name}", "replay", None), None)
    for _ in reader.read(BytesContent(data, companions=lists)):
        pass
    (session,) = reader.sessions()
    return session.project_path


def asked(text: str) -> dict[str, Any]:
    return {"id": "u", "type": "user", "content": text}


def called(**args: str) -> dict[str, Any]:
    call = {"id": "c", "name": "read_file", "args": args, "status": "success"}
    return {"id": "g", "type": "gemini", "content": "", "toolCalls": [call]}


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("../../../projects.json", {"projects": {"/home/sam": "sam", FOLDER: "fig-tree"}}),
        ("../../../trustedFolders.json", {"/home/sam": "TRUST_PARENT", FOLDER: "TRUST_FOLDER"}),
    ],
)
def test_a_list_of_folders_has_the_hash(name: str, content: dict[str, Any]) -> None:
    lists = {name: json.dumps(content).encode()}
    assert project(FOLDER, asked("hi"), lists=lists) == FOLDER
    assert project("/home/sam/other", asked("hi"), lists=lists) is None


@pytest.mark.parametrize(
    ("folder", "message"),
    [
        (FOLDER, called(absolute_path=f"{FOLDER}/src/a/b.py")),
        (FOLDER, called(dir_path=FOLDER)),
        (WINDOWS, called(file_path=f"{WINDOWS}\\src\\a.py")),
        (FOLDER, asked(CONTEXT.format(FOLDER))),
        (WINDOWS, asked(CONTEXT.format(WINDOWS))),
    ],
)
def test_the_session_names_the_folder(folder: str, message: dict[str, Any]) -> None:
    assert project(folder, message) == folder
    assert project(folder + "-2", message) is None


def test_a_path_in_a_prompt_is_not_looked_at() -> None:
    assert project(FOLDER, asked(f"look at {FOLDER}")) is None
