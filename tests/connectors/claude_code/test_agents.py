"""Sub-agents of Claude Code that their parent's transcript reports, in every order of files."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from agent_journal.health.verify import verify
from agent_journal.model import Quote
from tests.connectors.claude_code.cases import HOMES, case, session, thread
from tests.support.journals import journal_digest, open_journal

PROJECT = Path(".claude/projects/-home-u-app")
CASE = HOMES / "agent-progress" / "home"
PARENT = PROJECT / "told.jsonl"
AGENT = PROJECT / "agent-b2.jsonl"
NESTED = PROJECT / "told/subagents/agent-b2.jsonl"  # where newer versions have it


def test_a_sub_agent_without_a_file_is_made_of_progress() -> None:
    assert thread("agent-progress", "told/agent-a1") == [
        ("injected", "Read parser.py"),
        ("answer", ""),
        ("answer", "It is recursive."),
    ]
    child = session("agent-progress", "told/agent-a1")
    assert (child.parent_id, child.parent_call_id) == ("told", "T1")
    assert (child.title, child.title_source, child.agent_name) == (
        "Read the parser",
        "description",
        "Explore",
    )
    calls = case("agent-progress").calls
    assert calls["told", "T1"].child_session_id == "told/agent-a1"
    read = calls["told/agent-a1", "R1"]
    assert (read.name, read.status) == ("Read", "ok")
    assert isinstance(read.result_at, Quote)
    # The first line may be an answer: what it was asked is beside it
    assert thread("agent-progress", "told/agent-d4") == [("injected", "Say yes"), ("answer", "yes")]
    # The last answer may be in the result of the call only, with its usage
    assert thread("agent-progress", "told/agent-f6") == [
        ("injected", "Count to two"),
        ("answer", ""),
        ("answer", "One, two."),
    ]
    report = case("agent-progress").messages["told/agent-f6", "T6"]
    assert report.usage is not None
    assert (report.usage.key, report.usage.output_tokens) == ("T6:", 7)
    assert "told/agent-../up" not in {found.id for found in case("agent-progress").sessions}


def test_a_sub_agent_with_a_file_is_linked_to_its_call() -> None:
    hint = session("agent-progress", "told/agent-b2", -1)
    assert (hint.is_hint, hint.parent_call_id, hint.agent_name) == (True, "T2", "Explore")
    assert session("agent-progress", "told/agent-c3", -1).parent_call_id == "T3"  # by the queue
    assert session("agent-progress", "told/agent-c3", 0).agent_name == "general-purpose"


def test_lines_of_another_session_name_the_one_that_is_continued() -> None:
    assert session("agent-progress", "continued").fork_of == "gone"


def sync(home: Path) -> None:
    with open_journal(home) as journal:
        journal.sync(index=False)


def copy(home: Path, *names: Path) -> None:
    for name in names:
        (home / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(CASE / PROJECT / name.name, home / name)


def facts(home: Path) -> dict[str, object]:
    with open_journal(home) as journal:
        result = verify(journal.db, journal.archive)
        assert result.differences == []
        rows = journal.db.execute(
            "SELECT uid, parent_call_uid, message_count, tool_count, output_tokens "
            "FROM sessions WHERE is_known = 1 AND uid LIKE 'told%'"
        )
        return {uid: rest for uid, *rest in rows}


@pytest.mark.parametrize(
    "order", [(PARENT, AGENT), (AGENT, PARENT), (PARENT, NESTED), (NESTED, PARENT)]
)
def test_files_in_any_order_count_once(tmp_path: Path, order: tuple[Path, Path]) -> None:
    for name in order:
        copy(tmp_path, name)
        sync(tmp_path)
    one_by_one = journal_digest(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal")
    sync(tmp_path)
    assert one_by_one == journal_digest(tmp_path)
    for name in order:  # what was kept stays
        (tmp_path / name).unlink()
    sync(tmp_path)
    assert facts(tmp_path) == {
        "told": [None, 3, 3, 10],
        "told/agent-a1": ["T1", 2, 1, 24],
        "told/agent-b2": ["T2", 1, 0, 2],
        "told/agent-d4": ["T4", 1, 0, 1],
        "told/agent-f6": ["T6", 2, 1, 8],
    }


def test_without_its_file_a_sub_agent_is_there_all_the_same(tmp_path: Path) -> None:
    copy(tmp_path, PARENT)
    sync(tmp_path)
    assert facts(tmp_path)["told/agent-b2"] == ["T2", 1, 0, 2]
    (tmp_path / AGENT).touch()  # an empty file has nothing to say
    sync(tmp_path)
    assert facts(tmp_path)["told/agent-b2"] == ["T2", 1, 0, 2]


def test_a_file_that_was_kept_before_a_crash_and_never_read_is_new(tmp_path: Path) -> None:
    """The archive has its bytes, and the catalog is from before."""
    shutil.copytree(CASE, tmp_path, dirs_exist_ok=True)
    late = tmp_path / PROJECT / "agent-c3.jsonl"
    aside = tmp_path / "aside"
    late.rename(aside)
    index = tmp_path / ".agent-journal/index"
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
    shutil.copytree(index, tmp_path / "before")
    aside.rename(late)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
    shutil.rmtree(index)
    shutil.copytree(tmp_path / "before", index)
    with open_journal(tmp_path) as journal:
        journal.sync(index=False)
        assert verify(journal.db, journal.archive).differences == []
        assert journal.session("told/agent-c3").parent_call_id == "T3"
