"""A journal of the demo, and one server for the tests that only read it."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj
from tests.support.servers import Server, running


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("web")
    write_demo_home(str(home), parse_bound("now"))
    assert aj(home, "sync").returncode == 0
    return home


@pytest.fixture
def own_home(demo_home: Path, tmp_path: Path) -> Path:
    """A copy of the journal, for a server of its own."""
    journal = demo_home / ".agent-journal"
    # Readers make and remove the last two; they are empty
    left_out = shutil.ignore_patterns("web.*", "*.db-shm", "*.db-wal")
    shutil.copytree(journal, tmp_path / ".agent-journal", ignore=left_out)
    return tmp_path


@pytest.fixture(scope="session")
def server(demo_home: Path) -> Iterator[Server]:
    with running(demo_home) as started:
        started.open()
        yield started
