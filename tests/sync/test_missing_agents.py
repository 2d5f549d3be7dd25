"""Agents that were never on this machine cost a sync next to nothing."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from agent_journal.connectors import get_connector
from agent_journal.connectors.gemini import Gemini
from tests.support.journals import aj, aj_json, open_journal, variables


def test_what_does_not_exist_is_not_listed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    listed: list[str] = []
    discover = Gemini.discover

    def noted(self: Gemini, root: str) -> object:
        listed.append(root)
        return discover(self, root)

    monkeypatch.setattr(Gemini, "discover", noted)
    root = tmp_path / ".gemini"
    with open_journal(tmp_path) as journal:
        journal.sync()
        assert listed == []
        root.mkdir()
        journal.sync()
        assert listed == [str(root)]


def test_connectors_of_agents_that_were_never_here_are_not_imported(tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from agent_journal import Journal\n"
        "with Journal.open() as journal:\n"
        "    journal.sync(index=False)\n"
        "names = ('pi', 'grok', 'opencode', 'qwen_code')\n"
        "print([n for n in names if 'agent_journal.connectors.' + n in sys.modules])"
    )
    (tmp_path / ".grok").mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code], env=variables(tmp_path), capture_output=True, text=True
    )
    assert done.stdout.strip() == "['grok']"


def test_files_of_an_agent_that_is_gone_are_marked(tmp_path: Path) -> None:
    chats = tmp_path / ".qwen/projects/p/chats"
    chats.mkdir(parents=True)
    line = '{"uuid":"u","type":"user","message":{"parts":[{"text":"Go."}]}}\n'
    (chats / "s.jsonl").write_text(line)
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (tmp_path / ".qwen").rename(tmp_path / "elsewhere")
    assert aj(tmp_path, "sync", "--no-index").returncode == 0
    (source,) = aj_json(tmp_path, "sources", "--files", "--agent", "qwen-code")["items"]
    assert [file["vanished_at"] is not None for file in source["files"]] == [True]


def test_a_folder_that_cannot_be_looked_at_is_a_problem(tmp_path: Path) -> None:
    (tmp_path / "circle").symlink_to("circle")
    env = {"GEMINI_CLI_HOME": str(tmp_path / "circle")}
    assert aj(tmp_path, "sync", "--no-index", env=env).returncode == 0
    assert "cannot be listed" in aj(tmp_path, "doctor", env=env).stdout


def test_each_connector_is_found_under_its_name() -> None:
    assert [get_connector(name).name for name in ("cline", "roo-code", "kilo-code")] == [
        "cline",
        "roo-code",
        "kilo-code",
    ]
