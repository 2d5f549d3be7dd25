"""Changing config.toml: comments stay, and a file is never left half written."""

from __future__ import annotations

import errno
import os
import re
import stat
import tomllib
from pathlib import Path

import pytest

from agent_journal.config.loading import load
from agent_journal.errors import CannotWrite, ConfigError
from agent_journal.store.settings_file import set_value
from tests.support.config_files import EXAMPLE, write_config


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"HOME": str(tmp_path)}


def test_set_keeps_comments_and_order(env: dict[str, str]) -> None:
    path = write_config(env, EXAMPLE)
    set_value(path, "search.max_results", "50")
    set_value(path, "storage.sources.claude_code", ["~/.claude", "/b"])
    set_value(path, "storage.sources.vscode", "/v")
    expected = EXAMPLE.replace("max_results = 20", "max_results = 50")
    expected = expected.replace(
        'claude_code = "~/.claude/projects"', 'claude_code = ["~/.claude", "/b"]'
    )
    lines = expected.splitlines()
    lines.insert(
        lines.index('aider = "**/.aider.chat.history.md"     # Glob pattern') + 1, 'vscode = "/v"'
    )
    assert Path(path).read_text() == "\n".join(lines) + "\n"


def test_set_creates_a_private_file_in_a_private_folder(env: dict[str, str]) -> None:
    path = load(env).config_path
    set_value(path, "index.vector.enabled", "off")
    assert tomllib.loads(Path(path).read_text()) == {"index": {"vector": {"enabled": False}}}
    assert stat.S_IMODE(os.stat(path).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(path)).st_mode) == 0o700
    assert os.listdir(os.path.dirname(path)) == ["config.toml"]
    set_value(path, "index.vector_precision", "f32")
    assert tomllib.loads(Path(path).read_text()) == {
        "index": {"vector_precision": "f32", "vector": {"enabled": False}}
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "# only a comment",
        "[search]\nmax_results = 5 # five\n\n[index]\n\n[search.more]\nx = 1\n",
        'storage.sources.claude_code = "/a"\n',
        'storage = { index_path = "/i" }\n',
        "[storage]\n[index]\n[storage.sources]\n",
        "[storage.sources]\r\ncursor = []\r\n",
    ],
)
def test_set_fits_into_any_file(text: str, env: dict[str, str]) -> None:
    path = write_config(env, text)
    for key, value, expected in [
        ("search.max_results", "7", 7),
        ("storage.index_path", "/idx", "/idx"),
        ("storage.sources.copilot_cli", ["/a", "/b"], ["/a", "/b"]),
        ("index.vector.fallback", "none", "none"),
    ]:
        set_value(path, key, value)
        assert load(env).get(key) == expected
    for comment in re.findall(r"#.*", text):
        assert comment in Path(path).read_text()


@pytest.mark.parametrize(
    ("key", "values"),
    [
        ("search.max_results", ["many"]),
        ("search.max_results", ["1", "2"]),
        ("search.max_results", []),
        ("search.default_mode", ["fuzzy"]),
        ("storage.sources.cursor", ["/a", ""]),
        ("storage.sources.cursor", [""]),
    ],
)
def test_set_refuses_what_load_would_refuse(
    key: str, values: list[str], env: dict[str, str]
) -> None:
    path = write_config(env, "[search]\nmax_results = 5\n")
    with pytest.raises(ConfigError, match=re.escape(key)):
        set_value(path, key, values)
    assert Path(path).read_text() == "[search]\nmax_results = 5\n"


def test_set_leaves_a_broken_file_alone(env: dict[str, str]) -> None:
    path = write_config(env, "[search\n")
    with pytest.raises(ConfigError, match="line 1"):
        set_value(path, "search.max_results", "5")
    assert Path(path).read_text() == "[search\n"


def test_set_does_not_disturb_a_file_it_does_not_fit_into(env: dict[str, str]) -> None:
    path = write_config(env, "search = 3\n")
    with pytest.raises(ConfigError, match="does not fit"):
        set_value(path, "search.max_results", "5")
    assert Path(path).read_text() == "search = 3\n"


def test_set_writes_through_a_link(env: dict[str, str], tmp_path: Path) -> None:
    real = tmp_path / "dotfiles" / "journal.toml"
    real.parent.mkdir()
    real.write_text("# mine\n")
    link = tmp_path / ".agent-journal" / "config.toml"
    link.parent.mkdir()
    link.symlink_to(real)
    set_value(str(link), "search.max_results", "5")
    assert link.is_symlink()
    assert real.read_text() == "# mine\n\n[search]\nmax_results = 5\n"


def test_set_says_when_it_cannot_write(
    env: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(old: str, new: str, **folders: object) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    path = write_config(env, "# mine\n")
    monkeypatch.setattr(os, "replace", full)
    with pytest.raises(CannotWrite, match="No space left") as caught:
        set_value(path, "search.max_results", "5")
    assert path in caught.value.message
    assert os.listdir(os.path.dirname(path)) == ["config.toml"]
    assert Path(path).read_text() == "# mine\n"
