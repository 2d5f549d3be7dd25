"""A home with an agent, and a repository that it works in."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.provenance import blame, commits
from tests.support.repositories import DAY, NOON, Repository


@pytest.fixture(autouse=True)
def _present(monkeypatch: pytest.MonkeyPatch) -> None:
    """The day after the first sessions: lines that are not committed are of the present."""
    for module in (blame, commits):
        monkeypatch.setattr(module, "now", lambda: (NOON + DAY) * 1_000_000)


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")
