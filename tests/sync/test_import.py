"""`aj import`: files that people hand over by name, recognised by what is in them."""

from __future__ import annotations

import json
import os
import re
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from agent_journal.sync.recognition import NotRecognised, recognise
from tests.support.journals import aj, aj_json, append, claude_line, open_journal, write_claude
from tests.support.paths import CASES

HERE = CASES
EXPORT = HERE / "vscode_export/chat.json"
T = 1768000000000


def turn(number: int, answer: str = "Hello") -> dict[str, Any]:
    return {
        "requestId": f"request_6f0c1f7e-3f5b-4d0e-9a55-00000000000{number}",
        "timestamp": T + number,
        "message": {"text": f"prompt {number}", "parts": []},
        "response": [{"value": answer}],
    }


def export(*turns: dict[str, Any]) -> dict[str, Any]:
    return {
        "responderUsername": "GitHub Copilot",
        "initialLocation": "panel",
        "requests": list(turns),
    }


def write(path: Path, value: Any) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def stored(home: Path, *turns: dict[str, Any], name: str = "stored") -> Path:
    path = home / f".config/Code/User/workspaceStorage/w/chatSessions/{name}.json"
    return write(
        path, {"version": 3, "sessionId": name, "creationDate": T, "requests": list(turns)}
    )


def sessions(home: Path) -> list[str]:
    return sorted(f"{item['agent']}:{item['id']}" for item in aj_json(home, "ls", "--all")["items"])


def imported(home: Path, *paths: Path) -> list[tuple[str, str]]:
    found = aj_json(home, "import", *map(str, paths))["items"]
    return [(item["status"], f"{item['agent']}:{item['session']}") for item in found]


def test_an_export_becomes_a_session(tmp_path: Path) -> None:
    done = aj(tmp_path, "import", str(EXPORT))
    assert done.returncode == 0, done.stderr
    assert "imported, vscode-export:" in done.stdout
    with open_journal(tmp_path) as journal:
        session = journal.session("last")
    assert [(message.role, message.text) for message in session.messages] == [
        ("user", "hi"),
        ("assistant", "Hello"),
    ]
    assert session.title == "hi"
    assert aj(tmp_path, "verify").returncode == 0


def test_the_same_chat_exported_twice_is_one_session(tmp_path: Path) -> None:
    first = write(tmp_path / "a/chat.json", export(turn(1)))
    later = write(tmp_path / "b/chat.json", export(turn(1), turn(2)))
    assert [status for status, _ in imported(tmp_path, first)] == ["new"]
    assert [status for status, _ in imported(tmp_path, later)] == ["new"]
    assert len(sessions(tmp_path)) == 1
    with open_journal(tmp_path) as journal:
        assert sum(message.role == "user" for message in journal.session("last").messages) == 2
    assert [status for status, _ in imported(tmp_path, first, later)] == ["known", "known"]


def test_an_export_without_ids_has_an_id_of_its_bytes(tmp_path: Path) -> None:
    chat = {
        "responderUsername": "x",
        "requests": [{"message": "hi", "response": [{"value": "yes"}]}],
    }
    first, again, other = (write(tmp_path / name / "chat.json", chat) for name in "abc")
    write(other, {**chat, "initialLocation": "panel"})
    ids = {found for _, found in imported(tmp_path, first, again, other)}
    assert len(ids) == 2


def test_an_export_of_a_stored_session_is_a_copy_of_it(tmp_path: Path) -> None:
    stored(tmp_path, turn(1), turn(2))
    assert aj(tmp_path, "sync").returncode == 0
    assert imported(tmp_path, write(tmp_path / "chat.json", export(turn(1), turn(2)))) == [
        ("copy", "vscode-chat:stored")
    ]
    assert sessions(tmp_path) == ["vscode-chat:stored"]
    assert aj(tmp_path, "verify").returncode == 0


def test_an_export_with_more_than_the_stored_session_stays_and_is_tied_to_it(
    tmp_path: Path,
) -> None:
    stored(tmp_path, turn(1))
    assert aj(tmp_path, "sync").returncode == 0
    [(status, name)] = imported(tmp_path, write(tmp_path / "chat.json", export(turn(1), turn(2))))
    assert (status, name.partition(":")[0]) == ("new", "vscode-export")
    with open_journal(tmp_path) as journal:
        assert journal.session(name).fork_of == "stored"


def test_a_stored_session_found_after_its_export_is_tied_to_it(tmp_path: Path) -> None:
    [(_, name)] = imported(tmp_path, write(tmp_path / "chat.json", export(turn(1))))
    stored(tmp_path, turn(1))
    assert aj(tmp_path, "sync").returncode == 0
    with open_journal(tmp_path) as journal:
        assert journal.session(name).fork_of == "stored"
        assert journal.session("vscode-chat:stored").fork_of is None


def test_files_of_every_agent_are_recognised(tmp_path: Path) -> None:
    cases = {
        "aider": HERE / "aider/conversation/home/project/.aider.chat.history.md",
        "codex": sorted((HERE / "codex").rglob("rollout-*.jsonl"))[0],
        "copilot-cli": sorted((HERE / "copilot_cli/conversation").rglob("events.jsonl"))[0],
        "claude-code": sorted((HERE / "claude_code").rglob("*.jsonl"))[0],
        "gemini": sorted((HERE / "gemini/log").rglob("session-*.jsonl"))[0],
        "vscode-chat": sorted((HERE / "vscode_chat/eras").rglob("log.jsonl"))[0],
        "cursor": sorted((HERE / "cursor/transcripts").rglob("main.jsonl"))[0],
        "vscode-export": EXPORT,
    }
    assert {agent: recognise(str(path)).agent for agent, path in cases.items()} == {
        agent: agent for agent in cases
    }
    assert all(status == "new" for status, _ in imported(tmp_path, *cases.values()))
    assert aj(tmp_path, "verify").returncode == 0


def test_a_fork_is_the_session_that_its_name_says(tmp_path: Path) -> None:
    """Its first lines are copies of those of the session it continues."""
    fork = "b02ed4d8-1f00-45cc-949f-3ea63b2dbde2"
    lines = [
        {**claude_line("user", 1, "before"), "sessionId": "c8bcb3a7"},
        {**claude_line("user", 2, "after"), "sessionId": fork},
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    path = write(tmp_path / f"{fork}.jsonl", text)
    assert imported(tmp_path, path) == [("new", f"claude-code:{fork}")]


def test_what_runs_of_copilot_printed_are_sessions_of_their_own(tmp_path: Path) -> None:
    """Each is called the same; the last line names the session, unless the run was cut off."""

    def printed(folder: str, event_id: str, *more: dict[str, Any]) -> Path:
        asked = {"type": "user.message", "id": event_id, "data": {"content": f"do {folder}"}}
        lines = [{**asked, "timestamp": "2026-05-07T05:32:15.579Z"}, *more]
        return write(
            tmp_path / folder / "stdout.jsonl", "".join(f"{json.dumps(x)}\n" for x in lines)
        )

    first = printed("a", "e1", {"type": "result", "sessionId": "s1", "exitCode": 0})
    second = printed("b", "e2", {"type": "result", "sessionId": "s2", "exitCode": 0})
    third = printed("c", "abcdefgh-1")
    assert imported(tmp_path, first, second, third) == [
        ("new", "copilot-cli:s1"),
        ("new", "copilot-cli:s2"),
        ("new", "copilot-cli:stdout-abcdefgh"),
    ]
    append(third, {"type": "result", "sessionId": "s3", "exitCode": 0})
    assert imported(tmp_path, third) == [("new", "copilot-cli:s3")]
    assert sessions(tmp_path) == ["copilot-cli:s1", "copilot-cli:s2", "copilot-cli:s3"]
    assert aj(tmp_path, "verify").returncode == 0


def test_texts_are_whose_first_line_says(tmp_path: Path) -> None:
    header = "# aider chat started at 2026-11-02 09:15:00\n\n#### hello\n"
    assert (
        recognise(str(write(tmp_path / "a.txt", f"user:\nwhat is this?\n{header}"))).agent
        == "cursor"
    )
    assert recognise(str(write(tmp_path / "b.txt", f"{header}\nuser:\n"))).agent == "aider"


def test_a_folder_is_looked_through(tmp_path: Path) -> None:
    there = tmp_path / "old"
    write(there / "x/chat.json", export(turn(1)))
    write(there / "x/package.json", {"name": "x"})
    write(
        there / "y/s.jsonl",
        '{"kind":0,"v":{"sessionId":"s","requests":[{"requestId":"request_9","message":"hi"}]}}\n',
    )
    os.symlink(there, there / "loop")
    assert [status for status, _ in imported(tmp_path, there)] == ["passed", "new", "new"]
    assert aj(tmp_path, "import", str(there / "x/package.json")).returncode == 1


def test_imported_sessions_stay_when_the_file_goes(tmp_path: Path) -> None:
    path = write(tmp_path / "chat.json", export(turn(1)))
    imported(tmp_path, path)
    path.unlink()
    assert aj(tmp_path, "sync").returncode == 0
    assert len(sessions(tmp_path)) == 1
    assert aj(tmp_path, "restore", "last", "-o", str(tmp_path / "back")).returncode == 0
    [back] = (tmp_path / "back").rglob("chat.json")
    assert json.loads(back.read_text()) == export(turn(1))


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "the file is empty"),
        ("PK\x03\x04rest", "a zip file: unpack it"),
        ("hello", "not recognised: not JSON; use --as AGENT if you know which agent wrote it"),
        ("{", "not recognised: not JSON: .*; use --as AGENT if you know"),
        ("[]", "no session that this version knows; use --as AGENT if you know"),
        (
            '[{"role": "user", "parts": [{"text": "hi"}]}]',
            "no session that this version knows",
        ),  # a checkpoint of Gemini
        ('{"a": 1}', "no session that this version knows"),
        ('{"a": 1}\n{"b": 2}\n', "not recognised: no session that this version knows"),
        ('{"requests": {}}', "its 'requests' is not a list"),
        ('{"requests": [1, 2]}', "its requests are not turns of a chat"),
        ('{"requests": [{"method": "GET"}]}', "its requests are not turns of a chat"),
        ('{"requests": []}', "an exported chat without any turn"),
    ],
)
def test_what_is_no_session_gives_one_clear_line(tmp_path: Path, text: str, reason: str) -> None:
    path = write(tmp_path / "chat.json", text)
    with pytest.raises(NotRecognised, match=reason):
        recognise(str(path))
    done = aj(tmp_path, "import", str(path))
    assert done.returncode == 1
    assert re.search(reason, done.stderr)
    assert len(done.stderr.splitlines()) <= 2
    assert "Traceback" not in done.stderr


def test_a_file_that_is_not_there_is_a_usage_error(tmp_path: Path) -> None:
    done = aj(tmp_path, "import", str(tmp_path / "none.json"))
    assert done.returncode == 2
    assert "none.json" in done.stderr


def test_the_documented_example_reads_completely(tmp_path: Path) -> None:
    assert aj(tmp_path, "import", str(HERE / "vscode_export/documented.json")).returncode == 0
    with open_journal(tmp_path) as journal:
        session = journal.session("last")
        assert journal.db is not None
        unknown = journal.db.execute(
            "SELECT count(*) FROM ledger WHERE status IN ('unknown', 'malformed')"
        ).fetchone()
    prompt, answer, second, made = session.messages
    assert prompt.text == "@workspace How do I create a REST API in Python?"
    assert [(one.kind, one.name, one.path) for one in prompt.attachments] == [
        ("file", "app.py", "/project/app.py")
    ]
    assert answer.id == "response_x9y8z7w6-5432-10ba-fedc-0987654321ba"
    assert answer.text.startswith(
        "To create a REST API in Python, you can use **Flask** or **FastAPI**."
    )
    assert answer.text.endswith("```app.py")
    assert [(event.type, event.text) for event in session.events] == [
        ("vote", "up"),
        (
            "followups",
            "How do I add authentication to this API?\nHow do I deploy this to production?",
        ),
    ]
    assert (answer.state, unknown) == ("complete", (0,))
    assert "POST endpoint" in second.text
    assert made.text == "I'll add a POST endpoint to create users. Here's the updated code:"
    [edit] = session.file_edits
    assert (edit.path, edit.message_id, edit.lines_added) == ("/project/app.py", second.id, 8)


def test_an_agents_own_folder_is_taken_in_whole(tmp_path: Path) -> None:
    """With what belongs to its sessions: the project, the older ones in the database, the edits."""
    old = tmp_path / "old-laptop"
    shutil.copytree(HERE / "vscode_chat/edits/home/.config/Code", old)
    workspace = next((old / "User/workspaceStorage").iterdir())
    write(workspace / "workspace.json", {"folder": "file:///home/u/trees"})
    with sqlite3.connect(workspace / "state.vscdb") as database:
        database.execute("CREATE TABLE ItemTable (key TEXT UNIQUE ON CONFLICT REPLACE, value BLOB)")
        row = json.dumps([{"sessionId": "row", "requests": [turn(1)]}])
        database.execute("INSERT INTO ItemTable VALUES ('interactive.sessions', ?)", (row,))
    database.close()
    for given in (old, old / "User", old / "User/workspaceStorage"):
        home = tmp_path / f"home-{given.name}"
        assert aj(home, "import", str(given)).returncode == 0
        assert sessions(home) == ["vscode-chat:old", "vscode-chat:row", "vscode-chat:s"], given
        with open_journal(home) as journal:
            session = journal.session("vscode-chat:s")
        assert session.project_path == "/home/u/trees"
        assert {edit.message_id for edit in session.file_edits} == {"r1", "r2"}
        assert aj(home, "sync").returncode == 0
        assert aj(home, "verify").returncode == 0


def test_many_copies_of_a_session_verify(tmp_path: Path) -> None:
    paths = [write(tmp_path / f"{name}.json", export(turn(1))) for name in "abcd"]
    for path in paths:
        imported(tmp_path, path)
    assert len(sessions(tmp_path)) == 1
    assert aj(tmp_path, "verify").returncode == 0


def test_a_sub_agent_that_is_also_in_a_file_of_its_own_is_read_once(tmp_path: Path) -> None:
    there, here = tmp_path / "there", tmp_path / "here"
    for place in (there, here):
        place.mkdir()
    write_claude(there, "s1", 4)
    path = there / ".claude/projects/-work-app/s1/subagents/agent-a1.jsonl"
    path.parent.mkdir(parents=True)
    lines = [
        claude_line(kind, number, "hi", agentId="a1", isSidechain=True)
        for number, kind in enumerate(("user", "assistant"))
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    aj(there, "sync", "--no-index")
    (child,) = (one["id"] for one in aj_json(there, "ls", "--all")["items"] if one["id"] != "s1")
    aj(there, "export", "s1", "-f", "json", "-o", str(here / "b.json"))
    aj(there, "export", child, "-f", "json", "-o", str(here / "a.json"))
    done = aj(here, "import", str(here / "a.json"), str(here / "b.json"))
    assert "its sessions are also in" in done.stdout + done.stderr
    ours, theirs = (aj_json(place, "ls", "--all")["items"] for place in (here, there))
    counts = [
        {one["id"]: (one["message_count"], one["output_tokens"]) for one in found}
        for found in (ours, theirs)
    ]
    assert counts[0] == counts[1]


def test_a_folder_with_a_name_that_cannot_be_stops_no_sync(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    path.write_text(path.read_text().replace("/work/app", "/work/\\u0000app"))
    for _ in range(2):
        done = aj(tmp_path, "sync")
        assert done.returncode == 0, done.stderr
    assert aj(tmp_path, "doctor").returncode == 0


def test_a_folder_without_sessions_says_why_nothing_was_taken(tmp_path: Path) -> None:
    folder = tmp_path / "things"
    folder.mkdir()
    (folder / "notes.txt").write_text("nothing")
    done = aj(tmp_path, "import", str(folder))
    assert done.returncode == 1
    names = ".aider.chat.history.md, .aider.input.history, .json, .jsonl, .jsonl.zst"
    expected = f"no session was imported (no file was found whose name ends in {names})\n"
    assert done.stderr == expected
    (folder / "a.json").write_text("not at all")
    (folder / "b.json").write_text("")
    done = aj(tmp_path, "import", str(folder))
    assert done.returncode == 1
    refusal, total = done.stderr.splitlines()
    assert refusal.startswith("~/things/a.json: not recognised: not JSON; ")
    assert total == "no session was imported (2 files looked at)"
    done = aj(tmp_path, "import", str(folder), "--as", "codex")
    assert done.stderr == "no session was imported (no file of codex was found)\n"
