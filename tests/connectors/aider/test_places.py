"""Where Aider's histories are looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.connectors.aider import CONNECTOR, places
from agent_journal.connectors.base import DEEP, Env, FoundFile, Unlisted
from tests.support.aider_histories import CHAT, INPUT, history


def found(*roots: str) -> list[str]:
    return [
        file.path
        for root in roots
        for file in CONNECTOR.discover(root)
        if isinstance(file, FoundFile)
    ]


def test_roots_are_the_folders_up_to_the_repository(tmp_path: Path) -> None:
    inner = tmp_path / "repo/src/deep"
    inner.mkdir(parents=True)
    (tmp_path / "repo/.git").mkdir()
    (tmp_path / "loose/sub").mkdir(parents=True)
    env = Env(
        str(tmp_path / "home"),
        {},
        "linux",
        str(inner),
        (str(tmp_path / "loose/sub"), "C:\\elsewhere", "relative"),
    )
    names = ["home", "repo/src/deep", "repo/src", "repo", "loose/sub"]
    assert CONNECTOR.roots(env) == [str(tmp_path / name) for name in names]


def test_aiders_own_variables_are_honoured(tmp_path: Path) -> None:
    chat = history(tmp_path / "moved", name="chat.md")
    variables = {
        "AIDER_CHAT_HISTORY_FILE": "~/moved/chat.md",
        "AIDER_INPUT_HISTORY_FILE": "in/" + INPUT,
    }
    roots = CONNECTOR.roots(Env(str(tmp_path), variables, "linux", str(tmp_path / "here")))
    assert roots == [str(chat), str(tmp_path / "here/in"), str(tmp_path), str(tmp_path / "here")]
    assert found(str(chat)) == [str(chat)]


def test_paths_and_patterns_of_the_settings(tmp_path: Path) -> None:
    env = Env(str(tmp_path), {}, "linux", str(tmp_path / "src/a"), (str(tmp_path / "src/b"),))
    for name in ("src/a", "src/b", "src/a/inner", "src/.hidden", "src/node_modules/x"):
        history(tmp_path / name)
    (tmp_path / "src/a/.git").mkdir()
    src = str(tmp_path / "src")
    assert CONNECTOR.normalize_roots(f"{src}/a/{CHAT}", env) == [f"{src}/a"]
    assert CONNECTOR.normalize_roots(src, env) == [src + DEEP]
    assert CONNECTOR.normalize_roots(f"{src}/**/{CHAT}", env) == [src + DEEP]
    assert CONNECTOR.normalize_roots(f"{src}/*/{CHAT}", env) == [f"{src}/a", f"{src}/b"]
    assert CONNECTOR.normalize_roots(f"{tmp_path}/s*/**/{CHAT}", env) == [src + DEEP]
    everywhere = CONNECTOR.normalize_roots(f"**/{CHAT}", env)
    assert everywhere == [str(tmp_path), f"{src}/b", f"{src}/a{DEEP}"]
    assert found(*everywhere) == [f"{src}/b/{CHAT}", f"{src}/a/{CHAT}", f"{src}/a/inner/{CHAT}"]
    assert [
        file.name for file in CONNECTOR.discover(src + DEEP) if isinstance(file, FoundFile)
    ] == [
        f"a/{CHAT}",
        f"a/inner/{CHAT}",
        f"b/{CHAT}",
    ]


def test_a_pattern_without_a_place_never_means_the_home_folder(tmp_path: Path) -> None:
    history(tmp_path / "somewhere")
    for folder in (str(tmp_path), "/", ""):
        roots = CONNECTOR.normalize_roots(f"**/{CHAT}", Env(str(tmp_path), {}, "linux", folder))
        assert not any(root.endswith(DEEP) for root in roots)


def test_the_walk_is_bounded_and_says_so(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for number in range(9):
        history(tmp_path / f"p{number}")
    (tmp_path / "circle").symlink_to(tmp_path)
    assert len(found(str(tmp_path) + DEEP)) == 9
    monkeypatch.setattr(places, "MAX_FOLDERS", 5)
    *files, last = CONNECTOR.discover(str(tmp_path) + DEEP)
    assert len(files) == 4
    assert last == Unlisted(
        str(tmp_path), "more than 5 folders; name the folders of your projects instead"
    )
    monkeypatch.setattr(places, "MAX_DEPTH", 0)
    assert found(str(tmp_path) + DEEP) == []


def test_what_is_not_there_is_no_error(tmp_path: Path) -> None:
    for root in (tmp_path / "no", f"{tmp_path}/no{DEEP}", tmp_path / "no/file.md"):
        assert list(CONNECTOR.discover(str(root))) == []
    (tmp_path / CHAT).mkdir()
    assert list(CONNECTOR.discover(str(tmp_path))) == []
