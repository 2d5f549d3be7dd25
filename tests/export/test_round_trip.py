"""A session exported as JSON and imported again is the same session, for every fixture of every
agent.
"""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace

from agent_journal.connectors.base import FileIdentity
from agent_journal.connectors.exported import ExportReader
from agent_journal.model import Session
from agent_journal.model.exchange import Export
from agent_journal.query.tree import Query
from tests.support import cursor_home
from tests.support.assemble import BytesContent
from tests.support.journals import aj, aj_json, open_journal, write_claude
from tests.support.paths import CASES, ROOT

HERE = CASES
HOMES = sorted(HERE.glob("*/*/home"))


def placeless(session: Session) -> Session:
    """The session without the places in the files it was read from, and without the names of kept
    files.

    What two files of an agent tell under the same id (Copilot CLI carried old sessions over) comes
    back once.
    """
    here = {"file": None, "offset": None, "length": None, "seq": None}
    messages = tuple(
        replace(
            m,
            **here,
            tool_calls=tuple(replace(c, offset=None, length=None) for c in once(m.tool_calls)),
        )
        for m in once(session.messages)
    )
    edits = tuple(replace(edit, offset=None, seq=None) for edit in session.file_edits)
    events = tuple(replace(event, **here) for event in session.events)
    return replace(session, messages=messages, events=events, file_edits=edits, documents=())


def once(pieces: tuple[Any, ...]) -> list[Any]:
    first: dict[str, Any] = {}
    for piece in pieces:
        first.setdefault(piece.id, piece)
    return list(first.values())


def everything(home: Path) -> dict[tuple[str, str], Session]:
    with open_journal(home) as journal:
        rows = journal.rows(Query(include_all=True))
        return {
            (row.agent, row.id): placeless(journal.session(f"{row.agent}:{row.id}")) for row in rows
        }


def export_all(home: Path, out: Path, form: str) -> None:
    sessions = everything(home)
    roots = [
        f"{agent}:{uid}"
        for (agent, uid), one in sessions.items()
        if (agent, one.parent_id) not in sessions
    ]
    done = aj(home, "export", *roots, "-f", form, "-o", f"{out}/", "--no-redact")
    assert done.returncode == 0, done.stderr


def test_there_are_fixtures_of_every_agent() -> None:
    assert {home.parent.parent.name for home in HOMES} >= {
        "claude_code",
        "copilot_cli",
        "vscode_chat",
    }


@pytest.mark.parametrize("home", HOMES, ids=lambda home: "-".join(home.parts[-3:-1]))
def test_every_fixture_comes_back_as_it_was(tmp_path: Path, home: Path) -> None:
    here = tmp_path / "here"
    if home.parts[-3] == "cursor":  # its databases are made
        cursor_home.build(home.parts[-2], here)
    else:
        shutil.copytree(home, here)
    with open_journal(here, AJ_AIDER_PATH=str(here)) as journal:
        journal.sync(index=False)
    before = everything(here)
    assert before
    for form in ("json", "jsonl"):
        there = tmp_path / form
        export_all(here, tmp_path / f"{form}-out", form)
        assert aj(there, "import", str(tmp_path / f"{form}-out")).returncode == 0
        after = everything(there)
        assert after.keys() == before.keys()
        for key, session in before.items():
            assert after[key] == session, (form, key)
        assert aj(there, "verify").returncode == 0


def test_an_exported_chat_comes_back(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    assert aj(here, "import", str(HERE / "vscode_export/documented.json")).returncode == 0
    export_all(here, tmp_path / "out", "json")
    assert aj(there, "import", str(tmp_path / "out")).returncode == 0
    assert everything(there) == everything(here)


def exported(home: Path, form: str = "json", **more: Any) -> Path:
    write_claude(home, **more)
    assert aj(home, "sync", "--no-index").returncode == 0
    path = home / f"talk.{form}"
    done = aj(home, "export", "last", "-o", str(path))
    assert done.returncode == 0, done.stderr
    return path


def imported(home: Path, path: Path) -> dict[str, Any]:
    (item,) = aj_json(home, "import", str(path))["items"]
    return dict(item)


def test_a_json_export_is_what_the_schema_says(tmp_path: Path) -> None:
    path = exported(tmp_path)
    whole = msgspec.json.decode(path.read_bytes(), type=Export)
    assert (whole.format, whole.version, len(whole.sessions)) == ("agent-journal-export", 1, 1)
    schema = json.loads((ROOT / "docs/schema/session.json").read_text())
    assert set(json.loads(path.read_bytes())) <= set(schema["$defs"]["Export"]["properties"])


def test_a_document_that_was_laid_out_for_reading_comes_back(tmp_path: Path) -> None:
    path = exported(tmp_path / "a")
    path.write_text(json.dumps(json.loads(path.read_text()), indent=2))
    assert imported(tmp_path / "b", path)["status"] == "new"
    assert everything(tmp_path / "b") == everything(tmp_path / "a")


def test_an_export_is_a_copy_where_the_agents_own_file_is(tmp_path: Path) -> None:
    path = exported(tmp_path)
    before = everything(tmp_path)
    assert imported(tmp_path, path)["status"] == "copy"
    assert everything(tmp_path) == before
    assert aj(tmp_path, "verify").returncode == 0


def test_the_agents_own_file_takes_the_place_of_an_export(tmp_path: Path) -> None:
    path = exported(tmp_path / "a")
    there = tmp_path / "b"
    assert imported(there, path)["status"] == "new"
    write_claude(there, count=6)
    assert aj(there, "sync", "--no-index").returncode == 0
    (session,) = everything(there).values()
    assert len(session.messages) == 6


@pytest.mark.parametrize("first", ["old", "new"])
def test_of_two_exports_the_longer_counts(tmp_path: Path, first: str) -> None:
    old = exported(tmp_path / "a")
    old.rename(tmp_path / "old.json")
    exported(tmp_path / "a", start=4).rename(tmp_path / "new.json")
    for name in (first, "old" if first == "new" else "new"):
        imported(tmp_path / "b", tmp_path / f"{name}.json")
    (session,) = everything(tmp_path / "b").values()
    assert len(session.messages) == 8


def test_a_sub_agent_in_another_file_is_not_imported_twice(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    shutil.copytree(HERE / "claude_code/subagents/home", here)
    assert aj(here, "sync", "--no-index").returncode == 0
    known = everything(here)
    child = next(one for one in known.values() if (one.agent, one.parent_id) in known)
    for name, uid in (("child", child.id), ("parent", child.parent_id)):
        assert (
            aj(
                here, "export", f"{child.agent}:{uid}", "-o", str(tmp_path / f"{name}.json")
            ).returncode
            == 0
        )
    assert imported(there, tmp_path / "child.json")["status"] == "new"
    refused = imported(there, tmp_path / "parent.json")
    assert refused["status"] == "refused"
    assert "the journal already has its session" in refused["reason"]


def change(path: Path, **head: Any) -> Path:
    path.write_text(json.dumps({**json.loads(path.read_text()), **head}))
    return path


def test_what_cannot_be_taken_in_is_refused_with_the_reason(tmp_path: Path) -> None:
    path = exported(tmp_path / "a")
    for head, reason in (
        ({"version": 2}, "newer agent-journal"),
        ({"version": "1"}, "newer agent-journal"),
        ({"sessions": []}, "without a session"),
        ({"sessions": [{"agent": "claude-code"}]}, "no id"),
        ({"sessions": [{"agent": "never-heard-of", "id": "x"}]}, "does not know"),
    ):
        refused = imported(tmp_path / "b", change(tmp_path / "a/talk.json", **head))
        assert (refused["status"], reason in refused["reason"]) == ("refused", True), refused
        path.unlink()
        assert aj(tmp_path / "a", "export", "last", "-o", str(path)).returncode == 0


def test_one_odd_part_costs_that_part(tmp_path: Path) -> None:
    path = exported(tmp_path / "a")
    whole = json.loads(path.read_text())
    messages = whole["sessions"][0]["messages"]
    messages[1]["kind"] = "something new"
    messages[2]["timestamp"] = "2026-11-01T00:02:00"  # without a zone: UTC
    whole["sessions"][0]["usage"][0]["input_tokens"] = 2**63
    path.write_text(json.dumps(whole))
    assert imported(tmp_path / "b", path)["status"] == "new"
    (session,) = everything(tmp_path / "b").values()
    assert len(session.messages) == 3
    assert session.messages[1].timestamp is not None
    assert "cannot be read" in aj(tmp_path / "b", "doctor").stdout


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_an_export_cut_anywhere_is_accounted_for(tmp_path: Path, form: str) -> None:
    data = exported(tmp_path, form).read_bytes()
    for cut in range(0, len(data) + 1, 3):
        reader = ExportReader(FileIdentity("talk", "talk", "export", "s1"))
        for _ in reader.read(BytesContent(data[:cut], 100)):
            pass
        assert reader.ledger.total_bytes == reader.offset == cut
        list(reader.sessions())
