"""A journal of the demo's sessions, at a fixed time."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.demo import write_demo_home
from tests.support.journals import aj
from tests.support.tui_screens import NOW


@pytest.fixture(scope="session")
def demo_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Read only: other tests use it, too."""
    home = tmp_path_factory.mktemp("tui") / "home"
    home.mkdir()
    write_demo_home(str(home), NOW)
    done = aj(home, "sync")
    assert done.returncode == 0, done.stderr
    return home
