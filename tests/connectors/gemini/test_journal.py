"""Sessions of Gemini CLI in a journal: sync and import."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.support.gemini_sessions import CASES_FOLDER, TALK, home
from tests.support.journals import aj, aj_json, append, open_journal


@pytest.fixture
def journal_of(tmp_path: Path) -> Callable[[str], Path]:
    def make(case: str) -> Path:
        import shutil

        shutil.copytree(CASES_FOLDER / case / "home", tmp_path, dirs_exist_ok=True)
        assert aj(tmp_path, "sync").returncode == 0
        return tmp_path

    return make


def test_a_session_in_two_formats_is_read_once(journal_of: Callable[[str], Path]) -> None:
    place = journal_of("both")
    with open_journal(place) as journal:
        session = journal.session("b07h0000-0000-4000-8000-000000000003")
        assert [message.text for message in session.messages] == [
            "First question",
            "First answer",
            "Second question",
            "Second answer",
        ]
        assert sum(usage.input_tokens or 0 for usage in session.usage) == 30
        assert journal.session("session-2026-11-15T18-30-b07h0000").fork_of == session.id
        assert journal.session("session-2026-11-15T18-40-b07h0000").parent_id == session.id
    assert aj(place, "verify").returncode == 0


@pytest.mark.parametrize(
    ("ids", "when", "expected"),
    [
        ((None, None), None, 20),  # without ids and times
        (("1", "2"), "2026-11-15T18:00:00.000Z", 20),  # with ids of somebody else's
        (
            ("7e0c11e2-0000-4000-8000-00000000000a", "7e0c11e2-0000-4000-8000-00000000000b"),
            "2026-11-15T18:00:00Z",
            10,
        ),
    ],
)
def test_tokens_of_unrelated_sessions_all_count(
    tmp_path: Path, ids: tuple[str | None, str | None], when: str | None, expected: int
) -> None:
    chats = tmp_path / ".gemini/tmp/pear/chats"
    chats.mkdir(parents=True)
    for number in (1, 2):
        ask, said = (
            {"type": "user", "content": "hi"},
            {"type": "gemini", "content": "yes", "tokens": {"output": 10}},
        )
        messages = [
            {**message, **({"id": name} if name else {}), **({"timestamp": when} if when else {})}
            for name, message in zip(ids, (ask, said), strict=True)
        ]
        document = {
            "sessionId": f"6f0c11e2-0000-4000-8000-00000000010{number}",
            "messages": messages,
        }
        (chats / f"session-2026-11-15T18-0{number}-6f0c11e2.json").write_text(json.dumps(document))
    assert aj(tmp_path, "sync").returncode == 0
    (total,) = aj_json(tmp_path, "usage", "agent")["items"]
    assert total["output_tokens"] == expected


def test_a_log_that_grows_is_read_again(journal_of: Callable[[str], Path]) -> None:
    place = journal_of("log")
    log = next(place.rglob(f"session-*{TALK[:8]}.jsonl"))
    data = log.read_bytes()
    log.write_bytes(
        data + b'{"$rewindTo":"u3"}\n{"id":"u4","type":"user","content":"Really the end"}\n'
    )
    assert aj(place, "sync").returncode == 0
    with open_journal(place) as journal:
        shown = [
            message.text for message in journal.session(TALK).messages if message.state != "hidden"
        ]
        assert shown[-1] == "Really the end"
        assert "Thanks" not in shown
    assert aj(place, "verify").returncode == 0


def test_a_project_that_becomes_known_later_is_used(journal_of: Callable[[str], Path]) -> None:
    place = journal_of("checkpoint")
    (place / ".gemini/tmp/quince/.project_root").write_text("/home/sam/quince-2")
    assert aj(place, "sync").returncode == 0
    with open_journal(place) as journal:
        assert journal.session("c4ec0000").project_path == "/home/sam/quince-2"


@pytest.mark.parametrize(
    "change",
    [
        {"$set": {"directories": ["/work/other"]}},
        {"$rewindTo": "before all"},  # as the log has no first line, it is no session then
    ],
)
def test_a_project_that_no_session_names_any_more_is_not_used(
    tmp_path: Path, change: dict[str, object]
) -> None:
    digits = hashlib.sha256(b"/work/app").hexdigest()
    message = {"type": "gemini", "content": "hi", "timestamp": "2026-11-20T09:00:00Z"}
    for name in ("b", "c"):
        append(
            tmp_path / f".gemini/tmp/{digits}/chats/session-2026-11-20T10-00-{name}.jsonl",
            {"sessionId": name, "projectHash": digits, "startTime": "2026-11-20T10:00:00Z"},
            message | {"id": f"{name}1"},
        )
    naming = tmp_path / ".gemini/tmp/app/chats/session-2026-11-20T09-00-a.jsonl"
    append(naming, message | {"id": "a1"}, {"$set": {"directories": ["/work/app"]}})
    assert aj(tmp_path, "sync").returncode == 0
    assert _projects(tmp_path) == {naming.stem: "/work/app", "b": "/work/app", "c": "/work/app"}
    append(naming, change)
    assert aj(tmp_path, "sync").returncode == 0
    projects = _projects(tmp_path)
    assert (projects["b"], projects["c"]) == (None, None)
    verified = aj(tmp_path, "verify")
    assert verified.returncode == 0, verified.stdout


def _projects(place: Path) -> dict[str, str | None]:
    return {found["id"]: found["project_path"] for found in aj_json(place, "ls")["items"]}


def test_a_whole_folder_is_imported_with_its_projects(tmp_path: Path) -> None:
    found = aj_json(tmp_path, "import", str(home("log")))
    assert found["problems"] == 0
    with open_journal(tmp_path) as journal:
        assert journal.session(TALK).project_path == "/home/sam/pear"


def test_a_sub_agent_is_recognised_by_its_folder(tmp_path: Path) -> None:
    aj(tmp_path, "import", str(next(home("log").rglob("scout-1.jsonl"))))
    with open_journal(tmp_path) as journal:
        assert journal.session(f"{TALK}/scout-1").messages[0].text == "find the caller"
