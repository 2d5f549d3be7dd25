"""Several files with one session id: parts of the session and sub-agents, in any order."""

from __future__ import annotations

import hashlib
import json
import random
import shutil
from pathlib import Path

import pytest

from agent_journal.connectors.gemini import CONNECTOR
from agent_journal.model import Message
from tests.support.assemble import Assembly, read_root
from tests.support.gemini_sessions import home, session
from tests.support.journals import aj, aj_json, journal_digest, open_journal

OLIVE = hashlib.sha256(b"/home/sam/olive").hexdigest()
OLIVES = "0a11ce00-0000-4000-8000-000000000001"
FIRST = "session-2026-01-10T20-00-0a11ce00"
LATER = "session-2026-01-10T20-30-0a11ce00"
SCOUT = "session-2026-01-10T19-59-0a11ce00"
CHILD = "session-2026-01-10T20-40-c0ffee00"


@pytest.fixture(scope="module")
def olives() -> Assembly:
    return read_root(CONNECTOR, home("agents"))


def chats() -> list[Path]:
    return sorted(home("agents").rglob("session-*"))


def arrive(place: Path, *files: Path, project: str = OLIVE) -> None:
    """Copy files to where they are found, and sync."""
    folder = place / ".gemini/tmp" / project / "chats"
    folder.mkdir(parents=True, exist_ok=True)
    for file in files:
        shutil.copy(file, folder)
    with open_journal(place) as journal:
        journal.sync(["gemini"], index=False)


def messages(place: Path, session_id: str) -> list[tuple[int | None, str]]:
    with open_journal(place) as journal:
        return [(message.seq, message.text) for message in journal.session(session_id).messages]


# -- sub-agents and commands -------------------------------------------------------------------


def test_an_instruction_of_the_harness_opens_a_sub_agent(olives: Assembly) -> None:
    scout = session(olives, SCOUT)
    assert (scout.parent_id, scout.fork_of, scout.agent_name) == (
        OLIVES,
        None,
        "codebase_investigator",
    )
    assert scout.title == "Where are olives pressed?"
    assert [message.kind for message in of(olives, SCOUT)] == ["injected", "injected", "answer"]


def test_a_sub_agent_in_a_flat_file_is_not_its_own_parent(olives: Assembly) -> None:
    child = session(olives, CHILD)
    assert (child.parent_id, child.agent_name) == (None, "sub-agent")
    assert [message.kind for message in of(olives, CHILD)] == ["injected", "answer"]


def test_commands_are_no_prompts_and_no_titles(olives: Assembly) -> None:
    kinds = {message.text: message.kind for message in of(olives, OLIVES)}
    assert (kinds["/resume"], kinds["?help"]) == ("command", "command")
    assert session(olives, OLIVES).title == "Press the olives"


def test_only_people_are_listed(tmp_path: Path) -> None:
    arrive(tmp_path, *chats())
    items = aj_json(tmp_path, "ls")["items"]
    assert {item["id"]: (item["title"], item["project_path"]) for item in items} == {
        OLIVES: ("Press the olives", "/home/sam/olive"),
        LATER: ("Now the pits", "/home/sam/olive"),  # which only the other one names
    }
    assert "sub-agent: Count the pits" in aj(tmp_path, "ls", "--all").stdout
    assert aj(tmp_path, "verify").returncode == 0


def of(assembly: Assembly, session_id: str) -> list[Message]:
    return [message for (owner, _), message in assembly.messages.items() if owner == session_id]


# -- the order in which files arrive -----------------------------------------------------------


def test_an_earlier_part_that_comes_later_takes_the_id(tmp_path: Path) -> None:
    by_name = {path.stem: path for path in chats()}
    arrive(tmp_path, by_name[LATER])
    assert messages(tmp_path, OLIVES) == [(0, "Now the pits"), (1, "Gone.")]
    arrive(tmp_path, by_name[FIRST])
    assert messages(tmp_path, OLIVES) == [
        (0, "/resume"),
        (1, "Press the olives"),
        (2, "Pressed."),
        (4, "?help"),
    ]
    assert messages(tmp_path, LATER) == [(0, "Now the pits"), (1, "Gone.")]
    assert aj(tmp_path, "verify").returncode == 0


def test_a_part_that_turns_out_to_be_a_sub_agent_gives_the_id_back(tmp_path: Path) -> None:
    by_name = {path.stem: path for path in chats()}
    arrive(tmp_path, by_name[FIRST], by_name[LATER])
    first = next(tmp_path.rglob(f"{FIRST}.json"))
    first.write_text(first.read_text().replace('"messages"', '"kind": "subagent", "messages"'))
    arrive(tmp_path)
    assert messages(tmp_path, OLIVES) == [(0, "Now the pits"), (1, "Gone.")]
    assert len(messages(tmp_path, FIRST)) == 4
    assert aj(tmp_path, "verify").returncode == 0


def test_an_id_with_a_slash_is_not_a_sub_agent(tmp_path: Path) -> None:
    by_name = {path.stem: path for path in chats()}
    arrive(tmp_path, by_name[FIRST])
    first = next(tmp_path.rglob(f"{FIRST}.json"))
    for text in ("Press", "Squeeze"):
        first.write_text(first.read_text().replace(OLIVES, "a/b").replace("Press the", text))
        arrive(tmp_path)
        with open_journal(tmp_path) as journal:
            assert journal.session("a/b").parent_id is None


def test_parts_that_are_imported_are_all_read(tmp_path: Path) -> None:
    by_name = {path.stem: path for path in chats()}
    there = tmp_path / "there"
    there.mkdir()
    copies = [
        shutil.copy(by_name[LATER], there),
        shutil.copy(by_name[FIRST], there / "b.json"),
        shutil.copy(by_name[SCOUT], there),
    ]
    for _ in range(2):  # the second time they are known
        found = aj_json(tmp_path, "import", *map(str, copies))
    assert [item["status"] for item in found["items"]] == ["known", "known", "known"]
    assert len(messages(tmp_path, OLIVES)) == 4
    assert len(messages(tmp_path, LATER)) == 2


def same_minute(place: Path, number: int, name: str) -> Path:
    """A conversation of ten messages; all of them have one id and began in the same minute."""
    start = f"2026-01-10T05:08:{number}0.000Z"
    messages = [
        {"id": f"c{number}-{at}", "timestamp": start, "type": kind, "content": f"{number} {at}"}
        for at, kind in enumerate(["user", "gemini"] * 5)
    ]
    document = {"sessionId": OLIVES, "projectHash": OLIVE, "startTime": start}
    path = place / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps({**document, "lastUpdated": start, "messages": messages}))
    return path


NAMES = ["session-2026-01-10T05-08-X.json", "session-2026-01-10T05-09-X.json"]


@pytest.mark.parametrize("arrivals", [NAMES, NAMES[::-1], [""]])
def test_conversations_that_began_in_one_minute_are_all_read(
    tmp_path: Path, arrivals: list[str]
) -> None:
    files = {name: same_minute(tmp_path / "there", at, name) for at, name in enumerate(NAMES)}
    if arrivals == [""]:
        assert aj(tmp_path, "import", str(tmp_path / "there")).returncode == 0
    for name in filter(None, arrivals):
        arrive(tmp_path, files[name])
    expected = {
        OLIVES: [(at, f"0 {at}") for at in range(10)],
        "session-2026-01-10T05-08-0a11ce00-7f2d5649": [(at, f"1 {at}") for at in range(10)],
    }
    assert {name: messages(tmp_path, name) for name in expected} == expected
    assert aj(tmp_path, "verify").returncode == 0
    for again in (["sync", "--full"], ["sync"]):
        assert aj(tmp_path, *again).returncode == 0
        assert {name: messages(tmp_path, name) for name in expected} == expected
        shutil.rmtree(tmp_path / ".agent-journal/index")


def test_copies_of_a_conversation_in_one_minute_are_read_once(tmp_path: Path) -> None:
    first = same_minute(tmp_path, 0, "a/x.json")
    second = same_minute(tmp_path, 1, "a/y.json")
    cut = tmp_path / "b/z.json"
    cut.parent.mkdir()
    cut.write_text(json.dumps({**json.loads(second.read_text()), "messages": []}))
    for path in (cut, second, first):
        aj(tmp_path, "import", str(path))
    for path in (first, second):
        aj(tmp_path, "import", str(shutil.copy(path, cut.parent)))
    assert len(aj_json(tmp_path, "ls", "--all")["items"]) == 2
    assert len(messages(tmp_path, OLIVES)) == 10
    assert aj(tmp_path, "verify").returncode == 0


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_arrival_gives_the_same_journal(tmp_path: Path, seed: int) -> None:
    rng = random.Random(seed)
    both = sorted(home("both").rglob("session-*"))
    files = [(file, OLIVE) for file in [*chats(), *both]]
    files += [(file, "olive") for file in chats()]  # later versions copy the folder
    rng.shuffle(files)
    for file, project in files:
        arrive(tmp_path, file, project=project)
    in_turn = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    arrive(tmp_path)
    assert journal_digest(tmp_path) == in_turn
