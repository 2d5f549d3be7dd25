"""Names that mean the same: models, repositories, and the folders of one project."""

from __future__ import annotations

import subprocess
from pathlib import Path

import pytest

from agent_journal.store.repositories import project_of
from agent_journal.text.names import model_name, repository_name
from tests.support.journals import aj, aj_json
from tests.support.talks import record, write


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("copilot/claude-opus-4.5", "claude-opus-4-5"),
        ("claude-opus-4-5-20251101", "claude-opus-4-5"),
        ("us.anthropic.claude-opus-4-5-20251101-v1:0", "claude-opus-4-5"),
        ("openrouter/anthropic/claude-opus-4.5", "claude-opus-4-5"),
        ("claude-sonnet-4-5@20250929", "claude-sonnet-4-5"),
        ("claude-sonnet-4-5-20250929[1m]", "claude-sonnet-4-5"),
        ("Claude Opus 4.5 (Preview)", "claude-opus-4-5"),
        ("claude-3-5-sonnet-20241022", "claude-sonnet-3-5"),
        ("claude-3.7-sonnet", "claude-sonnet-3-7"),
        ("gpt-4o-2024-08-06", "gpt-4o"),
        ("openai/gpt-5.1-codex", "gpt-5.1-codex"),
        ("models/gemini-2.5-pro", "gemini-2.5-pro"),
        ("o3", "o3"),
        ("<synthetic>", "<synthetic>"),
        ("20251101", "20251101"),
        ("", ""),
    ],
)
def test_a_model_has_one_name(name: str, expected: str) -> None:
    assert model_name(name) == expected
    assert model_name(expected) == expected


@pytest.mark.parametrize(
    ("address", "expected"),
    [
        ("git@github.com:Owner/Name.git", "owner/name"),
        ("https://user:secret@github.com/owner/name", "owner/name"),
        ("ssh://git@github.com/owner/name.git", "owner/name"),
        ("ssh://git@git.example.org:2222/group/sub/name.git", "git.example.org/group/sub/name"),
        ("https://git.example.org/name/", "git.example.org/name"),
        ("", None),
        ("/srv/name.git", None),
    ],
)
def test_a_repository_has_one_name(address: str, expected: str | None) -> None:
    assert repository_name(address) == expected


def git(folder: Path, *args: str) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    who = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    subprocess.run(["git", *who, *args], cwd=folder, check=True, capture_output=True)


def test_worktrees_clones_and_subfolders_are_one_project(tmp_path: Path) -> None:
    main = tmp_path / "main"
    git(main, "init", "-q")
    git(main, "commit", "-q", "--allow-empty", "-m", "first")
    alone = project_of(str(main))
    assert alone is not None
    assert alone.startswith("commit:")
    git(main, "worktree", "add", "-q", str(tmp_path / "tree"))
    assert project_of(str(tmp_path / "tree")) == alone
    git(main, "remote", "add", "origin", "git@github.com:acme/app.git")
    (main / "src/deep").mkdir(parents=True)
    for folder in (main, main / "src/deep", tmp_path / "tree"):
        assert project_of(str(folder)) == "acme/app"
    for none in (tmp_path, tmp_path / "gone", Path("relative"), Path("//host/share")):
        assert project_of(str(none)) is None


def test_a_moved_folder_stays_one_project(tmp_path: Path) -> None:
    old, new = tmp_path / "old-place", tmp_path / "new-place"
    for folder in (old, new):
        git(folder, "init", "-q")
        git(folder, "remote", "add", "origin", "https://github.com/acme/app")
    for name, folder in (("s1", old), ("s2", new)):
        line = {**record("user", name, f"hello from {name}"), "sessionId": name, "cwd": str(folder)}
        write(tmp_path, [line], f".claude/projects/-x/{name}.jsonl")
    assert aj(tmp_path, "sync").returncode == 0
    for asked in (["ls", "--project", "acme/app"], ["search", "hello", "project:acme/app"]):
        assert len(aj_json(tmp_path, *asked)["items"]) == 2
    assert {item["project"] for item in aj_json(tmp_path, "ls")["items"]} == {"acme/app"}


def test_a_model_is_found_by_either_name(tmp_path: Path) -> None:
    for name, model in (
        ("s1", "claude-opus-4-5-20251101"),
        ("s2", "copilot/claude-opus-4.5"),
        ("s3", "gpt-5.1"),
    ):
        said = record("assistant", name, [{"type": "text", "text": "an answer"}])
        said["message"]["model"] = model
        write(tmp_path, [{**said, "sessionId": name}], f".claude/projects/-x/{name}.jsonl")
    assert aj(tmp_path, "sync").returncode == 0

    def found(query: str) -> set[str]:
        return {
            item["session"][-2:]
            for item in aj_json(tmp_path, "search", "--no-sync", f"answer {query}")["items"]
        }

    assert found("model:claude-opus-4-5") == {"s1", "s2"}
    assert found("model:opus-4.5") == {"s2"}
    assert found("model:gpt-5.1") == {"s3"}
