"""The demo's home folder, and the logs in it."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.demo import write_demo_home
from tests.support.demo_logs import NOW, Records, logs


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("home")
    write_demo_home(str(path), NOW)
    return path


@pytest.fixture(scope="session")
def claude(home: Path) -> Records:
    return logs(home, ".claude/projects/*/*.jsonl")


@pytest.fixture(scope="session")
def copilot(home: Path) -> Records:
    return logs(home, ".copilot/session-state/*/events.jsonl")
