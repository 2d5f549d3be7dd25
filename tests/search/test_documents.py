"""Text outside of messages: kept files, whole tool results, attachments and system prompts."""

from __future__ import annotations

import json
import os
import shutil
from pathlib import Path

import pytest

from agent_journal.search.lexical import NAME
from agent_journal.search.terms import INDEXED_BYTES
from tests.support.journals import aj, aj_json
from tests.support.search_records import call
from tests.support.talks import hits, record, write

SESSION = ".claude/projects/-work-app/s1"
SPILL = "tool-results/big.txt"
PREVIEW = (
    "<persisted-output>\nOutput too large (90KB). Full output saved to: "
    f"/home/u/{SESSION}/{SPILL}\n\nPreview (first 2KB):\nfirst line"
)
WHOLE = "first line\n" + "filler\n" * 2_000 + "omegaspilled at the end\n"
BACKUP = "file-history/0a1b@v1"
TALK = [
    record("user", "p1", "<ide_selection>nuselection here</ide_selection>Fix the wordprose now"),
    *call("c1", "Bash", {"command": "make rhoargument"}, PREVIEW),
]
RULES = [
    {
        "type": "session.start",
        "id": "e1",
        "timestamp": "2026-11-10T10:00:00.000Z",
        "data": {"sessionId": "c1", "version": 1, "producer": "copilot-agent"},
    },
    {
        "type": "system.message",
        "id": "e2",
        "timestamp": "2026-11-10T10:00:00.500Z",
        "data": {"content": "You obey the xirules."},
    },
    {
        "type": "user.message",
        "id": "e3",
        "timestamp": "2026-11-10T10:00:01.000Z",
        "data": {"content": "hello there"},
    },
]


def put(home: Path, name: str, data: str | bytes) -> None:
    path = home / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(data, str):
        data = data.encode()
    path.write_bytes(data)


def spill(home: Path) -> None:
    put(home, f"{SESSION}/{SPILL}", WHOLE)


def sync(home: Path) -> None:
    done = aj(home, "sync")
    assert done.returncode == 0, done.stderr


def found(home: Path, *query: str) -> list[tuple[str, str | None]]:
    """The kind and the id of each hit."""
    messages = [hit["message"] for hit in hits(home, "--flat", *query)]
    return [(message["kind"], message["id"]) for message in messages]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("documents")
    write(path, TALK)
    write(path, RULES, ".copilot/session-state/c1/events.jsonl")
    spill(path)
    put(path, ".claude/file-history/s1/0a1b@v1", "def taubackup():\n    pass\n")
    put(path, ".claude/file-history/s1/0a1b@v2", "wordprose " * 50)
    put(path, ".claude/file-history/s1/picture@v1", b"\x89PNG\0\0chipicture")
    long = "psistart " + "filler " * (INDEXED_BYTES // 7) + "psiend"
    put(path, ".claude/file-history/s1/long@v1", long)
    sync(path)
    return path


def test_the_text_of_a_kept_file_is_found(home: Path) -> None:
    assert found(home, "taubackup") == [("document", BACKUP)]
    [hit] = hits(home, "taubackup")
    assert hit["session"] == "claude-code:s1"
    start, end = hit["snippet"]["marks"][0]
    assert hit["snippet"]["text"][start:end] == "taubackup"
    shown = aj(home, "search", "taubackup").stdout
    assert BACKUP in shown
    assert f"aj show s1 --document {BACKUP}" in shown
    assert aj(home, "show", "s1", "--document", BACKUP).stdout == "def taubackup():\n    pass\n"
    assert aj(home, "restore", "s1", "-o", str(home / "back")).returncode == 0
    restored = home / "back/.claude/file-history/s1/0a1b@v1"
    assert "taubackup" in restored.read_text()


def test_a_document_that_is_not_kept(home: Path) -> None:
    done = aj(home, "show", "s1", "--document", "nothing.txt")
    assert done.returncode == 2
    assert "no document 'nothing.txt'" in done.stderr


def test_documents_come_after_prose(home: Path) -> None:
    assert [kind for kind, _ in found(home, "wordprose")] == ["prompt", "session", "document"]
    by_meaning = found(home, "wordprose", "--mode", "semantic")
    assert "document" not in dict(by_meaning)


def test_a_file_that_has_the_words_of_a_question_is_no_answer(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    question = "how could we fix these wordprose taubackup hello words now"
    put(tmp_path, ".claude/file-history/s1/all@v1", question * 20)
    sync(tmp_path)
    document = ("document", "file-history/all@v1")
    assert found(tmp_path, "taubackup hello words")[0] == document
    assert found(tmp_path, question)[0] in (("session", None), ("prompt", "p1"))
    assert found(tmp_path, f"{question} kind:document")[0] == document


def test_what_is_no_text_and_the_end_of_a_huge_file_are_not_indexed(home: Path) -> None:
    assert found(home, "--mode", "lexical", "chipicture is:tool OR kind:document chipicture") == []
    assert found(home, "psistart") == [("document", "file-history/long@v1")]
    assert ("document", "file-history/long@v1") not in found(home, "psiend")


def test_a_call_is_found_by_the_file_with_its_whole_result(home: Path) -> None:
    assert found(home, "omegaspilled") == [("tool", "t-c1")]
    assert found(home, "omegaspilled rhoargument") == [("tool", "t-c1")]


def test_the_whole_result_is_shown_and_exported(home: Path, tmp_path: Path) -> None:
    for depth in ("tool", "all"):
        shown = aj(home, "show", "s1", "--depth", depth).stdout
        assert "persisted-output" not in shown
    assert "omegaspilled" in shown
    for form in ("html", "md", "json"):
        out = tmp_path / f"s1.{form}"
        assert aj(home, "export", "s1", "-f", form, "-o", str(out)).returncode == 0
        text = out.read_text()
        assert "omegaspilled" in text
        assert "persisted-output" not in text
    query = "SELECT result, spilled_to FROM tool_calls"
    assert aj_json(home, "sql", query)["items"] == [{"result": WHOLE, "spilled_to": SPILL}]


def test_a_conversion_has_the_result_that_the_model_saw(home: Path, tmp_path: Path) -> None:
    done = aj(home, "convert", "s1", "--to", "copilot-cli", "-o", str(tmp_path))
    assert done.returncode == 0, done.stderr
    texts = [path.read_text() for path in tmp_path.rglob("events.jsonl")]
    assert "persisted-output" in texts[0]
    assert "omegaspilled" not in texts[0]


@pytest.mark.parametrize("is_spilled_first", [True, False])
def test_call_and_file_may_come_in_either_order(tmp_path: Path, is_spilled_first: bool) -> None:
    write(tmp_path, TALK[:1])
    sync(tmp_path)
    if is_spilled_first:
        spill(tmp_path)
        sync(tmp_path)
        assert found(tmp_path, "omegaspilled") == [("document", SPILL)]
        write(tmp_path, TALK)
    else:
        write(tmp_path, TALK)
        sync(tmp_path)
        assert "tool" not in dict(found(tmp_path, "omegaspilled"))
        spill(tmp_path)
    sync(tmp_path)
    assert found(tmp_path, "omegaspilled") == [("tool", "t-c1")]
    assert aj_json(tmp_path, "verify")["items"][0]["differences"] == []


def test_the_result_of_a_sub_agent_is_in_the_folder_of_its_parent(tmp_path: Path) -> None:
    write(tmp_path, TALK[:1])
    lines = [one | {"isSidechain": True, "agentId": "a1"} for one in TALK]
    write(tmp_path, lines, f"{SESSION}/subagents/agent-a1.jsonl")
    sync(tmp_path)
    spill(tmp_path)
    sync(tmp_path)
    [hit] = hits(tmp_path, "--flat", "omegaspilled")
    assert hit["session"] == "claude-code:s1/agent-a1"
    assert hit["message"]["id"] == "t-c1"


def test_a_document_is_found_by_itself_when_its_call_is_gone(tmp_path: Path) -> None:
    log = write(tmp_path, TALK)
    spill(tmp_path)
    sync(tmp_path)
    log.write_text(json.dumps(record("user", "p9", "another beginning")) + "\n")
    sync(tmp_path)
    assert found(tmp_path, "omegaspilled") == [("document", SPILL)]
    assert aj_json(tmp_path, "verify")["items"][0]["differences"] == []


@pytest.mark.parametrize(
    ("word", "kind"), [("nuselection", "attachment"), ("xirules", "system_prompt")]
)
def test_context_is_found_only_when_it_is_asked_for(home: Path, word: str, kind: str) -> None:
    assert kind not in dict(found(home, word))
    assert [name for name, _ in found(home, f"{word} is:hidden")] == [kind]
    [hit] = hits(home, f"{word} is:hidden")
    start, end = hit["snippet"]["marks"][0]
    assert hit["snippet"]["text"][start:end] == word
    position = str(hit["message"]["position"])
    assert word in aj(home, "search", f"{word} is:hidden").stdout
    assert word in aj(home, "show", hit["session"], "--message", position).stdout


def test_an_index_of_an_earlier_version_is_replaced(home: Path) -> None:
    folder = home / ".agent-journal/index"
    os.rename(folder / NAME, folder / "lexical-v3")
    sync(home)
    assert found(home, "taubackup") == [("document", BACKUP)]
    assert [path.name for path in folder.glob("lexical-*")] == [NAME]
