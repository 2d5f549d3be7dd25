"""The order of hits, and what is found when no message has all of the words."""

from __future__ import annotations

from pathlib import Path

from tests.support.journals import aj, aj_json
from tests.support.talks import TALK, first, hits, record, talk, write


def test_meaning_finds_what_words_do_not(tmp_path: Path) -> None:
    talk(tmp_path, *TALK)
    assert aj(tmp_path, "sync").returncode == 0
    assert hits(tmp_path, "--mode", "lexical", "remove documents") == []
    assert first(tmp_path, "--mode", "semantic", "remove documents") == "claude-code:t0"
    found = aj_json(tmp_path, "search", "--no-sync", "remove documents")
    assert (found["matched"], found["items"][0]["session"]) == ("meaning", "claude-code:t0")
    assert (
        "no exact match; showing similar results"
        in aj(tmp_path, "search", "--no-sync", "remove documents").stderr
    )
    assert hits(tmp_path, "remove documents session:t1") == []  # conditions hold for meaning, too


def test_one_session_with_many_hits_does_not_hide_the_others(tmp_path: Path) -> None:
    many = [record("user", f"k{number}", f"kiwi {number}") for number in range(600)]
    write(tmp_path, many)
    talk(tmp_path, "one kiwi", "another kiwi", "a third kiwi")
    assert aj(tmp_path, "sync").returncode == 0
    assert len(hits(tmp_path, "--mode", "lexical", "kiwi")) == 4


def test_a_session_about_it_comes_before_one_that_mentions_it(tmp_path: Path) -> None:
    for name, title in (
        ("t0", "Painting the fence"),
        ("t1", "The zebra crossing"),
        ("t2", "Cooking soup"),
    ):
        prompt = {**record("user", name, "there was a zebra on the road"), "sessionId": name}
        write(
            tmp_path,
            [prompt, {"type": "custom-title", "sessionId": name, "customTitle": title}],
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
