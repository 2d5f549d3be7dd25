"""A session for its own agent is handed on as it is."""

from __future__ import annotations

import hashlib
import json
import shutil
from pathlib import Path

import pytest

from tests.convert.test_convert import COPILOT, copilot_event
from tests.support import valid_copilot_cli
from tests.support.journals import aj, aj_json, write_claude
from tests.support.paths import CASES


@pytest.mark.parametrize(("case", "agent"), [("codex/patches", "codex"), ("gemini/log", "gemini")])
def test_the_kept_bytes_are_handed_on(tmp_path: Path, case: str, agent: str) -> None:
    shutil.copytree(CASES / case / "home", tmp_path, dirs_exist_ok=True)
    aj(tmp_path, "sync", "--no-index")
    (session, *_) = aj_json(tmp_path, "ls")["items"]
    out = tmp_path / "out"
    aj_json(tmp_path, "convert", session["id"], "--to", agent, "-o", str(out), "--no-redact")
    written = [path for path in out.rglob("*") if path.is_file()]
    assert written
    for path in written:
        assert path.read_bytes() == (tmp_path / f".{agent}" / path.relative_to(out)).read_bytes()
    assert not (out / "projects.json").exists()


def test_a_session_of_no_known_folder_is_converted_for_this_one(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini/tmp/far/chats"
    chats.mkdir(parents=True)
    talk = [{"id": "u1", "type": "user", "content": "hi"}]
    document = {"sessionId": "6f0c11e2-0000-4000-8000-000000000009", "messages": talk}
    (chats / "session-2026-11-01T09-00-6f0c11e2.json").write_text(json.dumps(document))
    aj(tmp_path, "sync", "--no-index")
    out = str(tmp_path / "out")
    (made,) = aj_json(tmp_path, "convert", "6f0c11e2", "--to", "gemini", "-o", out)["items"]
    # Gemini CLI looks only into the folder of the project
    assert (made["is_original"], made["resume"]["cwd"] is None) == (False, False)


def test_claude_code_gets_a_session_back_where_it_looks_for_it(tmp_path: Path) -> None:
    session = "6f0c11e2-0000-4000-8000-00000000000a"
    kept = write_claude(tmp_path, session, project="renamed")  # its lines say /work/app
    aj(tmp_path, "sync", "--no-index")
    install = ("convert", session, "--to", "claude-code", "--install", "--yes")
    refused = aj(tmp_path, *install)
    assert "is already in Claude Code's folder" in refused.stderr
    assert list(tmp_path.glob(".claude/projects/*/*.jsonl")) == [kept]
    content = kept.read_bytes()
    kept.unlink()
    (made,) = aj_json(tmp_path, *install)["items"]
    # Versions before 2.1.200 look only into the folder that is named after the working folder
    place = tmp_path / f".claude/projects/-work-app/{session}.jsonl"
    assert (made["path"], made["is_original"]) == (str(place), True)
    assert made["files"] == [f"projects/-work-app/{session}.jsonl"]
    assert place.read_bytes() == content


def test_gemini_gets_a_session_back_where_it_looks_for_it(tmp_path: Path) -> None:
    session = "6f0c11e2-0000-4000-8000-00000000000b"
    gemini = tmp_path / ".gemini"
    hashed = hashlib.sha256(b"/work/app").hexdigest()
    chats = gemini / "tmp" / hashed / "chats"
    chats.mkdir(parents=True)
    (gemini / "projects.json").write_text(json.dumps({"projects": {"/work/app": "app"}}))
    talk = [{"id": "u1", "type": "user", "content": "hi", "timestamp": "2026-11-01T09:00:00Z"}]
    document = {"sessionId": session, "projectHash": hashed, "messages": talk}
    kept = chats / "session-2026-11-01T09-00-6f0c11e2.json"
    kept.write_text(json.dumps(document))
    aj(tmp_path, "sync", "--no-index")
    kept.unlink()
    install = ("convert", session, "--to", "gemini", "--install", "--yes")
    (made,) = aj_json(tmp_path, *install)["items"]
    assert made["is_original"]
    assert made["files"] == [f"tmp/app/chats/{kept.name}"]
    assert (gemini / "tmp/app/chats" / kept.name).read_text() == json.dumps(document)


@pytest.mark.parametrize(
    ("change", "is_original"),
    [
        ({}, True),
        ({"id": "evt-2"}, False),
        ({"parentId": "evt-1"}, False),
        ({"timestamp": "2026-11-03T10:00:02"}, False),
        ({"type": "odd.kind"}, True),
    ],
)
def test_copilot_refuses_a_session_for_one_odd_event(
    tmp_path: Path, change: dict[str, str], is_original: bool
) -> None:
    folder = tmp_path / f".copilot/session-state/{COPILOT}"
    folder.mkdir(parents=True)
    start = copilot_event(0, "session.start", sessionId=COPILOT, context={"cwd": str(tmp_path)})
    prompt = json.loads(copilot_event(1, "user.message", content="Fix it"))
    log = start + json.dumps(prompt | change) + '\n{"type": "cut off'
    (folder / "events.jsonl").write_text(log)
    aj(tmp_path, "sync", "--no-index")
    out = tmp_path / "out"
    convert = ("convert", COPILOT, "--to", "copilot-cli", "-o", str(out), "--no-redact")
    (made,) = aj_json(tmp_path, *convert)["items"]
    assert made["is_original"] is is_original
    if not is_original:
        assert valid_copilot_cli.faults(out) == []


def test_nobody_is_sent_to_copy_it_over_the_session_itself(tmp_path: Path) -> None:
    session = "6f0c11e2-0000-4000-8000-00000000000b"
    kept = write_claude(tmp_path, session)
    aj(tmp_path, "sync", "--no-index")
    convert = ("convert", session, "--to", "claude-code", "-o", str(tmp_path / "out"), "--force")
    assert "already has this session: do not copy it there" in aj(tmp_path, *convert).stderr
    kept.unlink()
    assert "copy the contents of" in aj(tmp_path, *convert).stderr
