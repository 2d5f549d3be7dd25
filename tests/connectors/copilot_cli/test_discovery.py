"""Which files of Copilot CLI are found, and where."""

from __future__ import annotations

import hashlib
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from agent_journal.connectors.base import Env, FoundFile, Unlisted
from agent_journal.connectors.copilot_cli import CONNECTOR
from tests.connectors.copilot_cli.cases import CONVERSATION, found, home
from tests.support.paths import ROOT


def test_roots_follow_the_environment() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == [
        "/h/.copilot",
        "/h/.config/.copilot",
        "/h/.copilot-cli",
    ]
    env = Env("/h", {"COPILOT_HOME": "/else", "XDG_CONFIG_HOME": "/x"}, "linux")
    assert CONNECTOR.roots(env) == [
        "/else",
        "/x/.copilot",
        "/h/.config/.copilot",
        "/h/.copilot-cli",
    ]


@pytest.mark.parametrize(
    ("path", "root"),
    [
        ("/h/.copilot/session-state", "/h/.copilot"),
        ("/h/.copilot/session-state/", "/h/.copilot"),
        ("/h/.copilot-cli/sessions", "/h/.copilot-cli"),
        ("/h/sessions", "/h/sessions"),
        ("/h/.copilot", "/h/.copilot"),
    ],
)
def test_normalized_root(path: str, root: str) -> None:
    assert CONNECTOR.normalize_root(path) == root


def test_discover_lists_only_session_files() -> None:
    assert {file.name: (file.role, file.session_id, file.rank) for file in found("layouts")} == {
        "session-state/both/events.jsonl": ("log", "both", 1),
        "session-state/both.jsonl": ("log", "both", 0),
        "session-state/flat.jsonl": ("log", "flat", 0),
        "session-state/old-1/events.jsonl": ("log", "old-1", 1),
        "session-state/only-yaml/workspace.yaml": ("document", None, 0),
        "session-state/rewind-old/rewind-snapshots/index.json": ("document", None, 0),
        "history-session-state/session_old-1.json": ("document", None, 0),
        "command-history-state/one.json": ("document", None, 0),
    }
    (file,) = CONNECTOR.discover(str(home("layouts", ".copilot-cli")))
    assert isinstance(file, FoundFile)
    assert (file.name, file.role, file.session_id, file.rank) == (
        "sessions/seed/events.jsonl",
        "log",
        "seed",
        1,
    )


def test_discover_keeps_files_of_a_session_and_skips_locks() -> None:
    files = {
        file.name.removeprefix(f"session-state/{CONVERSATION}/"): file.role
        for file in found("conversation")
    }
    backup = hashlib.sha256(b"old\n").hexdigest()
    assert files == {
        "events.jsonl": "log",
        "workspace.yaml": "document",
        "vscode.metadata.json": "document",
        "plan.md": "document",
        "checkpoints/index.md": "document",
        "checkpoints/001-half-way.md": "document",
        "rewind-file-snapshots/index.json": "document",
        "rewind-file-snapshots/tracking.json": "document",
        f"rewind-file-snapshots/backups/{backup}": "kept",
        "files/paste-1.txt": "kept",
        "research/report.md": "kept",
        "command-history-state.json": "document",
    }


def test_discover_databases_with_their_wal(tmp_path: Path) -> None:
    (tmp_path / "session-state" / "s").mkdir(parents=True)
    for name in (
        "session-store.db",
        "session-store.db-wal",
        "session-store.db-shm",
        "session-state/s/session.db",
    ):
        (tmp_path / name).write_bytes(b"")
    files = [file for file in CONNECTOR.discover(str(tmp_path)) if isinstance(file, FoundFile)]
    assert [(file.name, file.role, file.companions) for file in files] == [
        ("session-state/s/session.db", "database", ("-wal",)),
        ("session-store.db", "database", ("-wal",)),
    ]


def test_discover_does_not_follow_links_out_of_a_session(tmp_path: Path) -> None:
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "key").write_text("x")
    files = tmp_path / "root" / "session-state" / "s" / "files"
    files.mkdir(parents=True)
    (files / "link").symlink_to(tmp_path / "secret")
    (files / "key").symlink_to(tmp_path / "secret" / "key")
    assert list(CONNECTOR.discover(str(tmp_path / "root"))) == []


def test_discover_of_nothing() -> None:
    assert list(CONNECTOR.discover("/does/not/exist")) == []


def test_discover_reports_what_it_cannot_list(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "session-state" / "s").mkdir(parents=True)
    real = os.scandir

    def scandir(path: str) -> Any:
        if path.endswith("/s"):
            raise PermissionError(13, "Permission denied")
        return real(path)

    monkeypatch.setattr(os, "scandir", scandir)
    assert list(CONNECTOR.discover(str(tmp_path))) == [
        Unlisted(str(tmp_path / "session-state" / "s"), "Permission denied")
    ]


def test_listing_imports_nothing_heavy() -> None:
    src = ROOT / "src"
    code = f"""
import sys
sys.path.insert(0, {str(src)!r})
from agent_journal.connectors.copilot_cli import CONNECTOR
list(CONNECTOR.discover('.'))
heavy = ('msgspec', 'json', 'sqlite3', 'pathlib')
print([module for module in heavy if module in sys.modules])
"""
    done = subprocess.run(
        [sys.executable, "-ISc", code],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
