"""`aj prune`: sessions that are hidden everywhere, come back, or are deleted for good."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

import pytest

from agent_journal.store.pruned_file import read_decisions
from tests.support.aider_histories import RUN, history
from tests.support.journals import (
    aj,
    aj_json,
    append,
    claude_line,
    journal_digest,
    open_journal,
    texts,
    write_claude,
)
from tests.support.killing import in_child, kill_at, quietly
from tests.support.traces import catalog_has, traces

SECRET = "wobbly-zeppelin-4711"
ID = "5ec4e700-1111-4222-8333-944445555666"
OTHER = "0ther000-1111-4222-8333-944445555666"


def say(home: Path, session: str, text: str) -> Path:
    """A session in which the agent says something."""
    path = write_claude(home, session, count=3)
    append(path, claude_line("assistant", 3, text, session))
    return path


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Two sessions; the words of one are nowhere else."""
    home = tmp_path / "home"
    say(home, ID, f"the password is {SECRET}")
    say(home, OTHER, "nothing to hide")
    assert aj(home, "sync").returncode == 0
    assert aj(home, "sql", "SELECT count(*) FROM messages").returncode == 0  # makes the tables
    return home


def is_found(home: Path) -> dict[str, bool]:
    """Which commands find the session or its words."""
    database = home / ".agent-journal"
    rows = aj(home, "sql", f"SELECT * FROM messages WHERE text LIKE '%{SECRET}%'", "--json")
    sessions = aj(home, "sql", f"SELECT * FROM sessions WHERE session_id = '{ID}'", "--json")
    return {
        "ls": any(item["id"] == ID for item in aj_json(home, "ls", "--all")["items"]),
        "search": ID in str(aj_json(home, "search", SECRET)["items"]),
        "show": aj(home, "show", ID).returncode == 0,
        "export": aj(home, "export", ID, "-o", "-", "-f", "json").returncode == 0,
        "restore": aj(home, "restore", ID, "-o", str(home / "out")).returncode == 0,
        "sql": bool(json.loads(rows.stdout)["items"] or json.loads(sessions.stdout)["items"]),
        "usage": ID in str(aj_json(home, "usage", "session")["items"]),
        "catalog": catalog_has(database, SECRET),
    }


def others_verify(home: Path) -> None:
    """Everything else is what it was, and every byte of it is proven."""
    done = aj(home, "verify")
    assert done.returncode == 0, done.stdout
    assert texts(home, OTHER)[-1] == "nothing to hide"


def test_a_hidden_session_is_found_by_nothing_and_comes_back(home: Path) -> None:
    before = journal_digest(home)
    assert set(is_found(home).values()) == {True}
    done = aj(home, "prune", ID, "--yes")
    assert done.returncode == 0, done.stderr
    assert "1 session hidden" in done.stderr
    assert is_found(home) == dict.fromkeys(is_found(home), False)
    others_verify(home)
    assert "1 pruned session" in aj(home, "usage").stderr
    assert "was pruned" in aj(home, "show", ID).stderr
    assert aj_json(home, "prune", "--list")["items"][0]["session"] == ID
    assert aj(home, "prune", "--undo", ID[:8]).returncode == 0
    assert set(is_found(home).values()) == {True}
    assert journal_digest(home) == before
    assert aj_json(home, "prune", "--list")["items"] == []
    others_verify(home)


def test_a_deleted_session_is_found_by_nothing_and_everything_else_verifies(home: Path) -> None:
    (home / ".claude/projects/-work-app" / f"{ID}.jsonl").unlink()
    assert aj(home, "sync").returncode == 0
    done = aj(home, "prune", ID, "--purge", "--yes")
    assert done.returncode == 0, done.stderr
    assert "proof:" in done.stderr
    assert traces(home / ".agent-journal", SECRET) == []
    assert is_found(home) == dict.fromkeys(is_found(home), False)
    assert traces(home / ".agent-journal", "nothing to hide") != []
    others_verify(home)
    aj(home, "restore", "--all", "-o", str(home / "everything"))
    assert traces(home / "everything", SECRET) == []


def test_the_proof_would_find_the_words(home: Path) -> None:
    found = traces(home / ".agent-journal", SECRET)
    assert any(name.startswith("archive/") for name in found)
    assert any(name.startswith("parquet/") for name in found)
    aj(home, "prune", ID, "--yes")
    assert traces(home / ".agent-journal", SECRET) != []  # until it is purged


@pytest.mark.parametrize("options", [[], ["--purge"]])
def test_a_pruned_session_does_not_come_back(home: Path, options: list[str]) -> None:
    aj(home, "prune", ID, "--yes", *options)
    append(
        home / ".claude/projects/-work-app" / f"{ID}.jsonl",
        claude_line("assistant", 4, f"once more: {SECRET}", ID),
    )
    for args in (["sync"], ["sync", "--full"], ["sync", "--rebuild"]):
        done = aj(home, *args)
        assert done.returncode == 0, done.stderr
        assert is_found(home) == dict.fromkeys(is_found(home), False), args
        others_verify(home)
    packs = (home / ".agent-journal/archive").glob("*.pack")
    assert sum("once more" in str(pack.read_bytes()) for pack in packs) == 0
    assert "unkept" not in aj(home, "doctor").stdout
    imported = aj(home, "import", str(home / ".claude/projects/-work-app" / f"{ID}.jsonl"))
    assert "was pruned" in imported.stderr
    assert aj(home, "show", ID).returncode == 2


def test_a_deleted_session_is_read_again_when_that_is_wanted(home: Path) -> None:
    aj(home, "prune", ID, "--purge", "--yes")
    assert aj(home, "prune", "--undo", ID).returncode == 2
    assert aj(home, "prune", "--forget", ID).returncode == 0
    aj(home, "sync")
    assert set(is_found(home).values()) == {True}
    others_verify(home)


def test_an_index_that_was_lost_changes_nothing(home: Path) -> None:
    aj(home, "prune", ID, "--yes")
    shutil.rmtree(home / ".agent-journal/index")
    shutil.rmtree(home / ".claude")
    aj(home, "sync")
    assert is_found(home)["ls"] is False
    others_verify(home)
    aj(home, "prune", "--undo", "all")
    assert is_found(home)["ls"] is True


def test_sub_agents_go_with_their_session(home: Path) -> None:
    child = home / ".claude/projects/-work-app" / ID / "subagents/agent-a1.jsonl"
    append(
        child, claude_line("assistant", 0, f"child of {SECRET}", ID, agentId="a1", isSidechain=True)
    )
    aj(home, "sync")
    assert len(aj_json(home, "ls", "--all")["items"]) == 3
    done = aj(home, "prune", ID, "--purge", "--yes")
    assert "with 1 sub-agent" in done.stderr
    assert len(aj_json(home, "ls", "--all")["items"]) == 1
    assert traces(home / ".agent-journal", SECRET) == []
    # One more that came later
    append(
        child.with_name("agent-b2.jsonl"),
        claude_line("assistant", 0, SECRET, ID, agentId="b2", isSidechain=True),
    )
    aj(home, "sync")
    assert len(aj_json(home, "ls", "--all")["items"]) == 1
    assert traces(home / ".agent-journal", SECRET) == []


# -- files with several sessions ---------------------------------------------------------------


def test_a_list_of_prompts_stays_and_is_named_before(home: Path) -> None:
    lines = [
        {
            "display": f"what about {SECRET}",
            "timestamp": 1,
            "project": "/work/app",
            "sessionId": ID,
        },
        {"display": "hello", "timestamp": 2, "project": "/work/app", "sessionId": OTHER},
    ]
    append(home / ".claude/history.jsonl", *lines)
    aj(home, "sync")
    refused = aj(home, "prune", ID, "--purge")
    assert "history.jsonl" in refused.stderr
    assert refused.returncode == 2
    assert "aj: there is no terminal to ask on\n" in refused.stderr
    done = aj(home, "prune", ID, "--purge", "--yes")
    assert "history.jsonl" in done.stderr
    rows = aj_json(home, "sql", "SELECT * FROM history")["items"]
    assert [row["session_id"] for row in rows] == [OTHER]
    assert all(name.startswith("archive/") for name in traces(home / ".agent-journal", SECRET))
    others_verify(home)
    restored = home / "out"
    aj(home, "restore", "--all", "-o", str(restored))
    ours = (home / ".claude/history.jsonl").read_bytes()
    assert (restored / ".claude/history.jsonl").read_bytes() == ours


def test_one_of_the_sessions_in_a_history_is_hidden_alone(tmp_path: Path) -> None:
    runs = [RUN.replace("09:15", f"{hour}:15") for hour in (10, 11)]
    history(tmp_path, f"{runs[0]}#### {SECRET}  \n{runs[1]}#### hello  \n")
    aj(tmp_path, "sync")
    first, second = (row["id"] for row in aj_json(tmp_path, "ls")["items"][::-1])
    done = aj(tmp_path, "prune", first, "--purge", "--yes")
    assert ".aider.chat.history.md" in done.stderr
    assert [row["id"] for row in aj_json(tmp_path, "ls")["items"]] == [second]
    assert aj(tmp_path, "verify").returncode == 0
    # Nothing else is in the file once the other one is deleted, too
    aj(tmp_path, "prune", second, "--purge", "--yes")
    assert aj_json(tmp_path, "ls")["items"] == []
    assert traces(tmp_path / ".agent-journal", SECRET) == []
    assert aj(tmp_path, "verify").returncode == 0


def test_sessions_of_one_history_come_back_one_by_one(tmp_path: Path) -> None:
    runs = [RUN.replace("09:15", f"{hour}:15") for hour in (10, 11)]
    path = history(tmp_path, f"{runs[0]}#### {SECRET}  \n{runs[1]}#### hello  \n")
    aj(tmp_path, "sync")
    before = journal_digest(tmp_path)
    first, second = (row["id"] for row in aj_json(tmp_path, "ls")["items"][::-1])
    path.unlink()
    aj(tmp_path, "prune", first, "--yes")
    aj(tmp_path, "prune", second, "--yes")
    assert aj_json(tmp_path, "ls")["items"] == []
    aj(tmp_path, "prune", "--undo", first)
    assert [row["id"] for row in aj_json(tmp_path, "ls")["items"]] == [first]
    assert aj(tmp_path, "verify").returncode == 0
    # What is hidden and not chosen stays in the archive
    aj(tmp_path, "prune", first, "--purge", "--yes")
    aj(tmp_path, "prune", "--undo", second)
    assert [row["id"] for row in aj_json(tmp_path, "ls")["items"]] == [second]
    assert aj(tmp_path, "verify").returncode == 0
    aj(tmp_path, "prune", "--forget", first)
    assert journal_digest(tmp_path) == before


def test_bytes_that_another_file_has_stay(tmp_path: Path) -> None:
    """The archive has equal bytes once, in the entry of the file that came first."""
    path = say(tmp_path, ID, f"the password is {SECRET}")
    aj(tmp_path, "sync")
    spill = tmp_path / ".claude/file-history" / OTHER / "copy@v1"
    spill.parent.mkdir(parents=True)
    shutil.copy(path, spill)
    say(tmp_path, OTHER, "nothing to hide")
    aj(tmp_path, "sync")
    assert str(spill) in str(aj_json(tmp_path, "sources", "--files"))
    aj(tmp_path, "prune", ID, "--purge", "--yes")
    others_verify(tmp_path)
    shutil.rmtree(tmp_path / ".agent-journal/index")
    aj(tmp_path, "sync")
    others_verify(tmp_path)
    aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    restored = tmp_path / "out/.claude/file-history" / OTHER / "copy@v1"
    assert restored.read_bytes() == path.read_bytes()


# -- choosing ----------------------------------------------------------------------------------


def test_old_sessions_of_an_agent_are_chosen(home: Path) -> None:
    done = aj(home, "prune", "--older-than", "1d", "--agent", "codex", "--yes")
    assert done.returncode == 2
    assert "no session was found" in done.stderr
    assert aj(home, "prune", "--older-than", "100y", "--yes").returncode == 2
    with open_journal(home) as journal:
        newest = max(row.ended_at or 0 for row in journal.rows())
    assert newest
    done = aj(home, "prune", "--older-than", "2027-01-01", "--agent", "claude", "--yes", "--json")
    items = json.loads(done.stdout)["items"]
    assert {item["session"] for item in items} == {ID, OTHER}
    assert aj_json(home, "ls")["items"] == []
    aj(home, "prune", "--undo", "all")
    assert len(aj_json(home, "ls")["items"]) == 2


def test_sessions_with_a_match_are_chosen(home: Path) -> None:
    aj(home, "prune", "--matching", SECRET, "--yes")
    assert [item["id"] for item in aj_json(home, "ls")["items"]] == [OTHER]
    aj(home, "prune", "--undo", "all")
    aj(home, "prune", "--project", "/work/app", "--yes")
    assert aj_json(home, "ls")["items"] == []


@pytest.mark.parametrize(
    "args",
    [
        [],
        [ID],
        ["nosuch", "--yes"],
        [ID, "--agent", "codex", "--yes"],
        ["--undo"],
        ["--undo", "nosuch"],
        ["--purge", "--yes"],
        ["--list", "--undo"],
        ["--older-than", "soon", "--yes"],
        ["--older-than", "3m", "--yes"],
    ],
)
def test_what_is_unclear_changes_nothing(home: Path, args: list[str]) -> None:
    before = journal_digest(home)
    assert aj(home, "prune", *args).returncode == 2
    assert journal_digest(home) == before
    assert not (home / ".agent-journal/pruned.jsonl").exists()


# -- kills and backups -------------------------------------------------------------------------


def test_a_purge_that_is_killed_at_any_point_is_completed(home: Path, tmp_path: Path) -> None:
    aj(home, "prune", ID, "--yes")
    steps = 0
    for number in range(1, 400):
        work = tmp_path / "try"
        shutil.copytree(home / ".agent-journal", work / ".agent-journal")

        def killed(number: int = number, work: Path = work) -> None:
            import os

            os.environ.update(HOME=str(work), AJ_HOME=str(work / ".agent-journal"))
            kill_at(number)
            quietly(["prune", "--purge", "--yes"])

        has_ended = in_child(killed)
        steps = number
        state = (
            read_decisions(str(work / ".agent-journal/pruned.jsonl")).all["claude-code", ID].state
        )
        if number % 5 == 0 or state == "purged":
            # A sync after the kill leaves a whole journal, without the session
            assert aj(work, "sync").returncode == 0
            assert aj(work, "verify").returncode == 0
            assert [item["id"] for item in aj_json(work, "ls")["items"]] == [OTHER]
        if state != "purged":
            done = aj(work, "prune", "--purge", "--yes")
            assert done.returncode == 0, (number, done.stderr)
        if number % 5 == 0 or state == "purged":
            assert traces(work / ".agent-journal", SECRET) == [], number
            others_verify(work)
        shutil.rmtree(work)
        if has_ended or state == "purged":
            break
    assert steps > 15


def test_a_backup_follows_a_purge(home: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    aj(home, "backup", str(backup))
    assert traces(backup, SECRET) != []
    aj(home, "prune", ID, "--purge", "--yes")
    done = aj(home, "backup", str(backup))
    assert done.returncode == 0, done.stderr
    assert traces(backup, SECRET) == []
    out = tmp_path / "out"
    aj(home, "restore", "--from", str(backup), "-o", str(out))
    assert journal_digest(home, AJ_HOME=str(out)) == journal_digest(home)


def test_a_backup_keeps_packs_that_the_journal_has_lost(home: Path, tmp_path: Path) -> None:
    backup = tmp_path / "backup"
    aj(home, "backup", str(backup))
    archive = home / ".agent-journal/archive"
    shutil.move(archive / "000001.pack", tmp_path)
    shutil.rmtree(home / ".claude")
    say(home, "third", "more")
    aj(home, "sync")
    (archive / "000001.pack").rename(archive / "000002.pack")
    done = aj(home, "backup", str(backup))
    assert done.returncode == 1
    assert "kept" in done.stderr
    assert (backup / "archive/000001.pack").read_bytes() == (tmp_path / "000001.pack").read_bytes()


def test_a_hidden_session_is_hidden_after_a_restore(home: Path, tmp_path: Path) -> None:
    aj(home, "prune", ID, "--yes")
    aj(home, "backup", str(tmp_path / "b.tar.zst"))
    out = tmp_path / "out"
    aj(home, "restore", "--from", str(tmp_path / "b.tar.zst"), "-o", str(out))
    env = {"AJ_HOME": str(out), "HOME": str(out)}
    assert [item["id"] for item in aj_json(home, "ls", env=env)["items"]] == [OTHER]
    aj(home, "prune", "--undo", "all", env=env)
    assert len(aj_json(home, "ls", env=env)["items"]) == 2


def test_a_hidden_session_that_grew_stops_no_sync_after_a_restore(
    home: Path, tmp_path: Path
) -> None:
    append(home / f".claude/projects/-work-app/{ID}.jsonl", claude_line("user", 4, "more", ID))
    for command in (("sync",), ("prune", ID, "--yes"), ("backup", str(tmp_path / "b"))):
        assert aj(home, *command).returncode == 0
    shutil.rmtree(home / ".agent-journal")
    for command in (("restore", "--from", str(tmp_path / "b")), ("sync",), ("sync",)):
        assert aj(home, *command).returncode == 0
