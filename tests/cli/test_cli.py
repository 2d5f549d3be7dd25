"""The command's manners, through real processes: streams, JSON, exit codes, ids, hostile text,
pipes.
"""

from __future__ import annotations

import json
import os
import pty
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors import NAMES
from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import (
    aj,
    aj_json,
    claude_line,
    flip_a_byte_of_the_archive,
    variables,
    write_claude,
)

ENVELOPE = {"schema", "kind", "items", "page", "problems"}


@pytest.fixture(scope="module")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with sessions of every agent, synced."""
    home = tmp_path_factory.mktemp("demo")
    write_demo_home(str(home), parse_bound("now"))
    done = aj(home, "sync")
    assert done.returncode == 0, done.stderr
    return home


def on_terminal(home: Path, *args: str, **env: str) -> str:
    """What a person at a terminal sees."""
    leader, follower = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "agent_journal", *args],
        env={**variables(home), "TERM": "xterm", "PAGER": "cat", **env},
        stdin=follower,
        stdout=follower,
        stderr=follower,
    )
    os.close(follower)
    seen = b""
    while True:
        try:
            part = os.read(leader, 65536)
        except OSError:
            break
        if not part:
            break
        seen += part
    process.wait()
    os.close(leader)
    return seen.decode("utf-8", "replace")


def test_data_goes_to_stdout_and_words_to_stderr(demo: Path) -> None:
    done = aj(demo, "ls")
    assert len(done.stdout.splitlines()) == 17
    assert done.stderr == ""
    done = aj(demo, "sync")
    assert done.stdout == ""
    assert "17 sessions, 0 new" in done.stderr


@pytest.mark.parametrize(
    ("args", "kind", "count"),
    [
        (["sync"], "sync", 1),
        (["ls"], "sessions", 17),
        (["show", "7cce39d6", "--edits"], "edits", 2),
        (["ls", "-n", "2"], "sessions", 2),
        (["show", "last"], "session", 1),
        (["sources"], "sources", len(NAMES)),
        (["sources", "--files", "--agent", "claude-code"], "sources", 1),
        (["verify"], "verify", 1),
        (["sql", "FROM sessions"], "rows", 19),
        (["usage", "model"], "usage", 6),
        (["stats"], "stats", 1),
        (["doctor"], "doctor", len(NAMES)),
        (["config", "show"], "config", None),
        (["config", "get", "search.max_results"], "config", 1),
    ],
)
def test_every_json_answer_is_one_envelope(
    demo: Path, args: list[str], kind: str, count: int | None
) -> None:
    answer = aj_json(demo, *args)
    assert set(answer) >= ENVELOPE
    assert (answer["schema"], answer["kind"]) == (1, kind)
    assert count is None or len(answer["items"]) == count
    page = answer["page"]
    assert page["state"] == ("complete" if len(answer["items"]) >= page["total"] else "more")


def test_listings_hold_no_conversation_text(demo: Path) -> None:
    item = aj_json(demo, "ls")["items"][0]
    assert "messages" not in item
    assert item["started_at"].endswith("Z")


def test_ids_by_prefix_agent_and_last(demo: Path) -> None:
    first = aj_json(demo, "ls")["items"][0]
    for text in (
        "last",
        first["id"],
        first["id"][:6],
        f"{first['agent']}:{first['id'][:4]}",
        f"{first['agent']}:last",
    ):
        assert aj_json(demo, "show", text)["items"][0]["id"] == first["id"]
    parent = next(item for item in aj_json(demo, "ls")["items"] if item["sub_agents"])
    assert aj_json(demo, "show", parent["id"][:8])["items"][0]["id"] == parent["id"]
    child = next(
        item for item in aj_json(demo, "ls", "--all")["items"] if item["parent_id"] == parent["id"]
    )
    assert (
        aj_json(demo, "show", child["id"].rpartition("/")[2][:12])["items"][0]["id"] == child["id"]
    )


@pytest.mark.parametrize(
    ("args", "code", "words"),
    [
        (["show", "zzzz"], "no-such-session", ["no session has the id 'zzzz'", "aj ls"]),
        (["show", ""], "no-such-session", ["no session"]),
        (["ls", "--agent", "claude"], "usage", ["claude-code"]),
        (["ls", "--since", "soon"], "usage", ["2d", "2026-01-31"]),
        (["lst"], "usage", ["did you mean 'ls'?"]),
        (["ls", "--jsn"], "usage", ["--json"]),
        (["restore", "-o", "x"], "usage", ["--all"]),
        (["config", "get", "search.max_result"], "config", ["search.max_results"]),
        (["config", "set", "search.max_results", "many"], "config", ["max_results"]),
    ],
)
def test_wrong_usage_is_told_with_the_cure(
    demo: Path, args: list[str], code: str, words: list[str]
) -> None:
    done = aj(demo, *args)
    assert done.returncode == 2
    assert done.stdout == ""
    assert done.stderr.startswith("aj: ")
    assert all(word in done.stderr for word in words), done.stderr
    if args[0] not in ("lst", "config") and "--jsn" not in args:
        error = json.loads(aj(demo, *args, "--json").stdout)["error"]
        assert set(error) == {"code", "message", "hint"}
        assert error["code"] == code


def test_an_ambiguous_prefix_names_the_sessions(tmp_path: Path) -> None:
    for name in ("abc-1", "abc-2"):
        write_claude(tmp_path, name)
    aj(tmp_path, "sync")
    done = aj(tmp_path, "show", "abc")
    assert done.returncode == 2
    assert "claude-code:abc-1  user text 0" in done.stderr
    assert "claude-code:abc-2  user text 0" in done.stderr


def test_filters(tmp_path: Path) -> None:
    write_claude(tmp_path, "s1")
    aj(tmp_path, "sync")
    for args, count in (
        (["--project", "APP"], 1),
        (["--project", "other"], 0),
        (["--since", "2026-11-01"], 1),
        (["--until", "2026-10-31"], 0),
        (["--until", "2026-11"], 1),
        (["--agent", "copilot-cli"], 0),
        (["-n", "0"], 0),
    ):
        assert len(aj_json(tmp_path, "ls", *args)["items"]) == count, args


def test_an_empty_home_and_no_journal(tmp_path: Path) -> None:
    for args in (
        [],
        ["ls"],
        ["sources"],
        ["doctor"],
        ["verify"],
        ["sync"],
        ["ls", "--json"],
        ["config", "show"],
    ):
        done = aj(tmp_path, *args)
        assert done.returncode == 0, (args, done.stderr)
        assert "Traceback" not in done.stderr
    assert aj(tmp_path, "show", "last").returncode == 2
    assert aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out")).returncode == 0


def test_looking_at_an_empty_home_leaves_nothing_behind(tmp_path: Path) -> None:
    for args in ([], ["ls"], ["sources"], ["doctor"], ["config", "show"]):
        aj(tmp_path, *args)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_silent(demo: Path) -> None:
    command = f"'{sys.executable}' -m agent_journal show last --depth all | head -1"
    done = subprocess.run(
        ["bash", "-c", command], env=variables(demo), capture_output=True, text=True, check=False
    )
    assert done.stderr == ""
    assert len(done.stdout.splitlines()) == 1
    command = f"set -o pipefail; {command}"
    assert (
        subprocess.run(
            ["bash", "-c", command], env=variables(demo), capture_output=True, check=False
        ).returncode
        == 0
    )


@pytest.mark.parametrize("args", [["ls"], ["show", "last"], ["sync"], [], ["doctor"]])
def test_closed_streams_are_no_trouble(demo: Path, args: list[str]) -> None:
    for closed in (">&-", "2>&-", ">&- 2>&-", "<&-"):
        command = f"'{sys.executable}' -m agent_journal {' '.join(args)} {closed}"
        done = subprocess.run(
            ["bash", "-c", command],
            env=variables(demo),
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, "went wrong" in done.stderr) == (0, False), (
            args,
            closed,
            done.stderr,
        )


def test_raw_prints_the_original_bytes(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    aj(tmp_path, "sync")
    done = subprocess.run(
        [sys.executable, "-m", "agent_journal", "show", "s1", "--raw"],
        env=variables(tmp_path),
        capture_output=True,
        check=True,
    )
    assert done.stdout == path.read_bytes()


def test_raw_of_a_thread_inside_anothers_log(demo: Path) -> None:
    children = [item for item in aj_json(demo, "ls", "--all")["items"] if item["parent_id"]]
    child = next(item for item in children if item["agent"] == "copilot-cli")
    lines = aj(demo, "show", child["id"], "--raw").stdout.splitlines()
    agents = {json.loads(line).get("agentId") for line in lines}
    assert agents == {child["id"].rpartition("/")[2]}


def test_depths(demo: Path) -> None:
    shown = {
        depth: aj(demo, "show", "last", "--depth", depth).stdout
        for depth in ("user", "assistant", "tool", "all")
    }
    sizes = [len(text) for text in shown.values()]
    assert sizes == sorted(sizes)
    assert "▌ agent" not in shown["user"]
    assert "→" not in shown["assistant"]
    assert "→" in shown["tool"]


def test_session_text_cannot_steer_the_terminal(tmp_path: Path) -> None:
    evil = "\x1b]52;c;aGFjaw==\x07\x1b[2J\x9b31m\u202egnp.exe\x08\r"
    path = tmp_path / ".claude/projects/-evil/e1.jsonl"
    path.parent.mkdir(parents=True)
    lines: list[dict[str, Any]] = [
        claude_line(
            "user", 0, f"prompt {evil}", "e1", cwd=f"/work/{evil}", gitBranch=evil, version=evil
        ),
        claude_line("assistant", 1, f"answer {evil}", "e1"),
        {"type": "custom-title", "customTitle": f"title {evil}", "sessionId": "e1"},
        {"type": f"odd{evil}", "sessionId": "e1", "uuid": "x"},
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    aj(tmp_path, "sync")
    for args in (
        ["ls", "--all"],
        ["show", "e1", "--depth", "all"],
        ["doctor"],
        ["sources", "--files"],
        ["verify"],
    ):
        for output in (aj(tmp_path, *args).stdout, on_terminal(tmp_path, *args, NO_COLOR="1")):
            kept = output.replace("\r\n", "\n").replace("\x1b[2K", "")
            assert not set(kept) & set("\x1b\x07\x08\x9b\r\u202e"), args


def test_colour_only_on_a_terminal_and_never_under_no_color(demo: Path) -> None:
    assert "\x1b[" in on_terminal(demo, "ls")
    assert "\x1b[" not in on_terminal(demo, "ls", NO_COLOR="1")
    assert "\x1b[" not in on_terminal(demo, "ls", TERM="dumb")
    assert "\x1b[" not in aj(demo, "ls").stdout


def test_everything_is_private(demo: Path) -> None:
    journal = demo / ".agent-journal"
    for path in [journal, *journal.rglob("*")]:
        mode = stat.S_IMODE(path.stat().st_mode)
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_the_agents_folders_are_never_written(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), parse_bound("now"))

    def state() -> dict[str, tuple[int, int]]:
        folders = [tmp_path / ".claude", tmp_path / ".copilot"]
        found = [path for folder in folders for path in [folder, *folder.rglob("*")]]
        return {str(path): (path.stat().st_mtime_ns, path.stat().st_size) for path in found}

    before = state()
    for args in (["sync"], ["sync", "--full"], ["verify"], ["doctor"], ["show", "last"], ["ls"]):
        aj(tmp_path, *args)
    assert state() == before


def test_plain_ascii_terminals_are_served(demo: Path) -> None:
    done = aj(
        demo,
        "show",
        "last",
        env={"LANG": "C", "LC_ALL": "C", "PYTHONIOENCODING": "ascii", "PYTHONUTF8": "0"},
    )
    assert (done.returncode, "Traceback" in done.stderr) == (0, False)
    latin = {"PYTHONIOENCODING": "latin-1"}
    assert aj(demo, "show", "last", env=latin, encoding="latin-1").returncode == 0
    done = aj(demo, "ls", "--json", env={"PYTHONIOENCODING": "ascii"})
    assert len(json.loads(done.stdout)["items"]) == 17


def test_help_has_examples(demo: Path) -> None:
    from agent_journal.cli.group import COMMANDS

    for command in COMMANDS:
        done = aj(demo, command, "--help")
        assert done.returncode == 0
        assert "Examples:" in done.stdout, command


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion(demo: Path, shell: str) -> None:
    script = aj(demo, "completion", shell).stdout
    assert "_AJ_COMPLETE" in script
    env = {"_AJ_COMPLETE": "bash_complete", "COMP_WORDS": "aj sh", "COMP_CWORD": "1"}
    assert "show" in aj(demo, env=env).stdout


def test_doctor_tells_what_will_be_deleted(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    old = path.stat().st_mtime - 25 * 86400
    os.utime(path, (old, old))
    done = aj(tmp_path, "doctor")
    assert done.returncode == 1
    assert (
        "Claude Code will delete 1 file within a week, not kept yet: run 'aj sync'" in done.stdout
    )
    aj(tmp_path, "sync")
    done = aj(tmp_path, "doctor")
    assert done.returncode == 0
    assert (
        "the agent deletes after 30 days: 1 due within a week, 1 of them kept here" in done.stdout
    )
    (tmp_path / ".claude/settings.json").write_text(
        '{"cleanupPeriodDays": 90, "env": {"API_KEY": "secret"}}'
    )
    assert "the agent deletes after 90 days" in aj(tmp_path, "doctor").stdout


def test_strict_exits_with_3_when_something_could_not_be_read(tmp_path: Path) -> None:
    path = write_claude(tmp_path)
    assert aj(tmp_path, "sync", "--strict").returncode == 0
    with path.open("a") as out:
        out.write("not json\n")
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "sync", "--strict").returncode == 3


def test_restore_never_overwrites_other_bytes(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    out = tmp_path / "out"
    assert aj(tmp_path, "restore", "s1", "-o", str(out)).returncode == 0
    again = aj(tmp_path, "restore", "s1", "-o", str(out))
    assert "1 file already there with the same content" in again.stderr
    (out / ".claude/projects/-work-app/s1.jsonl").write_text("mine")
    done = aj(tmp_path, "restore", "s1", "-o", str(out))
    assert done.returncode == 1
    assert "has other bytes" in done.stderr
    assert (out / ".claude/projects/-work-app/s1.jsonl").read_text() == "mine"


def test_restore_and_raw_refuse_damaged_bytes_and_give_the_rest(tmp_path: Path) -> None:
    for name in ("a", "b", "c"):
        write_claude(tmp_path, name, count=60)
    aj(tmp_path, "sync")
    flip_a_byte_of_the_archive(tmp_path)
    done = aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "out"))
    assert done.returncode == 1
    assert "2 files written" in done.stderr
    assert "not written: " in done.stderr
    written = sorted(path for path in (tmp_path / "out").rglob("*") if path.is_file())
    assert [path.name for path in written] == ["a.jsonl", "c.jsonl"]
    for path in written:
        assert (
            path.read_bytes() == (tmp_path / ".claude/projects/-work-app" / path.name).read_bytes()
        )
    assert aj(tmp_path, "show", "b", "--raw").returncode == 1
    done = aj(tmp_path, "sync", "--full")
    assert "1 damaged part of the archive repaired" in done.stderr
    assert aj(tmp_path, "show", "b", "--raw").returncode == 0


def test_a_log_the_agent_rewrote_is_shown_in_both_versions(tmp_path: Path) -> None:
    path = write_claude(tmp_path, count=6)
    old = path.read_bytes()
    aj(tmp_path, "sync")
    path.write_bytes(b"".join(old.splitlines(keepends=True)[:2]))
    done = aj(tmp_path, "sync")
    assert "1 file rewritten by the agent (the earlier version is kept)" in done.stderr
    assert "-" not in done.stderr.split("new")[0]
    assert "2 versions are kept" in aj(tmp_path, "show", "s1").stdout
    assert "user text 4" not in aj(tmp_path, "show", "s1").stdout
    assert "user text 4" in aj(tmp_path, "show", "s1", "--version", "1").stdout
    assert aj(tmp_path, "show", "s1", "--version", "1", "--raw").stdout.encode() == old
    assert len(aj_json(tmp_path, "show", "s1", "--version", "1")["items"][0]["messages"]) == 6
    assert aj(tmp_path, "show", "s1", "--version", "3").returncode == 2


def test_a_lost_index_is_told_apart_from_an_empty_journal(tmp_path: Path) -> None:
    import shutil

    write_claude(tmp_path)
    aj(tmp_path, "sync")
    shutil.rmtree(tmp_path / ".agent-journal/index")
    for args in (["verify"], ["show", "last"], ["restore", "--all", "-o", "x"]):
        done = aj(tmp_path, *args)
        assert (done.returncode, "the index is missing" in done.stderr) == (1, True), args
    assert "The index is missing" in aj(tmp_path).stdout
    aj(tmp_path, "sync")
    assert aj(tmp_path, "verify").returncode == 0


def test_totals_with_sub_agents(demo: Path) -> None:
    everything = aj_json(demo, "ls", "--all")
    assert everything["page"] == {"state": "complete", "total": 19, "limit": None}
    some = aj_json(demo, "ls", "--all", "-n", "4")
    assert len(some["items"]) == 4
    assert some["page"] == {"state": "more", "total": 19, "limit": 4}


def test_folders_the_settings_no_longer_name_are_not_gone(tmp_path: Path) -> None:
    write_claude(tmp_path)
    aj(tmp_path, "sync")
    other = tmp_path / "elsewhere"
    assert aj(tmp_path, "config", "set", "storage.sources.claude_code", str(other)).returncode == 0
    assert "gone" not in aj(tmp_path, "sync").stderr
    done = aj(tmp_path, "doctor")
    assert done.returncode == 1
    assert (
        "the folder that the settings name for Claude Code is missing: ~/elsewhere" in done.stdout
    )
    assert "~/.claude has files of Claude Code, but the settings do not name it" in done.stdout
    aj(tmp_path, "config", "unset", "storage.sources.claude_code")
    assert aj(tmp_path, "doctor").returncode == 0


def test_settings_can_be_mended_from_the_command_line(tmp_path: Path) -> None:
    config = tmp_path / ".agent-journal/config.toml"
    config.parent.mkdir()
    config.write_text("# mine\n[search]\nmax_results = -1\n")
    assert aj(tmp_path, "ls").returncode == 2
    assert aj(tmp_path, "config", "path").stdout.strip() == str(config)
    assert aj(tmp_path, "config", "set", "search.max_results", "5").returncode == 0
    assert config.read_text() == "# mine\n[search]\nmax_results = 5\n"
    assert aj(tmp_path, "config").returncode == 0


def test_days_durations_and_diffs_are_shown(tmp_path: Path) -> None:
    path = tmp_path / ".claude/projects/-work-app/s1.jsonl"
    path.parent.mkdir(parents=True)
    edit = {
        "type": "tool_use",
        "id": "t1",
        "name": "Edit",
        "input": {"file_path": "/a.py", "old_string": "a  b"},
    }
    patch = [
        {"oldStart": 1, "oldLines": 1, "newStart": 1, "newLines": 1, "lines": ["-a  b", "+c  d"]}
    ]
    lines = [
        claude_line("user", 0, "first"),
        {
            **claude_line("assistant", 1, "x"),
            "message": {"id": "m1", "role": "assistant", "content": [edit]},
        },
        claude_line(
            "user",
            2,
            "x",
            message={
                "role": "user",
                "content": [{"type": "tool_result", "tool_use_id": "t1", "content": "done"}],
            },
            toolUseResult={"filePath": "/a.py", "structuredPatch": patch},
            timestamp="2026-11-01T00:02:00Z",
        ),
        claude_line("user", 3, "next day", timestamp="2026-11-20T12:00:00Z"),
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    aj(tmp_path, "sync")
    text = aj(tmp_path, "show", "s1").stdout
    assert "── 2026-11-20 ──" in text
    assert "│ -a  b" in text
    assert "│ +c  d" in text
    assert "old_string: a  b" in aj(tmp_path, "show", "s1", "--depth", "all").stdout


def test_demo_leaves_nothing_behind_unless_told(tmp_path: Path) -> None:
    done = aj(tmp_path, "demo", env={"TMPDIR": str(tmp_path)})
    assert done.returncode == 0
    assert list(tmp_path.iterdir()) == []
    kept = tmp_path / "kept"
    assert aj(tmp_path, "demo", "--keep", str(kept)).returncode == 0
    assert {path.name for path in kept.iterdir()} == {"home", "journal"}
    assert aj(tmp_path, "demo", "--keep", str(kept)).returncode == 2
