"""A conversion that is killed at any step leaves a whole session or nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.convert.test_vscode_place import OLD, Code
from tests.support.journals import SRC, aj, append, claude_line, write_claude
from tests.support.paths import ROOT

SUBAGENT = ".claude/projects/-work-app/s1/subagents/agent-a1.jsonl"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    write_claude(home)
    append(home / SUBAGENT, claude_line("user", 1, "look", isSidechain=True, agentId="a1"))
    for folder in (".copilot", ".codex/sessions", ".gemini"):
        (home / folder).mkdir(parents=True)
    Code(home, json.dumps({"version": 1, "entries": {"old": OLD}}))
    assert aj(home, "sync", "--no-index").returncode == 0
    return home


def tries(home: Path, *args: str) -> list[dict[str, Any]]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.support.killing", str(home), *args],
        env={"PATH": os.environ["PATH"], "PYTHONPATH": os.pathsep.join([str(SRC), str(ROOT)])},
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=True,
    )
    found: list[dict[str, Any]] = json.loads(done.stdout)
    assert found[-1]["ended"]
    assert found[-1]["left"], "the command wrote nothing"
    assert len(found) > 5
    assert any(one["stray"] and not one["left"] for one in found), "no kill left anything"
    return found


def test_into_a_workspace_of_vs_code(home: Path) -> None:
    storage = next((home / ".config/Code/User/workspaceStorage").iterdir())
    found = tries(home, "convert", "s1", "--to", "vscode", "--into", storage.name, "--yes")
    whole = len(found[-1]["left"])
    for one in found:
        assert len(one["left"]) in (0, whole), one


def test_resume_with_another_agent(home: Path) -> None:
    folder = str(home.parent)
    found = tries(home, "resume", "s1", "--with", "codex", "--in", folder, "--yes", "--force")
    whole = len(found[-1]["left"])
    for one in found:
        # Codex's list of names comes after the session, which is whole without it
        assert len(one["left"]) in (0, whole - 1, whole), one


def test_to_claude_code_with_a_sub_agent(home: Path) -> None:
    folder = str(home.parent)
    found = tries(home, "resume", "s1", "--in", folder, "--yes", "--force")
    whole = len(found[-1]["left"])
    assert whole > 3
    for one in found:
        assert len(one["left"]) in (0, whole), one
