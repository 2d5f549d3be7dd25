"""`aj statusline install|remove|status`: one entry in Claude Code's settings, and nothing else."""

from __future__ import annotations

import json
import os
import stat
import subprocess
from pathlib import Path

import pytest

from agent_journal.convert.claude_code.status_line import is_ours
from tests.support.journals import aj

OTHER = {"type": "command", "command": "~/bin/my-line", "padding": 0}


def _settings(home: Path) -> Path:
    path = home / ".claude/settings.json"
    path.parent.mkdir(exist_ok=True)
    return path


def _backup(home: Path) -> Path:
    return home / ".claude/settings.json.before-aj"


def _leftovers(home: Path) -> list[str]:
    return sorted(path.name for path in (home / ".claude").iterdir())


def test_a_file_that_install_made_is_removed_again(tmp_path: Path) -> None:
    path = _settings(tmp_path)
    assert not path.exists()
    assert aj(tmp_path, "statusline", "install").returncode == 0
    assert is_ours(json.loads(path.read_text(encoding="utf-8"))["statusLine"])
    assert aj(tmp_path, "statusline", "remove").returncode == 0
    assert not path.exists()


def test_install_and_remove_leave_the_rest_as_it_was(tmp_path: Path) -> None:
    path = _settings(tmp_path)
    text = '{\n\t"model": "opus",\n\t"env": {"Ä": "ü", "n": 1.5},\n\t"hooks": {}\n}\n'
    path.write_text(text, encoding="utf-8")
    path.chmod(0o644)
    assert aj(tmp_path, "statusline", "status").stdout.startswith("not installed")
    done = aj(tmp_path, "statusline", "install")
    assert done.returncode == 0, done.stderr
    values = json.loads(path.read_text(encoding="utf-8"))
    assert list(values) == ["model", "env", "hooks", "statusLine"]
    assert values["env"] == {"Ä": "ü", "n": 1.5}
    assert is_ours(values["statusLine"])
    assert path.read_text(encoding="utf-8").startswith('{\n\t"model"')
    assert _backup(tmp_path).read_text(encoding="utf-8") == text
    assert stat.S_IMODE(_backup(tmp_path).stat().st_mode) == 0o600
    assert stat.S_IMODE(path.stat().st_mode) == 0o644
    assert aj(tmp_path, "statusline", "status").stdout.startswith("installed")
    before = path.stat().st_mtime_ns
    assert "already installed" in aj(tmp_path, "statusline", "install").stderr
    assert path.stat().st_mtime_ns == before
    assert aj(tmp_path, "statusline", "remove").returncode == 0
    assert json.loads(path.read_text(encoding="utf-8")) == json.loads(text)
    assert _leftovers(tmp_path) == ["settings.json"]


def test_the_installed_command_runs(tmp_path: Path) -> None:
    assert aj(tmp_path, "statusline", "install", "--sync").returncode == 0
    command = json.loads(_settings(tmp_path).read_text())["statusLine"]["command"]
    assert command.endswith(" statusline --sync")
    assert stat.S_IMODE(_settings(tmp_path).stat().st_mode) == 0o600
    assert not _backup(tmp_path).exists()


def test_another_line_is_replaced_only_when_asked_and_comes_back(tmp_path: Path) -> None:
    path = _settings(tmp_path)
    path.write_text(json.dumps({"statusLine": OTHER, "model": "opus"}))
    refused = aj(tmp_path, "statusline", "install", stdin=subprocess.DEVNULL)
    assert refused.returncode == 2
    assert "--yes" in refused.stderr
    assert json.loads(path.read_text())["statusLine"] == OTHER
    assert aj(tmp_path, "statusline", "remove").returncode == 2  # it is not ours
    assert aj(tmp_path, "statusline", "install", "--yes").returncode == 0
    assert list(json.loads(path.read_text())) == ["statusLine", "model"]
    # Ours replaces ours without a question, and what was there before is still known
    assert aj(tmp_path, "statusline", "install", "--sync").returncode == 0
    values = json.loads(path.read_text())
    path.write_text(json.dumps({**values, "theme": "dark"}))  # Claude Code writes meanwhile
    assert "previous" in aj(tmp_path, "statusline", "remove").stderr
    expected = {"statusLine": OTHER, "model": "opus", "theme": "dark"}
    assert json.loads(path.read_text()) == expected
    assert _leftovers(tmp_path) == ["settings.json"]


@pytest.mark.parametrize(
    "text",
    [
        '{\n  // a comment\n  "model": "opus"\n}',
        '{"model": "opus",}',
        '{"model": 1, "model": 2}',
        '{"x": NaN}',
        '{"x": 1e999}',
        "[]",
        "",
        "\ufeff{}",
    ],
)
def test_what_is_not_plain_json_is_left_alone(tmp_path: Path, text: str) -> None:
    path = _settings(tmp_path)
    path.write_text(text, encoding="utf-8")
    done = aj(tmp_path, "statusline", "install", "--yes")
    assert done.returncode == 2
    assert json.loads(done.stdout)["statusLine"]["type"] == "command"
    assert "left alone" in done.stderr
    assert path.read_text(encoding="utf-8") == text
    assert _leftovers(tmp_path) == ["settings.json"]


def test_print_writes_nothing(tmp_path: Path) -> None:
    done = aj(tmp_path, "statusline", "install", "--print")
    assert is_ours(json.loads(done.stdout)["statusLine"])
    assert not (tmp_path / ".claude").exists()


def test_links_are_written_through_and_the_folder_can_be_another(tmp_path: Path) -> None:
    real = tmp_path / "dotfiles.json"
    real.write_text("{}\n")
    folder = tmp_path / "elsewhere"
    folder.mkdir()
    os.symlink(real, folder / "settings.json")
    env = {"CLAUDE_CONFIG_DIR": str(folder)}
    assert aj(tmp_path, "statusline", "install", env=env).returncode == 0
    assert (folder / "settings.json").is_symlink()
    assert "statusLine" in json.loads(real.read_text())
    assert not (tmp_path / ".claude").exists()


@pytest.mark.parametrize(
    ("command", "expected"),
    [
        ("aj statusline", True),
        ("'/opt/my tools/aj' statusline --sync", True),
        ("/usr/bin/python3 -m agent_journal statusline", True),
        ("ajax statusline", False),
        ("ccusage statusline", False),
        ("echo 'unbalanced", False),
        ("", False),
    ],
)
def test_what_is_ours(command: str, expected: bool) -> None:
    assert is_ours({"type": "command", "command": command}) is expected
    assert not is_ours(command)
