"""The demo's home folder: small, always the same, and read whole."""

from __future__ import annotations

import filecmp
import re
import shutil
import subprocess
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

import agent_journal
from agent_journal.demo import write_demo_home
from tests.support.demo_logs import NOW, Records, tree
from tests.support.journals import aj, aj_json, variables

# The demo shows the agents that most people use
AGENTS = ("aider", "claude-code", "codex", "copilot-cli", "cursor", "gemini", "vscode-chat")


def test_the_same_time_gives_the_same_files(home: Path, tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), NOW)
    write_demo_home(str(tmp_path), NOW)
    first, second = tree(home), tree(tmp_path)
    assert list(first) == list(second)
    for name, path in first.items():
        assert filecmp.cmp(path, second[name], shallow=False), name
        assert path.stat().st_mtime == second[name].stat().st_mtime


def test_another_day_gives_the_same_sessions(home: Path, tmp_path: Path) -> None:
    write_demo_home(str(tmp_path), NOW + timedelta(days=3, hours=5))
    assert [undated(name) for name in tree(home)] == [undated(name) for name in tree(tmp_path)]


def undated(name: str) -> str:
    """A path without the day that Codex and Gemini CLI write into it."""
    return re.sub(r"\d{4}([-/])\d\d\1\d\d(T\d\d-\d\d)?", "<day>", name)


def test_it_is_small_and_names_no_real_home(home: Path) -> None:
    assert sum(path.stat().st_size for path in tree(home).values()) < 400_000
    for path in tree(home).values():
        assert str(home).encode() not in path.read_bytes()


def test_all_times_are_in_the_month_before_now(
    home: Path, claude: Records, copilot: Records
) -> None:
    stamps = [
        record["timestamp"]
        for records in [*claude.values(), *copilot.values()]
        for record in records
        if "timestamp" in record
    ]
    times = [datetime.fromisoformat(stamp) for stamp in stamps]
    assert all(stamp.endswith("Z") for stamp in stamps)
    assert NOW - timedelta(days=30) < min(times)
    assert NOW - timedelta(days=1) < max(times) < NOW
    for path in tree(home).values():
        assert min(times) <= datetime.fromtimestamp(path.stat().st_mtime + 1, UTC) < NOW


def test_every_agent_has_sessions_that_are_read_whole(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path / "home", copy_function=shutil.copy2)
    assert aj(tmp_path / "home", "sync").returncode == 0
    items = {item["agent"]: item for item in aj_json(tmp_path / "home", "doctor")["items"]}
    for agent in AGENTS:
        assert items[agent]["sessions"] >= 1, agent
        assert items[agent]["records"].get("unknown", 0) == 0, agent
        assert items[agent]["records"].get("malformed", 0) == (agent == "vscode-chat"), agent
    edits = aj_json(tmp_path / "home", "sql", "SELECT DISTINCT agent FROM file_edits")["items"]
    assert {item["agent"] for item in edits} >= {"aider", "codex", "cursor", "gemini"}


def test_the_demo_ignores_the_sessions_of_the_user(tmp_path: Path) -> None:
    (tmp_path / ".aider.chat.history.md").write_text(
        "\n# aider chat started at 2026-11-02 09:15:00\n\n#### mine  \n"
    )
    done = aj(tmp_path, "demo", cwd=tmp_path, env={"CODEX_HOME": str(tmp_path)})
    assert done.returncode == 0, done.stderr
    assert "mine" not in done.stdout
    assert "17 sessions, 17 new" in done.stderr
    removed = tmp_path / "removed"
    removed.mkdir()
    command = (
        f"import os, sys; os.rmdir('{removed}'); sys.argv = ['aj', 'demo']; "
        "import agent_journal.__main__ as m"
    )
    subprocess.run(
        [sys.executable, "-c", command],
        cwd=removed,
        env=variables(tmp_path),
        check=True,
        capture_output=True,
    )


def test_the_demo_needs_no_msgspec() -> None:
    code = "import sys, agent_journal.demo; sys.exit('msgspec' in sys.modules)"
    package = str(Path(agent_journal.__file__).parent.parent)
    subprocess.run([sys.executable, "-c", code], env={"PYTHONPATH": package}, check=True)
