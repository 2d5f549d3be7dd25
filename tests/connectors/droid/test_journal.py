"""Sessions of Factory Droid in a journal: order, forks, tokens, import."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent_journal.connectors.base import Env, FoundFile
from agent_journal.connectors.droid import CONNECTOR
from agent_journal.convert.resuming import command
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES

FIRST = "9f000000-0000-4000-8000-000000000001"
FORK = "9f000000-0000-4000-8000-000000000002"
HELPER = "9f000000-0000-4000-8000-000000000003"
HOME = CASES / "droid/session/home"
SESSIONS = ".factory/sessions/-home-sam-garden"


@pytest.mark.parametrize("end", [b"\n", b""], ids=["whole line", "line without end"])
def test_an_answer_before_its_prompt_comes_behind_it_in_two_syncs(
    tmp_path: Path, end: bytes
) -> None:
    lines = (HOME / SESSIONS / f"{FIRST}.jsonl").read_bytes().splitlines(keepends=True)
    log = tmp_path / SESSIONS / f"{FIRST}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"".join(lines[:3]).rstrip() + end)
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        assert [message.id for message in journal.session(FIRST).messages] == ["context-p1", "a1"]
    log.write_bytes(b"".join(lines))
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        messages = journal.session(FIRST).messages
        assert [message.id for message in messages][:4] == ["context-p1", "p1", "a1", "a2"]
        assert not any(message.is_branch for message in messages)
        assert [call.id for call in messages[2].tool_calls] == ["call_1", "call_2"]
    assert aj(tmp_path, "verify").returncode == 0


def test_a_number_that_no_state_can_hold_costs_no_session(tmp_path: Path) -> None:
    lines = (HOME / SESSIONS / f"{FIRST}.jsonl").read_bytes().splitlines(keepends=True)
    odd = lines[2].replace(b'"role":"assistant"', b'"role":"assistant","odd":%d' % 2**70)
    assert odd != lines[2]
    log = tmp_path / SESSIONS / f"{FIRST}.jsonl"
    log.parent.mkdir(parents=True)
    log.write_bytes(b"".join([*lines[:2], odd]))
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        assert [message.id for message in journal.session(FIRST).messages] == ["context-p1", "a1"]


def test_forks_and_sub_agents_count_once(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        fork = journal.session(FORK)
        assert fork.fork_of == FIRST
        assert [edit.origin for edit in fork.file_edits] == ["copied", "copied", "tool"]
        assert journal.session(HELPER).parent_id == FIRST
    (total,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert (total["input_tokens"], total["output_tokens"]) == (713, 59)
    (stats,) = aj_json(tmp_path, "stats")["items"]
    assert stats["tools"] == 8
    assert aj(tmp_path, "verify").returncode == 0


def test_credentials_and_backups_are_not_listed() -> None:
    found = CONNECTOR.discover(str(HOME / ".factory"))
    roles = [file.role for file in found if isinstance(file, FoundFile)]
    assert roles == ["log", "document"] * 3


def test_tokens_of_a_session_that_is_in_two_folders_count_once(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    copy = tmp_path / ".factory/sessions/-home-sam-moved"
    shutil.copytree(tmp_path / SESSIONS, copy)
    older = copy / f"{FIRST}.settings.json"
    text = older.read_text()
    assert '"outputTokens": 50' in text
    older.write_text(text.replace('"outputTokens": 50', '"outputTokens": 1'))
    assert aj(tmp_path, "sync").returncode == 0
    both = {item["id"]: item["output_tokens"] for item in aj_json(tmp_path, "ls", "--all")["items"]}
    shutil.rmtree(copy)
    (tmp_path / ".agent-journal").rename(tmp_path / "with-copies")
    assert aj(tmp_path, "sync").returncode == 0
    one = {item["id"]: item["output_tokens"] for item in aj_json(tmp_path, "ls", "--all")["items"]}
    assert both == one


def test_an_imported_session_is_recognised(tmp_path: Path) -> None:
    renamed = tmp_path / "download.jsonl"
    shutil.copy(HOME / SESSIONS / f"{FIRST}.jsonl", renamed)
    assert aj(tmp_path, "import", str(renamed)).returncode == 0
    with open_journal(tmp_path) as journal:
        assert journal.session(FIRST).agent == "droid"


def test_roots_and_resuming() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.factory"]
    assert CONNECTOR.normalize_root("/h/.factory/sessions") == "/h/.factory"
    assert str(command("droid", FIRST, None)) == f"droid --resume {FIRST}"
