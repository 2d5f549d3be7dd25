"""Codex: its sessions in a journal."""

from __future__ import annotations

import shutil
from pathlib import Path

from tests.connectors.codex.rollouts import CASES, home, sid
from tests.support.journals import aj, aj_json


def test_the_journal_of_all_cases(tmp_path: Path) -> None:
    for case in CASES:
        shutil.copytree(home(case), tmp_path / ".codex", dirs_exist_ok=True)
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    listed = {row["id"]: row for row in aj_json(tmp_path, "ls", "--all", "-n", "100")["items"]}
    assert listed[sid(2)]["title"] == "Picture of a pump"
    (shown,) = aj_json(tmp_path, "show", sid(51))["items"]
    prompts = [message for message in shown["messages"] if message["kind"] == "prompt"]
    assert [message["text"] for message in prompts] == ["both", "more"]


def test_files_are_recognised_in_any_folder(tmp_path: Path) -> None:
    (old,) = home("old-format").rglob("*.jsonl")
    compressed = next(path for path in home("compressed").rglob("*.zst") if sid(50) in path.name)
    for path, name in (
        (old, "old.jsonl"),
        (compressed, "packed.zst"),
        (compressed, compressed.name),
    ):
        (tmp_path / name).write_bytes(path.read_bytes())
        imported = aj_json(tmp_path, "import", str(tmp_path / name))
        assert [item["agent"] for item in imported["items"]] == ["codex"], name
    assert aj(tmp_path, "import", str(home("forks"))).returncode == 0
