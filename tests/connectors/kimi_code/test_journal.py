"""Sessions of Kimi Code in a journal: sub-agents, tokens, import."""

from __future__ import annotations

import shutil
from pathlib import Path

from agent_journal.connectors.base import Env, FoundFile
from agent_journal.connectors.kimi_code import CONNECTOR
from agent_journal.convert.resuming import command
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES

SESSION = "session_8f000000-0000-4000-8000-000000000001"
HOME = CASES / "kimi_code/session/home"


def test_what_is_recorded_three_times_counts_once(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        session = journal.session(SESSION)
        assert (session.title, session.project_path) == ("Roses and tulips", "/home/sam/garden")
        assert session.ended_as == "interrupted"
        child = journal.session(f"{SESSION}/agent-0")
        assert (child.parent_id, child.agent_name) == (SESSION, "coder")
    (total,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert (total["input_tokens"], total["output_tokens"]) == (3605, 141)
    assert aj(tmp_path, "verify").returncode == 0


def test_what_is_listed() -> None:
    found = CONNECTOR.discover(str(HOME / ".kimi-code"))
    names = {file.name.rpartition("/")[2] for file in found if isinstance(file, FoundFile)}
    assert names == {"state.json", "wire.jsonl", "aa@v1"}


def test_an_imported_session_is_recognised() -> None:
    path = next(HOME.rglob("agents/agent-0/wire.jsonl"))
    found = CONNECTOR.recognise(str(path), path.read_bytes())
    assert found is not None
    assert (found.role, found.session_id) == ("log", f"{SESSION}/agent-0")


def test_roots_and_resuming() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.kimi-code"]
    assert CONNECTOR.roots(Env("/h", {"KIMI_CODE_HOME": "/else"}, "linux")) == ["/else"]
    assert str(command("kimi-code", SESSION, None)) == f"kimi --session {SESSION}"
