"""`why`: who wrote a line, for agents; and what they may not ask about."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from agent_journal.answers.recall.recall import Outcome, Recall
from agent_journal.answers.warm_search import WarmSearch
from tests.mcp.conftest import TOKEN
from tests.support.journals import aj, open_journal, variables
from tests.support.mcp_servers import assert_quoted
from tests.support.repositories import ClaudeSession, Repository

CODE = "price = basket.total()\nlabel = f'{price} EUR'\n"
NO_FILE = "no such file is committed"


class Asking:
    """Asks one tool in a folder, as a client does."""

    def __init__(self, home: Path, folder: str) -> None:
        self._search = WarmSearch(str(home / ".agent-journal"))
        self._recall = Recall(self._search, variables(home), folder)

    def __call__(self, file: str, line: int = 1, **given: Any) -> Outcome:
        meta = given.pop("meta", {})
        return self._recall.call("why", {"file": file, "line": line, **given}, meta)

    def item(self, file: str, line: int = 1, **given: Any) -> Any:
        outcome = self(file, line, format="json", **given)
        assert outcome.data is not None, outcome.text
        (item,) = outcome.data["items"]
        return item

    def close(self) -> None:
        self._search.close()


@pytest.fixture
def shop(tmp_path: Path) -> Repository:
    """A repository in which two sessions and a person have written."""
    home = tmp_path
    repository = Repository(tmp_path / "shop")
    first = ClaudeSession(home, "first", repository.root, 5)
    first.prompt(f"Show the price, the token is {TOKEN}")
    first.say(f"I put the label below, with {TOKEN}.")
    first.write("src/price.py", CODE)
    repository.commit(f"show the price {TOKEN}", 10, **{"src/price.py": CODE})
    second = ClaudeSession(home, "second", repository.root, 20)
    second.prompt("Add the tax")
    second.edit("src/price.py", "label", "tax = price * RATE_OF_TAX\nlabel")
    text = CODE.replace("label", "tax = price * RATE_OF_TAX\nlabel") + "written_by = 'a person'\n"
    repository.commit("tax", 25, **{"src/price.py": text})
    repository.write("notes.txt", "not committed, and of nobody\n")
    with open_journal(home) as journal:
        journal.sync()
    return repository


@pytest.fixture
def ask(shop: Repository, tmp_path: Path) -> Iterator[Asking]:
    asking = Asking(tmp_path, str(shop.root / "src"))
    yield asking
    asking.close()


def test_an_answer_names_prompt_words_commit_and_later_sessions(
    ask: Asking, shop: Repository
) -> None:
    item = ask.item("price.py")
    commit = item.pop("commit")
    assert commit == shop.git("rev-parse", "HEAD~1")
    assert item == {
        "path": "src/price.py",
        "first": 1,
        "last": 1,
        "class": "written",
        "subject": "show the price [redacted github-token]",
        "committed_at": "2026-11-01T12:10:00Z",
        "session": "claude-code:first",
        "title": "Show the price, the token is [redacted github-token]",
        "message": 0,
        "timestamp": "2026-11-01T12:05:03Z",
        "prompt": "Show the price, the token is [redacted github-token]",
        "words": "I put the label below, with [redacted github-token].",
        "sub_agent": None,
        "others": [],
        "later": ["claude-code:second"],
    }


@pytest.mark.parametrize("letters", [10, 25, 35])
def test_no_half_of_a_secret_is_shown(shop: Repository, ask: Asking, letters: int) -> None:
    """Of a long prompt only the beginning is looked at, wherever that ends."""
    long = "Add a line".ljust(10_000 - letters) + TOKEN + " and more" * 1_000
    session = ClaudeSession(shop.root.parent, "long", shop.root, 40)
    session.prompt(long)
    session.say(long)
    session.write("src/long.py", "line_of_a_long = 'prompt'\n")
    shop.commit("long", 45, **{"src/long.py": "line_of_a_long = 'prompt'\n"})
    assert aj(shop.root.parent, "sync").returncode == 0
    item = ask.item("long.py")
    assert item["prompt"].startswith("Add a line")
    assert TOKEN[:10] not in json.dumps(item)


def test_an_answer_to_read_is_short_and_quoted(ask: Asking) -> None:
    outcome = ask("price.py", 1, end=4)
    assert not outcome.is_error
    assert len(outcome.text) <= 2_000
    assert_quoted(outcome.text, "Add the tax")
    assert outcome.text.startswith("4 of 4 lines. ")
    quoted = [line[2:] for line in outcome.text.split("\n") if line.startswith("| ")]
    starts = [line.partition("  ")[0] for line in quoted if line.startswith("src/")]
    assert starts == [f"src/price.py:{line}" for line in (1, 2, 3, 4)]
    assert quoted[0].startswith("src/price.py:1  written  claude-code:first at=0  2026-11-01 ")
    assert "  prompt: Add the tax" in quoted
    assert "  later in this file: claude-code:second" in quoted
    assert quoted[-2] == "src/price.py:4  -  no recorded session"
    assert TOKEN not in outcome.text


def test_of_a_line_by_nobody_nothing_is_guessed(ask: Asking) -> None:
    item = ask.item("price.py", 4)
    assert (item["class"], item["subject"]) == ("-", "tax")
    named = ("session", "title", "message", "timestamp", "prompt", "words", "sub_agent")
    assert [item[name] for name in named] == [None] * len(named)
    assert item["others"] == item["later"] == []


def test_a_file_is_found_from_the_folder_by_its_path_or_by_its_end(
    ask: Asking, shop: Repository, tmp_path: Path
) -> None:
    names = ("price.py", "../src/price.py", "src/price.py", str(shop.root / "src/price.py"))
    for name in (*names, "~/shop/src/price.py"):
        assert ask.item(name)["session"] == "claude-code:first", name
    nowhere = Asking(tmp_path, "")
    for name in ("src/price.py", str(shop.root / "src/price.py")):
        assert nowhere.item(name)["session"] == "claude-code:first", name
    nowhere.close()


def test_what_may_not_be_asked_about(ask: Asking, shop: Repository, tmp_path: Path) -> None:
    """What is not committed is not opened: a pipe would keep the tool waiting for ever."""
    outside = tmp_path / "outside.txt"
    outside.write_text("of no repository\n")
    (shop.root / "link.txt").symlink_to(outside)
    shop.git("add", "link.txt")
    shop.git("commit", "-q", "-m", "a link")
    os.mkfifo(shop.root / "pipe")
    names = ["", "notes.txt", "link.txt", "pipe", "gone.txt", "..", ".git/config", "../outside.txt"]
    asked = [str(shop.root / name) for name in names]
    asked += ["//server/share/a.py", "\\\\server\\share\\a.py", "a\0b", "/etc/passwd", "\ud800"]
    for name in asked:
        outcome = ask(name)
        assert outcome.is_error, name
        assert NO_FILE in outcome.text, name
        assert_quoted(outcome.text)


def test_a_committed_file_that_became_a_link_is_not_followed(ask: Asking, shop: Repository) -> None:
    file = shop.root / "src/price.py"
    file.unlink()
    file.symlink_to(shop.root / "notes.txt")
    assert NO_FILE in ask("price.py").text
    file.unlink()
    assert ask.item("price.py")["session"] == "claude-code:first"  # as it was committed


def test_another_repository_is_asked_only_about_what_sessions_changed(
    ask: Asking, tmp_path: Path
) -> None:
    other = Repository(tmp_path / "other")
    session = ClaudeSession(tmp_path, "third", other.root, 5)
    session.prompt("write")
    session.write("edited.py", CODE)
    other.commit("both", 10, **{"edited.py": CODE, "private.py": CODE})
    with open_journal(tmp_path) as journal:
        journal.sync()
    assert ask.item(str(other.root / "edited.py"))["session"] == "claude-code:third"
    assert NO_FILE in ask(str(other.root / "private.py")).text


@pytest.mark.parametrize("name", ["{root}", "shop", "{root}/.."])
def test_an_excluded_project_is_not_there(
    ask: Asking, shop: Repository, tmp_path: Path, name: str
) -> None:
    assert aj(tmp_path, "config", "set", "mcp.exclude", name.format(root=shop.root)).returncode == 0
    for file in ("price.py", str(shop.root / "src/price.py")):
        outcome = ask(file)
        assert outcome.is_error
        assert NO_FILE in outcome.text


def test_lines_of_an_excluded_session_are_of_no_session(shop: Repository, tmp_path: Path) -> None:
    """It was held elsewhere, and wrote into this repository."""
    hidden = ClaudeSession(tmp_path, "hidden", "/work/secret-plans", 40)
    hidden.prompt("a secret plan")
    hidden.edit(f"../..{shop.root}/src/price.py", "a person'", "a person'\nplan = new_plan()")
    text = (shop.root / "src/price.py").read_text()
    shop.commit("plan", 45, **{"src/price.py": text + "plan = new_plan()\n"})
    with open_journal(tmp_path) as journal:
        journal.sync()
    before = Asking(tmp_path, str(shop.root))
    assert before.item("src/price.py", 5)["session"] == "claude-code:hidden"
    assert "claude-code:hidden" in before.item("src/price.py", 1)["later"]
    before.close()
    assert aj(tmp_path, "config", "set", "mcp.exclude", "secret-plans").returncode == 0
    ask = Asking(tmp_path, str(shop.root))
    said = json.dumps([ask.item("src/price.py", line) for line in (1, 5)])
    ask.close()
    assert '"class": "-"' in said
    assert "secret" not in said
    assert "hidden" not in said


def test_what_git_says_of_other_files_is_not_told(ask: Asking, shop: Repository) -> None:
    """Git reads a file that the settings name, and its complaint quotes it."""
    other = shop.root.parent / "other.txt"
    other.write_text("quoted words\n")
    shop.git("config", "blame.ignoreRevsFile", str(other))
    outcome = ask("price.py")
    assert outcome.is_error
    assert "git blame fails for this file" in outcome.text
    assert "quoted words" not in outcome.text


def test_the_session_that_asks_is_named_too(ask: Asking) -> None:
    """To leave it out would be a wrong answer: nobody else wrote the line."""
    item = ask.item("price.py", meta={"threadId": "first"})
    assert item["session"] == "claude-code:first"


def test_without_an_index_of_lines_nothing_is_made(ask: Asking, tmp_path: Path) -> None:
    from agent_journal.sync.indexes import lines

    with open_journal(tmp_path) as journal:
        lines(journal.config).drop()
        outcome = ask("price.py")
        assert outcome.is_error
        assert "there is no index of lines yet" in outcome.text
        assert not lines(journal.config).is_there()


@pytest.mark.parametrize(
    ("given", "says"),
    [
        ({"line": 0}, "line is a number from 1"),
        ({"line": 9}, "price.py has 4 lines"),
        ({"line": 3, "end": 2}, "end is before line"),
        ({"line": 1, "end": 2_001}, "at most 2,000 lines"),
    ],
)
def test_mistakes_are_explained(ask: Asking, given: dict[str, int], says: str) -> None:
    outcome = ask("price.py", **given)
    assert outcome.is_error
    assert says in outcome.text
