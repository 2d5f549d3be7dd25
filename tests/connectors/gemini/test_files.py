"""Which files of Gemini CLI hold sessions, and which reader reads them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors.base import Env, FileIdentity, FoundFile, Unlisted
from agent_journal.connectors.gemini import CONNECTOR
from tests.support.assemble import BytesContent
from tests.support.gemini_sessions import TALK, home


def test_roots_follow_the_environment() -> None:
    assert CONNECTOR.roots(Env("/h", {}, "linux")) == ["/h/.gemini"]
    assert CONNECTOR.roots(Env("/h", {"GEMINI_CLI_HOME": "/else"}, "darwin")) == ["/else/.gemini"]


def test_normalized_root(tmp_path: Path) -> None:
    (tmp_path / ".gemini").mkdir()
    assert CONNECTOR.normalize_root("/h/.gemini/tmp/") == "/h/.gemini"
    assert CONNECTOR.normalize_root("/h/.gemini") == "/h/.gemini"
    assert CONNECTOR.normalize_root(str(tmp_path)) == str(tmp_path / ".gemini")


def test_discover_lists_only_session_files() -> None:
    found = [file for file in CONNECTOR.discover(str(home("log"))) if isinstance(file, FoundFile)]
    assert {
        file.name.removeprefix("tmp/pear/"): (file.role, file.session_id) for file in found
    } == {
        "projects.json": ("document", None),
        "chats/session-2026-11-15T18-00-6f0c11e2.jsonl": ("replay", None),
        f"chats/{TALK}/scout-1.jsonl": ("replay", f"{TALK}/scout-1"),
        "logs.json": ("document", None),
        "shell_history": ("document", None),
        "plans/pears.md": ("document", None),
        f"{TALK}/plans/today.md": ("document", None),
        "checkpoints/2026-11-15T18-00-20.json": ("kept", None),
        "checkpoint-before%20lunch.json": ("kept", None),
        f"tool-outputs/session-{TALK}/run_shell_command_1.txt": ("kept", None),
    }


def test_folders_with_too_many_files_are_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("agent_journal.connectors.gemini._MAX_KEPT", 2)
    folder = tmp_path / "tmp/p/checkpoints"
    folder.mkdir(parents=True)
    for number in range(3):
        (folder / f"{number}.json").write_text("{}")
    *kept, last = CONNECTOR.discover(str(tmp_path))
    assert len(kept) == 2
    assert isinstance(last, Unlisted)


@pytest.mark.parametrize(
    ("text", "days"),
    [
        ('{"general":{"sessionRetention":{"enabled":true,"maxAge":"2w"}}}', 14),
        ('{"general":{"sessionRetention":{"enabled":false,"maxAge":"2w"}}}', None),
        ('{"general":{"sessionRetention":{"maxAge":"48h"}}}', 2),
        ('{"general":{"sessionRetention":{"maxAge":"soon"}}}', 30),
        ('{"general":{"sessionRetention":{"maxAge":7}}}', 30),
        ('{"general":[]}', 30),
        ("{", 30),
        (None, 30),
    ],
)
def test_retention(tmp_path: Path, text: str | None, days: int | None) -> None:
    if text is not None:
        (tmp_path / "settings.json").write_text(text)
    assert CONNECTOR.retention_days(str(tmp_path)) == days


def test_the_reader_knows_its_files_by_role() -> None:
    identity = FileIdentity("tmp/p/strange", "/x/tmp/p/strange", "document", None)
    reader = CONNECTOR.reader(identity, None)
    assert list(reader.read(BytesContent(b"x"))) == []
    assert reader.ledger.total_bytes == 1
