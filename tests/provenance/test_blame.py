"""`aj blame`: lines of a repository and the sessions that wrote them."""

from __future__ import annotations

from pathlib import Path

from tests.provenance.blamed import blame_items, classes
from tests.support.repositories import ClaudeSession, Repository

CART = """\
def merge(lines):
    seen = set()
    for line in lines:
        if line.sku in seen:
            continue
        seen.add(line.sku)
        yield line
"""


def test_lines_of_a_session(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root)
    session.prompt("merge duplicate cart lines")
    session.write("src/cart.py", CART)
    repository.write("src/cart.py", CART)
    sha = repository.commit("merge cart lines", 10)
    items = blame_items(home, repository.root / "src/cart.py")
    assert [item["class"] for item in items] == ["written"] * 7
    first = items[0]
    assert first | {"edit": 0} == {
        "path": "src/cart.py",
        "line": 1,
        "text": "def merge(lines):",
        "commit": sha,
        "class": "written",
        "session": "s1",
        "agent": "claude-code",
        "edit": 0,
        "timestamp": "2026-11-01T12:00:02Z",
        "prompt": {"position": first["prompt"]["position"], "text": "merge duplicate cart lines"},
        "sub_agent": None,
        "others": [],
        "hint": None,
        "hint_session": None,
        "words": None,
    }


def test_a_person_writes_between(home: Path, repository: Repository) -> None:
    repository.commit("begin", 0, cart_py="import decimal as money\n")
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("add the loop")
    session.edit("cart_py", "", CART)
    by_hand = "    # rounds as the tax office does\n"
    repository.commit("merge", 10, cart_py="import decimal as money\n" + CART + by_hand)
    found = classes(home, repository.root / "cart_py")
    assert found == [("-", None), *[("written", "s1")] * 7, ("-", None)]


def test_uncommitted_and_untracked(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root)
    session.prompt("write it")
    session.write("new.py", CART)
    repository.write("new.py", CART)
    from agent_journal.provenance import blame as module

    assert module  # times of tests are in the past of the clock
    found = blame_items(home, repository.root / "new.py")
    assert {item["commit"] for item in found} == {None}
