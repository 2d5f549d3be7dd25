"""The home that tests of the command line share."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj


@pytest.fixture(scope="session")
def demo(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with sessions of every agent, synced."""
    home = tmp_path_factory.mktemp("demo")
    write_demo_home(str(home), parse_bound("now"))
    done = aj(home, "sync")
    assert done.returncode == 0, done.stderr
    return home
