"""Fields that name places: `file:` by name, end or glob, `project:` by any of its folders."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from tests.support.journals import aj, aj_json
from tests.support.search_records import call
from tests.support.talks import record, write

FILES = (
    "/w/app.py",
    "/w/src/app.py",
    "/w/src/test_top.py",
    "/w/src/deep/down/test_low.py",
    "/w/src/my file.py",
    "/w/docker/Dockerfile",
    "/w/pages/[id].tsx",
    "/home/me/x.py",
)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("files")
    records = [record("user", "p", "look at these")]
    for number, path in enumerate(FILES):
        records += call(f"c{number}", "Read", {"file_path": path}, "ok")
    write(home, records)
    assert aj(home, "sync").returncode == 0
    return home


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("app.py", {"/w/app.py", "/w/src/app.py"}),
        ("APP.py", {"/w/app.py", "/w/src/app.py"}),
        ("pp.py", set()),
        ("src/app.py", {"/w/src/app.py"}),
        ("./src/app.py", {"/w/src/app.py"}),
        (r"src\app.py", {"/w/src/app.py"}),
        ("/w/app.py", {"/w/app.py"}),
        ("*.py", {path for path in FILES if path.endswith(".py")}),
        ("src/*.py", {"/w/src/app.py", "/w/src/test_top.py", "/w/src/my file.py"}),
        ("src/**/test_*.py", {"/w/src/test_top.py", "/w/src/deep/down/test_low.py"}),
        ("/w/**/test_*.py", {"/w/src/test_top.py", "/w/src/deep/down/test_low.py"}),
        ("test_???.py", {"/w/src/test_top.py", "/w/src/deep/down/test_low.py"}),
        ("src/deep", {"/w/src/deep/down/test_low.py"}),
        ("src/deep/", {"/w/src/deep/down/test_low.py"}),
        ("src/de*", {"/w/src/deep/down/test_low.py"}),
        ("src/**", {path for path in FILES if path.startswith("/w/src/")}),
        ("Dockerfile", {"/w/docker/Dockerfile"}),
        ('"my file.py"', {"/w/src/my file.py"}),
        ("[id].tsx", {"/w/pages/[id].tsx"}),
        ("Dockerfile,[id].tsx", {"/w/docker/Dockerfile", "/w/pages/[id].tsx"}),
    ],
)
def test_files_by_name_end_or_glob(files: Path, value: str, expected: set[str]) -> None:
    items = aj_json(files, "search", "--no-sync", "--flat", f"tool:read file:{value}")["items"]
    found = {path for path in FILES for item in items if path in item["snippet"]["text"]}
    assert found == expected


def test_a_file_below_the_home_folder(files: Path) -> None:
    env = {"HOME": "/home/me", "AJ_HOME": str(files / ".agent-journal")}
    asked = ("search", "--no-sync", "--flat", "tool:read file:~/x.py")
    assert len(aj_json(files, *asked, env=env)["items"]) == 1


# -- projects ----------------------------------------------------------------------------------


def clone(folder: Path, address: str) -> Path:
    """A folder that looks like a clone of a repository."""
    (folder / ".git").mkdir(parents=True)
    config = f'[remote "origin"]\n\turl = {address}\n'
    (folder / ".git" / "config").write_text(config)
    (folder / "src").mkdir()
    return folder


@pytest.fixture(scope="module")
def projects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two clones of one repository and a folder in it, one without sessions, and other folders."""
    home = tmp_path_factory.mktemp("projects")
    shop = "git@github.com:acme/shop.git"
    first = clone(home / "work" / "Laden", shop)
    second = clone(home / "elsewhere" / "copy", shop)
    clone(home / "new", shop)
    plain = home / "work" / "Überplain"
    plain.mkdir()
    for name, folder in (
        ("s1", first),
        ("s2", second),
        ("s3", first / "src"),
        ("s4", plain),
        ("s5", home / "work" / "Laden-old"),
    ):
        line = {**record("user", name, "hello"), "sessionId": name, "cwd": str(folder)}
        write(home, [line], f".claude/projects/-x/{name}.jsonl")
    assert aj(home, "sync").returncode == 0
    return home


ONE_PROJECT = {"s1", "s2", "s3"}


@pytest.mark.parametrize(
    ("value", "folder", "expected"),
    [
        ("acme/shop", ".", ONE_PROJECT),
        ("elsewhere", ".", ONE_PROJECT),
        ("/copy", ".", ONE_PROJECT),
        ("laden", ".", ONE_PROJECT | {"s5"}),
        ("überplain", ".", {"s4"}),
        ("~/work/Laden", ".", ONE_PROJECT),
        ("~/work/Laden/", ".", ONE_PROJECT),
        ("~/elsewhere", ".", ONE_PROJECT),
        ("~/work", ".", ONE_PROJECT | {"s4", "s5"}),
        (".", "work/Laden", ONE_PROJECT),
        (".", "work/Laden/src", ONE_PROJECT),
        ("..", "work/Laden/src", ONE_PROJECT),
        (".", "new", ONE_PROJECT),
        (".", "work/Überplain", {"s4"}),
        ("./Überplain", "work", {"s4"}),
        ("~/nowhere", ".", set()),
    ],
)
def test_a_project_by_any_of_its_folders(
    projects: Path, value: str, folder: str, expected: set[str]
) -> None:
    where = projects / folder

    def found(*args: str) -> set[str]:
        return {item["id"] for item in aj_json(projects, *args, cwd=where)["items"]}

    assert found("ls", f"project:{value}") == expected
    assert found("ls", "--project", value) == expected
    hits = aj_json(projects, "search", "--no-sync", f"hello project:{value}", cwd=where)["items"]
    assert {hit["session"].partition(":")[2] for hit in hits} == expected


def test_other_commands_take_the_same_project(projects: Path) -> None:
    for command in ("usage", "stats"):
        whole = aj_json(projects, command, "--project", "acme/shop")
        here = aj_json(projects, command, "--project", ".", cwd=projects / "elsewhere/copy")
        assert here["items"] == whole["items"]
    assert aj_json(projects, "stats", "--project", "elsewhere")["items"][0]["sessions"] == 3


def test_an_absolute_folder_and_the_beginning_of_a_name(projects: Path) -> None:
    path = os.path.join(projects, "work", "Laden")
    for value in (path, "acme*"):
        found = aj_json(projects, "ls", f"project:{value}")["items"]
        assert {item["id"] for item in found} == ONE_PROJECT
