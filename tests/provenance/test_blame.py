"""`aj blame`: lines of a repository and the sessions that wrote them."""

from __future__ import annotations

from pathlib import Path

import pytest

from agent_journal.answers.blame import BlameWishes
from agent_journal.errors import JournalError, UsageError
from agent_journal.provenance.blame import Range
from tests.provenance.blamed import BY_NOBODY, CART, WRITTEN, blame_items, classes
from tests.support.journals import aj
from tests.support.repositories import ClaudeSession, Repository

PRICE = """\
def price_of(basket):
    total = Decimal("0.00")
    for entry in basket.entries:
        total += entry.amount
    return total.quantize(CENT)
"""


def write_cart(home: Path, repository: Repository, minute: int = 5) -> ClaudeSession:
    """A session that writes the cart into the working tree."""
    session = ClaudeSession(home, "s1", repository.root, minute)
    session.prompt("merge duplicate cart lines\nand keep their order")
    session.say("I will yield each line once.")
    session.write("src/cart.py", CART)
    repository.write("src/cart.py", CART)
    return session


def test_all_that_is_said_of_a_line(home: Path, repository: Repository) -> None:
    write_cart(home, repository)
    sha = repository.commit("merge cart lines", 10)
    wishes = BlameWishes(with_words=True)
    (item,) = blame_items(home, repository.root / "src/cart.py", Range(2, 2), wishes)
    assert isinstance(item.pop("edit"), int)
    assert item == {
        "path": "src/cart.py",
        "line": 2,
        "text": "    seen = set()",
        "commit": sha,
        "class": "written",
        "session": "s1",
        "agent": "claude-code",
        "timestamp": "2026-11-01T12:05:03Z",
        "prompt": {"position": 0, "text": "merge duplicate cart lines"},
        "sub_agent": None,
        "others": [],
        "hint": None,
        "hint_session": None,
        "words": "I will yield each line once.",
    }


def test_a_person_writes_before_between_and_after(home: Path, repository: Repository) -> None:
    repository.commit("begin", 0, cart="import decimal as money\n")
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("add the loop")
    session.edit("cart", "", CART)
    own = CART.replace("        yield", "        log.debug('kept %s', line)\n        yield")
    text = "import decimal as money\n" + own + "# rounds as the tax office does\n"
    repository.commit("merge", 10, cart=text)
    items = blame_items(home, repository.root / "cart")
    expected = [BY_NOBODY, *[WRITTEN] * 6, BY_NOBODY, WRITTEN, BY_NOBODY]
    assert [(item["class"], item["session"]) for item in items] == expected
    assert items[0]["hint"] == "before the first session"
    assert (items[-1]["hint"][:7], items[-1]["hint_session"]) == ("most of", "s1")


def test_lines_that_stand_everywhere_follow_those_beside_them(
    home: Path, repository: Repository
) -> None:
    code = "if (basket.isEmpty()) {\n  return;\n}\n\nfunction total() {\n  return 0;\n}\n"
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("a.js", code)
    repository.commit("write", 10, **{"a.js": code + "\n\n\n\n\n\n\n\n\n}\n"})
    found = classes(home, repository.root / "a.js")
    beside = ("beside", "s1")
    assert found[:7] == [WRITTEN, WRITTEN, beside, beside, WRITTEN, WRITTEN, beside]
    assert found[-1] == BY_NOBODY


def test_a_file_that_was_renamed(home: Path, repository: Repository) -> None:
    write_cart(home, repository)
    repository.commit("merge cart lines", 10)
    repository.git("mv", "src/cart.py", "basket.py")
    repository.commit("rename", 20)
    assert classes(home, repository.root / "basket.py") == [WRITTEN] * 7


def test_lines_that_were_moved_to_another_file(home: Path, repository: Repository) -> None:
    write_cart(home, repository)
    repository.commit("split", 10, **{"src__other.py": CART})
    # What still stands where it was written was not moved: somebody wrote the same, or copied it.
    other = repository.root / "src/other.py"
    assert classes(home, other) == [BY_NOBODY] * 7
    (repository.root / "src/cart.py").unlink()
    assert classes(home, other) == [("moved", "s1")] * 7


def test_squash_rebase_amend_and_cherry_pick(home: Path, repository: Repository) -> None:
    repository.commit("begin", 0, readme="a shop\n")
    repository.git("checkout", "-q", "-b", "work")
    session = write_cart(home, repository)
    repository.commit("wip", 10)
    session.minute = 12
    session.edit("src/cart.py", "    seen = set()", "    seen: set[str] = set()")
    repository.write("src/cart.py", CART.replace("seen = set()", "seen: set[str] = set()"))
    repository.git("commit", "-qam", "more", minute=15)
    file = repository.root / "src/cart.py"
    expected = [WRITTEN] * 7
    assert classes(home, file) == expected
    repository.git("commit", "-q", "--amend", "-m", "more of it", minute=20)
    assert classes(home, file) == expected
    repository.git("checkout", "-q", "main", minute=20)
    repository.commit("meanwhile", 22, readme="a shop for tea\n")
    repository.git("checkout", "-q", "work")
    repository.git("rebase", "-q", "main", minute=30)
    assert classes(home, file) == expected
    repository.git("checkout", "-q", "main")
    repository.git("merge", "-q", "--squash", "work")
    repository.git("commit", "-q", "-m", "cart (#1)", minute=40)
    assert classes(home, file) == expected
    repository.git("checkout", "-q", "-b", "release", "HEAD~1")
    repository.git("cherry-pick", "main", minute=50)
    assert classes(home, file) == expected


def test_what_a_formatter_made_of_it(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    written = "total = sum_of_prices(basket.entries,'EUR',rounding='half up')\nlog(total, 'ok')\n"
    session.write("a.py", CART + written)
    formatted = """\
total = sum_of_prices(
    basket.entries, "EUR", rounding="half up"
)
log(total, "ok")
"""
    repository.commit("write", 10, **{"a.py": CART + formatted})
    found = classes(home, repository.root / "a.py")[7:]
    assert found == [("likely", "s1")] * 4


def test_a_formatter_in_a_commit_of_its_own(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    written = "def total_of(basket,rounding='half up',currency='EUR'):\n"
    session.write("a.py", CART + written + "    log.debug('asked for the total')\n")
    repository.commit("write", 10, **{"a.py": CART + written + "    log.debug('asked for')\n"})
    formatted = """\
def total_of(
    basket,
    rounding="half up",
    currency="EUR",
):
    log.debug('asked for')
"""
    repository.commit("format", 600, **{"a.py": CART + formatted})
    found = classes(home, repository.root / "a.py")[7:]
    assert found[:5] == [("likely", "s1")] * 5
    # Nobody wrote the same line here, beside a line of the session
    repository.commit(
        "more", 700, **{"a.py": CART + "log.info('what is the total?')\n" + formatted}
    )
    assert classes(home, repository.root / "a.py")[7] == BY_NOBODY


def test_a_line_that_was_nearly_written(home: Path, repository: Repository) -> None:
    write_cart(home, repository)
    changed = CART.replace("        seen.add(line.sku)", "        seen.add(line.sku())")
    repository.commit("write", 10, **{"src__cart.py": changed})
    assert classes(home, repository.root / "src/cart.py")[5] == ("likely", "s1")


def test_lines_that_were_only_indented(home: Path, repository: Repository) -> None:
    repository.commit("by hand", 0, cart="total = subtotal + shipping\nreturn total - rebate\n")
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("only when the cart is open")
    old = "total = subtotal + shipping"
    session.edit("cart", old, f"if cart.is_open:\n    {old}")
    text = f"if cart.is_open:\n    {old}\nreturn total - rebate\n"
    repository.commit("open carts", 10, cart=text)
    found = classes(home, repository.root / "cart")
    assert found == [WRITTEN, BY_NOBODY, BY_NOBODY]


def test_one_line_in_two_sessions(home: Path, repository: Repository) -> None:
    for name in ("s1", "s2"):
        session = ClaudeSession(home, name, repository.root, 5)
        session.prompt("write")
        session.edit("cart", "", "raise CartIsClosed(cart.number)")
    repository.commit("write", 10, cart="raise CartIsClosed(cart.number)\n")
    (item,) = blame_items(home, repository.root / "cart")
    assert (item["class"], item["session"], item["edit"]) == ("several", None, None)
    assert sorted(other["session"] for other in item["others"]) == ["s1", "s2"]
    done = aj(home, "blame", str(repository.root / "cart"))
    said = "0 of 1 line written by recorded sessions, and 1 by one of several\n"
    assert done.stderr == said


def test_one_line_in_more_sessions_than_a_screen_has_room_for(
    home: Path, repository: Repository
) -> None:
    for number in range(1, 23):
        session = ClaudeSession(home, f"s{number:02}", repository.root, number)
        session.prompt("write")
        session.edit("cart", "", "raise CartIsClosed(cart.number)")
    repository.commit("write", 30, cart="raise CartIsClosed(cart.number)\n")
    (item,) = blame_items(home, repository.root / "cart")
    assert (item["class"], item["session"], item["hint"]) == ("several", None, None)
    assert [other["session"] for other in item["others"]] == [f"s{n:02}" for n in range(22, 2, -1)]
    done = aj(home, "blame", str(repository.root / "cart"))
    assert "claude-code s19, claude-code s18 and others" in done.stdout


def test_a_line_that_one_session_wrote_in_many_places(home: Path, repository: Repository) -> None:
    begin = [f"def show_{name}():\n    draw({name})\n\n" for name in "abcd"]
    repository.commit("begin", 0, show="".join(begin))
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("check first")
    check = "    check_that_terminal_is_known()\n"
    function = f"def {check.strip()}:\n    assert terminal in KNOWN\n"
    for name in "abcd":
        session.edit("show", f"def show_{name}():\n", f"def show_{name}():\n{check}")
    session.edit("show", "    draw(d)\n\n", f"    draw(d)\n\n{function}")
    text = "".join(part.replace(":\n", f":\n{check}") for part in begin)
    repository.commit("check first", 10, show=text + function)
    found = classes(home, repository.root / "show")
    assert [found[at] for at in (1, 5, 9, 13)] == [("likely", "s1")] * 4
    assert found[16:] == [WRITTEN] * 2
    assert found.count(BY_NOBODY) == 12


def test_the_edit_that_wrote_the_line_before_decides(home: Path, repository: Repository) -> None:
    texts = {"s1": "def close(cart):\n    raise Closed(cart)\n", "s2": "raise Closed(cart)\n"}
    for name, text in texts.items():
        session = ClaudeSession(home, name, repository.root, 5)
        session.prompt("write")
        session.edit("cart", "", text)
    repository.commit("write", 10, cart=texts["s1"])
    assert classes(home, repository.root / "cart") == [WRITTEN, WRITTEN]


def test_parallel_sessions_in_one_commit(home: Path, repository: Repository) -> None:
    write_cart(home, repository)
    other = ClaudeSession(home, "s2", repository.root, 6)
    other.prompt("the price")
    other.write("src/price.py", PRICE)
    repository.commit("both", 10, **{"src__price.py": PRICE})
    assert classes(home, repository.root / "src/cart.py") == [WRITTEN] * 7
    assert classes(home, repository.root / "src/price.py") == [("written", "s2")] * 5


def test_a_later_session_did_not_write_it(home: Path, repository: Repository) -> None:
    repository.commit("by hand", 0, cart=CART)
    session = ClaudeSession(home, "s1", repository.root, 60)
    session.prompt("write it again")
    session.write("cart", CART)
    assert classes(home, repository.root / "cart") == [BY_NOBODY] * 7


def test_a_refused_edit_wrote_nothing(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.fail("cart", "", CART)
    repository.commit("by hand", 10, cart=CART)
    assert classes(home, repository.root / "cart") == [BY_NOBODY] * 7


def test_a_text_in_a_command(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.run(f"cat > cart <<'EOF'\n{CART}EOF\ngit add cart", "")
    sha = repository.commit("write", 10, cart=CART)
    session.minute = 11
    session.run("git commit -m write", f"[main {sha[:7]}] write\n 1 file changed")
    assert classes(home, repository.root / "cart") == [("likely", "s1")] * 7


def test_lines_that_are_not_committed(home: Path, repository: Repository) -> None:
    repository.commit("begin", 0, cart="import decimal as money\n")
    write_cart(home, repository)
    repository.write("cart", "import decimal as money\nimport fractions\n")
    for path in ("src/cart.py", "cart"):
        items = blame_items(home, repository.root / path)
        assert items[-1]["commit"] is None
    repository.git("add", "-A")
    items = blame_items(home, repository.root / "src/cart.py")
    assert {(item["class"], item["commit"]) for item in items} == {("written", None)}


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252"])
def test_other_line_ends_and_encodings(home: Path, repository: Repository, encoding: str) -> None:
    text = "Größe = Maß('Länge in cm')\nFläche = Größe * Breite\n"
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("a.py", text)
    (repository.root / "a.py").write_bytes(text.replace("\n", "\r\n").encode(encoding))
    repository.commit("write", 10)
    items = blame_items(home, repository.root / "a.py")
    assert [item["class"] for item in items] == ["written"] * 2
    assert items[0]["text"].startswith("Größe")


def test_a_mark_of_the_byte_order(home: Path, repository: Repository) -> None:
    session = ClaudeSession(home, "s1", repository.root, 5)
    session.prompt("write")
    session.write("cart", CART)
    session.write("price", f"\ufeff{PRICE}")
    repository.commit("write", 10, cart=f"\ufeff{CART}", price=PRICE)
    assert classes(home, repository.root / "cart") == [WRITTEN] * 7
    assert classes(home, repository.root / "price") == [WRITTEN] * 5


def test_a_path_from_a_subfolder_and_weaker_classes(
    home: Path, repository: Repository, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cart(home, repository)
    repository.commit("write", 10, **{"src__other.py": CART})
    monkeypatch.chdir(repository.root / "src")
    assert blame_items(home, Path("cart.py"))[0]["path"] == "src/cart.py"
    wishes = BlameWishes("written", with_all=True)
    found = blame_items(home, Path("other.py"), None, wishes)
    assert {item["class"] for item in found} == {"-"}
    assert [other["session"] for other in found[0]["others"]] == ["s1"]


def test_a_deleted_file_is_the_one_of_the_last_commit(home: Path, repository: Repository) -> None:
    write_cart(home, repository)
    repository.commit("write", 10)
    (repository.root / "src/cart.py").unlink()
    (repository.root / "src").rmdir()
    assert classes(home, repository.root / "src/cart.py") == [WRITTEN] * 7


def test_what_cannot_be_answered(
    home: Path, repository: Repository, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_cart(home, repository)
    file = repository.root / "src/cart.py"
    blame_items(home, file)
    (tmp_path / "outside").write_text("x\n")
    with pytest.raises(JournalError, match="is not in a git repository"):
        blame_items(home, tmp_path / "outside")
    with pytest.raises(UsageError, match="is a folder"):
        blame_items(home, repository.root / "src")
    with pytest.raises(UsageError, match="has 7 lines"):
        blame_items(home, file, Range(8, 9))
    with pytest.raises(JournalError, match="there is no file src/none"):
        blame_items(home, repository.root / "src/none.py")
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(JournalError, match="git is not installed"):
        blame_items(home, file)
