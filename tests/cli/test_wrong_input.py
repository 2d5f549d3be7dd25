"""Commands that were given wrongly say what is wrong in plain words, and exit with 2."""

from __future__ import annotations

import os
import pty
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.support.journals import aj, aj_json, variables, write_claude

IDS = [f"019{number:05}-0000-7000-8000-000000000000" for number in range(7)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A journal with seven sessions whose ids begin alike."""
    path = tmp_path_factory.mktemp("wrong")
    for number, session in enumerate(IDS):
        write_claude(path, session, start=number * 10)
    aj(path, "sync")
    return path


WRONG = [
    (["snyc"], "no command 'snyc'", "did you mean 'sync'?"),
    (["ls", "--jsn"], "no option '--jsn'", "did you mean '--json'?"),
    (["verify", "--zzzz"], "no option '--zzzz'", "see 'aj verify --help'"),
    (["usage", "--month"], "no option '--month'", "see 'aj usage --help'"),
    (["show"], "ID is missing", "see 'aj show --help'"),
    (["search"], "QUERY is missing", "see 'aj search --help'"),
    (["blame"], "FILE is missing", "see 'aj blame --help'"),
    (
        ["convert", "last"],
        "--to is missing: one of vscode, claude-code, copilot-cli, codex, gemini",
        "see 'aj convert --help'",
    ),
    (["completion", "tcsh"], "SHELL: 'tcsh' is not one of 'bash', 'fish', 'zsh'", None),
    (["doctor", "me"], "unexpected argument: me", "see 'aj doctor --help'"),
    (["import", "/no/such/place"], "FILE|DIR: there is no file or folder '/no/such/place'", None),
    (["resume", "last", "--in", "/no/such"], "--in: there is no folder '/no/such'", None),
    (
        ["ls", "--agent", "cursr"],
        "--agent: no agent 'cursr'; did you mean 'cursor'? There are",
        None,
    ),
    (
        ["ls", "--agent", "cluade"],
        "--agent: no agent 'cluade'; did you mean 'claude-code'? There are",
        None,
    ),
    (["ls", "--since", "nonsense"], "--since: 'nonsense' is not a time; use 2d, 6h", None),
    (
        ["resume", "last", "--with", "vscode-chat"],
        "vscode-chat has no command that resumes a session",
        "--to vscode' writes a chat that VS Code imports",
    ),
    (["config", "get", "export.theme"], "there is no setting", "did you mean 'export.html_theme'?"),
    (["search", "agnet:codex", "x"], "there is no field 'agnet:'", "did you mean agent:… ?"),
]


@pytest.mark.parametrize(("args", "message", "hint"), WRONG, ids=lambda part: str(part)[:30])
def test_what_is_wrong_and_what_to_do(
    home: Path, args: list[str], message: str, hint: str | None
) -> None:
    done = aj(home, *args)
    assert done.returncode == 2
    first, *rest = done.stderr.splitlines()
    assert first.startswith("aj: ")
    assert message in first
    assert (hint or "") in "\n".join(rest)
    assert done.stdout == ""


def test_an_ambiguous_id_lists_the_five_newest(home: Path) -> None:
    done = aj(home, "show", "019")
    assert done.returncode == 2
    first, *rows, hint = done.stderr.splitlines()
    assert first == "aj: '019' matches 7 sessions; the newest are:"
    assert [row.split()[:2] for row in rows] == [
        [session[:8], "claude-code"] for session in reversed(IDS[2:])
    ]
    assert rows[0].endswith(f"user text 60 of {IDS[6]}"[:35] + "…")
    assert hint == "    write more of the id"
    few = aj(home, "show", "0190000").stderr
    assert few.startswith("aj: '0190000' matches 7 sessions")


def test_ambiguous_ids_of_different_lengths_are_below_each_other(tmp_path: Path) -> None:
    for number, session in enumerate(("01a1e459-1", "01a1e44e-a175-755d", "01a1e44e-71d3-708b")):
        write_claude(tmp_path, session, start=number * 10)
    aj(tmp_path, "sync")
    rows = aj(tmp_path, "show", "01a1").stderr.splitlines()[1:-1]
    assert [row.split()[0] for row in rows] == ["01a1e44e-71d3", "01a1e44e-a175", "01a1e459"]
    assert {row.index("claude-code") for row in rows} == {21}
    assert max(map(len, rows)) < 80


@pytest.mark.parametrize("group", ["hooks", "schedule"])
def test_a_group_without_a_command_shows_its_help(home: Path, group: str) -> None:
    done = aj(home, group)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr == aj(home, group, "--help").stdout


@pytest.mark.parametrize("command", ["ls", "search"])
def test_an_unknown_agent_in_a_query_gets_a_suggestion(home: Path, command: str) -> None:
    done = aj(home, command, "agent:claud-cod")
    assert "no agent called claud-cod was found; did you mean claude-code?" in done.stderr
    # One that is known, and has no session yet, is no mistake
    assert "did you mean" not in aj(home, command, "agent:cursor").stderr


def test_convert_takes_the_name_of_the_agent(home: Path, tmp_path: Path) -> None:
    out = tmp_path / "chat.json"
    done = aj(home, "convert", "last", "--to", "vscode-chat", "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert out.exists()


def test_resume_names_the_losses_that_convert_lists(home: Path) -> None:
    listed = aj(home, "convert", IDS[0], "--to", "codex", "--strict", "--no-redact").stdout
    (home / ".codex").mkdir(exist_ok=True)
    done = aj(home, "resume", IDS[0], "--with", "codex", "--force", "--in", str(home))
    assert done.returncode == 2  # there is no terminal to ask on
    assert listed.startswith("dropped\n")
    assert done.stdout == listed


def test_import_of_many_files_is_a_summary(home: Path, tmp_path: Path) -> None:
    folder = tmp_path / "logs"
    folder.mkdir()
    for number in range(12):
        path = write_claude(tmp_path / "other", f"import-{number}", count=2)
        shutil.copy(path, folder / f"{number}.jsonl")
    done = aj(tmp_path, "import", str(folder))
    assert done.stdout == "claude-code: 12 sessions\n"
    assert done.stderr == ("12 files imported; 'aj ls' lists sessions, 'aj show ID' shows one\n")
    again = tmp_path / "again"
    done = aj(again, "import", "-v", str(folder))
    lines = done.stdout.splitlines()
    assert len(lines) == 12
    listed = {f"claude-code:{item['id']}" for item in aj_json(again, "ls")["items"]}
    assert {line.rpartition(", ")[2] for line in lines} == listed


def test_what_ends_a_question_is_said_on_a_line_of_its_own(home: Path) -> None:
    leader, follower = pty.openpty()
    os.write(leader, b"\x04")  # Ctrl-D
    done = subprocess.run(
        [sys.executable, "-m", "agent_journal", "prune", IDS[0]],
        env={**variables(home), "TERM": "xterm"},
        stdin=follower,
        capture_output=True,
        text=True,
        timeout=120,
    )
    os.close(leader)
    os.close(follower)
    *_, question, last = done.stderr.splitlines()
    assert question.startswith("Hide 1 session? [y/N]")
    assert last.startswith("interrupted;")
    assert done.returncode == 130
