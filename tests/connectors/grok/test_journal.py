"""Sessions of Grok Build in a journal: tokens, sub-agents, import."""

from __future__ import annotations

import shutil
from pathlib import Path

from agent_journal.connectors.base import Env, FoundFile
from agent_journal.connectors.grok import CONNECTOR
from agent_journal.convert.resuming import command
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES

SESSION = "0196a00a-0000-7000-8000-000000000001"
HELPER = "0196a00a-0000-7000-8000-000000000002"
HOME = CASES / "grok/session/home"
FOLDER = ".grok/sessions/%2Fhome%2Fsam%2Fgarden"


def test_a_session_with_its_tokens_and_its_sub_agent(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        session = journal.session(SESSION)
        assert (session.title, session.project_path) == ("Roses and tulips", "/home/sam/garden")
        assert [message.text for message in session.messages][:2] == [
            "Rename the rose.",
            "I read it.",
        ]
        assert session.ended_as == "cut_off"
        assert journal.session(HELPER).parent_id == SESSION
    (total,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert (total["input_tokens"], total["output_tokens"]) == (2200, 125)
    assert (total["cache_read_tokens"], total["reasoning_tokens"]) == (900, 21)
    assert aj(tmp_path, "verify").returncode == 0


def test_what_is_listed() -> None:
    found = CONNECTOR.discover(str(HOME / ".grok"))
    names = {file.name.rpartition("/")[2] for file in found if isinstance(file, FoundFile)}
    assert names == {"updates.jsonl", "summary.json", "call_2.log", "prompt_history.jsonl"}


def test_an_imported_session_is_recognised(tmp_path: Path) -> None:
    renamed = tmp_path / "download.jsonl"
    shutil.copy(HOME / FOLDER / SESSION / "updates.jsonl", renamed)
    assert aj(tmp_path, "import", str(renamed)).returncode == 0
    with open_journal(tmp_path) as journal:
        assert journal.session(SESSION).agent == "grok"


def test_roots_and_resuming() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.grok"]
    assert CONNECTOR.roots(Env("/h", {"GROK_HOME": "/else"}, "linux")) == ["/else"]
    assert str(command("grok", SESSION, None)) == f"grok --resume {SESSION}"
