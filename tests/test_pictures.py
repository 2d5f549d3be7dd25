"""The pictures of the page: those that are shown exist, and those that exist are shown."""

from __future__ import annotations

import re

from tests.support.paths import ROOT

FOLDER = ROOT / "docs/pictures"
MOST = 600_000  # bytes of all together


def shown() -> set[str]:
    """The pictures that README and the pages of the documentation name."""
    found: set[str] = set()
    for page in [ROOT / "README.md", *(ROOT / "docs").glob("*.md")]:
        text = page.read_text(encoding="utf-8")
        found.update(re.findall(r"pictures/([\w-]+\.webp)", text))
    return found


def test_every_picture_that_is_shown_exists() -> None:
    assert shown() == {path.name for path in FOLDER.glob("*")}


def test_pictures_are_made_by_the_script() -> None:
    made = (ROOT / "docs/pictures.py").read_text()
    for name in shown():
        place, _, look = name.removesuffix(".webp").partition("-")
        assert f'"{place}": ' in made
        assert f'Look("{look}"' in made


def test_pictures_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*")) < MOST
