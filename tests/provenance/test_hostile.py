"""A repository belongs to whoever made it: nothing that it says runs a program."""

from __future__ import annotations

import os
import shlex
import shutil
import stat
import subprocess
from pathlib import Path

import pytest

from agent_journal.answers.agent_trace import agent_trace
from agent_journal.answers.commit import commit_answer, find_commit_shares
from agent_journal.answers.repository_provenance import find_provenance
from agent_journal.errors import JournalError
from agent_journal.provenance import git as module
from agent_journal.provenance.git import Git
from tests.provenance.blamed import blame_items, classes
from tests.support.journals import aj, open_journal
from tests.support.repositories import ClaudeSession, Repository

FAR = 5_000_000_000  # minutes: after the year 9999
CODE = "price = basket.total()\nlabel = f'{price} EUR'\n"


@pytest.fixture
def trap(tmp_path: Path) -> Path:
    """A program that leaves a mark when it runs."""
    program = tmp_path / "trap"
    program.write_text(f"#!/bin/sh\ntouch '{tmp_path}/sprung'\ncat\n")
    program.chmod(program.stat().st_mode | stat.S_IXUSR)
    return program


@pytest.fixture
def hostile(repository: Repository, home: Path, trap: Path) -> Repository:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("price.py", CODE)
    repository.commit("write", 10, **{"price.py": CODE})
    for name in (
        "core.fsmonitor",
        "core.pager",
        "core.sshCommand",
        "core.editor",
        "core.askPass",
        "diff.external",
        "gpg.program",
        "pager.blame",
        "pager.log",
        "sequence.editor",
        "interactive.diffFilter",
        "diff.evil.textconv",
        "diff.evil.command",
        "filter.evil.clean",
        "filter.evil.smudge",
        "filter.evil.process",
        'filter.e=v i"l.clean',
        "alias.blame",
        "uploadpack.packObjectsHook",
    ):
        repository.git("config", name, str(trap))
    repository.git("config", "filter.evil.required", "true")
    repository.git("config", "log.showSignature", "true")
    repository.git("config", "core.hooksPath", str(trap.parent))
    repository.git("config", "diff.orderFile", "none-such")
    repository.git("config", "diff.noprefix", "true")
    repository.git("config", "color.ui", "always")
    repository.git("config", "format.pretty", "raw")
    (repository.root / ".git/info").mkdir(exist_ok=True)
    (repository.root / ".git/info/attributes").write_text("* diff=evil filter=evil\n")
    for hook in ("post-index-change", "fsmonitor-watchman", "pre-commit"):
        (trap.parent / hook).write_bytes(trap.read_bytes())
        (trap.parent / hook).chmod(0o755)
    return repository


def test_blame_and_commit_run_none_of_its_programs(
    hostile: Repository, home: Path, trap: Path
) -> None:
    file = hostile.root / "price.py"
    assert classes(home, file) == [("written", "s1")] * 2
    file.write_text(CODE + "tax = price * RATE\n")
    assert classes(home, file)[2] == ("-", None)
    with open_journal(home) as journal:
        answer = commit_answer(find_commit_shares(journal, "HEAD", str(hostile.root)))
        staged = commit_answer(find_commit_shares(journal, None, str(hostile.root)))
    assert [item["classes"] for item in answer.items] == [{"written": 2}]
    assert staged.items == []
    assert not (trap.parent / "sprung").exists()


@pytest.mark.skipif(os.name == "nt", reason="a program of a shell")
def test_a_git_that_is_too_old_runs_none_of_them(
    hostile: Repository, home: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before 2.31, git does not know of settings in variables."""
    git = shutil.which("git")
    folder = trap.parent / "old"
    folder.mkdir()
    (folder / "git").write_text(f'#!/bin/sh\nunset GIT_CONFIG_COUNT\nexec {git} "$@"\n')
    (folder / "git").chmod(0o755)
    file = hostile.root / "price.py"
    file.write_text(CODE + "tax = price * RATE\n")
    monkeypatch.setenv("PATH", f"{folder}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(JournalError, match="git is too old") as raised:
        classes(home, file)
    assert "2.31" in (raised.value.hint or "")
    assert not (trap.parent / "sprung").exists()


def test_the_index_of_the_repository_is_not_written(hostile: Repository, home: Path) -> None:
    index = hostile.root / ".git/index"
    (hostile.root / "price.py").touch()
    before = index.read_bytes()
    classes(home, hostile.root / "price.py")
    assert index.read_bytes() == before


def test_variables_of_the_caller_do_not_reach_git(
    hostile: Repository, home: Path, trap: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GIT_EXTERNAL_DIFF", str(trap))
    monkeypatch.setenv("GIT_DIR", str(trap.parent / "nowhere"))
    monkeypatch.setenv("GIT_PAGER", str(trap))
    assert classes(home, hostile.root / "price.py") == [("written", "s1")] * 2
    assert not (trap.parent / "sprung").exists()


def test_names_that_look_like_options(repository: Repository, home: Path) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    for name in ("--output=x", ":(top)a", "a:1-2", 'ü\t"x"', "*"):
        session.write(name, CODE)
        repository.write(name, CODE)
    repository.commit("--all", 10)
    for name in ("--output=x", ":(top)a", "a:1-2", 'ü\t"x"', "*"):
        assert classes(home, repository.root / name) == [("written", "s1")] * 2
    with open_journal(home) as journal, pytest.raises(JournalError, match="knows no commit"):
        find_commit_shares(journal, "--output=y", str(repository.root))
    assert sorted(os.listdir(repository.root))[0] == "*"


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="Windows has no pipes with names")
def test_pipes_and_links_are_not_opened(repository: Repository, home: Path, tmp_path: Path) -> None:
    repository.commit("write", 10, **{"price.py": CODE, "pipe": "text of it\n"})
    (repository.root / "pipe").unlink()
    os.mkfifo(repository.root / "pipe")
    (tmp_path / "private").write_text("something private\n")
    (repository.root / "link").symlink_to(tmp_path / "private")
    ClaudeSession(home, "s1", repository.root, 5).prompt("hello")
    for name in ("pipe", "link"):
        with pytest.raises(JournalError, match=f"{name} is not a file"):
            classes(home, repository.root / name)
    repository.git("add", "link")
    with open_journal(home) as journal:
        found = find_provenance(journal, str(repository.root), "agent")
    assert (found.lines, found.skipped) == (2, ["pipe"])


def test_a_repository_that_git_refuses(
    repository: Repository, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    repository.commit("write", 10, a="text of it\n")

    def refused(self: Git, *_: object, **__: object) -> module.Done:
        said = f"fatal: detected dubious ownership in repository at '{self.folder}'"
        return module.Done(128, b"", said)

    monkeypatch.setattr(Git, "_run", refused)
    with pytest.raises(JournalError, match="it belongs to another user") as raised:
        classes(home, repository.root / "a")
    assert "safe.directory" in (raised.value.hint or "")


def test_the_hint_names_the_whole_repository(tmp_path: Path) -> None:
    whole = tmp_path / "Ada's shop"
    said = f"fatal: detected dubious ownership in repository at '{whole}'\nTo add an exception"
    error = module.refusal(str(whole / "src"), "rev-parse", said)
    assert str(whole / "src") not in str(error)
    expected = f"git config --global --add safe.directory {shlex.quote(str(whole))}"
    assert (error.hint or "").endswith(expected)


def test_a_repository_without_a_working_tree(
    repository: Repository, home: Path, tmp_path: Path
) -> None:
    repository.commit("write", 10, a="text of it\n")
    repository.git("clone", "-q", "--bare", str(repository.root), str(tmp_path / "bare"))
    ClaudeSession(home, "s1", repository.root, 5).prompt("hello")
    with pytest.raises(JournalError, match="bare is a repository without files"):
        classes(home, tmp_path / "bare/a")


def test_a_repository_with_longer_ids(home: Path, tmp_path: Path) -> None:
    """SHA-256: what is not committed has a longer name, and so has the empty tree."""
    (tmp_path / "shop").mkdir()
    subprocess.run(
        ["git", "init", "-q", "--object-format=sha256", str(tmp_path / "shop")], check=True
    )
    repository = Repository(tmp_path / "shop")
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("price.py", CODE)
    repository.write("price.py", CODE)
    repository.git("add", "-A")
    with open_journal(home) as journal:
        journal.sync()
        (staged,) = commit_answer(find_commit_shares(journal, None, str(repository.root))).items
    assert (staged["session"], staged["lines"]) == ("s1", 2)
    repository.commit("write", 10)
    repository.write("price.py", CODE + "tax = price * RATE\n")
    items = blame_items(home, repository.root / "price.py")
    assert [len(item["commit"] or "") for item in items] == [64, 64, 0]


def test_a_list_of_revisions_that_is_not_there(hostile: Repository, home: Path) -> None:
    hostile.git("config", "blame.ignoreRevsFile", ".git-blame-ignore-revs")
    with pytest.raises(JournalError, match=r"git blame needs \.git-blame-ignore-revs,") as raised:
        classes(home, hostile.root / "price.py")
    assert "make an empty file" in (raised.value.hint or "")


def test_a_pipe_in_the_place_of_a_file_ends(
    hostile: Repository, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(tmp_path / "pipe")
    hostile.git("config", "blame.ignoreRevsFile", str(tmp_path / "pipe"))
    monkeypatch.setattr(module, "PATIENCE", 1)
    with pytest.raises(JournalError, match=r"git \w+ did not end"):
        blame_items(home, hostile.root / "price.py")


def test_subjects_in_another_encoding(repository: Repository, home: Path) -> None:
    """In UTF-16, a subject may have bytes that look like the ends of lines."""
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("price.py", CODE)
    repository.commit("\u010a\u010a\u010afilename other", 10, **{"price.py": CODE})
    repository.git("config", "i18n.logOutputEncoding", "UTF-16")
    assert classes(home, repository.root / "price.py") == [("written", "s1")] * 2


def test_a_folder_that_only_looks_like_a_repository(tmp_path: Path, home: Path) -> None:
    (tmp_path / "shop/.git").mkdir(parents=True)
    (tmp_path / "shop/.git/HEAD").write_text("ref: refs/heads/main\n")
    (tmp_path / "shop/a").write_text("text\n")
    ClaudeSession(home, "s1", tmp_path / "shop").prompt("hello")
    with pytest.raises(JournalError):
        classes(home, tmp_path / "shop/a")


def test_a_repository_without_commits(repository: Repository, home: Path) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("price.py", CODE)
    repository.write("price.py", CODE)
    assert [name for name, _ in classes(home, repository.root / "price.py")] == ["written"] * 2
    with open_journal(home) as journal, pytest.raises(JournalError, match="knows no commit"):
        find_commit_shares(journal, "HEAD", str(repository.root))


def test_a_commit_of_a_year_after_9999(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("price.py", CODE)
    repository.commit("far", FAR, **{"price.py": CODE})
    assert [name for name, _ in classes(home, repository.root / "price.py")] == ["-", "-"]
    with open_journal(home) as journal:
        found = find_commit_shares(journal, "HEAD", str(repository.root))
        assert commit_answer(found).extra["timestamp"] is None
        assert agent_trace(found)["timestamp"] is None
    shown = aj(home, "commit", cwd=repository.root)
    assert " far · ? · 2 lines added\n" in shown.stdout


def test_what_is_no_folder_and_no_file(repository: Repository, home: Path) -> None:
    file = str(repository.root / "price.py")
    repository.commit("write", 10, **{"price.py": CODE})
    ClaudeSession(home, "s1", repository.root, 5).prompt("hello")
    aj(home, "sync")
    for arguments in (("provenance", "--repo", file), ("commit", "--repo", file)):
        assert f"there is no folder {file}" in aj(home, *arguments).stderr
    assert "no file is named" in aj(home, "log", "", cwd=repository.root).stderr
