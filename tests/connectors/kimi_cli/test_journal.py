"""Sessions of Kimi CLI in a journal: folders, sub-agents, import."""

from __future__ import annotations

import shutil
from pathlib import Path

from agent_journal.connectors.base import Env, FoundFile
from agent_journal.connectors.kimi_cli import CONNECTOR
from agent_journal.convert.resuming import command
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES

SESSION = "7f000000-0000-4000-8000-000000000001"
HOME = CASES / "kimi_cli/session/home"


def test_a_session_has_its_folder_and_its_sub_agent(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        session = journal.session(SESSION)
        assert (session.title, session.project_path) == ("Roses and tulips", "/home/sam/garden")
        child = journal.session(f"{SESSION}/a1b2c3")
        assert (child.parent_id, child.agent_name) == (SESSION, "coder")
    (total,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert (total["input_tokens"], total["output_tokens"]) == (3605, 141)  # the helper's 5 once
    assert aj(tmp_path, "verify").returncode == 0


def test_what_is_listed() -> None:
    found = [
        file for file in CONNECTOR.discover(str(HOME / ".kimi")) if isinstance(file, FoundFile)
    ]
    names = [file.name.rpartition("/")[2] for file in found]
    assert "config.toml" not in names
    assert [file.session_id for file in found if file.role == "log"] == [
        f"{SESSION}/a1b2c3",
        SESSION,
    ]


def test_an_imported_session_is_recognised(tmp_path: Path) -> None:
    path = next(HOME.rglob(f"{SESSION}/wire.jsonl"))
    found = CONNECTOR.recognise(str(path), path.read_bytes())
    assert found is not None
    assert (found.role, found.session_id) == ("log", SESSION)
    assert aj(tmp_path, "import", str(path)).returncode == 0
    with open_journal(tmp_path) as journal:
        assert journal.session(SESSION).agent == "kimi-cli"


def test_renamed_logs_in_one_folder_are_two_sessions(tmp_path: Path) -> None:
    """Only the folder of a `wire.jsonl` names its session."""
    folder = tmp_path / "shared/agents/kept"
    folder.mkdir(parents=True)
    log = next(HOME.rglob(f"{SESSION}/wire.jsonl")).read_text()
    (folder / "first.jsonl").write_text(log)
    (folder / "second.jsonl").write_text(log.replace("roses", "lilies").replace("tulips", "irises"))
    assert aj(tmp_path, "import", str(folder)).returncode == 0
    with open_journal(tmp_path) as journal:
        found = journal.sessions()
    assert len(found) == 2
    assert all(session.parent_id is None for session in found)


def test_roots_and_resuming() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.kimi"]
    assert CONNECTOR.roots(Env("/h", {"KIMI_SHARE_DIR": "/else"}, "linux")) == ["/else"]
    assert str(command("kimi-cli", SESSION, None)) == f"kimi --session {SESSION}"
    assert command("kimi-cli", f"{SESSION}/a1b2c3", None) is None
