"""Plans, todo lists and prompt histories of copied folders: each counts once, none is lost."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from tests.support.arrivals import build, sync
from tests.support.journals import aj, append, open_journal
from tests.support.paths import CASES

SESSION = "11111111-0000-4000-8000-000000000001"
PLAN = f"session-state/{SESSION}/plan.md"
PLACES = (".copilot", ".config/.copilot")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Copilot's folder, and a copy of it where it may be as well."""
    home = tmp_path / "home"
    build(CASES / "copilot_cli/conversation", home)
    shutil.copytree(home / PLACES[0], home / PLACES[1])
    return home


def plans(home: Path) -> list[str]:
    with open_journal(home) as journal:
        return [plan.text for plan in journal.session(SESSION).plans if plan.name == "plan"]


def test_copies_that_came_at_once_count_once(home: Path) -> None:
    sync(home)
    assert len(plans(home)) == 1
    with open_journal(home) as journal:
        query = "SELECT count(*) - count(DISTINCT name) FROM plans WHERE session_id IS NOT NULL"
        assert journal.db.execute(query).fetchone() == (0,)
    assert aj(home, "verify").returncode == 0


def test_plans_that_differ_have_an_order_of_their_own(home: Path) -> None:
    for place in PLACES:
        (home / place / PLAN).write_text(f"# The plan in {place}\n")
    sync(home)
    assert len(plans(home)) == 2
    assert aj(home, "verify").returncode == 0


def test_a_copy_that_goes_on_is_read(home: Path) -> None:
    sync(home)
    (home / PLACES[0] / PLAN).write_text("# Another plan\n")
    sync(home)
    assert len(plans(home)) == 2
    shutil.copyfile(home / PLACES[0] / PLAN, home / PLACES[1] / PLAN)
    sync(home)
    assert plans(home) == ["# Another plan\n"]
    assert aj(home, "verify").returncode == 0


def test_a_plan_that_becomes_less_uncovers_its_copy(home: Path) -> None:
    sync(home)
    text = (home / PLACES[0] / PLAN).read_text()
    (home / PLACES[1] / PLAN).write_text(text + "More.\n")
    sync(home)
    assert plans(home) == [text + "More.\n"]
    (home / PLACES[1] / PLAN).write_text("Less.\n")
    sync(home)
    assert sorted(plans(home)) == sorted([text, "Less.\n"])
    assert aj(home, "verify").returncode == 0


def prompt(number: int) -> dict[str, object]:
    return {
        "display": f"prompt {number}",
        "pastedContents": {},
        "timestamp": 1_790_000_000_000 + number,
        "project": "/work/app",
    }


def prompts(home: Path) -> list[int]:
    with open_journal(home) as journal:
        rows = journal.db.execute("SELECT timestamp FROM history ORDER BY timestamp")
        return [timestamp // 1000 - 1_790_000_000_000 for (timestamp,) in rows]


def test_prompts_of_histories_that_went_on_apart_count_once(tmp_path: Path) -> None:
    one, other = (tmp_path / name / "history.jsonl" for name in (".claude", ".config/claude"))
    append(one, prompt(1), prompt(2))
    append(other, prompt(1), prompt(2))
    sync(tmp_path)
    assert prompts(tmp_path) == [1, 2]
    append(other, prompt(3))
    sync(tmp_path)
    append(one, prompt(4))
    sync(tmp_path)
    assert prompts(tmp_path) == [1, 2, 3, 4]
    append(one, prompt(3))
    append(other, prompt(4))
    sync(tmp_path)
    assert prompts(tmp_path) == [1, 2, 3, 4]
    assert aj(tmp_path, "verify").returncode == 0
    one.write_text(json.dumps(prompt(9)) + "\n")
    sync(tmp_path)
    assert prompts(tmp_path) == [1, 2, 3, 4, 9]
    assert aj(tmp_path, "verify").returncode == 0


def test_files_that_were_settled_are_not_read_again(home: Path) -> None:
    (home / PLACES[0] / PLAN).write_text("# Another plan\n")
    append(home / ".claude/history.jsonl", prompt(1), prompt(2))
    append(home / ".config/claude/history.jsonl", prompt(1), prompt(3))
    sync(home)
    with open_journal(home) as journal:
        assert journal.sync(index=False).changed_files == 0


def test_a_transcript_that_cannot_be_read_is_no_side_file(tmp_path: Path) -> None:
    """It has no session, as a prompt history; others of its name may be copies of a session."""
    build(CASES / "gemini/agents", tmp_path / "a")
    for place in "bc":
        shutil.copytree(tmp_path / "a", tmp_path / place)
    (transcript,) = (tmp_path / "c").rglob("session-2026-01-10T21-00-*.json")
    transcript.write_bytes(transcript.read_bytes()[:100])
    for place in "abc":
        aj(tmp_path, "import", str(tmp_path / place / ".gemini"))
    with open_journal(tmp_path) as journal:
        query = "SELECT status FROM files WHERE name LIKE ? AND session IS NOT NULL"
        statuses = journal.db.execute(query, (f"%/{transcript.name}",)).fetchall()
    assert sorted(statuses) == [("copy",), ("read",)]
    assert aj(tmp_path, "verify").returncode == 0
