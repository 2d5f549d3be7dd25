"""`aj doctor --expiring`, and what counts as kept."""

from __future__ import annotations

import json
import os
import shutil
import sqlite3
from pathlib import Path

import pytest

from agent_journal.health import examine
from tests.support.journals import aj, aj_json, open_journal, write_claude
from tests.support.terminals import on_terminal

DAY = 86400


def age(path: Path, days: float) -> None:
    """Pretend that a file was last written so many days ago."""
    when = path.stat().st_mtime - days * DAY
    os.utime(path, (when, when))


def rows(home: Path) -> list[tuple[str, str, int, bool]]:
    items = aj_json(home, "doctor", "--expiring")["items"]
    return [(item["session"], item["kept"], item["unkept_bytes"], item["is_due"]) for item in items]


def test_sessions_are_listed_by_title_the_first_to_go_first(tmp_path: Path) -> None:
    age(write_claude(tmp_path, "later"), 2)
    age(write_claude(tmp_path, "soon"), 28)
    age(write_claude(tmp_path, "overdue"), 31)
    aj(tmp_path, "sync")
    done = aj(tmp_path, "doctor", "--expiring")
    assert done.returncode == 0
    first, _, head, *lines = done.stdout.splitlines()
    assert first == "nothing needs attention: 2 sessions will be deleted within a week, all kept"
    assert head.split() == ["deleted", "kept", "id", "agent", "title"]
    assert lines == [
        "at next start  yes   overdue  claude-code  user text 0 of overdue",
        "in 1 day       yes   soon     claude-code  user text 0 of soon",
        "in 27 days     yes   later    claude-code  user text 0 of later",
    ]


def test_sub_agents_have_the_ids_of_other_lists(tmp_path: Path) -> None:
    own = "ac938353-cf47-411c-bc07-8372ac935302"
    write_claude(tmp_path, own)
    folder = tmp_path / f".claude/projects/-work-app/{own}/subagents"
    folder.mkdir(parents=True)
    path = write_claude(tmp_path, "agent-a1b2c3d4e5f6a7b89")
    line = json.loads(path.read_text().splitlines()[0])
    line.update(sessionId=own, agentId="a1b2c3d4e5f6a7b89", isSidechain=True)
    (folder / path.name).write_text(json.dumps(line) + "\n")
    path.unlink()
    aj(tmp_path, "sync")
    _, _, _, *lines = aj(tmp_path, "doctor", "--expiring").stdout.splitlines()
    assert sorted(line.split()[4] for line in lines) == ["ac938353", "agent-a1"]
    assert aj(tmp_path, "show", "agent-a1").returncode == 0


def test_a_session_that_is_not_kept_is_named_by_its_file(tmp_path: Path) -> None:
    age(write_claude(tmp_path, "soon"), 28)
    done = aj(tmp_path, "doctor", "--expiring")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "→ 1 session will be deleted within a week, 1 not fully kept: run 'aj sync'\n"
    )
    assert "no    soon  claude-code  ~/.claude/projects/-work-app/soon.jsonl" in done.stdout


def test_on_a_terminal_the_end_of_the_file_stays(tmp_path: Path) -> None:
    age(write_claude(tmp_path, "soon"), 28)
    shown = on_terminal(tmp_path, "doctor", "--expiring", columns=62)
    assert "…/-work-app/soon.jsonl" in shown


def test_a_touched_file_is_no_alarm(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    aj(tmp_path, "sync")
    copy = tmp_path / "copy"
    shutil.copyfile(path, copy)
    copy.replace(path)  # another time, another inode, the same bytes
    age(path, 28)
    assert rows(tmp_path) == [("s1", "kept", 0, True)]
    done = aj(tmp_path, "doctor")
    assert done.returncode == 0
    assert done.stdout.startswith("nothing needs attention\n")
    assert "~/.claude: 1 file, kept;" in done.stdout


def test_appended_bytes_are_counted(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    aj(tmp_path, "sync")
    before = path.stat().st_size
    write_claude(tmp_path, count=1, start=4)
    more = path.stat().st_size - before
    assert rows(tmp_path) == [("s1", "grown", more, False)]
    done = aj(tmp_path, "doctor", "--expiring")
    assert done.returncode == 0  # the agent will not delete it within a week
    assert f"{more} B in 1 session not kept yet: run 'aj sync'" in done.stdout
    assert f"all but {more} B" in done.stdout
    done = aj(tmp_path, "doctor")
    assert done.returncode == 1
    assert done.stdout.startswith(
        f"→ {more} B in 1 file of Claude Code not kept yet: run 'aj sync'\n"
    )


@pytest.mark.parametrize("text", ["{}\n", "{}\n" * 2000], ids=["shorter", "longer"])
def test_other_bytes_are_not_called_kept(tmp_path: Path, text: str) -> None:
    path = write_claude(tmp_path)
    aj(tmp_path, "sync")
    path.write_text(text)
    age(path, 28)
    assert rows(tmp_path) == [("s1", "changed", len(text), True)]
    assert aj(tmp_path, "doctor", "--expiring").returncode == 1


def test_an_emptied_file_is_kept_as_it_was(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    aj(tmp_path, "sync")
    path.write_text("")
    assert rows(tmp_path) == [("s1", "kept", 0, False)]


def test_our_rows_of_a_database_are_compared(tmp_path: Path) -> None:
    """Editors write into their databases all the time; that is no news."""
    home = tmp_path
    path = home / ".config/Code/User/workspaceStorage/w/state.vscdb"
    path.parent.mkdir(parents=True)
    with sqlite3.connect(path) as db:
        db.execute("CREATE TABLE ItemTable (key TEXT UNIQUE, value BLOB)")
        index = '{"version":1,"entries":{"s":{"sessionId":"s","title":"One","isEmpty":false}}}'
        db.execute("INSERT INTO ItemTable VALUES ('chat.ChatSessionStore.index', ?)", (index,))
    db.close()
    aj(home, "sync")

    def unkept() -> int:
        with open_journal(home) as journal:
            health = examine.examine(journal.db, journal.config, journal.env, "vscode-chat")
        return sum(root.unkept_files for root in health.roots)

    with sqlite3.connect(path) as db:
        db.execute("INSERT INTO ItemTable VALUES ('window.size', '100')")
    db.close()
    assert unkept() == 0
    with sqlite3.connect(path) as db:
        db.execute("UPDATE ItemTable SET value = replace(value, 'One', 'Two')")
    db.close()
    assert unkept() == 1


def test_nothing_to_list(tmp_path: Path) -> None:
    done = aj(tmp_path, "doctor", "--expiring")
    assert (done.returncode, done.stdout) == (0, "no agent on this machine deletes sessions\n")


def test_a_terminal_shows_the_first_ones(tmp_path: Path) -> None:
    for number in range(22):
        write_claude(tmp_path, f"session-{number:02}", count=1)
    aj(tmp_path, "sync")
    shown = on_terminal(tmp_path, "doctor", "--expiring", columns=60, NO_COLOR="1")
    assert "20 of 22 sessions; --all shows all" in shown
    assert max(map(len, shown.splitlines()[2:])) <= 60


def test_expiring_and_secrets_are_two_questions(tmp_path: Path) -> None:
    done = aj(tmp_path, "doctor", "--expiring", "--secrets")
    assert (done.returncode, done.stderr) == (2, "aj: give --expiring or --secrets, not both\n")


def test_what_needs_no_action_is_shown_with_v(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    assert "records: " not in aj(tmp_path, "doctor").stdout
    assert "missing" not in aj(tmp_path, "doctor").stdout
    verbose = aj(tmp_path, "doctor", "-v").stdout
    assert "records: 4 mapped, 0 skipped, 0 unknown, 0 malformed" in verbose
    assert "~/.config/claude: missing" in verbose


def test_an_id_that_only_the_file_has_is_known_once_it_is_read(tmp_path: Path) -> None:
    chats = tmp_path / ".gemini/tmp/app/chats"
    chats.mkdir(parents=True)
    uid = "faff42ab-6ea5-4f78-b8c4-f7dd6272af08"
    said = {"id": "m1", "timestamp": "2026-01-10T09:00:00Z", "type": "user", "content": "hello"}
    chat = {
        "sessionId": uid,
        "projectHash": "app",
        "startTime": "2026-01-10T09:00:00Z",
        "lastUpdated": "2026-01-10T09:01:00Z",
        "messages": [said],
    }
    path = chats / "session-of-mine.json"
    path.write_text(json.dumps(chat))
    age(path, 28)
    aj(tmp_path, "sync")
    listed = aj(tmp_path, "doctor", "--expiring").stdout.splitlines()[-1]
    assert listed.split()[-4:] == ["yes", "faff42ab", "gemini", "hello"]
    assert rows(tmp_path) == [(uid, "kept", 0, True)]
