"""The sample connector, installed in a folder of its own, and a home with its files."""

from __future__ import annotations

import shutil
import tomllib
from pathlib import Path

import pytest

from tests.support.journals import write_claude
from tests.support.packages import NOTES, SAMPLE, declare


@pytest.fixture
def installed(tmp_path: Path) -> Path:
    """The sample package in a folder of its own, declared as its pyproject.toml says."""
    target = tmp_path / "site"
    shutil.copytree(SAMPLE / "notes_agent", target / "notes_agent")
    project = tomllib.loads((SAMPLE / "pyproject.toml").read_text())["project"]
    ((name, place),) = project["entry-points"]["agent_journal.connectors"].items()
    declare(target, name, place)
    return target


@pytest.fixture
def home(tmp_path: Path) -> Path:
    home = tmp_path / "home"
    shutil.copytree(NOTES, home / ".notes-agent")
    write_claude(home)
    return home
