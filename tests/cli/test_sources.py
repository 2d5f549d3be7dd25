"""`aj sources` names the agents of this machine."""

from __future__ import annotations

from pathlib import Path

from tests.support.journals import aj


def test_agents_that_were_never_here_are_left_out(tmp_path: Path) -> None:
    (tmp_path / ".codex").mkdir()
    done = aj(tmp_path, "sources")
    assert "(codex)" in done.stdout
    assert "missing" not in done.stdout
    assert "(gemini)" not in done.stdout
    assert "'aj sources --agent NAME' shows where aj looks" in done.stderr
    named = aj(tmp_path, "sources", "--agent", "gemini").stdout
    assert "~/.gemini  missing" in named


def test_an_agent_with_a_folder_in_the_settings_is_expected(tmp_path: Path) -> None:
    folder = str(tmp_path / "unplugged")
    done = aj(tmp_path, "sources", env={"AJ_GEMINI_PATH": folder})
    assert "~/unplugged  missing" in done.stdout
