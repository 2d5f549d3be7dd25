"""What `aj blame` says, for tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from agent_journal.answers.blame import BlameWishes, blame_answer, find_blame
from agent_journal.provenance.blame import Range
from tests.support.journals import open_journal

CART = """\
def merge(lines):
    seen = set()
    for line in lines:
        if line.sku in seen:
            continue
        seen.add(line.sku)
        yield line
"""
WRITTEN = ("written", "s1")
BY_NOBODY = ("-", None)


def blame_items(
    home: Path, path: Path, lines: Range | None = None, wishes: BlameWishes | None = None
) -> list[Any]:
    """Syncs, and returns the items of `aj blame --json`."""
    with open_journal(home) as journal:
        journal.sync()
        return list(blame_answer(find_blame(journal, str(path), lines), wishes).items)


def classes(home: Path, path: Path) -> list[tuple[str, str | None]]:
    """The class and the session of each line."""
    return [(item["class"], item["session"]) for item in blame_items(home, path)]
