"""`aj convert`: which files are written, where, and what is never done."""

from __future__ import annotations

import json
import os
import pty
import shutil
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support import valid_claude_code, valid_copilot_cli
from tests.support.journals import aj, aj_json, claude_line, variables, write_claude

KEY = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
OWN = "0a1b2c3d-0000-4000-8000-000000000001"
COPILOT = "0a1b2c3d-0000-4000-8000-000000000002"


def copilot_event(number: int, kind: str, **data: Any) -> str:
    event = {
        "type": kind,
        "data": data,
        "id": f"00000000-0000-4000-8000-{number:012d}",
        "timestamp": f"2026-11-03T10:00:{number:02d}.000Z",
        "parentId": None,
    }
    return json.dumps(event) + "\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    (tmp_path / "work").mkdir()
    write_claude(tmp_path, OWN)
    path = tmp_path / f".claude/projects/-work-app/{OWN}.jsonl"
    line = claude_line("user", 4, f"my key is {KEY} in /home/sam/.env", OWN)
    path.write_text(
        path.read_text().replace("/work/app", str(tmp_path / "work")) + json.dumps(line) + "\n"
    )
    folder = tmp_path / f".copilot/session-state/{COPILOT}"
    folder.mkdir(parents=True)
    context = {"cwd": str(tmp_path / "work")}
    start = {
        "sessionId": COPILOT,
        "version": 1,
        "producer": "copilot-agent",
        "copilotVersion": "1.0.102",
    }
    (folder / "events.jsonl").write_text(
        copilot_event(
            0, "session.start", **start, startTime="2026-11-03T10:00:00.000Z", context=context
        )
        + copilot_event(1, "user.message", content="Fix it")
        + copilot_event(2, "assistant.message", messageId="m", content="Done.")
    )
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    return tmp_path


def files(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_the_files_go_into_a_folder_and_are_private(home: Path) -> None:
    out = home / "out"
    done = aj(home, "convert", COPILOT, "--to", "claude-code", "-v", "-o", str(out))
    assert done.returncode == 0, done.stderr
    assert valid_claude_code.faults(out) == []
    (path,) = out.rglob("*.jsonl")
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert f"cd {home}/work && claude --resume {path.stem}" in done.stderr
    assert "~/.claude" in done.stderr
    assert "dropped" in done.stdout
    assert "agent_version: replaced by the Claude Code version" in done.stdout
    assert "fields: places and ids in the new files are their own" in done.stdout
    assert done.stdout.index("dropped") < done.stdout.index("adapted") < done.stdout.index("mapped")
    assert not list(home.rglob(".aj-*"))


def test_without_a_name_it_goes_to_a_folder_named_after_the_agent(home: Path) -> None:
    assert aj(home, "convert", OWN, "--to", "copilot-cli", cwd=home / "work").returncode == 0
    assert valid_copilot_cli.faults(home / "work/copilot-cli") == []


def test_several_sessions_go_into_one_folder(home: Path) -> None:
    answer = aj_json(home, "convert", OWN, COPILOT, "--to", "copilot-cli", "-o", str(home / "out"))
    assert [item["session"] for item in answer["items"]] == [OWN, COPILOT]
    assert [item["is_original"] for item in answer["items"]] == [False, True]
    assert len(list((home / "out/session-state").iterdir())) == 2


def test_json_has_the_report_and_the_command(home: Path) -> None:
    (item,) = aj_json(home, "convert", OWN, "--to", "copilot-cli", "-o", str(home / "out"))["items"]
    assert item["resume"] == {
        "argv": ["copilot", f"--resume={item['new_session']}"],
        "cwd": str(home / "work"),
    }
    assert Path(item["path"]).exists()
    assert item["is_lossy"]
    losses = {(loss["field"], loss["fate"]): loss for loss in item["losses"]}
    assert losses["messages.text", "mapped"]["count"] == 5
    assert losses["usage.output_tokens", "dropped"]["why"]


def test_strict_refuses_before_anything_is_written(home: Path) -> None:
    out = home / "out"
    done = aj(
        home,
        "convert",
        COPILOT,
        OWN,
        "--to",
        "copilot-cli",
        "-o",
        str(out),
        "--strict",
        "--no-redact",
    )
    assert done.returncode == 1
    assert "nothing was written" in done.stderr
    assert "usage" in done.stdout
    assert not out.exists()
    answer = aj_json(home, "convert", OWN, "--to", "copilot-cli", "-o", str(out), "--strict")
    assert (answer["problems"], answer["items"][0]["path"]) == (1, None)
    kept = aj(
        home, "convert", COPILOT, "--to", "copilot-cli", "-o", str(out), "--strict", "--no-redact"
    )
    assert kept.returncode == 0, kept.stderr


def test_secrets_are_taken_out_of_files_and_stay_in_the_agents_folder(home: Path) -> None:
    for target in ("claude-code", "copilot-cli"):
        assert aj(home, "convert", OWN, "--to", target, "-o", str(home / target)).returncode == 0
        written = b"".join(files(home / target).values()).decode()
        assert KEY not in written
        assert "[redacted github-token]" in written
        assert "/home/sam" not in written
        assert str(home / "work") in written  # or the agent would not find it
        assert (
            aj(
                home,
                "convert",
                OWN,
                "--to",
                target,
                "-o",
                str(home / f"{target}-all"),
                "--no-redact",
            ).returncode
            == 0
        )
        assert KEY in b"".join(files(home / f"{target}-all").values()).decode()
    (item,) = aj_json(home, "convert", OWN, "--to", "copilot-cli", "-o", str(home / "x"))["items"]
    assert "were removed" in next(
        loss["why"] for loss in item["losses"] if loss["field"] == "messages"
    )
    (item,) = aj_json(home, "convert", OWN, "--to", "copilot-cli", "--install", "--yes")["items"]
    assert KEY in Path(item["path"]).read_text()


def test_a_session_for_its_own_agent_is_the_original(home: Path) -> None:
    original = (home / f".claude/projects/-work-app/{OWN}.jsonl").read_bytes()
    done = aj(home, "convert", OWN, "--to", "claude-code", "-o", str(home / "out"), "--no-redact")
    assert "the original records" in done.stderr
    assert files(home / "out") == {f"projects/-work-app/{OWN}.jsonl": original}
    again = aj(home, "convert", OWN, "--to", "claude-code", "-o", str(home / "out"), "--no-redact")
    assert (again.returncode, "--force" in again.stderr) == (2, True)
    there = aj(home, "convert", OWN, "--to", "claude-code", "--install", "--yes")
    assert (there.returncode, f"aj resume {OWN}" in there.stderr) == (2, True)


def test_an_export_of_the_agents_own_session_is_converted(home: Path, tmp_path: Path) -> None:
    other = tmp_path / "other"
    assert aj(home, "export", OWN, "-o", str(home / "talk.json")).returncode == 0
    assert aj(other, "import", str(home / "talk.json")).returncode == 0
    (item,) = aj_json(other, "convert", OWN, "--to", "claude-code", "-o", str(other / "out"))[
        "items"
    ]
    assert (item["is_original"], item["new_session"] == OWN) == (False, False)
    assert valid_claude_code.faults(other / "out") == []


def test_installing_asks_and_never_overwrites(home: Path) -> None:
    before = files(home / ".copilot")
    refused = aj(home, "convert", OWN, "--to", "copilot-cli", "--install", stdin=subprocess.DEVNULL)
    assert (refused.returncode, "--yes" in refused.stderr) == (2, True)
    assert files(home / ".copilot") == before
    for answer, count, said in (("n\n", 0, "aj: nothing was written"), ("y\n", 1, "")):
        done = run_on_terminal(home, answer, "convert", OWN, "--to", "copilot-cli", "--install")
        assert (done.returncode, said in done.stderr) == (1 - count, True)
        assert len(list((home / ".copilot/session-state").iterdir())) == 1 + count
    assert before.items() <= files(home / ".copilot").items()
    assert aj(home, "sync", "--no-index").returncode == 0
    assert len(aj_json(home, "ls", "--agent", "copilot-cli")["items"]) == 2


def run_on_terminal(
    home: Path, typed: str, *args: str, env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Runs the command with a person at the keyboard."""
    ours, theirs = pty.openpty()
    try:
        os.write(ours, typed.encode())
        return subprocess.run(
            [sys.executable, "-m", "agent_journal", *args],
            stdin=theirs,
            capture_output=True,
            text=True,
            timeout=120,
            env={**variables(home), **(env or {})},
            check=False,
        )
    finally:
        os.close(ours)
        os.close(theirs)


def test_where_the_agent_is_not_nothing_is_installed(home: Path) -> None:
    for path in sorted((home / ".copilot").rglob("*"), reverse=True):
        path.unlink() if path.is_file() else path.rmdir()
    (home / ".copilot").rmdir()
    done = aj(home, "convert", OWN, "--to", "copilot-cli", "--install", "--yes")
    assert (done.returncode, "folder does not exist" in done.stderr) == (2, True)
    assert not (home / ".copilot").exists()


def test_a_conversion_that_fails_leaves_nothing(home: Path) -> None:
    out = home / "out"
    (out / "session-state").parent.mkdir()
    (out / "session-state").write_text("a file")
    done = aj(home, "convert", OWN, "--to", "copilot-cli", "-o", str(out))
    assert done.returncode == 1
    assert files(out) == {"session-state": b"a file"}


def test_a_session_without_a_folder_goes_to_the_working_folder(home: Path) -> None:
    path = home / ".claude/projects/-x/0a1b2c3d-0000-4000-8000-000000000009.jsonl"
    path.parent.mkdir()
    line = claude_line("user", 0, "hello", path.stem)
    del line["cwd"]
    path.write_text(json.dumps(line) + "\n")
    assert aj(home, "sync", "--no-index").returncode == 0
    done = aj(
        home,
        "convert",
        path.stem,
        "--to",
        "copilot-cli",
        "-o",
        str(home / "out"),
        cwd=home / "work",
    )
    assert "does not record its folder" in done.stderr
    assert f"cd {home}/work && copilot" in done.stderr


def test_of_several_one_that_cannot_be_converted_does_not_stop_the_others(home: Path) -> None:
    path = home / ".claude/projects/-work-app/0a1b2c3d-0000-4000-8000-00000000000e.jsonl"
    path.write_text(
        json.dumps({"type": "custom-title", "customTitle": "Nothing", "sessionId": path.stem})
        + "\n"
    )
    assert aj(home, "sync", "--no-index").returncode == 0
    alone = aj(home, "convert", path.stem, "--to", "copilot-cli", "-o", str(home / "a"))
    assert (alone.returncode, "no message to continue from" in alone.stderr) == (2, True)
    done = aj(home, "convert", path.stem, OWN, "--to", "copilot-cli", "-o", str(home / "b"))
    assert (done.returncode, "no message to continue from" in done.stderr) == (1, True)
    assert valid_copilot_cli.faults(home / "b") == []


def test_a_transcript_that_copilot_no_longer_takes_becomes_a_folder(home: Path) -> None:
    folder = home / f".copilot/session-state/{COPILOT}"
    flat = folder.with_suffix(".jsonl")
    (folder / "events.jsonl").rename(flat)
    folder.rmdir()
    shutil.rmtree(home / ".agent-journal")
    assert aj(home, "sync", "--no-index").returncode == 0
    assert "no longer reads" in aj(home, "resume", COPILOT).stderr
    assert aj(home, "convert", COPILOT, "--to", "copilot-cli", "--install", "--yes").returncode == 0
    assert (folder / "events.jsonl").read_bytes() == flat.read_bytes()


def test_tokens_are_not_counted_again(home: Path) -> None:
    before = aj_json(home, "usage")["totals"]
    for target in ("claude-code", "copilot-cli"):
        for session in (OWN, COPILOT):
            aj(home, "convert", session, "--to", target, "--install", "--yes")
    assert aj(home, "sync", "--no-index").returncode == 0
    after = aj_json(home, "usage")["totals"]
    assert len(aj_json(home, "ls")["items"]) == 4
    counts = (
        "input_tokens",
        "output_tokens",
        "cache_read_tokens",
        "total_tokens",
        "cost_micro_usd",
    )
    assert {name: after[name] for name in counts} == {name: before[name] for name in counts}
    assert before["total_tokens"] > 0


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        ((), 2, "ID is missing"),
        ((OWN,), 2, "--to is missing"),
        ((OWN, "--to", "emacs"), 2, "emacs"),
        (("nope", "--to", "claude-code"), 2, "no session has the id"),
        ((OWN, "--to", "copilot-cli", "-o", "no/such/x"), 2, "there is no folder"),
        ((OWN, "--to", "copilot-cli", "-o", "there.txt"), 2, "is a file"),
        ((OWN, "--to", "copilot-cli", "--install", "-o", "x"), 2, "leave out -o"),
        (
            (OWN, COPILOT, "--to", "vscode", "-o", "two.json"),
            2,
            "2 sessions cannot be written to one file",
        ),
        ((OWN, "--to", "vscode", "-o", "-"), 2, "takes a file or a folder"),
    ],
)
def test_mistakes_are_reported(home: Path, args: tuple[str, ...], code: int, words: str) -> None:
    (home / "there.txt").write_text("")
    done = aj(home, "convert", *args, cwd=home)
    assert (done.returncode, words in done.stderr) == (code, True), done.stderr


PEM = (
    "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASC\nBKcwggSjAgEAAoIBAQC7\n"
    "-----END PRIVATE KEY-----\n"
)


def test_nothing_secret_is_left_in_original_files(home: Path) -> None:
    """Over lines, in the names of objects, and behind backslashes that only a JSON reader takes
    away.
    """
    own = home / f".claude/projects/-work-app/{OWN}"
    (own / "tool-results").mkdir(parents=True)
    (own / "tool-results/b1.txt").write_text(f"found:\n{PEM}")
    log = own.with_suffix(".jsonl")
    shell = claude_line("user", 5, 'curl -d "{\\"password\\": \\"hunter2x9Q\\"}" x', OWN)
    names = {
        "type": "file-history-snapshot",
        "snapshot": {"trackedFileBackups": {f"/home/sam/{KEY}.py": {}}},
    }
    deep = {"type": "odd", "sessionId": OWN, "data": json.loads("[" * 900 + "]" * 900)}
    log.write_text(
        log.read_text() + "".join(json.dumps(line) + "\n" for line in (shell, names, deep))
    )
    aj(home, "sync", "--no-index")
    done = aj(home, "convert", OWN, "--to", "claude-code", "-o", str(home / "out"))
    assert done.returncode == 0, done.stderr
    left = b"".join(files(home / "out").values())
    assert b"hunter2x9Q" not in left
    assert b"MIIEvQIBADAN" not in left
    assert str(home / "work").encode() in left  # by which the session is found


def test_a_copy_that_was_imported_does_not_stand_in_the_way(home: Path) -> None:
    (home / f".claude/tasks/{OWN}").mkdir(parents=True)
    (home / f".claude/tasks/{OWN}/1.json").write_text('{"id":"1","subject":"x","status":"pending"}')
    aj(home, "sync", "--no-index")
    for name in ("a", "b"):
        assert (
            aj(
                home, "convert", OWN, "--to", "claude-code", "--no-redact", "-o", str(home / name)
            ).returncode
            == 0
        )
        aj(home, "import", str(home / name))


def test_a_short_report_and_a_whole_one(home: Path) -> None:
    short = aj(home, "convert", COPILOT, "--to", "claude-code", "-o", str(home / "a")).stdout
    whole = aj(home, "convert", COPILOT, "--to", "claude-code", "-v", "-o", str(home / "b")).stdout
    assert "(-v lists them)" in short
    assert len(short.splitlines()) < len(whole.splitlines())
    assert "secrets" not in whole  # there were none in it
