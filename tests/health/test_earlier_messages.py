"""Messages that only an earlier version of a file has: doctor says how to see them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.vscode_chat.mutations import apply
from agent_journal.health import earlier_messages
from agent_journal.health.examine import examine, examine_all
from agent_journal.store.catalog.files import Files
from tests.support.aider_histories import RUN, history
from tests.support.journals import aj, aj_json, claude_line, open_journal, write_claude
from tests.support.paths import ROOT
from tests.support.vscode import FOLDER, GROWING, Doc, document, turn, write

_RUN = RUN + "#### first  \n\nDone.\n\n#### second  \n\nAlso done.\n\n"


def rewrite(path: Path, *lines: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def prompts(*texts: str) -> list[dict[str, Any]]:
    return [claude_line("user", number, text) for number, text in enumerate(texts)]


def versions(home: Path, *contents: list[dict[str, Any]]) -> Path:
    """Sync one session of Claude Code with each of these contents."""
    path = write_claude(home, count=0)
    for lines in contents:
        rewrite(path, *lines)
        assert aj(home, "sync").returncode == 0
    return path


def section(home: Path, title: str, *options: str) -> list[str]:
    """What doctor says of an agent after its counts, and after the verdict."""
    done = aj(home, "doctor", *options, cwd=home)
    assert done.returncode == 0, done.stdout
    (part,) = [part for part in done.stdout.split("\n\n") if part.startswith(title)]
    lines = part.splitlines()
    (counts,) = [at for at, line in enumerate(lines) if line.endswith(" in the journal")]
    verdict = done.stdout.partition("\n\n")[0].splitlines()
    assert verdict[0] == "nothing needs attention"
    return [*lines[counts + 1 :], *verdict[1:]]


def found(home: Path) -> list[dict[str, Any]]:
    items = aj_json(home, "doctor", cwd=home)["items"]
    return [item for agent in items for item in agent["earlier_messages"]]


def test_doctor_names_messages_that_a_rewritten_file_has_no_more(tmp_path: Path) -> None:
    lines = prompts("one", "two", "three")
    path = versions(tmp_path, lines, lines[:1])
    assert section(tmp_path, "Claude Code") == [
        "  1 earlier version of a file with messages of a session that are not shown:",
        "    s1  one",
        "      2 messages only in version 1 of ~/.claude/projects/-work-app/s1.jsonl",
        "      to see this version: aj show s1 --version 1",
        "· 2 messages only in earlier versions of 1 file (kept)",
    ]
    assert found(tmp_path) == [
        {
            "session": "s1",
            "title": "one",
            "path": str(path),
            "version": 1,
            "messages": 2,
            "command": "aj show s1 --version 1",
        }
    ]
    assert "three" in aj(tmp_path, "show", "s1", "--version", "1").stdout


def test_a_file_that_has_no_messages_any_more_is_named(tmp_path: Path) -> None:
    summary = {"type": "summary", "summary": "Nothing", "leafUuid": "x"}
    versions(tmp_path, prompts("one", "two"), [summary])
    (item,) = found(tmp_path)
    assert (item["session"], item["messages"]) == ("s1", 2)
    shown = aj(tmp_path, *item["command"].split()[1:])
    assert "two" in shown.stdout, shown.stderr


def test_messages_of_a_sub_agent_are_named(tmp_path: Path) -> None:
    write_claude(tmp_path)
    path = tmp_path / ".claude/projects/-work-app/s1/subagents/agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    more = {"isSidechain": True, "agentId": "a1"}
    lines = [claude_line("assistant", number, f"step {number}", **more) for number in range(3)]
    for count in (3, 1):
        rewrite(path, *lines[:count])
        aj(tmp_path, "sync")
    (item,) = found(tmp_path)
    assert (item["path"], item["messages"]) == (str(path), 2)
    command = item["command"].replace("DIR", str(tmp_path / "back"))
    assert aj(tmp_path, *command.split()[1:]).returncode == 0


def test_each_message_counts_for_the_newest_version_that_has_it(tmp_path: Path) -> None:
    lines = prompts("one", "two", "three")
    versions(tmp_path, lines, lines[:2], lines[:1])
    assert [(item["version"], item["messages"]) for item in found(tmp_path)] == [(2, 1), (1, 1)]


def test_a_prompt_with_which_another_one_begins_is_missing(tmp_path: Path) -> None:
    versions(tmp_path, prompts("step 10", "step 1"), prompts("step 10"))
    assert [item["messages"] for item in found(tmp_path)] == [1]


def test_messages_that_came_back_are_not_named(tmp_path: Path) -> None:
    lines = prompts("one", "two", "three")
    versions(tmp_path, lines, lines[:1], lines)
    assert section(tmp_path, "Claude Code") == []


def test_a_file_written_again_with_the_same_messages_is_not_named(tmp_path: Path) -> None:
    lines = prompts("one", "two")
    versions(tmp_path, lines, [{**line, "version": "2.2.0"} for line in lines])
    assert section(tmp_path, "Claude Code") == []


def test_a_document_that_was_written_again_with_more_is_not_named(tmp_path: Path) -> None:
    half = turn(2, response=[{"value": "answ"}], modelState={"value": 0})
    for requests in ([turn(1)], [turn(1), half], [turn(1), turn(2), turn(3)]):
        write(tmp_path, f"{FOLDER}/s.json", document(*requests))
        aj(tmp_path, "sync")
    assert "3 versions are kept" in aj(tmp_path, "show", "s").stdout
    assert section(tmp_path, "VS Code Chat") == []


def test_a_document_from_which_a_request_was_removed_is_named(tmp_path: Path) -> None:
    for requests in ([turn(1), turn(2)], [turn(1)]):
        write(tmp_path, f"{FOLDER}/s.json", document(*requests))
        aj(tmp_path, "sync")
    assert section(tmp_path, "VS Code Chat") == [
        "  1 earlier version of a file with messages of a session that are not shown:",
        "    s  prompt 1",
        "      2 messages only in version 1 of "
        "~/.config/Code/User/workspaceStorage/w/chatSessions/s.json",
        "      to see this version: aj show s --version 1",
        "· 2 messages only in earlier versions of 1 file (kept)",
    ]


def test_a_compacted_log_that_says_the_same_is_not_named(tmp_path: Path) -> None:
    write(tmp_path, f"{FOLDER}/s.jsonl", GROWING)
    aj(tmp_path, "sync")
    state: Doc = {}
    for entry in json.loads(json.dumps(GROWING)):
        state = apply(state, entry)
    write(tmp_path, f"{FOLDER}/s.jsonl", [{"kind": 0, "v": state}])
    aj(tmp_path, "sync")
    assert "2 versions are kept" in aj(tmp_path, "show", "s").stdout
    assert section(tmp_path, "VS Code Chat") == []


def test_a_session_of_a_history_is_seen_by_restoring_the_history(tmp_path: Path) -> None:
    live = history(tmp_path / "proj", _RUN)
    aj(tmp_path, "sync", cwd=live.parent)
    other = _RUN.replace("09:15", "10:15").replace("first", "other")
    history(live.parent, other + _RUN.partition("#### second")[0])
    aj(tmp_path, "sync", cwd=live.parent)
    (item,) = found(tmp_path)
    assert (item["path"], item["messages"]) == (str(live), 2)
    assert item["command"] == f"aj restore {item['session']} --all-versions -o DIR"
    command = item["command"].replace("DIR", str(tmp_path / "back")).split()[1:]
    assert aj(tmp_path, *command).returncode == 0
    (kept,) = (tmp_path / "back").rglob(f"{live.name}.v1")
    assert kept.read_text() == _RUN


@pytest.mark.parametrize("limit", ["_MOST_SECONDS", "_MOST_BYTES"])
def test_files_that_take_too_long_are_counted(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, limit: str
) -> None:
    lines = prompts("one", "two")
    versions(tmp_path, lines, lines[:1])
    monkeypatch.setattr(earlier_messages, limit, -1.0)
    with open_journal(tmp_path) as journal:
        asked = (journal.db, journal.config, journal.env, "claude-code")
        hasty = examine(*asked)
        whole = examine(*asked, is_thorough=True)
    assert (len(hasty.earlier_messages), hasty.uncompared_files) == (0, 1)
    assert (len(whole.earlier_messages), whole.uncompared_files) == (1, 0)


@pytest.mark.parametrize(
    "case",
    [
        "claude_code/subagents",
        "codex/forks",
        "copilot_cli/layouts",
        "gemini/agents",
        "vscode_chat/recovery",
    ],
)
def test_files_that_are_read_with_others_raise_no_alarm(tmp_path: Path, case: str) -> None:
    """A file is compared alone, where it may say more than with the others of its session."""
    home = tmp_path / "home"
    shutil.copytree(ROOT / "tests/connectors" / case / "home", home)
    transcripts = [path for path in home.rglob("*") if path.suffix in (".json", ".jsonl")]
    with open_journal(home) as journal:
        journal.sync(index=False)
        for path in transcripts:
            path.write_bytes(b"\n" + path.read_bytes())
        journal.sync(index=False)
        agent = case.partition("/")[0].replace("_", "-")
        assert Files(journal.db).rewritten(agent)
        agents = examine_all(journal.db, journal.config, journal.env, is_thorough=True)
    assert [item for health in agents for item in health.earlier_messages] == []


def test_only_the_newest_files_are_compared(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for session in ("s1", "s2"):
        path = write_claude(tmp_path, session)
        aj(tmp_path, "sync")
        rewrite(path, claude_line("user", 0, "other", session))
        aj(tmp_path, "sync")
    monkeypatch.setattr(earlier_messages, "_MOST_FILES", 1)
    with open_journal(tmp_path) as journal:
        health = examine(journal.db, journal.config, journal.env, "claude-code")
    assert [item.session for item in health.earlier_messages] == ["s2"]
    assert health.uncompared_files == 1
