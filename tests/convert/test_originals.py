"""A session for its own agent is handed on as it is."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.journals import aj, aj_json
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
