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
EARLIER = CASES / "kimi_code/earlier/home"  # protocol 1.4


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


def test_a_compaction_is_read_and_its_call_counts(tmp_path: Path) -> None:
    shutil.copytree(EARLIER, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        session = journal.session("session_8f000000-0000-4000-8000-000000000003")
        assert session.project_path == "/home/sam/garden"
        summaries = [message.text for message in session.messages if message.kind == "compaction"]
        assert summaries == ["There are twelve roses."]
    (total,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert (total["requests"], total["input_tokens"], total["output_tokens"]) == (3, 750, 34)
    assert total["cache_read_tokens"] == 2200
    agents = {item["agent"]: item for item in aj_json(tmp_path, "doctor", "-v")["items"]}
    assert agents["kimi-code"]["unknown"] == []


def test_what_is_listed() -> None:
    found = CONNECTOR.discover(str(HOME / ".kimi-code"))
    names = {file.name.rpartition("/")[2] for file in found if isinstance(file, FoundFile)}
    assert names == {"state.json", "wire.jsonl", "aa@v1"}


def test_an_imported_session_is_recognised() -> None:
    path = next(HOME.rglob("agents/agent-0/wire.jsonl"))
    found = CONNECTOR.recognise(str(path), path.read_bytes())
    assert found is not None
    assert (found.role, found.session_id) == ("log", f"{SESSION}/agent-0")


def test_a_session_of_an_earlier_protocol_is_recognised() -> None:
    log = next(EARLIER.rglob("wire.jsonl"))
    found = CONNECTOR.recognise(str(log), log.read_bytes())
    assert found is not None
    assert found.session_id == "session_8f000000-0000-4000-8000-000000000003"
    of_kimi_cli = next((CASES / "kimi_cli/session").rglob("wire.jsonl"))
    assert CONNECTOR.recognise(str(of_kimi_cli), of_kimi_cli.read_bytes()) is None


def test_renamed_logs_in_one_folder_are_two_sessions(tmp_path: Path) -> None:
    """Only the folder of a `wire.jsonl` names its session."""
    folder = tmp_path / "shared/agents/kept"
    folder.mkdir(parents=True)
    log = next(HOME.rglob("agents/main/wire.jsonl")).read_text()
    (folder / "first.jsonl").write_text(log)
    (folder / "second.jsonl").write_text(log.replace("roses", "lilies").replace("tulips", "irises"))
    assert aj(tmp_path, "import", str(folder)).returncode == 0
    with open_journal(tmp_path) as journal:
        found = journal.sessions()
    assert len(found) == 2
    assert all(session.parent_id is None for session in found)


def test_roots_and_resuming() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.kimi-code"]
    assert CONNECTOR.roots(Env("/h", {"KIMI_CODE_HOME": "/else"}, "linux")) == ["/else"]
    assert str(command("kimi-code", SESSION, None)) == f"kimi --session {SESSION}"
