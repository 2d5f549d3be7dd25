"""Connectors as packages of their own: the sample, and what installing one leaves behind."""

from __future__ import annotations

import os
from pathlib import Path

from tests.support.journals import SRC
from tests.support.paths import ROOT

SAMPLE = ROOT / "tests/sample_connector"
NOTES = SAMPLE / "cases/garden/home/.notes-agent"


def declare(target: Path, name: str, place: str) -> None:
    """What installing a package leaves behind, as far as it matters here."""
    folder = target / f"{name.replace('-', '_')}-0.1.dist-info"
    folder.mkdir(parents=True)
    (folder / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 0.1\n")
    (folder / "entry_points.txt").write_text(
        f"[console_scripts]\nx = y:z\n\n[agent_journal.connectors]\n{name} = {place}\n"
    )


def with_path(target: Path) -> dict[str, str]:
    return {"PYTHONPATH": os.pathsep.join((str(SRC), str(target)))}
