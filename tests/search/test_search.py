"""Search: every word of every place is found, by every field and option."""

from __future__ import annotations

import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from click.testing import CliRunner

from agent_journal.cli import group, search_request
from tests.support.journals import aj, aj_json
from tests.support.search_records import EVERYWHERE, RECORDS
from tests.support.talks import hits, record, talk, write


def kinds(home: Path, *query: str) -> list[str]:
    return [item["message"]["kind"] for item in hits(home, "--flat", *query)]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("search")
    write(path, RECORDS)
    history = {
        "display": "nuhistory line",
        "timestamp": 1762768800000,
        "project": "/work/app",
        "sessionId": "s1",
    }
    write(path, [history], ".claude/history.jsonl")
    assert aj(path, "sync").returncode == 0
    return path


@pytest.mark.parametrize("word", EVERYWHERE)
def test_every_word_of_every_place_is_found(home: Path, word: str) -> None:
    assert hits(home, word)


def test_sources_that_are_gone_are_still_found(home: Path, tmp_path: Path) -> None:
    shutil.copytree(home, tmp_path, dirs_exist_ok=True)
    shutil.rmtree(tmp_path / ".claude")
    assert aj(tmp_path, "sync").returncode == 0
    assert all(hits(tmp_path, word) for word in EVERYWHERE)


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("user", "prompt"),  # a part of getUserName
        ("getUserName", "prompt"),
        ("case_name", "prompt"),
        ("naive", "prompt"),
        ("bryła", "prompt"),
        ("検索", "prompt"),
        ("エンジ", "prompt"),
        ("library", "answer"),  # libraries
        ('"gammaanswer tests"', "answer"),
        ("gamma*", "answer"),
        ("/gamma.*r/", "answer"),
        ("gammaanswer -nothing", "answer"),
        ("nothing OR gammaanswer", "answer"),
        ("tool:bash", "tool"),
        ("is:reasoning betathought", "reasoning"),
        ("file:etafile.py thetaedit", "edit"),
        ("file:*.py thetaedit", "edit"),
        ("project:zebra alphaprompt", "prompt"),
        ("branch:yakbranch agent:claude-code role:user", "prompt"),
        ("date:2026-11 alphaprompt", "prompt"),
        ("what's the alphaprompt?", "prompt"),
    ],
)
def test_the_language(home: Path, query: str, expected: str) -> None:
    assert expected in kinds(home, query)


@pytest.mark.parametrize(
    "query",
    [
        "nosuchwordatall",
        '"tests gammaanswer"',
        "gammaanswer -tests",
        "agent:codex alphaprompt",
        "date:2020 alphaprompt",
    ],
)
def test_what_is_not_there_is_not_found(home: Path, query: str) -> None:
    assert hits(home, query) == []


def test_a_misspelt_word_finds_the_nearest(home: Path) -> None:
    done = aj(home, "search", "--no-sync", "alphapromt")
    assert "alphapromt was not found; showing results for alphaprompt" in done.stderr
    assert "Mutitle of it" in done.stdout


def test_some_words_are_better_than_nothing(home: Path) -> None:
    found = aj_json(home, "search", "--no-sync", "alphaprompt", "missingword")
    assert (found["matched"], len(found["items"])) == ("any", 1)


def test_the_json_of_a_hit(home: Path) -> None:
    [item] = hits(home, "gammaanswer", "-C", "1")
    assert item["session"] == "claude-code:s1"
    assert (item["agent"], item["title"], item["project"]) == (
        "claude-code",
        "Mutitle of it",
        "/work/zebraproject",
    )
    assert item["message"]["kind"] == "answer"
    [(start, end)] = item["snippet"]["marks"]
    assert item["snippet"]["text"][start:end] == "gammaanswer"
    assert any("alphaprompt" in near["text"] for near in item["context"])


def test_people_read_it(home: Path) -> None:
    done = aj(home, "search", "--no-sync", "alphaprompt")
    assert "Mutitle of it" in done.stdout
    assert "aj show s1" in done.stdout
    assert "1 hit" in done.stderr


def test_a_bad_query_shows_the_place(home: Path) -> None:
    done = aj(home, "search", "role:nobody x")
    assert done.returncode == 2
    assert "role:nobody x" in done.stderr
    assert "^" in done.stderr


def test_ls_takes_the_same_language(home: Path) -> None:
    def listed(*query: str) -> list[str]:
        return [item["id"] for item in aj_json(home, "ls", *query)["items"]]

    assert listed("branch:yakbranch") == listed("alphaprompt", "is:edited") == ["s1"]
    assert listed("branch:other") == listed("nosuchword") == []
    assert aj(home, "ls", "role:x").returncode == 2


def test_show_finds_inside_one_session(home: Path) -> None:
    shown = aj(home, "show", "s1", "--find", "DELTAargument flag").stdout
    assert "deltaargument" in shown
    assert "gammaanswer" not in shown
    done = aj(home, "show", "s1", "--find", "nothing like it")
    assert done.returncode == 2
    assert "was not found in this session" in done.stderr


def test_options_hold_for_the_whole_query(home: Path) -> None:
    assert hits(home, "alphaprompt OR gammaanswer", "--agent", "claude-code")
    assert not hits(home, "alphaprompt OR gammaanswer", "--agent", "copilot-cli")
    assert not hits(home, "alphaprompt OR gammaanswer", "--until", "2020")
    assert not hits(home, "alphaprompt", "--project", 'x" OR "alphaprompt')
    assert aj(home, "search", "x", "--since", "someday").returncode == 2


@pytest.mark.parametrize("query", ["???", '"—"', "x" * 200, "\x01", "İstanbul", "\udcff"])
def test_odd_words_find_nothing_and_break_nothing(home: Path, query: str) -> None:
    assert hits(home, query) == []


def test_folders_in_other_alphabets(tmp_path: Path) -> None:
    prompt = {**record("user", "p1", "hello"), "cwd": "/home/me/Über"}
    write(tmp_path, [prompt])
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "hello", "--project", "über")
    assert hits(tmp_path, "hello project:Über")


def test_the_command_that_is_shown_opens_the_session(tmp_path: Path) -> None:
    for name in ("aaaaaaaa-1", "aaaaaaaa-2"):
        write(
            tmp_path,
            [{**record("user", f"p-{name}", "figtree"), "sessionId": name}],
            f".claude/projects/-w/{name}.jsonl",
        )
    assert aj(tmp_path, "sync").returncode == 0
    shown = aj(tmp_path, "search", "--no-sync", "figtree").stdout
    commands = [line.partition("aj show ")[2].split() for line in shown.splitlines()]
    names = [command[0] for command in commands if command]
    assert len(names) == 2
    assert all(aj(tmp_path, "show", name).returncode == 0 for name in names)


@pytest.mark.parametrize(
    "args",
    [
        ["one", "two words"],
        ["--json", "x", "--flat"],
        ["x", "-n", "5", "--mode", "semantic", "--no-sync"],
        ["--exclude-current", "x"],
        ["-word"],
        ["x", "-n", "0"],
        ["x", "-n"],
        ["x", "--mode", "other"],
        ["x", "-n5"],
        ["--project", "a", "x"],
        ["--", "-x"],
        ["x", "--since", "2d"],
        ["-C", "2", "x"],
        [],
        ["--json"],
        ["x", "-n", "³"],
    ],
)
def test_what_is_read_without_click_is_what_click_reads(
    args: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[search_request.SearchRequest] = []
    monkeypatch.setattr(
        "agent_journal.cli.commands.search.search_and_print",
        lambda asked: read.append(asked) or 0,
    )
    done = CliRunner().invoke(group.aj, ["search", *args])
    quick = search_request.parse_plain(args)
    if quick is not None:
        assert done.exit_code == 0
        assert read == [quick]
    else:  # what it does not understand is left to click
        assert done.exit_code or any(word[0] == "-" for word in args)


def test_the_session_that_asks_can_be_left_out(tmp_path: Path) -> None:
    now = datetime.now(UTC).isoformat()
    here, there = tmp_path / "here", tmp_path / "there"
    (here / "src").mkdir(parents=True)
    there.mkdir()
    for name, folder, when in (
        ("t0", here, now),
        ("t1", there, now),
        ("t2", here, "2026-01-01T10:00:00.000Z"),
    ):
        prompt = {
            **record("user", name, "the zebra question"),
            "sessionId": name,
            "cwd": str(folder),
            "timestamp": when,
        }
        write(tmp_path, [prompt], f".claude/projects/-w/{name}.jsonl")
    side = {
        **record("user", "side", "a zebra for the helper"),
        "sessionId": "t0",
        "cwd": str(here),
        "timestamp": now,
        "isSidechain": True,
        "agentId": "h1",
    }
    write(tmp_path, [side], ".claude/projects/-w/t0/subagents/agent-h1.jsonl")
    assert aj(tmp_path, "sync").returncode == 0
    for folder, left in (
        (here, {"t1", "t2"}),
        (here / "src", {"t1", "t2"}),
        (there, {"t0", "t2", "t0/agent-h1"}),
    ):
        found = aj_json(tmp_path, "search", "zebra", "--exclude-current", cwd=folder)["items"]
        assert {item["session"].partition(":")[2] for item in found} == left
    assert len(aj_json(tmp_path, "search", "zebra", cwd=here)["items"]) == 4


def test_settings_say_how_many_hits_and_how_much_around_them(tmp_path: Path) -> None:
    talk(tmp_path, *(f"zebra {number}" for number in range(4)))
    write(tmp_path, [{**record("user", f"q{number}", f"line {number}")} for number in range(7)])
    assert aj(tmp_path, "sync").returncode == 0
    env = {"AJ_SEARCH_MAX_RESULTS": "3", "AJ_SEARCH_DEFAULT_CONTEXT": "1"}
    found = aj_json(tmp_path, "search", "zebra", env=env)
    assert (len(found["items"]), found["page"]) == (3, {"state": "more", "total": 4, "limit": 3})
    assert len(aj_json(tmp_path, "search", "zebra", "-n", "4", env=env)["items"]) == 4
    [item] = aj_json(tmp_path, "search", '"line 3"', env=env)["items"]
    assert [(near["role"], near["text"]) for near in item["context"]] == [
        ("user", "line 2"),
        ("user", "line 4"),
    ]
    assert (
        item["context"][0]["position"]
        < item["message"]["position"]
        < item["context"][1]["position"]
    )
