"""A journal of the demo, and its tables."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import open_journal


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("sql")
    write_demo_home(str(path), parse_bound("now"))
    with open_journal(path) as journal:
        journal.sync()
    return path


@pytest.fixture
def database(home: Path) -> Any:
    with open_journal(home) as journal:
        yield journal.database()
