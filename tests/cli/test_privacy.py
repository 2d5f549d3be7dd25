"""Every file that a command writes is its owner's alone, whatever the umask."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from agent_journal.convert.targets import TARGETS
from agent_journal.demo import write_demo_home
from agent_journal.text.dates import parse_bound
from tests.support.journals import aj, aj_json


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("privacy")
    write_demo_home(str(path), parse_bound("now"))
    run(path, "sync")
    return path


def run(home: Path, *args: str) -> None:
    done = aj(home, *args, umask=0o022, cwd=home)
    assert done.returncode == 0, (args, done.stderr)


def modes(folder: Path) -> dict[Path, int]:
    return {path: path.lstat().st_mode & 0o777 for path in [folder, *folder.rglob("*")]}


def assert_private(folder: Path) -> None:
    found = modes(folder)
    assert found
    for path, mode in found.items():
        assert mode == (0o700 if path.is_dir() else 0o600), path


def test_the_journal(home: Path) -> None:
    run(home, "config", "set", "export.html_theme", "dark")
    run(home, "search", "test")
    run(home, "sql", "SELECT 1 FROM sessions")
    run(home, "verify")
    run(home, "sync", "--rebuild")
    assert_private(home / ".agent-journal")


def test_what_is_exported_and_restored(home: Path) -> None:
    for form in ("html", "md", "json", "jsonl"):
        run(home, "export", "--all", "-f", form, "-o", f"out-{form}/")
        assert_private(home / f"out-{form}")
    run(home, "restore", "--all", "-o", "restored")
    assert_private(home / "restored")
    for target in TARGETS:
        run(home, "convert", "last", "--to", target, "-o", f"to-{target}")
        if (home / f"to-{target}").exists():
            assert_private(home / f"to-{target}")


def test_single_files(home: Path) -> None:
    before = set(os.listdir(home))
    run(home, "usage", "monthly", "--plot", "usage.svg")
    run(home, "sql", "FROM sessions", "--csv", "-o", "rows.csv")
    run(home, "sql", "FROM sessions", "--parquet", "rows.parquet")
    run(home, "export", "last", "-o", "one.html", "--split", "2")
    new = set(os.listdir(home)) - before
    assert {"usage.svg", "rows.csv", "rows.parquet", "one.html"} <= new
    for name in new:
        assert (home / name).stat().st_mode & 0o777 == 0o600, name


def test_what_is_installed(home: Path) -> None:
    for target, entry in TARGETS.items():
        if entry.agent is None:
            continue
        items = aj_json(home, "ls")["items"]
        other = next(item["id"] for item in items if item["agent"] != entry.agent)
        before = modes(home)
        run(home, "convert", other, "--to", target, "--install", "--yes")
        new = {path: mode for path, mode in modes(home).items() if path not in before}
        assert new, target
        for path, mode in new.items():
            assert mode == (0o700 if path.is_dir() else 0o600), path


def test_a_demo_that_is_kept(tmp_path: Path) -> None:
    run(tmp_path, "demo", "--keep", "demo")
    assert_private(tmp_path / "demo")
