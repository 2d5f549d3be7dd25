"""`aj restore` names folders and rows as a person knows them."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.support.journals import aj
from tests.support.paths import CASES


def test_folders_are_told_apart_by_their_names(tmp_path: Path) -> None:
    for case in ("pi/linear", "cline/store", "opencode/tree"):
        shutil.copytree(CASES / case / "home", tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    assert aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "back")).returncode == 0
    found = {path.name for path in (tmp_path / "back").iterdir()}
    assert found == {".pi", ".cline", "opencode"}
    for path in (tmp_path / "back/.pi").rglob("*.jsonl"):
        assert path.read_bytes() == (tmp_path / path.relative_to(tmp_path / "back")).read_bytes()
    assert aj(tmp_path, "import", str(tmp_path / "back")).returncode == 0


def test_rows_of_any_agent_are_explained(tmp_path: Path) -> None:
    shutil.copytree(CASES / "opencode/tree/home", tmp_path, dirs_exist_ok=True)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    done = aj(tmp_path, "restore", "--all", "-o", str(tmp_path / "back"))
    assert done.returncode == 0
    assert "state.vscdb" not in done.stderr  # there is no such file
    assert "(#rows in the name): agents do not read" in done.stderr
    assert "'aj import" in done.stderr
