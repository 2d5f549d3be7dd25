"""Claude Code: sessions of the web, imported as one document with `loglines`."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import FileIdentity, FoundFile, Reader
from agent_journal.connectors.claude_code import CONNECTOR
from agent_journal.sync.recognition import NotRecognised, recognise
from agent_journal.testing import Contract
from tests.support.assemble import DiskContent
from tests.support.journals import aj, aj_json, open_journal
from tests.support.paths import CASES

EXPORT = CASES / "claude_web/session.json"
SESSION = "5b6f0b5e-1111-4222-8333-444455556666"
RULES = [
    check.__name__
    for check in Contract(CONNECTOR, EXPORT.parent, "", []).checks()
    if check.__name__ != "cases_are_as_expected"
]


def found(path: Path = EXPORT) -> FoundFile:
    size = path.stat().st_size
    return FoundFile(str(path), path.name, "session", size, 0, 0, recognise(str(path)).session_id)


def write(path: Path, *lines: Any, **more: Any) -> Path:
    path.write_text(json.dumps({"loglines": lines, **more}))
    return path


def read(path: Path) -> Reader:
    reader = CONNECTOR.reader(
        FileIdentity(path.name, str(path), "session", found(path).session_id), None
    )
    list(reader.read(DiskContent(str(path))))
    return reader


@pytest.mark.parametrize("rule", RULES)
def test_contract(rule: str) -> None:
    """Damage included: what is wrong with one line costs that line."""
    getattr(Contract(CONNECTOR, EXPORT.parent, "", [found()]), rule)()


def test_an_export_becomes_a_session(tmp_path: Path) -> None:
    done = aj(tmp_path, "import", str(EXPORT))
    assert done.returncode == 0, done.stderr
    assert f"imported, claude-code:{SESSION}" in done.stdout
    with open_journal(tmp_path) as journal:
        session = journal.session("last")
    assert (session.title, session.project_path) == ("Sum of two numbers", "/home/user/app")
    assert session.started_at is not None
    assert [(said.kind, said.text, said.timestamp is not None) for said in session.messages] == [
        ("prompt", "Add a sum function", True),
        ("answer", "I write it.", True),
        ("answer", "Done.", True),
    ]
    (call,) = session.messages[1].tool_calls
    assert (call.name, call.status) == ("Write", "ok")
    assert call.result is not None
    assert call.result.startswith("File created. xx")
    (edit,) = session.file_edits
    assert edit.path == "/home/user/app/sum.py"
    assert [usage.output_tokens for usage in session.usage] == [5, 2]
    assert aj(tmp_path, "verify").returncode == 0
    assert aj(tmp_path, "restore", "last", "-o", str(tmp_path / "back")).returncode == 0
    (back,) = (tmp_path / "back").rglob("session.json")
    assert back.read_bytes() == EXPORT.read_bytes()


def test_every_byte_is_accounted_for() -> None:
    reader = read(EXPORT)
    counts = reader.ledger.counts
    assert sum(size for _, size in counts.values()) == EXPORT.stat().st_size
    assert ("unknown", "from_the_future", "") in counts
    assert ("malformed", "line", "not a JSON object") in counts


def test_the_transcript_of_the_same_session_takes_precedence(tmp_path: Path) -> None:
    lines = json.loads(EXPORT.read_text())["loglines"]
    folder = tmp_path / ".claude/projects/-home-user-app"
    folder.mkdir(parents=True)
    own = folder / f"{SESSION}.jsonl"
    own.write_text("".join(json.dumps(line) + "\n" for line in lines[:4]))
    assert aj(tmp_path, "import", str(EXPORT)).returncode == 0
    assert aj(tmp_path, "sync").returncode == 0
    (session,) = aj_json(tmp_path, "ls", "--all")["items"]
    assert session["id"] == SESSION
    assert session["title"] == "Add a sum function"
    assert aj(tmp_path, "verify").returncode == 0


@pytest.mark.parametrize(
    ("name", "session_id", "more"),
    [
        ("session_01AbC.json", "session_01AbC", {}),
        ("export.json", "cse_1", {"id": "cse_1"}),
        ("agent-x.json", "web-0bfe935e70c321c7ca3afc75ce0d0ca2", {}),
    ],
)
def test_the_id_of_an_export_whose_lines_name_none(
    tmp_path: Path, name: str, session_id: str, more: dict[str, str]
) -> None:
    line = {"type": "user", "uuid": "u", "message": {"role": "user", "content": "hi"}}
    path = write(tmp_path / name, line, **more)
    assert recognise(str(path)).session_id == session_id
    (session,) = read(path).sessions()
    assert (session.id, session.parent_id) == (session_id, None)


def test_one_line_each(tmp_path: Path) -> None:
    """The last line alone would be a transcript."""
    lines = ",\n".join(json.dumps(line) for line in json.loads(EXPORT.read_text())["loglines"][:4])
    path = tmp_path / "a.json"
    path.write_text(f'{{"loglines":[\n{lines}\n]}}')
    assert recognise(str(path)).role == "session"


def test_what_has_no_message_is_refused(tmp_path: Path) -> None:
    for lines in ([], ["a log"], [{"type": "summary"}]):
        with pytest.raises(NotRecognised, match="its 'loglines' have no message"):
            recognise(str(write(tmp_path / "a.json", *lines)))


def test_a_file_that_only_its_name_says_is_one(tmp_path: Path) -> None:
    path = tmp_path / "x.json"
    path.write_text('{"a":1}')
    done = aj(tmp_path, "import", str(path), "--as", "claude-code")
    assert done.returncode == 1
    assert "nothing in it can be read as a session" in done.stderr + done.stdout


def test_odd_bytes_and_an_id_like_that_of_a_sub_agent(tmp_path: Path) -> None:
    """A byte order mark, half of a pair of surrogates; a person's session is a person's."""
    line = {
        "type": "user",
        "uuid": "u1",
        "sessionId": "agent-x",
        "timestamp": "2026-11-01T10:00:00.000Z",
        "message": {"role": "user", "content": "hi HALF there 🧠"},
    }
    text = json.dumps({"loglines": [line]}).replace("HALF", "\\ud800")
    path = tmp_path / "q.json"
    path.write_bytes(b"\xef\xbb\xbf" + text.encode())
    assert aj(tmp_path, "import", str(path)).returncode == 0
    (session,) = aj_json(tmp_path, "ls")["items"]
    assert (session["id"], session["prompt_count"], session["parent_id"]) == ("agent-x", 1, None)
    assert aj(tmp_path, "verify").returncode == 0
