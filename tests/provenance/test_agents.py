"""Every line of an edit with text that still stands is attributed, whichever agent wrote it."""

from __future__ import annotations

import os
import subprocess
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path

from agent_journal.demo import write_demo_home
from agent_journal.journal import Journal
from agent_journal.model import FileEdit, Session
from agent_journal.model.written_lines import (
    collapsed,
    has_text,
    removed_lines,
    says_enough,
    written_lines,
)
from agent_journal.provenance.blame import blame_in
from agent_journal.provenance.candidates import Finder
from agent_journal.provenance.commits import commit_shares
from agent_journal.provenance.file_log import file_log
from agent_journal.provenance.git import open_repository
from agent_journal.sync.indexes import lines as line_index
from tests.support.aider_histories import history
from tests.support.journals import open_journal
from tests.support.repositories import NOON, Repository

NOW = datetime(2026, 11, 1, 12, tzinfo=UTC)
ANSWER = "{}\n```python\n<<<<<<< SEARCH\n=======\n{}\n>>>>>>> REPLACE\n```\n\n"
CODE = "def price_of(basket):\n    return sum(entry.price for entry in basket)"


def git(folder: Path, *words: str, when: datetime | None = None) -> None:
    """Run git; what it commits is of that time."""
    author = ["-c", "user.name=Ada", "-c", "user.email=ada@example.org"]
    time = (when or NOW).isoformat()
    subprocess.run(
        ["git", *author, *words],
        cwd=folder,
        env={
            "PATH": os.environ["PATH"],
            "GIT_CONFIG_GLOBAL": "/dev/null",
            "GIT_AUTHOR_DATE": time,
            "GIT_COMMITTER_DATE": time,
        },
        check=True,
        capture_output=True,
    )


def left_of(edits: list[FileEdit]) -> list[str]:
    """What edits of one file leave of each other's lines, one after the other."""
    lines: list[str] = []
    for edit in edits:
        gone = {collapsed(text) for text in removed_lines(edit)}
        lines = [text for text in lines if collapsed(text) not in gone]
        lines += [line.text for line in written_lines(edit)]
    return lines


def lay_out(journal: Journal, session: Session, folder: Path) -> list[str]:
    """Make a repository of the lines that a session left; return its files."""
    base = (session.project_path or "").replace("\\", "/")
    files: dict[str, list[FileEdit]] = {}
    for edit in session.file_edits:
        path = edit.path.replace("\\", "/").removeprefix(base).lstrip("/")
        if edit.kind not in ("backup", "delete") and has_text(edit):
            files.setdefault(path, []).append(edit)
    git_folder = folder / (base.rpartition("/")[2] or "shop")
    git_folder.mkdir(parents=True)
    git(git_folder, "init", "--quiet")
    query = "SELECT project FROM projects WHERE path = ?"
    for (project,) in journal.db.execute(query, (session.project_path,)).fetchall():
        git(git_folder, "remote", "add", "origin", f"https://github.com/{project}.git")
    left = {path: left_of(edits) for path, edits in files.items()}
    for path, lines in left.items():
        (git_folder / path).parent.mkdir(parents=True, exist_ok=True)
        (git_folder / path).write_text("\n".join(lines) + "\n")
    git(git_folder, "add", "--all")
    ended = session.ended_at or session.started_at or NOW
    git(git_folder, "commit", "--quiet", "-m", "all", when=ended + timedelta(minutes=1))
    return [str(git_folder / path) for path in left]


def finder_of(journal: Journal, folder: Path) -> Finder:
    return Finder(journal.db, line_index(journal.config), open_repository(str(folder)))


def unattributed(journal: Journal, files: list[str]) -> tuple[int, list[str]]:
    """How many lines say enough to be looked for, and those of no recorded session."""
    count = 0
    missed = []
    for path in files:
        finder = finder_of(journal, Path(path).parent)
        for verdict in blame_in(finder, finder.repository.relative(path)).verdicts:
            if says_enough(collapsed(verdict.line.text)):
                count += 1
                if verdict.line_class == "-":
                    missed.append(f"{path}: {verdict.line.text}")
    return count, missed


def test_lines_of_every_agent(tmp_path: Path) -> None:
    write_demo_home(str(tmp_path / "home"), NOW)
    lines: Counter[str] = Counter()
    with open_journal(tmp_path / "home") as journal:
        journal.sync()
        for number, row in enumerate(journal.sessions()):
            session = journal.session(row.id)
            if any(has_text(edit) for edit in session.file_edits):
                count, missed = unattributed(
                    journal, lay_out(journal, session, tmp_path / str(number))
                )
                assert missed == []
                lines[session.agent] += count
    agents = {"aider", "claude-code", "codex", "copilot-cli", "gemini", "vscode-chat"}
    assert agents <= {agent for agent, count in lines.items() if count}


def test_edits_of_aider_of_which_it_said_nothing(tmp_path: Path) -> None:
    """They are in no commit that says so, but their lines are; and Aider's clock has no zone."""
    repository = Repository(tmp_path / "shop")
    place = history(
        tmp_path / "shop",
        f"\n# aider chat started at {datetime.fromtimestamp(NOON, UTC):%Y-%m-%d %H:%M:%S}\n\n"
        "#### the price  \n\n" + ANSWER.format("price.py", CODE),
    )
    place.rename(tmp_path / "kept.md")
    # Eight hours east of Greenwich: by the clock on the wall, the commit was long before.
    sha = repository.commit("price", -8 * 60, **{"price.py": CODE + "\n"})
    (tmp_path / "kept.md").rename(place)
    with place.open("a") as log:
        log.write(f"> Commit {sha[:7]} feat: add the price  \n")
    with open_journal(tmp_path, AJ_AIDER_PATH=str(tmp_path / "shop")) as journal:
        journal.sync()
        found = blame_in(finder_of(journal, repository.root), "price.py")
        assert [verdict.line_class for verdict in found.verdicts] == ["written", "written"]
        (tie,) = commit_shares(found.finder, "HEAD").ties.values()
        assert tie.has_printed


def test_edits_without_text_say_so(tmp_path: Path) -> None:
    repository = Repository(tmp_path / "shop")
    repository.commit("price", 0, **{"price.py": CODE + "\n"})
    history(
        tmp_path / "shop",
        "\n# aider chat started at 2026-11-01 12:00:00\n\n#### the price  \n\nDone.\n\n"
        "> Applied edit to price.py  \n",
    )
    with open_journal(tmp_path, AJ_AIDER_PATH=str(tmp_path / "shop")) as journal:
        journal.sync()
        found = blame_in(finder_of(journal, repository.root), "price.py")
        (session,) = file_log(found)
        assert session.without_text == 1
        assert session.left.total() == 0
