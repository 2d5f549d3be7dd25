"""`aj star`, `aj tag` and `aj title`, and the queries, pages and exports that know them."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent_journal.errors import UsageError
from agent_journal.store.marking import checked_tag, checked_title
from tests.support.journals import aj, aj_json, write_claude
from tests.support.terminals import on_terminal

OWN = 'Retries: "clock", and jitter'


@pytest.fixture
def home(tmp_path: Path) -> Path:
    for name in ("abc-1", "abc-2", "xyz"):
        write_claude(tmp_path, name, count=2, project=f"-work-{name}")
    assert aj(tmp_path, "sync").returncode == 0
    return tmp_path


def ids(answer: Any) -> list[str]:
    return sorted(item["id"] for item in answer["items"])


def listed(home: Path, *query: str) -> list[str]:
    """The sessions that `aj ls` lists for a query; `aj export --all` must write the same."""
    found = ids(aj_json(home, "ls", *query))
    folder = home / "out"
    wrote = aj_json(home, "export", "--all", *query, "-f", "jsonl", "--force", "-o", str(folder))
    assert sorted(item["session"] for item in wrote["items"]) == found
    return found


def test_star_and_back(home: Path) -> None:
    assert "no session has a star" in aj(home, "star").stderr
    nothing = aj(home, "search", "is:starred").stderr
    assert "no hits for is:starred" in nothing
    assert "fewer words" not in nothing  # there are none
    assert ids(aj_json(home, "star", "abc-1", "xyz")) == ["abc-1", "xyz"]
    assert ids(aj_json(home, "star")) == ["abc-1", "xyz"]
    assert listed(home, "is:starred") == ["abc-1", "xyz"]
    assert listed(home, "-is:starred") == ["abc-2"]
    line = next(line for line in aj(home, "ls").stdout.splitlines() if "xyz" in line)
    assert "★ user text 0 of xyz" in line
    (item,) = aj_json(home, "star", "xyz", "--remove")["items"]
    assert item["starred_at"] is None
    assert listed(home, "is:starred") == ["abc-1"]


def test_a_star_twice_is_written_once(home: Path) -> None:
    first = aj_json(home, "star", "xyz")["items"]
    size = (home / ".agent-journal/marks.jsonl").stat().st_size
    assert aj_json(home, "star", "xyz", "xyz")["items"] == first
    aj(home, "tag", "xyz", "nothing", "--remove")
    aj(home, "title", "xyz", "--reset")
    assert (home / ".agent-journal/marks.jsonl").stat().st_size == size


def test_tags_in_queries(home: Path) -> None:
    aj(home, "tag", "abc-1,abc-2", "flaky", "#CI")
    aj(home, "tag", "xyz", "flood")
    assert listed(home, "tag:ci") == ["abc-1", "abc-2"]
    assert listed(home, "tag:fl*") == ["abc-1", "abc-2", "xyz"]
    assert listed(home, "tag:flood,flaky", "-tag:ci") == ["xyz"]
    assert listed(home, "tag:flood OR is:starred") == ["xyz"]
    hits = aj_json(home, "search", "text tag:flood", "--no-sync")["items"]
    assert {hit["session"] for hit in hits} == {"claude-code:xyz"}
    counts = aj_json(home, "tag")["items"]
    assert counts == [
        {"tag": "CI", "sessions": 2},
        {"tag": "flaky", "sessions": 2},
        {"tag": "flood", "sessions": 1},
    ]
    assert aj(home, "tag").stdout == "2  CI\n2  flaky\n1  flood\n"
    assert "#CI  #flaky" in aj(home, "ls", "tag:ci").stdout
    assert "did you mean flood" in aj(home, "search", "text tag:floood", "--no-sync").stderr


def test_tags_and_back(home: Path) -> None:
    aj(home, "tag", "xyz", "one", "two", "three")
    assert aj_json(home, "tag", "xyz", "ONE", "--remove")["items"][0]["tags"] == ["three", "two"]
    assert aj_json(home, "tag", "xyz", "Two")["items"][0]["tags"] == ["three", "Two"]
    assert aj_json(home, "tag", "xyz")["items"][0]["tags"] == ["three", "Two"]
    assert aj_json(home, "tag", "xyz", "--remove")["items"][0]["tags"] == []
    assert aj_json(home, "ls", "tag:two")["items"] == []


def test_a_title_is_shown_everywhere_and_taken_back(home: Path) -> None:
    (item,) = aj_json(home, "title", "xyz", OWN)["items"]
    assert (item["title"], item["agent_title"]) == (OWN, "user text 0 of xyz")
    assert OWN in aj(home, "ls").stdout
    assert aj(home, "show", "xyz").stdout.startswith(OWN)
    assert OWN in aj(home, "search", "text xyz", "--no-sync").stdout
    assert OWN in aj(home, "usage", "session").stdout
    shown = aj_json(home, "show", "xyz")
    assert shown["items"][0]["title_source"] == "own"
    assert shown["agent_title"] == "user text 0 of xyz"
    assert ids(aj_json(home, "title")) == ["xyz"]
    assert aj(home, "title", "xyz").stdout == f"xyz  {OWN}\n"
    assert aj(home, "title", "xyz", "two", "words").stdout == "xyz  two words\n"
    aj(home, "title", "xyz", "--reset")
    assert aj(home, "show", "xyz").stdout.startswith("user text 0 of xyz")
    assert ids(aj_json(home, "title")) == []


def test_sql_has_a_table(home: Path) -> None:
    aj(home, "star", "xyz")
    aj(home, "tag", "xyz", "one")
    aj(home, "title", "xyz", OWN)
    query = (
        "SELECT s.title, m.kind, m.value FROM marks m JOIN sessions s USING (session_key) "
        "ORDER BY m.kind"
    )
    title = "user text 0 of xyz"
    assert [list(row.values()) for row in aj_json(home, "sql", query)["items"]] == [
        [title, "star", None],
        [title, "tag", "one"],
        [title, "title", OWN],
    ]


@pytest.mark.parametrize(
    ("args", "problem"),
    [
        (("star", "abc"), "'abc' matches 2 sessions"),
        (("tag", "abc", "x"), "abc-2  claude-code"),
        (("title", "abc", "x"), "abc-1  claude-code"),
        (("star", "nobody"), "no session has the id 'nobody'"),
        (("star", "abc-1", "nobody"), "no session has the id 'nobody'"),
        (("star", "--remove"), "--remove needs the ID"),
        (("tag", "--remove"), "--remove needs the ID"),
        (("tag", "xyz", "ok", "a b"), "'a b' cannot be a tag"),
        (("tag", "xyz", ""), "'' cannot be a tag"),
        (("title", "xyz", " \n"), "the title is empty"),
        (("title", "xyz", "x" * 501), "this one has 501"),
        (("title", "xyz", "x", "--reset"), "no title"),
    ],
)
def test_what_is_refused_writes_nothing(home: Path, args: tuple[str, ...], problem: str) -> None:
    done = aj(home, *args)
    assert done.returncode == 2
    assert problem in done.stderr
    assert not (home / ".agent-journal/marks.jsonl").exists()


def test_nothing_to_mark(tmp_path: Path) -> None:
    assert aj(tmp_path, "star").returncode == 0
    assert aj_json(tmp_path, "tag")["items"] == []
    shown = on_terminal(tmp_path, "tag", columns=80, NO_COLOR="1")
    assert shown.splitlines() == ["no session has a tag; 'aj tag ID WORD' gives it one"]
    assert "there is no journal yet" in aj(tmp_path, "star", "last").stderr
    assert not (tmp_path / ".agent-journal").exists()


@pytest.mark.parametrize(
    "text", ["a\nb", "\x1b[31mred", "\u202eabc", "a,b", '"a"', "x" * 65, "x" * 10**6, "-x", "(x)"]
)
def test_what_is_no_tag(text: str) -> None:
    with pytest.raises(UsageError) as refused:
        checked_tag(text)
    assert len(str(refused.value.message)) < 150
    assert refused.value.message.isprintable()


def test_hostile_titles() -> None:
    assert checked_title("a\nb\t\x1b[31mred\x1b[0m \u202ec\x00\x07") == "a b red c"
    assert checked_title("\udcff") == "?"
    with pytest.raises(UsageError):
        checked_title("x" * 10**6)
    with pytest.raises(UsageError):
        checked_title("\u202e\x1b[0m")


# -- exports -----------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["json", "jsonl"])
def test_marks_go_with_an_export_and_come_back(home: Path, tmp_path: Path, form: str) -> None:
    aj(home, "star", "xyz")
    aj(home, "tag", "xyz", "one", "two")
    aj(home, "title", "xyz", OWN)
    path = home / f"xyz.{form}"
    assert aj(home, "export", "xyz", "-o", str(path)).returncode == 0
    if form == "json":
        assert json.loads(path.read_text())["sessions"][0]["title"] == "user text 0 of xyz"
    other = tmp_path / "other"
    other.mkdir()
    assert aj(other, "import", str(path)).returncode == 0
    (item,) = aj_json(other, "ls")["items"]
    assert item["starred_at"] == aj_json(home, "star")["items"][0]["starred_at"]
    assert (item["title"], item["agent_title"]) == (OWN, "user text 0 of xyz")
    assert item["own_tags"] == ["one", "two"]
    assert aj_json(other, "search", "jitter", "--no-sync")["items"]
    assert aj(other, "verify").returncode == 0
    size = (other / ".agent-journal/marks.jsonl").stat().st_size
    aj(other, "import", str(path))  # again
    assert (other / ".agent-journal/marks.jsonl").stat().st_size == size


def test_an_import_does_not_overwrite_newer_marks(home: Path) -> None:
    aj(home, "star", "xyz")
    aj(home, "title", "xyz", "old")
    path = home / "xyz.json"
    aj(home, "export", "xyz", "-o", str(path))
    aj(home, "title", "xyz", "new")
    aj(home, "star", "xyz", "--remove")
    assert aj(home, "import", str(path)).returncode == 0
    (item,) = aj_json(home, "title", "xyz")["items"]
    assert (item["title"], item["starred_at"]) == ("new", None)


def test_hostile_marks_in_an_export(home: Path) -> None:
    path = home / "xyz.json"
    aj(home, "export", "xyz", "-o", str(path))
    document = json.loads(path.read_text())
    whole = {
        "agent": "claude-code",
        "session_id": "xyz",
        "kind": "tag",
        "at": "2024-11-01T00:00:00Z",
    }
    document["marks"] = [
        7,
        {**whole, "value": "a b"},
        {**whole, "value": "future", "at": "9999-12-31T23:59:59Z"},
        {**whole, "value": "naive", "at": "2024-11-01T00:00:00"},
        {**whole, "value": "foreign", "session_id": "abc-1"},
        {**whole, "value": "x", "kind": "fish"},
        {**whole, "value": "\u001b]0;x\u0007", "kind": "title"},
        {**whole, "value": "fine"},
    ]
    path.write_text(json.dumps(document))
    assert aj(home, "import", str(path)).returncode == 0
    assert [item["tag"] for item in aj_json(home, "tag")["items"]] == ["fine"]
    assert ids(aj_json(home, "title")) == []
    assert aj(home, "verify").returncode == 0


@pytest.mark.parametrize("form", ["html", "md"])
def test_pages_show_the_title_and_the_tags_without_secrets(home: Path, form: str) -> None:
    secret = "ghp_" + "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8"
    aj(home, "title", "xyz", f"<b>{OWN}</b> {secret}")
    aj(home, "tag", "xyz", "release", secret)
    page = aj(home, "export", "xyz", "-f", form, "-o", "-").stdout
    assert "jitter" in page
    assert "release" in page
    assert secret not in page
    assert "# <b>" not in page
    if form == "html":
        assert "<b>Retries" not in page
        folder = home / "pages"
        aj(home, "export", "--all", "tag:release", "-f", "html", "-o", str(folder))
        index = (folder / "index.html").read_text()
        assert "release" in index
        assert secret not in index


# -- the shell ---------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "expected"),
    [("aj star ab", ["abc-1", "abc-2"]), ("aj tag xyz fl", ["flaky"]), ("aj title x", ["xyz"])],
)
def test_completion(home: Path, line: str, expected: list[str]) -> None:
    aj(home, "tag", "xyz", "flaky", "ci")
    words = line.split()
    env = {
        "_AJ_COMPLETE": "bash_complete",
        "COMP_WORDS": line,
        "COMP_CWORD": str(len(words) - 1),
        "PATH": os.environ["PATH"],
    }
    done = aj(home, env=env)
    assert sorted(found.partition(",")[2] for found in done.stdout.split()) == expected
