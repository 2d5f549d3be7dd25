"""Plans, todo lists and prompt histories of copied folders: each counts once, none is lost."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.support.arrivals import build, sync
from tests.support.journals import aj, open_journal
from tests.support.paths import CASES

SESSION = "11111111-0000-4000-8000-000000000001"
PLAN = f"session-state/{SESSION}/plan.md"
PLACES = (".copilot", ".config/.copilot")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    """Copilot's folder, and a copy of it where it may be as well."""
    home = tmp_path / "home"
    build(CASES / "copilot_cli/conversation", home)
    shutil.copytree(home / PLACES[0], home / PLACES[1])
    return home


def plans(home: Path) -> list[str]:
    with open_journal(home) as journal:
        return [plan.text for plan in journal.session(SESSION).plans if plan.name == "plan"]


def test_copies_that_came_at_once_are_verified(home: Path) -> None:
    sync(home)
    assert aj(home, "verify").returncode == 0


def test_plans_that_differ_have_an_order_of_their_own(home: Path) -> None:
    for place in PLACES:
        (home / place / PLAN).write_text(f"# The plan in {place}\n")
    sync(home)
    assert len(plans(home)) == 2
    assert aj(home, "verify").returncode == 0
