"""`aj mcp install|status|remove`: one entry in the settings of an agent, and nothing else."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from agent_journal.convert.mcp_entries import CLIENTS
from tests.support.journals import aj, variables

FILES = {
    "claude-code": ".claude.json",
    "vscode": ".config/Code/User/mcp.json",
    "copilot-cli": ".copilot/mcp-config.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
}
PROJECT_FILES = {
    "claude-code": ".mcp.json",
    "vscode": ".vscode/mcp.json",
    "copilot-cli": ".github/mcp.json",
    "cursor": ".cursor/mcp.json",
    "codex": ".codex/config.toml",
    "gemini": ".gemini/settings.json",
}
KEYS = {"vscode": "servers", "codex": "mcp_servers"}
JSON_AGENTS = [agent for agent in FILES if agent != "codex"]


def read(path: Path) -> Any:
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".toml":
        return tomllib.loads(text)
    return json.loads(text)


def entry(path: Path, agent: str) -> Any:
    return read(path)[KEYS.get(agent, "mcpServers")]["agent-journal"]


def settings_of(home: Path, agent: str) -> Path:
    path = home / FILES[agent]
    path.parent.mkdir(parents=True, exist_ok=True)
    return path


def wanted(home: Path, agent: str) -> dict[str, Any]:
    value: dict[str, Any] = {
        "command": sys.executable,
        "args": ["-P", "-m", "agent_journal", "mcp"],
        "env": {"AJ_HOME": str(home / ".agent-journal")},
    }
    if agent in ("claude-code", "vscode"):
        value["type"] = "stdio"
    if agent == "copilot-cli":
        value |= {"type": "local", "tools": ["*"]}
    return value


def test_every_agent_is_tested() -> None:
    assert list(FILES) == list(CLIENTS)


@pytest.mark.parametrize("agent", FILES)
def test_a_missing_file_is_made_and_removed_again(tmp_path: Path, agent: str) -> None:
    path = tmp_path / FILES[agent]
    assert aj(tmp_path, "mcp", "status", agent).stdout.startswith(f"{agent}: not installed")
    done = aj(tmp_path, "mcp", "install", agent)
    assert done.returncode == 0, done.stderr
    assert entry(path, agent) == wanted(tmp_path, agent)
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert aj(tmp_path, "mcp", "status", agent).stdout.startswith(f"{agent}: installed (")
    before = path.stat().st_mtime_ns
    assert "already installed" in aj(tmp_path, "mcp", "install", agent).stderr
    assert path.stat().st_mtime_ns == before
    assert aj(tmp_path, "mcp", "remove", agent).returncode == 0
    assert not path.exists()
    assert "not installed" in aj(tmp_path, "mcp", "remove", agent).stderr


def test_a_project_does_not_run_its_own_program_as_ours(tmp_path: Path) -> None:
    """Agents start servers in the folder of a project, and what is there may be anybody's."""
    assert aj(tmp_path, "mcp", "install", "cursor").returncode == 0
    started = entry(tmp_path / FILES["cursor"], "cursor")
    planted = tmp_path / "project/agent_journal/__init__.py"
    planted.parent.mkdir(parents=True)
    planted.write_text("raise SystemExit('the program of the project')")
    done = subprocess.run(
        [started["command"], *started["args"]],
        env=variables(tmp_path),
        cwd=tmp_path / "project",
        input='{"jsonrpc": "2.0", "id": 1, "method": "ping"}\n',
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout)["result"] == {}


@pytest.mark.parametrize("agent", JSON_AGENTS)
def test_other_servers_and_settings_stay(tmp_path: Path, agent: str) -> None:
    path = settings_of(tmp_path, agent)
    key = KEYS.get(agent, "mcpServers")
    old = {"theme": "dark", key: {"other": {"command": "x", "args": ["ü"]}}, "z": [1.5, None]}
    text = json.dumps(old, indent=4, ensure_ascii=False) + "\n"
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)
    assert aj(tmp_path, "mcp", "install", agent).returncode == 0
    new = read(path)
    assert list(new) == ["theme", key, "z"]
    assert list(new[key]) == ["other", "agent-journal"]
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    backup = path.with_name(path.name + ".before-aj-mcp")
    assert backup.read_text(encoding="utf-8") == text
    assert stat.S_IMODE(backup.stat().st_mode) == 0o600
    assert aj(tmp_path, "mcp", "remove", agent).returncode == 0
    assert path.read_text(encoding="utf-8") == text
    assert not backup.exists()


CODEX = """# my settings
model = "gpt-5"   # the good one

[mcp_servers.other]
command = "x"
# no arguments

[tui]
theme = "dark"
"""


def test_comments_of_codex_stay(tmp_path: Path) -> None:
    path = settings_of(tmp_path, "codex")
    path.write_text(CODEX)
    assert aj(tmp_path, "mcp", "install", "codex").returncode == 0
    text = path.read_text()
    for line in CODEX.splitlines():
        assert line in text.splitlines()
    assert list(read(path)["mcp_servers"]) == ["other", "agent-journal"]
    assert entry(path, "codex") == wanted(tmp_path, "codex")
    assert aj(tmp_path, "mcp", "remove", "codex").returncode == 0
    assert path.read_text().split() == CODEX.split()


REFUSED = {
    "comments": '{\n  // mine\n  "theme": "dark"\n}\n',
    "trailing comma": '{"a": 1,}',
    "broken": '{"a": ',
    "empty": "",
    "a list": "[]",
    "twice": '{"a": 1, "a": 2}',
    "servers are a list": '{"mcpServers": [], "servers": []}',
}


@pytest.mark.parametrize("agent", JSON_AGENTS)
@pytest.mark.parametrize("shape", REFUSED)
def test_what_is_not_plain_json_is_left_alone(tmp_path: Path, agent: str, shape: str) -> None:
    path = settings_of(tmp_path, agent)
    path.write_text(REFUSED[shape])
    done = aj(tmp_path, "mcp", "install", agent)
    assert done.returncode == 2, done.stderr
    assert "the entry above goes there" in done.stderr
    key = KEYS.get(agent, "mcpServers")
    assert json.loads(done.stdout) == {key: {"agent-journal": wanted(tmp_path, agent)}}
    assert path.read_text() == REFUSED[shape]
    assert [found.name for found in path.parent.glob(path.name + "*")] == [path.name]


@pytest.mark.parametrize("text", ["[mcp_servers\n", "a = 1\na = 2\n", "mcp_servers = 3\n"])
def test_broken_toml_is_left_alone(tmp_path: Path, text: str) -> None:
    path = settings_of(tmp_path, "codex")
    path.write_text(text)
    done = aj(tmp_path, "mcp", "install", "codex")
    assert done.returncode == 2
    assert tomllib.loads(done.stdout)["mcp_servers"]["agent-journal"] == wanted(tmp_path, "codex")
    assert path.read_text() == text


def test_an_empty_toml_is_a_whole_one(tmp_path: Path) -> None:
    path = settings_of(tmp_path, "codex")
    path.write_text("")
    assert aj(tmp_path, "mcp", "install", "codex").returncode == 0
    assert entry(path, "codex") == wanted(tmp_path, "codex")


@pytest.mark.parametrize("agent", FILES)
def test_a_link_is_written_through(tmp_path: Path, agent: str) -> None:
    path = settings_of(tmp_path, agent)
    real = tmp_path / "dotfiles" / f"settings{path.suffix}"
    real.parent.mkdir()
    text = "[tui]\n" if path.suffix == ".toml" else "{}\n"
    real.write_text(text)
    path.symlink_to(real)
    assert aj(tmp_path, "mcp", "install", agent).returncode == 0
    assert path.is_symlink()
    assert entry(real, agent) == wanted(tmp_path, agent)
    assert aj(tmp_path, "mcp", "remove", agent).returncode == 0
    assert path.is_symlink()
    assert read(real) == read(path)
    assert "agent-journal" not in real.read_text()


@pytest.mark.parametrize("agent", FILES)
def test_a_read_only_file_is_left_alone(tmp_path: Path, agent: str) -> None:
    path = settings_of(tmp_path, agent)
    text = "[tui]\n" if path.suffix == ".toml" else "{}\n"
    path.write_text(text)
    path.chmod(0o444)
    done = aj(tmp_path, "mcp", "install", agent)
    assert done.returncode == 2
    assert "read-only" in done.stderr
    assert "agent-journal" in done.stdout
    assert path.read_text() == text


def test_an_entry_of_somebody_else_stays(tmp_path: Path) -> None:
    path = settings_of(tmp_path, "cursor")
    text = json.dumps({"mcpServers": {"agent-journal": {"command": "/opt/other"}}})
    path.write_text(text)
    assert aj(tmp_path, "mcp", "install", "cursor").returncode == 2
    assert aj(tmp_path, "mcp", "remove", "cursor").returncode == 2
    assert "another server" in aj(tmp_path, "mcp", "status", "cursor").stdout
    assert path.read_text() == text


def test_an_older_entry_of_ours_is_replaced(tmp_path: Path) -> None:
    path = settings_of(tmp_path, "cursor")
    path.write_text(
        json.dumps({"mcpServers": {"agent-journal": {"command": "/old/aj", "args": ["mcp"]}}})
    )
    assert "with another command" in aj(tmp_path, "mcp", "status", "cursor").stdout
    (item,) = json.loads(aj(tmp_path, "mcp", "status", "cursor", "--json").stdout)["items"]
    assert (item["agent"], item["state"], item["error"]) == ("cursor", "changed", None)
    assert aj(tmp_path, "mcp", "install", "cursor").returncode == 0
    assert entry(path, "cursor") == wanted(tmp_path, "cursor")


def test_what_a_person_added_to_our_entry_stays(tmp_path: Path) -> None:
    path = settings_of(tmp_path, "gemini")
    added = {"timeout": 9000, "trust": False}
    variables = {"AJ_HOME": "/old/journal", "TZ": "UTC"}
    ours = {"command": "/old/aj", "args": ["mcp"], "env": variables, **added}
    path.write_text(json.dumps({"mcpServers": {"agent-journal": ours}}))
    assert aj(tmp_path, "mcp", "install", "gemini").returncode == 0
    expected = {**wanted(tmp_path, "gemini"), **added}
    expected["env"]["TZ"] = "UTC"
    assert entry(path, "gemini") == expected
    assert "another command" not in aj(tmp_path, "mcp", "status", "gemini").stdout
    assert "already installed" in aj(tmp_path, "mcp", "install", "gemini").stderr


@pytest.mark.parametrize("agent", FILES)
def test_print_writes_nothing(tmp_path: Path, agent: str) -> None:
    done = aj(tmp_path, "mcp", "install", agent, "--print")
    assert done.returncode == 0
    assert "agent-journal" in done.stdout
    assert not (tmp_path / FILES[agent]).exists()


@pytest.mark.parametrize("agent", FILES)
def test_the_file_of_a_project(tmp_path: Path, agent: str) -> None:
    project = tmp_path / "project"
    project.mkdir()
    done = aj(tmp_path, "mcp", "install", agent, "--project", cwd=project)
    assert done.returncode == 0, done.stderr
    found = entry(project / PROJECT_FILES[agent], agent)
    assert found["command"] == "aj"  # others have it elsewhere
    assert found["args"] == ["mcp"]
    assert "env" not in found
    assert not (tmp_path / FILES[agent]).exists()
    assert aj(tmp_path, "mcp", "remove", agent, "--project", cwd=project).returncode == 0
    assert not (project / PROJECT_FILES[agent]).exists()


def test_the_status_of_all(tmp_path: Path) -> None:
    assert aj(tmp_path, "mcp", "install", "gemini").returncode == 0
    settings_of(tmp_path, "cursor").write_text("{ // x\n}")
    lines = aj(tmp_path, "mcp", "status").stdout.splitlines()
    states = {line.partition(":")[0]: line for line in lines}
    assert list(states) == list(FILES)
    assert states["gemini"] == "gemini: installed (~/.gemini/settings.json)"
    assert states["cursor"].startswith("cursor: unknown: ")
    assert states["codex"].startswith("codex: not installed")


def test_the_installed_command_is_a_server(tmp_path: Path) -> None:
    assert aj(tmp_path, "mcp", "install", "cursor").returncode == 0
    found = entry(tmp_path / FILES["cursor"], "cursor")
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    done = subprocess.run(
        [found["command"], *found["args"]],
        input=json.dumps(ping) + "\n",
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
    )
    assert json.loads(done.stdout) == {"jsonrpc": "2.0", "id": 1, "result": {}}


def test_a_read_only_file_keeps_its_entry_and_says_what_helps(tmp_path: Path) -> None:
    path = settings_of(tmp_path, "cursor")
    path.write_text('{"theme": "dark"}')
    assert aj(tmp_path, "mcp", "install", "cursor").returncode == 0
    path.chmod(0o444)
    done = aj(tmp_path, "mcp", "remove", "cursor")
    assert done.returncode == 2
    assert "read-only" in done.stderr
    assert "change it with an editor" in done.stderr
    assert "agent-journal" in path.read_text()


@pytest.mark.parametrize("named", ["~/other", "$HOME/other", "{home}/x/../other"])
def test_the_journal_is_named_as_aj_finds_it(tmp_path: Path, named: str) -> None:
    variables = {"AJ_HOME": named.replace("{home}", str(tmp_path))}
    said = aj(tmp_path, "mcp", "install", "cursor", "--print", env=variables).stdout
    [value] = json.loads(said)["mcpServers"].values()
    assert os.path.normpath(value["env"]["AJ_HOME"]) == str(tmp_path / "other")
