"""Search: every word of every place is found, and the index follows whatever happens to the files."""

from __future__ import annotations

import shutil
import sqlite3
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from agent_journal.cli import group, search_request
from agent_journal.search.lexical import NAME
from agent_journal.search.terms import humps, prepared
from agent_journal.search.texts import folded, snippet
from tests.support.journals import aj, aj_json
from tests.support.talks import TALK, first, hits, record, talk, write


def call(
    uuid: str, name: str, arguments: dict[str, Any], result: str, **more: Any
) -> list[dict[str, Any]]:
    use = {"type": "tool_use", "id": f"t-{uuid}", "name": name, "input": arguments}
    done = {"type": "tool_result", "tool_use_id": f"t-{uuid}", "content": result}
    return [record("assistant", uuid, [use]), record("user", f"{uuid}-result", [done], **more)]


RECORDS = [
    record(
        "user",
        "p1",
        "Please fix the alphaprompt in getUserName, naïve Bryła 検索エンジン snake_case_name",
    ),
    record(
        "assistant",
        "a1",
        [
            {"type": "thinking", "thinking": "maybe a betathought"},
            {"type": "text", "text": "Running gammaanswer tests, libraries found"},
        ],
    ),
    *call(
        "c1",
        "Bash",
        {"command": "deltaargument --flag"},
        "epsilonresult " + "filler " * 400 + "zetalong",
    ),
    *call(
        "c2",
        "Edit",
        {"file_path": "/work/app/etafile.py", "old_string": "x", "new_string": "y"},
        "ok",
        toolUseResult={
            "filePath": "/work/app/etafile.py",
            "structuredPatch": [
                {
                    "oldStart": 1,
                    "oldLines": 1,
                    "newStart": 1,
                    "newLines": 1,
                    "lines": ["-x", "+thetaedit"],
                }
            ],
        },
    ),
    *call("c3", "TodoWrite", {"todos": [{"content": "iotatodo", "status": "pending"}]}, "ok"),
    *call("c4", "ExitPlanMode", {"plan": "kappaplan first"}, "ok"),
    {"type": "brand-new-2027", "uuid": "n1", "sessionId": "s1", "payload": "lambdaevent"},
    {"type": "custom-title", "sessionId": "s1", "customTitle": "Mutitle of it"},
]
EVERYWHERE = (
    "alphaprompt",
    "betathought",
    "gammaanswer",
    "deltaargument",
    "epsilonresult",
    "zetalong",
    "etafile",
    "thetaedit",
    "iotatodo",
    "kappaplan",
    "lambdaevent",
    "mutitle",
    "zebraproject",
    "yakbranch",
    "nuhistory",
)


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
    assert "no hits for alphapromt; showing results for alphaprompt" in done.stderr
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


def test_the_index_follows_the_files(tmp_path: Path) -> None:
    path = write(tmp_path, RECORDS[:1])
    assert aj(tmp_path, "sync").returncode == 0
    assert not hits(tmp_path, "gammaanswer")
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "gammaanswer")
    write(tmp_path, [record("user", "q1", "omegarewrite")])
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "omegarewrite")
    assert not hits(tmp_path, "gammaanswer")
    path.unlink()
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "omegarewrite")


def test_a_stale_search_reads_what_is_new(tmp_path: Path) -> None:
    write(tmp_path, RECORDS[:1])
    assert aj_json(tmp_path, "search", "alphaprompt")["items"]


@pytest.mark.parametrize("harm", ["gone", "garbage", "no watermark"])
def test_a_harmed_index_is_made_anew(tmp_path: Path, harm: str) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    index = tmp_path / f".agent-journal/index/{NAME}"
    if harm == "gone":
        shutil.rmtree(index)
    elif harm == "garbage":
        (index / "meta.json").write_text("{}")
    if harm == "no watermark":
        with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as catalog:
            catalog.execute("DELETE FROM watermarks")
        catalog.close()
    assert aj(tmp_path, "sync", "--rebuild" if harm == "garbage" else "--full").returncode == 0
    assert len(hits(tmp_path, "--flat", "alphaprompt")) == 1
    assert all(hits(tmp_path, word) for word in EVERYWHERE if word != "nuhistory")


def test_text_for_the_index() -> None:
    assert prepared("ab検索cd") == "ab 検  索 cd"
    assert sorted(humps("getUserName HTTPServer lower Title UPPER").split()) == [
        "HTTP",
        "Name",
        "Server",
        "User",
        "get",
    ]


def test_snippets_mark_words_and_keep_their_places() -> None:
    found = snippet("x" * 300 + " the Größe of it " + "y" * 300, ["grosse", "größe", "of"])
    words = [found.text[start:end] for start, end in found.marks]
    assert "of" in words
    assert len(folded("Größe İ ﬁ")) == len("Größe İ ﬁ")


def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "--mode", "lexical", "remove documents") == []
    assert first(tmp_path, "--mode", "semantic", "remove documents") == "claude-code:t0"
    found = aj_json(tmp_path, "search", "--no-sync", "remove documents")
    assert (found["matched"], found["items"][0]["session"]) == ("meaning", "claude-code:t0")
    assert "in other words" in aj(tmp_path, "search", "--no-sync", "remove documents").stderr
    assert hits(tmp_path, "remove documents session:t1") == []  # conditions hold for meaning, too


def test_ls_takes_the_same_language(home: Path) -> None:
    def listed(*query: str) -> list[str]:
        return [item["id"] for item in aj_json(home, "ls", *query)["items"]]

    assert listed("branch:yakbranch") == listed("alphaprompt", "is:edited") == ["s1"]
    assert listed("branch:other") == listed("nosuchword") == []
    assert aj(home, "ls", "role:x").returncode == 2


def test_verify_knows_the_index(tmp_path: Path) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "verify").returncode == 0
    with sqlite3.connect(tmp_path / ".agent-journal/index/journal.db") as catalog:
        catalog.execute("UPDATE watermarks SET item_id = item_id + 1")
        catalog.execute("UPDATE meta SET value = value + 1 WHERE key = 'last item'")
        catalog.execute(
            "UPDATE messages SET id = (SELECT value FROM meta WHERE key = 'last item') WHERE uid = 'p1'"
        )
    catalog.close()
    done = aj(tmp_path, "verify")
    assert done.returncode == 1
    assert "1 items are missing" in done.stdout


def test_show_finds_inside_one_session(home: Path) -> None:
    shown = aj(home, "show", "s1", "--find", "DELTAargument flag").stdout
    assert "deltaargument" in shown
    assert "gammaanswer" not in shown
    done = aj(home, "show", "s1", "--find", "nothing like it")
    assert done.returncode == 2
    assert "no message of this session has" in done.stderr


def test_options_hold_for_the_whole_query(home: Path) -> None:
    assert hits(home, "alphaprompt OR gammaanswer", "--agent", "claude-code")
    assert not hits(home, "alphaprompt OR gammaanswer", "--agent", "copilot-cli")
    assert not hits(home, "alphaprompt OR gammaanswer", "--until", "2020")
    assert not hits(home, "alphaprompt", "--project", 'x" OR "alphaprompt')
    assert aj(home, "search", "x", "--since", "someday").returncode == 2


def test_one_session_with_many_hits_does_not_hide_the_others(tmp_path: Path) -> None:
    many = [record("user", f"k{number}", f"kiwi {number}") for number in range(600)]
    write(tmp_path, many)
    talk(tmp_path, "one kiwi", "another kiwi", "a third kiwi")
    assert aj(tmp_path, "sync").returncode == 0
    assert len(hits(tmp_path, "--mode", "lexical", "kiwi")) == 4


@pytest.mark.parametrize("query", ["???", '"—"', "x" * 200, "\x01", "İstanbul", "\udcff"])
def test_odd_words_find_nothing_and_break_nothing(home: Path, query: str) -> None:
    assert hits(home, query) == []


def test_an_index_that_was_being_made_is_made_anew(tmp_path: Path) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    # As after a kill in the middle of making it
    (tmp_path / f".agent-journal/index/{NAME}/finished").unlink()
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "alphaprompt")


def test_a_damaged_index_is_told_with_its_cure(tmp_path: Path) -> None:
    write(tmp_path, RECORDS)
    assert aj(tmp_path, "sync").returncode == 0
    (tmp_path / f".agent-journal/index/{NAME}/meta.json").write_text("garbage")
    done = aj(tmp_path, "search", "--no-sync", "alphaprompt")
    assert done.returncode == 1
    assert "'aj sync --rebuild' makes it anew" in done.stderr
    assert aj(tmp_path, "sync", "--rebuild").returncode == 0
    assert hits(tmp_path, "alphaprompt")


def test_a_search_of_an_empty_journal_finds_nothing(tmp_path: Path) -> None:
    (tmp_path / ".claude").mkdir()
    assert aj(tmp_path, "sync").returncode == 0
    assert aj(tmp_path, "search", "x").returncode == 0


def test_folders_in_other_alphabets(tmp_path: Path) -> None:
    one = {**record("user", "p1", "hello"), "cwd": "/home/me/Über"}
    write(tmp_path, [one])
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "hello", "--project", "über")
    assert hits(tmp_path, "hello project:Über")


def test_a_huge_text_has_its_snippet_at_once() -> None:
    found = snippet("ünï " * 2_000_000 + "needle" + " cödé" * 2_000_000, ["needle"])
    [(start, end)] = found.marks
    assert found.text[start:end] == "needle"


def test_the_command_that_is_shown_opens_the_session(tmp_path: Path) -> None:
    for name in ("aaaaaaaa-1", "aaaaaaaa-2"):
        write(
            tmp_path,
            [{**record("user", f"p-{name}", "figtree"), "sessionId": name}],
            f".claude/projects/-w/{name}.jsonl",
        )
    assert aj(tmp_path, "sync").returncode == 0
    shown = aj(tmp_path, "search", "--no-sync", "figtree").stdout
    commands = [
        line.split()[2] for line in shown.splitlines() if line.strip().startswith("aj show")
    ]
    assert len(commands) == 2
    assert all(aj(tmp_path, "show", one).returncode == 0 for one in commands)


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
    read: list[search_request.Asked] = []
    monkeypatch.setattr(
        "agent_journal.cli.commands.search.answer", lambda asked: read.append(asked) or 0
    )
    done = CliRunner().invoke(group.aj, ["search", *args])
    quick = search_request.plain(args)
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
        one = {
            **record("user", name, "the zebra question"),
            "sessionId": name,
            "cwd": str(folder),
            "timestamp": when,
        }
        write(tmp_path, [one], f".claude/projects/-w/{name}.jsonl")
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


def test_a_session_about_it_comes_before_one_that_mentions_it(tmp_path: Path) -> None:
    for name, title in (
        ("t0", "Painting the fence"),
        ("t1", "The zebra crossing"),
        ("t2", "Cooking soup"),
    ):
        one = {**record("user", name, "there was a zebra on the road"), "sessionId": name}
        write(
            tmp_path,
            [one, {"type": "custom-title", "sessionId": name, "customTitle": title}],
            f".claude/projects/-w/{name}.jsonl",
        )
    assert aj(tmp_path, "sync").returncode == 0
    found = hits(tmp_path, "--mode", "lexical", "zebra road")
    assert found[0]["session"] == "claude-code:t1"


def test_parts_of_a_compound_word_will_do_when_nothing_has_all_of_it(tmp_path: Path) -> None:
    talk(tmp_path, "we create the schema by hand", "the the the to of and")
    assert aj(tmp_path, "sync").returncode == 0
    found = aj_json(
        tmp_path, "search", "--mode", "lexical", "when to use op.create_table() of the database"
    )
    assert (found["matched"], [item["session"] for item in found["items"]]) == (
        "any",
        ["claude-code:t0"],
    )
