"""`aj resume`: the agent's own command, in the session's folder, and nothing that session text
could turn it into.
"""

from __future__ import annotations

import json
import shutil
import sqlite3
import subprocess
from pathlib import Path
from typing import Any

import pytest

from agent_journal import connectors
from agent_journal.convert.claude_code.folders import project_folder
from agent_journal.convert.resuming import command
from tests.convert.test_convert import COPILOT, OWN, home, run_on_terminal
from tests.support import valid_copilot_cli
from tests.support.journals import aj, aj_json, claude_line, variables, write_claude
from tests.support.paths import CASES

__all__ = ["home"]  # a fixture
FAKE = """#!/bin/sh
{ pwd; for word in "$0" "$@"; do printf '%s\\n' "$word"; done; } > "$HOME/ran"
exit 7
"""


@pytest.fixture
def programs(home: Path) -> dict[str, str]:
    """Agents that only note how they were started."""
    (home / "bin").mkdir()
    for name in ("claude", "copilot", "codex", "gemini", "cursor-agent"):
        (home / "bin" / name).write_text(FAKE)
        (home / "bin" / name).chmod(0o755)
    return {"PATH": f"{home}/bin:{variables(home)['PATH']}"}


def ran(home: Path) -> tuple[str, list[str]]:
    """The folder and the arguments of the last start."""
    folder, _, *words = (home / "ran").read_text().splitlines()
    return folder, words


def test_the_agent_takes_over_in_the_folder_of_the_session(
    home: Path, programs: dict[str, str]
) -> None:
    done = aj(home, "resume", OWN[:8] + OWN[8:], env=programs, cwd=home)
    assert done.returncode == 7, done.stderr  # the agent's own
    assert ran(home) == (str(home / "work"), ["--resume", OWN])
    assert aj(home, "resume", COPILOT, env=programs).returncode == 7
    assert ran(home) == (str(home / "work"), [f"--resume={COPILOT}"])


@pytest.mark.parametrize(
    ("case", "agent", "words"),
    [("codex/conversation", "codex", ["resume"]), ("gemini/log", "gemini", ["--resume"])],
)
def test_other_agents_have_commands_of_their_own(
    home: Path, programs: dict[str, str], case: str, agent: str, words: list[str]
) -> None:
    shutil.copytree(CASES / case / "home", home, dirs_exist_ok=True)
    assert aj(home, "sync", "--no-index").returncode == 0
    rows = [
        row
        for row in aj_json(home, "ls", "--agent", agent)["items"]
        if command(agent, row["id"], None)
    ]
    (item,) = aj_json(home, "resume", f"{agent}:{rows[0]['id']}", env=programs)["items"]
    assert item["argv"] == [agent, *words, rows[0]["id"]]
    assert item["cwd"] == rows[0]["project_path"]


def test_print_shows_the_command_and_runs_nothing(home: Path, programs: dict[str, str]) -> None:
    done = aj(home, "resume", OWN, "--print", env=programs)
    assert done.stdout == f"cd {home}/work && claude --resume {OWN}\n"
    assert not (home / "ran").exists()
    (item,) = aj_json(home, "resume", OWN)["items"]
    assert item == {
        "agent": "claude-code",
        "session": OWN,
        "argv": ["claude", "--resume", OWN],
        "cwd": f"{home}/work",
    }


def test_a_folder_with_odd_characters_is_quoted(home: Path, programs: dict[str, str]) -> None:
    odd = home / "it's; $(touch pwned) -x"
    odd.mkdir()
    path = home / ".claude/projects/-odd/0a1b2c3d-0000-4000-8000-00000000000d.jsonl"
    path.parent.mkdir()
    path.write_text(json.dumps({**claude_line("user", 0, "hi", path.stem), "cwd": str(odd)}) + "\n")
    assert aj(home, "sync", "--no-index").returncode == 0
    printed = aj(home, "resume", path.stem, "--print", env=programs).stdout
    env = {**variables(home), **programs}
    assert subprocess.run(["sh", "-c", printed], env=env, cwd=home, check=False).returncode == 7
    assert ran(home) == (str(odd), ["--resume", path.stem])
    assert not list(home.rglob("pwned"))


@pytest.mark.parametrize(
    "session_id", ["--dangerously-skip", "-c", "a b", "x;y", "$(id)", "a\nb", "../up", "", "é"]
)
@pytest.mark.parametrize("agent", sorted(connectors.BUILT_IN))
def test_an_id_can_be_nothing_but_an_id(agent: str, session_id: str) -> None:
    assert command(agent, session_id, None) is None


def test_what_cannot_be_resumed_says_why(home: Path, programs: dict[str, str]) -> None:
    write_claude(home, "odd-id")
    shutil.copytree(CASES / "claude_code/subagents/home", home, dirs_exist_ok=True)
    shutil.copytree(CASES / "vscode_chat/log/home", home, dirs_exist_ok=True)
    shutil.copytree(CASES / "aider/plain/home", home / "aider", dirs_exist_ok=True)
    assert (
        aj(home, "sync", "--no-index", env={"AJ_AIDER_PATH": str(home / "aider")}).returncode == 0
    )
    rows: list[dict[str, Any]] = aj_json(home, "ls", "--all", "-n", "500")["items"]
    child = next(row["id"] for row in rows if row["agent"] == "claude-code" and "/" in row["id"])
    by_agent = {row["agent"]: row["id"] for row in rows}
    for name, words, cure in (
        (
            "odd-id",
            "Claude Code cannot resume the id",
            "aj convert claude-code:odd-id --to claude-code --install",
        ),
        (child, "is a sub-agent", f"aj resume {child.partition('/')[0]}"),
        (
            f"vscode-chat:{by_agent['vscode-chat']}",
            "has no command that resumes",
            "in the history of the chat view",
        ),
        (
            f"aider:{by_agent['aider']}",
            "has no command that resumes",
            "aider --restore-chat-history",
        ),
    ):
        done = aj(home, "resume", name, env=programs)
        assert (done.returncode, words in done.stderr, cure in done.stderr) == (2, True, True), (
            done.stderr
        )
    assert not (home / "ran").exists()


def test_a_sub_agent_with_an_id_of_its_own_form(tmp_path: Path) -> None:
    shutil.copytree(CASES / "cline/store/home", tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    rows = aj_json(tmp_path, "sql", "FROM sessions", "--json")["items"]
    child = next(row for row in rows if row["parent_id"])
    done = aj(tmp_path, "resume", child["session_id"], "--print")
    assert (done.returncode, done.stdout) == (2, "")
    assert f"cline:{child['session_id']} is a sub-agent" in done.stderr
    assert f"'aj resume {child['parent_id']}' resumes the session it belongs to" in done.stderr


def test_a_program_that_is_not_there(home: Path) -> None:
    done = aj(home, "resume", OWN, env={"PATH": "/nowhere"})
    assert done.returncode == 2
    assert "claude is not on PATH" in done.stderr
    assert f"cd {home}/work && claude --resume {OWN}" in done.stderr


def test_a_folder_that_is_gone(home: Path, programs: dict[str, str]) -> None:
    (home / "work").rmdir()
    done = aj(home, "resume", OWN, env=programs)
    assert (done.returncode, f"or create it with 'mkdir -p {home}/work'" in done.stderr) == (
        2,
        True,
    )
    done = aj(home, "resume", COPILOT, env=programs)
    assert f"'aj resume copilot-cli:{COPILOT} --in DIR'" in done.stderr


def test_another_folder_in_place_of_one_that_is_gone(home: Path, programs: dict[str, str]) -> None:
    """Copilot CLI resumes a session anywhere; Claude Code looks for it in its folder."""
    (home / "work").rmdir()
    moved = home / "moved"
    moved.mkdir()
    done = aj(home, "resume", COPILOT, "--in", str(moved), env=programs)
    assert done.returncode == 7, done.stderr
    assert ran(home) == (str(moved), [f"--resume={COPILOT}"])
    done = aj(home, "resume", OWN, "--in", str(moved), "--yes", env=programs)
    assert done.returncode == 7, done.stderr
    folder, (_, new_id) = ran(home)
    assert folder == str(moved)
    assert new_id != OWN
    assert done.stderr.startswith(f"claude-code:{new_id}\n")
    (copy,) = home.glob(f".claude/projects/*/{new_id}.jsonl")
    assert copy.parent.name.endswith("-moved")


def test_the_folder_that_a_repository_was_moved_to_is_offered(
    home: Path, programs: dict[str, str]
) -> None:
    moved = home / "moved"
    moved.mkdir()
    database = sqlite3.connect(home / ".agent-journal/index/journal.db")
    rows = [(str(home / "work"), "me/app"), (str(moved), "me/app")]
    database.executemany("INSERT OR REPLACE INTO projects (path, project) VALUES (?, ?)", rows)
    database.commit()
    (home / "work").rmdir()
    done = aj(home, "resume", COPILOT, env=programs)
    assert done.returncode == 2
    assert f"its repository is also in {moved}:" in done.stderr
    assert f"'aj resume copilot-cli:{COPILOT} --in {moved}'\n" in done.stderr
    assert not (home / "ran").exists()


def test_a_session_from_elsewhere_is_not_the_agents(
    home: Path, programs: dict[str, str], tmp_path: Path
) -> None:
    other = tmp_path / "other"
    assert aj(other, "import", str(home / ".claude")).returncode == 0
    done = aj(other, "resume", OWN, env=programs)
    assert (done.returncode, "imported from elsewhere" in done.stderr) == (2, True)
    assert f"aj convert claude-code:{OWN} --to claude-code --install" in done.stderr
    (other / ".claude").mkdir()
    assert aj(other, "convert", OWN, "--to", "claude-code", "--install", "--yes").returncode == 0
    original = home / f".claude/projects/-work-app/{OWN}.jsonl"
    place = other / ".claude/projects" / project_folder(str(home / "work"))
    assert (place / original.name).read_bytes() == original.read_bytes()


def test_what_the_agent_deleted_is_put_back_after_asking(
    home: Path, programs: dict[str, str]
) -> None:
    path = home / f".claude/projects/-work-app/{OWN}.jsonl"
    original = path.read_bytes()
    path.unlink()
    refused = aj(home, "resume", OWN, env=programs, stdin=subprocess.DEVNULL)
    assert (refused.returncode, path.exists()) == (2, False)
    assert "has deleted this session" in refused.stderr
    shown = aj(home, "resume", OWN, "--print", env=programs)
    assert (shown.returncode, path.exists()) == (0, False)
    assert aj(home, "resume", OWN, "--yes", env=programs).returncode == 7
    assert path.read_bytes() == original
    assert ran(home)[1] == ["--resume", OWN]


def test_files_are_put_back_where_they_were_also_beside_another_folder_of_that_name(
    home: Path, programs: dict[str, str]
) -> None:
    for before in ("a/.claude", "z/.claude"):
        write_claude(home / before.partition("/")[0], "0a1b2c3d-0000-4000-8000-00000000000f")
        assert aj(home, "import", str(home / before)).returncode == 0
    path = home / f".claude/projects/-work-app/{OWN}.jsonl"
    original = path.read_bytes()
    shutil.rmtree(home / ".claude")
    assert aj(home, "resume", OWN, "--yes", env=programs).returncode == 7
    assert path.read_bytes() == original
    assert [name.name for name in home.glob(".claude*")] == [".claude"]


def test_another_agent_gets_a_converted_copy(home: Path, programs: dict[str, str]) -> None:
    before = set((home / ".copilot/session-state").iterdir())
    shown = aj(home, "resume", OWN, "--with", "copilot-cli", "--print", env=programs)
    assert shown.stdout == f"aj convert claude-code:{OWN} --to copilot-cli --install\n"
    assert set((home / ".copilot/session-state").iterdir()) == before
    refused = aj(
        home, "resume", OWN, "--with", "copilot-cli", env=programs, stdin=subprocess.DEVNULL
    )
    assert (refused.returncode, set((home / ".copilot/session-state").iterdir())) == (2, before)
    done = aj(home, "resume", OWN, "--with", "copilot-cli", "--yes", env=programs)
    assert done.returncode == 7, done.stderr
    (made,) = set((home / ".copilot/session-state").iterdir()) - before
    assert ran(home) == (str(home / "work"), [f"--resume={made.name}"])
    shutil.rmtree(next(iter(before)))
    assert valid_copilot_cli.faults(home / ".copilot") == []


def test_the_question_is_answered_on_a_terminal(home: Path, programs: dict[str, str]) -> None:
    path = home / f".claude/projects/-work-app/{OWN}.jsonl"
    path.unlink()
    refused = run_on_terminal(home, "n\n", "resume", OWN, env=programs)
    assert ("Restore 1 file in" in refused.stderr, path.exists()) == (True, False)
    assert refused.returncode == 1
    assert refused.stderr.endswith("aj: nothing was written\n")
    run_on_terminal(home, "y\n", "resume", OWN, env=programs)
    assert path.exists()
    assert ran(home)[1] == ["--resume", OWN]


def test_nothing_is_converted_for_an_agent_that_cannot_run(
    home: Path, programs: dict[str, str]
) -> None:
    before = set((home / ".copilot/session-state").iterdir())
    (home / "bin/copilot").unlink()
    done = aj(home, "resume", OWN, "--with", "copilot-cli", "--yes", env=programs)
    assert (done.returncode, "copilot is not on PATH" in done.stderr) == (2, True)
    assert set((home / ".copilot/session-state").iterdir()) == before
    done = aj(home, "resume", OWN, "--with", "copilot", "--yes", "--force", env=programs)
    assert (done.returncode, "resume it with: cd" in done.stderr) == (0, True)
    assert len(set((home / ".copilot/session-state").iterdir()) - before) == 1
    done = aj(home, "resume", OWN, "--with", "cursor", "--yes", env=programs)
    assert (done.returncode, "cannot be converted for cursor" in done.stderr) == (2, True)


def test_the_program_is_of_the_folder_one_is_in(home: Path) -> None:
    """A relative folder on PATH is meant from here, not from the folder of the session."""
    for place in ("here", "work"):
        (home / place / "bin").mkdir(parents=True)
        (home / place / "bin/claude").write_text(f"#!/bin/sh\necho {place} > $HOME/ran\n")
        (home / place / "bin/claude").chmod(0o755)
    aj(home, "resume", OWN, env={"PATH": f"bin:{variables(home)['PATH']}"}, cwd=home / "here")
    assert (home / "ran").read_text() == "here\n"


def test_a_folder_is_told_from_an_option_and_from_the_one_one_is_in() -> None:
    assert str(command("claude-code", OWN, "/-L")) == f"cd /-L && claude --resume {OWN}"
    assert str(command("claude-code", OWN, "work")) == f"claude --resume {OWN}"
    assert (
        str(command("claude-code", OWN, "C:\\src\\app"))
        == f"cd 'C:\\src\\app' && claude --resume {OWN}"
    )


def test_where_there_is_no_command_another_agent_is_named(home: Path) -> None:
    case = next(
        path
        for path in sorted((CASES / "aider").iterdir())
        if list(path.rglob(".aider.chat.history.md"))
    )
    shutil.copytree(case / "home", home, dirs_exist_ok=True)
    aj(home, "sync", "--no-index", cwd=next(home.rglob(".aider.chat.history.md")).parent)
    row = aj_json(home, "ls", "--agent", "aider")["items"][0]
    done = aj(home, "resume", f"aider:{row['id']}")
    assert "--with claude-code' resumes it in another agent" in done.stderr


def test_the_other_agent_is_named_where_the_folder_is_gone(
    home: Path, programs: dict[str, str]
) -> None:
    (home / "work").rmdir()
    done = aj(home, "resume", OWN, "--with", "copilot-cli", "--yes", env=programs)
    assert done.returncode == 2
    assert f"'aj resume claude-code:{OWN} --with copilot-cli --in DIR'" in done.stderr


def test_without_the_program_nothing_is_written(home: Path) -> None:
    done = aj(home, "resume", OWN, "--with", "copilot-cli", "--yes", env={"PATH": "/usr/bin:/bin"})
    assert f"then: 'aj resume {OWN} --with copilot-cli' (nothing was written)" in done.stderr
    assert [path.name for path in (home / ".copilot/session-state").iterdir()] == [COPILOT]
