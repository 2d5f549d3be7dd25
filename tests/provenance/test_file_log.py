"""`aj log` and `aj provenance`: the sessions of a file and of a repository."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.answers.blame import find_blame
from agent_journal.answers.file_log import file_log_answer, find_file_log
from agent_journal.answers.repository_provenance import find_provenance, provenance_answer
from agent_journal.cli.output import Screen
from agent_journal.cli.views.file_log import file_log_table
from agent_journal.cli.views.provenance import provenance_table
from agent_journal.errors import JournalError
from agent_journal.provenance.repository_shares import Grouping
from tests.provenance.test_blame import CART, PRICE
from tests.support.journals import aj, open_journal
from tests.support.repositories import NOON, ClaudeSession, Repository


def shop(home: Path, repository: Repository) -> None:
    """A file of two sessions, one of a person, and one that is no text."""
    first = ClaudeSession(home, "s1", repository.root, 5)
    first.prompt("merge duplicate cart lines")
    first.write("src/cart.py", CART)
    repository.commit("cart", 10, **{"src__cart.py": CART})
    repository.git("mv", "src/cart.py", "src/basket.py")
    repository.commit("rename", 20)
    second = ClaudeSession(home, "s2", repository.root, 25)
    second.prompt("no generator please")
    second.edit("src/basket.py", "        yield line\n", "        kept.append(line)\n")
    changed = CART.replace("yield line", "kept.append(line)")
    (repository.root / "data").write_bytes(b"\0\1\2")
    repository.commit("list", 30, **{"src__basket.py": changed, "doc__price.py": PRICE})


def test_the_sessions_of_a_file_under_all_its_names(home: Path, repository: Repository) -> None:
    shop(home, repository)
    with open_journal(home) as journal:
        journal.sync()
        found = find_file_log(journal, str(repository.root / "src/basket.py"))
        answer = file_log_answer(*found)
    second, first = answer.items
    assert second | {"title": None} == {
        "session": "s2",
        "agent": "claude-code",
        "title": None,
        "first_edit_at": "2026-11-01T12:25:02Z",
        "last_edit_at": "2026-11-01T12:25:02Z",
        "edits": 1,
        "lines_added": 1,
        "lines_removed": 1,
        "lines_left": 1,
        "classes": {"written": 1},
        "edits_undone": 0,
        "edits_without_text": 0,
        "prompts": [{"position": 0, "text": "no generator please"}],
    }
    assert (first["session"], first["lines_added"], first["lines_left"]) == ("s1", 7, 6)
    assert answer.extra == {"path": "src/basket.py", "lines": 7, "lines_of_sessions": 7}


def test_an_edit_that_changed_nothing_has_no_text_to_miss(
    home: Path, repository: Repository
) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("cart.py", CART)
    session.edit("cart.py", "", "")
    repository.commit("cart", 10, **{"cart.py": CART})
    with open_journal(home) as journal:
        journal.sync()
        answer = file_log_answer(*find_file_log(journal, str(repository.root / "cart.py")))
    (item,) = answer.items
    assert (item["edits"], item["edits_without_text"]) == (2, 0)


def test_a_file_that_an_earlier_commit_had(home: Path, repository: Repository) -> None:
    shop(home, repository)
    repository.git("rm", "-q", "src/basket.py")
    repository.git("commit", "-qm", "no basket", minute=40)
    with open_journal(home) as journal:
        journal.sync()
        path = str(repository.root / "src/basket.py")
        answer = file_log_answer(*find_file_log(journal, path))
        with pytest.raises(JournalError, match="none in the last commit"):
            find_blame(journal, path)
        with pytest.raises(JournalError, match="none in the last commit"):
            find_file_log(journal, str(repository.root / "never.py"))
    assert [item["session"] for item in answer.items] == ["s2"]
    assert answer.extra == {"path": "src/basket.py", "lines": 0, "lines_of_sessions": 0}


def test_the_command_prints_it(home: Path, repository: Repository) -> None:
    shop(home, repository)
    aj(home, "sync")
    done = aj(home, "log", "basket.py", cwd=repository.root / "src")
    assert done.stdout == (
        "session         last edit  edits  added  removed  left  first prompt\n"
        "claude-code s2  1 Nov          1      1        1     1  “no generator please”\n"
        "claude-code s1  1 Nov          1      7        0     6  “merge duplicate cart lines”\n"
    )
    done = aj(home, "log", "price.py", "--plain", cwd=repository.root / "doc")
    assert (done.stdout, done.returncode) == ("", 0)


@pytest.mark.parametrize("width", [80, 60])
def test_a_narrow_terminal_keeps_the_id(home: Path, repository: Repository, width: int) -> None:
    uid = "4f1c2a00-0000-7000-8000-000000000000"
    session = ClaudeSession(home, uid, repository.root, 5)
    session.prompt("merge duplicate cart lines of every basket that was left behind")
    session.write("cart.py", CART)
    repository.commit("cart", 10, **{"cart.py": CART})
    with open_journal(home) as journal:
        journal.sync()
        answer = file_log_answer(*find_file_log(journal, str(repository.root / "cart.py")))
    head, row = file_log_table(answer).lines(Screen(width, colour=False))
    assert row.startswith("claude-code 4f1c2a00  1 Nov")
    assert head.endswith("left  first prompt")


def test_a_repository_by_session_has_short_ids_and_titles(
    home: Path, repository: Repository
) -> None:
    uid = "4f1c2a00-0000-7000-8000-000000000000"
    session = ClaudeSession(home, uid, repository.root, 5)
    session.prompt("merge duplicate cart lines")
    session.write("cart.py", CART)
    repository.commit("cart", 10, **{"cart.py": CART})
    with open_journal(home) as journal:
        journal.sync()
        found = find_provenance(journal, str(repository.root), "session")
        answer = provenance_answer(found, "session")
    row = provenance_table(answer).lines(Screen(80, colour=False))[1]
    assert row.startswith("claude-code 4f1c2a00 “merge duplicate cart lines”  ")


def test_the_lines_of_a_repository(home: Path, repository: Repository) -> None:
    shop(home, repository)
    expected: dict[Grouping, list[tuple[str | None, int, int]]] = {
        "agent": [("claude-code", 7, 7), (None, 5, 0)],
        "model": [("claude-opus-5-5", 7, 7), (None, 5, 0)],
        "session": [("claude-code:s1", 6, 6), ("claude-code:s2", 1, 1), (None, 5, 0)],
        "folder": [("src", 7, 7), ("doc", 5, 0)],
    }
    with open_journal(home) as journal:
        journal.sync()
        for by, groups in expected.items():
            answer = provenance_answer(find_provenance(journal, str(repository.root), by), by)
            items = [(i["key"], i["lines"], i["lines_of_sessions"]) for i in answer.items]
            assert items == groups
            assert (answer.extra["lines"], answer.extra["skipped"]) == (12, ["data"])
        since = (NOON + 60 * 25) * 1_000_000
        found = find_provenance(journal, str(repository.root), "agent", since)
        answer = provenance_answer(found, "agent")
    assert [(i["key"], i["lines"]) for i in answer.items] == [("claude-code", 1), (None, 5)]


def test_what_is_shown_of_a_repository(home: Path, repository: Repository) -> None:
    shop(home, repository)
    aj(home, "sync")
    done = aj(home, "provenance", "--repo", str(repository.root / "src"))
    assert done.stdout == (
        "agent                lines   %  written\n"
        "claude-code              7  58        7\n"
        "no recorded session      5  42        0\n"
    )
    assert done.stderr == (
        "7 of 12 lines in 2 files written by recorded sessions\n"
        "1 file without lines left out (--json names them)\n"
    )
