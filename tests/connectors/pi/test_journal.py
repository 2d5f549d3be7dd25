"""Sessions of Pi in a journal: branches, forks, import."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from agent_journal.connectors.base import Env, FoundFile, Recognition
from agent_journal.connectors.pi import CONNECTOR
from agent_journal.convert.resuming import command
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES

FIRST = "0196900a-0000-7000-8000-000000000001"
FORK = "0196900a-0000-7000-8000-000000000002"
SESSIONS = ".pi/agent/sessions/--home-sam-garden--"


def synced(home: Path, case: str) -> Path:
    shutil.copytree(CASES / "pi" / case / "home", home, dirs_exist_ok=True)
    assert aj(home, "sync").returncode == 0
    return home


def test_what_is_no_session_is_not_listed(tmp_path: Path) -> None:
    home = shutil.copytree(CASES / "pi/damage/home", tmp_path / "home")
    found = CONNECTOR.discover(str(home / ".pi/agent"))
    assert [(file.role, file.session_id) for file in found if isinstance(file, FoundFile)] == [
        ("log", FIRST)
    ]


def test_roots() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.pi/agent"]
    assert CONNECTOR.roots(Env("/h", {"PI_CODING_AGENT_DIR": "/else"}, "linux")) == ["/else"]
    assert CONNECTOR.normalize_root("/h/.pi/agent/sessions/") == "/h/.pi/agent"


def test_an_abandoned_branch_is_marked_and_the_rest_is_not(tmp_path: Path) -> None:
    with open_journal(synced(tmp_path, "tree")) as journal:
        messages = journal.session(FIRST).messages
        left = {message.id for message in messages if message.is_branch}
        assert left == {"a000000c", "a000000d"}


def test_what_a_fork_copied_counts_once(tmp_path: Path) -> None:
    home = synced(tmp_path, "fork")
    with open_journal(home) as journal:
        assert journal.session(FORK).fork_of == FIRST
    (total,) = aj_json(home, "usage", "agent")["items"]
    assert (total["input_tokens"], total["output_tokens"]) == (3350, 134)
    assert aj_json(home, "stats")["items"][0]["tools"] == 5
    assert aj(home, "verify").returncode == 0


def test_an_imported_session_is_recognised(tmp_path: Path) -> None:
    name = f"2026-05-02T08-20-00-000Z_{FIRST}.jsonl"
    path = CASES / "pi/tree/home" / SESSIONS / name
    renamed = tmp_path / "download.jsonl"
    shutil.copy(path, renamed)
    assert CONNECTOR.recognise(str(path), path.read_bytes()) == Recognition("log", FIRST)
    assert aj(tmp_path, "import", str(renamed)).returncode == 0
    with open_journal(tmp_path) as journal:
        assert journal.session(FIRST).agent == "pi"


def test_a_session_is_resumed_by_its_id() -> None:
    found = command("pi", FIRST, "/home/sam/garden")
    assert str(found) == f"cd /home/sam/garden && pi --session {FIRST}"


def test_requests_beside_the_answers_count(tmp_path: Path) -> None:
    home = synced(tmp_path, "newer")  # two answers, a tool, a warm cache, a summary
    (total,) = aj_json(home, "usage", "agent")["items"]
    assert (total["input_tokens"], total["output_tokens"]) == (1900, 82)
    assert (total["cache_read_tokens"], total["cost_micro_usd"]) == (2100, 7500)
    assert total["requests"] == 5


def test_a_session_may_have_an_id_that_a_person_chose(tmp_path: Path) -> None:
    home = synced(tmp_path, "newer")
    folder = home / SESSIONS
    fork = {"type": "session", "version": 3, "id": "roses", "parentSession": ""}
    fork["parentSession"] = str(folder / "2026-11-02T08-20-00-000Z_tulips.by-night.jsonl")
    (folder / "2026-11-03T08-20-00-000Z_roses.jsonl").write_text(json.dumps(fork) + "\n")
    with open_journal(home) as journal:
        journal.sync()
        assert len(journal.session("tulips.by-night").messages) == 7
        assert journal.session("pi:roses").fork_of == "tulips.by-night"
    found = command("pi", "tulips.by-night", "/home/sam/garden")
    assert str(found) == "cd /home/sam/garden && pi --session tulips.by-night"
