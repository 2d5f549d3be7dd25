"""What becomes of sessions of Qwen Code, beyond the cases."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

from agent_journal.connectors import get_connector
from agent_journal.connectors.base import Env
from agent_journal.convert.resuming import Command, command
from agent_journal.sync.recognition import recognise
from tests.support.assemble import read_root
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES

HOME = CASES / "qwen_code/chats/home"
PROJECT = Path(".qwen/projects/-home-sam-orchard")
SESSION = "6eadf012-8b70-4faa-a6c8-b5ac935778fa"


def tokens(home: Path) -> dict[str, tuple[int, int]]:
    assert aj(home, "sync", "--no-index").returncode == 0
    found = aj_json(home, "ls", "--all", "--agent", "qwen-code")["items"]
    return {item["id"]: (item["input_tokens"], item["output_tokens"]) for item in found}


def test_a_request_of_a_sub_agent_counts_once(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    subagents = tmp_path / PROJECT / "subagents"
    subagents.rename(tmp_path / "elsewhere")
    alone = 701 + 702 + 703 + 704 + 705 + 706 + 205
    assert tokens(tmp_path)[SESSION][0] == alone + 704  # by the telemetry of its session
    (tmp_path / "elsewhere").rename(subagents)
    found = tokens(tmp_path)
    assert found[SESSION][0] == alone
    assert found[f"{SESSION}/general-purpose-call_4"][0] == 704 + 707
    assert aj(tmp_path, "verify").returncode == 0


def test_the_model_of_a_sub_agent_may_be_known_later(tmp_path: Path) -> None:
    """It is in a file beside its own, which is rewritten: half of it, and then another model."""
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    (meta,) = (tmp_path / PROJECT / "subagents").rglob("*.meta.json")
    whole = meta.read_text()
    name = json.loads(whole)["model"]
    texts = [(whole[:40], set()), (whole, {name}), (whole.replace(name, "plum-2"), {"plum-2"})]
    for text, models in texts:
        meta.write_text(text)
        assert aj(tmp_path, "sync", "--no-index").returncode == 0
        with open_journal(tmp_path) as journal:
            session = journal.session(f"{SESSION}/general-purpose-call_4")
            said = {message.model for message in session.messages if message.kind == "answer"}
            assert (said - {None}, set(session.models)) == (models, models)
        assert aj(tmp_path, "verify").returncode == 0


def test_a_request_that_two_sessions_tell_counts_once(tmp_path: Path) -> None:
    """A copy of a session has the requests of its sub-agents, too, which belong to no message."""
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / PROJECT / "subagents")
    one = tmp_path / PROJECT / "chats" / f"{SESSION}.jsonl"
    other_id = f"{SESSION[:-4]}0000"
    other = one.with_name(f"{other_id}.jsonl")
    text = one.read_text().replace(SESSION, other_id)
    other.write_text(text.replace('"uuid":"', '"uuid":"copy-'))
    found = tokens(tmp_path)
    assert found[other_id][0] - found[SESSION][0] == 704 + 205  # of two sub-agents
    assert aj(tmp_path, "verify").returncode == 0


def test_what_a_rewind_left_behind_is_a_branch(tmp_path: Path) -> None:
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (session,) = aj_json(tmp_path, "show", SESSION[:8])["items"]
    branch = [message["text"] for message in session["messages"] if message.get("is_branch")]
    assert branch == ["Now a pear.", "A pear, then."]


def test_a_title_of_the_person_stays(tmp_path: Path) -> None:
    def titled(title: str, source: str) -> dict[str, Any]:
        payload = {"customTitle": title, "titleSource": source}
        return {
            "uuid": title,
            "type": "system",
            "subtype": "custom_title",
            "systemPayload": payload,
        }

    lines = [titled("first", "auto"), titled("mine", "manual"), titled("last", "auto")]
    file = tmp_path / "projects/p/chats" / f"{SESSION}.jsonl"
    file.parent.mkdir(parents=True)
    for count, (title, rank) in enumerate([("first", 40), ("mine", 60), ("mine", 60)], start=1):
        file.write_text("".join(json.dumps(line) + "\n" for line in lines[:count]))
        (session,) = read_root(get_connector("qwen-code"), tmp_path).sessions
        assert (session.title, session.title_rank) == (title, rank)


def test_files_with_keys_are_never_listed() -> None:
    found = get_connector("qwen-code").discover(str(HOME / ".qwen"))
    names = {Path(file.path).name for file in found}
    assert names == {
        f"{SESSION}.jsonl",
        "agent-general-purpose-call_4.jsonl",
        "agent-general-purpose-call_4.meta.json",
    }


def test_places() -> None:
    connector = get_connector("qwen-code")
    variables = {"QWEN_HOME": "/q", "QWEN_RUNTIME_DIR": "/r"}
    assert connector.roots(Env("/home/sam", variables, "linux")) == ["/q", "/r"]
    assert connector.roots(Env("/home/sam", {}, "linux")) == ["/home/sam/.qwen"]
    assert connector.normalize_root("/q/projects/") == "/q"
    assert connector.normalize_root(str(HOME)) == str(HOME / ".qwen")


def test_files_are_recognised_when_they_are_imported() -> None:
    chat = HOME / PROJECT / f"chats/{SESSION}.jsonl"
    assert recognise(str(chat))[:3] == ("qwen-code", "log", SESSION)
    (subagent,) = (HOME / PROJECT / "subagents").rglob("*.jsonl")
    expected = ("qwen-code", "replay", f"{SESSION}/general-purpose-call_4")
    assert recognise(str(subagent))[:3] == expected


def test_a_session_is_resumed_by_its_id() -> None:
    assert command("qwen-code", SESSION, None) == Command(("qwen", "--resume", SESSION), None)
    assert command("qwen-code", f"{SESSION}/general-purpose-call_4", None) is None


def test_a_chat_is_read_again_when_the_file_beside_it_says_something_else(tmp_path: Path) -> None:
    """The model that a sub-agent was started with is that of lines that were read long ago."""
    shutil.copytree(HOME, tmp_path, dirs_exist_ok=True)
    (beside,) = (tmp_path / PROJECT / "subagents").rglob("*.meta.json")
    text = beside.read_text()
    tokens(tmp_path)
    for other in (text.replace("qwen3-coder-plus", "qwen4"), "", text):
        beside.write_text(other)
        tokens(tmp_path)
        assert aj(tmp_path, "verify").returncode == 0, other
