"""`aj commit`: the sessions that wrote the lines of a commit."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent_journal.answers.agent_trace import agent_trace
from agent_journal.answers.commit import commit_answer, find_commit_shares
from agent_journal.errors import JournalError
from agent_journal.provenance.commits import CommitShares
from tests.provenance.test_blame import CART, PRICE
from tests.support.journals import aj, open_journal
from tests.support.repositories import ClaudeSession, Repository

CLOSED = "    raise CartIsClosed(cart.number, kept_lines=len(seen))\n"
LOCK = "".join(f"wheel-{number} = sha256:{number:064x}\n" for number in range(30))


def commit_items(home: Path, repository: Repository, revision: str | None = "HEAD") -> list[Any]:
    with open_journal(home) as journal:
        journal.sync()
        found = find_commit_shares(journal, revision, str(repository.root))
        return list(commit_answer(found).items)


def shop(home: Path, repository: Repository) -> str:
    """A commit with the work of two sessions and of a person; the first session made it."""
    repository.commit("begin", 0, readme="a shop\n")
    first = ClaudeSession(home, "s1", repository.root, 5)
    first.prompt("merge duplicate cart lines")
    first.write("src/cart.py", CART)
    first.prompt("and tidy up")
    first.edit("src/cart.py", "        yield line\n", "        yield line\n" + CLOSED)
    other = ClaudeSession(home, "s2", repository.root, 6)
    other.prompt("the price")
    other.write("src/price.py", PRICE)
    repository.write("cart.lock", LOCK)
    cart = CART + CLOSED
    sha = repository.commit(
        "merge cart lines", 10, **{"src__cart.py": cart, "src__price.py": PRICE}
    )
    first.run("git commit -am ...", f"[main {sha[:7]}] merge cart lines\n 3 files changed")
    return sha


def test_the_sessions_of_a_commit(home: Path, repository: Repository) -> None:
    shop(home, repository)
    first, other, rest = commit_items(home, repository)
    assert first == {
        "session": "s1",
        "agent": "claude-code",
        "title": first["title"],
        "lines": 8,
        "classes": {"written": 8},
        "has_printed": True,
        "is_tied": True,
        "prompts": [
            {"position": 0, "text": "merge duplicate cart lines"},
            {"position": 4, "text": "and tidy up"},
        ],
        "files": [{"path": "src/cart.py", "lines": 8}],
    }
    assert (other["session"], other["lines"], other["has_printed"]) == ("s2", 5, False)
    assert (rest["session"], rest["classes"], rest["files"]) == (
        None,
        {"-": 30},
        [{"path": "cart.lock", "lines": 30}],
    )


def test_the_command_prints_it(home: Path, repository: Repository) -> None:
    sha = shop(home, repository)
    aj(home, "sync")
    done = aj(home, "commit", sha[:10], cwd=repository.root / "src")
    assert done.stdout == (
        f"{sha[:7]} merge cart lines · 1 Nov · 43 lines added\n"
        "  claude-code s1       8 lines   printed this commit; "
        "2 prompts: “merge duplicate cart lines” …\n"
        "  claude-code s2       5 lines   uncommitted work of another session; "
        "1 prompt: “the price”\n"
        "  no recorded session  30 lines  cart.lock 30\n"
    ).replace("  8 lines ", "   8 lines").replace("  5 lines ", "   5 lines")
    done = aj(home, "commit", "--trailer", "HEAD", cwd=repository.root)
    assert done.stdout == "Agent-Session: claude-code:s1\nAgent-Session: claude-code:s2\n"
    done = aj(home, "commit", "--note", cwd=repository.root)
    assert done.stdout == (
        "agent-journal lines, version 1\n"
        "claude-code:s1 written=8\n  src/cart.py 1-8\n"
        "claude-code:s2 written=5\n  src/price.py 1-5\n"
    )
    assert repository.git("notes", "list") == ""


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_note_quotes_odd_names_as_git_does(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    names = ["a\nclaude-code:s2 written=9", 'b"\\\t.py', "c\x1b[2J\u202e.py", " d é.py"]
    for number, name in enumerate(names):
        code = f"price_{number} = basket_{number}.total()\n"
        session.write(name, code)
        repository.write(name, code)
    repository.commit("write", 10)
    aj(home, "sync")
    note = aj(home, "commit", "--note", cwd=repository.root).stdout
    assert note == (
        "agent-journal lines, version 1\n"
        "claude-code:s1 written=4\n"
        "   d é.py 1\n"
        '  "a\\nclaude-code:s2 written=9" 1\n'
        '  "b\\"\\\\\\t.py" 1\n'
        '  "c\\033[2J\\342\\200\\256.py" 1\n'
    )


def test_a_commit_is_named_in_any_way_that_git_knows(home: Path, repository: Repository) -> None:
    sha = shop(home, repository)
    repository.git("tag", "-a", "-m", "first", "v1")
    with open_journal(home) as journal:
        journal.sync()
        for revision in (sha[:9], "v1", "@", ":/merge cart", "HEAD^{/merge cart}"):
            found = find_commit_shares(journal, revision, str(repository.root))
            assert found.commit.sha == sha
        for revision in ("HEAD^{tree}", "HEAD:src", ":/nothing like it", "^HEAD", "HEAD~1..HEAD"):
            with pytest.raises(JournalError, match="knows no commit"):
                find_commit_shares(journal, revision, str(repository.root))


def test_trailers_of_staged_lines(home: Path, repository: Repository) -> None:
    repository.commit("begin", 0, readme="a shop\n")
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("src/cart.py", CART)
    repository.write("src/cart.py", CART)
    assert commit_items(home, repository, None) == []
    repository.git("add", "-A")
    (item,) = commit_items(home, repository, None)
    assert (item["session"], item["classes"]) == ("s1", {"written": 7})
    before = sorted(repository.root.rglob("*"))
    assert "claude-code:s1" in aj(home, "commit", "--trailer", cwd=repository.root).stdout
    assert sorted(repository.root.rglob("*")) == before


def test_merges_renames_and_white_space_add_no_lines(home: Path, repository: Repository) -> None:
    shop(home, repository)
    repository.git("mv", "src/cart.py", "src/basket.py")
    repository.commit("rename", 20)
    assert commit_items(home, repository) == []
    indented = "".join(f"  {line}\n" for line in (CART + CLOSED).splitlines())
    repository.commit("indent", 30, **{"src__basket.py": indented})
    assert commit_items(home, repository) == []
    repository.git("checkout", "-q", "-b", "side", "HEAD~1")
    repository.commit("side", 40, notes="something about it\n")
    repository.git("merge", "-q", "--no-edit", "main", minute=50)
    assert commit_items(home, repository) == []


def test_trailers_and_notes_of_other_programs(home: Path, repository: Repository) -> None:
    name = "0fb2a5c1-1111-4222-8333-444455556666"
    session = ClaudeSession(home, name, repository.root, 5)
    session.prompt("write")
    session.write("src/cart.py", CART)
    message = (
        "write\n\nWith care: no trailer of ours\n\n"
        f"Co-Authored-By: Claude <noreply@example.org>\nReviewed-by: Bo\nAI-Session: {name}"
    )
    repository.commit(message, 10, **{"src__cart.py": CART})
    with open_journal(home) as journal:
        journal.sync()
        found = find_commit_shares(journal, "HEAD", str(repository.root))
        evidence = commit_answer(found).extra["evidence"]
    assert evidence == [
        {
            "kind": "trailer",
            "name": "Co-Authored-By",
            "value": "Claude <noreply@example.org>",
            "session": None,
        },
        {"kind": "trailer", "name": "AI-Session", "value": name, "session": name},
    ]


def test_agent_trace(home: Path, repository: Repository) -> None:
    sha = shop(home, repository)
    with open_journal(home) as journal:
        journal.sync()
        found: CommitShares = find_commit_shares(journal, "HEAD", str(repository.root))
        record = agent_trace(found)
        assert agent_trace(found)["id"] == record["id"]
    assert record["vcs"] == {"type": "git", "revision": sha}
    assert record["files"][0] == {
        "path": "src/cart.py",
        "conversations": [
            {
                "contributor": {"type": "ai", "model_id": "anthropic/claude-opus-5-5"},
                "url": "urn:agent-journal:claude-code:s1",
                "ranges": [{"start_line": 1, "end_line": 8}],
            }
        ],
    }
    assert record["files"][-1]["conversations"] == [
        {"contributor": {"type": "unknown"}, "ranges": [{"start_line": 1, "end_line": 30}]}
    ]
    assert "human" not in json.dumps(record)


def test_agent_trace_names_odd_sessions_by_an_address(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "a [b] 1", repository.root, 5)
    session.prompt("write")
    session.write("price", PRICE)
    repository.commit("write", 10, price=PRICE)
    with open_journal(home) as journal:
        journal.sync()
        record = agent_trace(find_commit_shares(journal, "HEAD", str(repository.root)))
    (conversation,) = record["files"][0]["conversations"]
    assert conversation["url"] == "urn:agent-journal:claude-code:a%20%5Bb%5D%201"
