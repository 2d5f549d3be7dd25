"""`aj hooks`: the hooks of agents start a sync, and the rest of their settings stays."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest

from agent_journal.convert.hook_entries import CLIENTS
from tests.support.journals import aj, variables, write_claude

FILES = {
    "claude-code": ".claude/settings.json",
    "copilot-cli": ".copilot/hooks/agent-journal.json",
    "codex": ".codex/hooks.json",
    "gemini": ".gemini/settings.json",
}
EVENTS = {
    "claude-code": ["SessionEnd", "PreCompact"],
    "copilot-cli": ["sessionEnd"],
    "codex": ["Stop", "PreCompact"],
    "gemini": ["SessionEnd", "PreCompress"],
}
OTHER = {"hooks": [{"type": "command", "command": "say done"}]}


def commands(value: Any) -> list[str]:
    """The command lines in some hooks."""
    if isinstance(value, list):
        return [line for below in value for line in commands(below)]
    if not isinstance(value, dict):
        return []
    own = [value[name] for name in ("command", "bash") if name in value]
    return own + [line for below in value.values() for line in commands(below)]


def test_every_agent_is_tested() -> None:
    assert list(FILES) == list(CLIENTS)


@pytest.mark.parametrize("agent", FILES)
def test_install_status_and_remove(tmp_path: Path, agent: str) -> None:
    path = tmp_path / FILES[agent]
    assert f"{agent}: not installed" in aj(tmp_path, "hooks", "status", agent).stdout
    done = aj(tmp_path, "hooks", "install", agent)
    assert done.returncode == 0, done.stderr
    values = json.loads(path.read_text())
    assert list(values["hooks"]) == EVENTS[agent]
    lines = commands(values)
    assert len(lines) == len(EVENTS[agent])
    assert all(line.endswith(" sync --detach") for line in lines)
    assert f"{agent}: installed" in aj(tmp_path, "hooks", "status").stdout
    before = path.stat().st_mtime_ns
    assert "already installed" in aj(tmp_path, "hooks", "install", agent).stderr
    assert path.stat().st_mtime_ns == before
    assert aj(tmp_path, "hooks", "remove", agent).returncode == 0
    assert not path.exists()
    assert "not installed" in aj(tmp_path, "hooks", "remove", agent).stderr


@pytest.mark.parametrize("agent", FILES)
def test_other_hooks_and_settings_stay(tmp_path: Path, agent: str) -> None:
    path = tmp_path / FILES[agent]
    path.parent.mkdir(parents=True)
    event = EVENTS[agent][0]
    old = {"version": 1, "model": "x", "hooks": {event: [OTHER], "Mine": [OTHER]}}
    text = json.dumps(old, indent=2) + "\n"
    path.write_text(text)
    assert aj(tmp_path, "hooks", "install", agent).returncode == 0
    values = json.loads(path.read_text())
    assert values["hooks"][event][0] == OTHER
    assert len(values["hooks"][event]) == 2
    assert aj(tmp_path, "hooks", "remove", agent).returncode == 0
    assert path.read_text() == text
    assert [found.name for found in path.parent.iterdir()] == [path.name]


@pytest.mark.parametrize("agent", FILES)
@pytest.mark.parametrize("text", ["{ // mine\n}", '{"hooks": []}', '{"hooks": {"%s": {}}}', "{"])
def test_what_cannot_be_changed_is_left_alone(tmp_path: Path, agent: str, text: str) -> None:
    path = tmp_path / FILES[agent]
    path.parent.mkdir(parents=True)
    text = text.replace("%s", EVENTS[agent][0])
    path.write_text(text)
    done = aj(tmp_path, "hooks", "install", agent)
    assert done.returncode == 2
    assert list(json.loads(done.stdout)["hooks"]) == EVENTS[agent]
    assert path.read_text() == text


def test_the_status_line_keeps_its_own_backup(tmp_path: Path) -> None:
    path = tmp_path / FILES["claude-code"]
    path.parent.mkdir()
    mine = {"type": "command", "command": "~/bin/my-line"}
    path.write_text(json.dumps({"statusLine": mine}))
    assert aj(tmp_path, "statusline", "install", "--yes").returncode == 0
    assert aj(tmp_path, "hooks", "install", "claude-code").returncode == 0
    assert aj(tmp_path, "statusline", "remove").returncode == 0
    assert aj(tmp_path, "hooks", "remove", "claude-code").returncode == 0
    assert json.loads(path.read_text()) == {"statusLine": mine}


def test_the_hook_prints_nothing_and_the_session_is_kept(tmp_path: Path) -> None:
    write_claude(tmp_path)
    assert aj(tmp_path, "hooks", "install", "claude-code").returncode == 0
    line = commands(json.loads((tmp_path / FILES["claude-code"]).read_text()))[0]
    done = subprocess.run(
        line,
        shell=True,
        input='{"hook_event_name": "SessionEnd", "reason": "exit"}',
        env=variables(tmp_path),
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert done.stdout == ""
    assert done.stderr == ""
    deadline = time.monotonic() + 60
    while "s1" not in aj(tmp_path, "ls", "--plain").stdout:
        assert time.monotonic() < deadline
        time.sleep(0.1)
