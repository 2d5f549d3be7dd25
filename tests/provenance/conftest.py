"""A home with an agent, and a repository that it works in."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.support.repositories import Repository


@pytest.fixture
def home(tmp_path: Path) -> Path:
    folder = tmp_path / "home"
    folder.mkdir()
    return folder


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "shop")
