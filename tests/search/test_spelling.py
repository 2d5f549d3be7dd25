"""Misspelt words and words that occur nowhere: what is found, and what the search says of it."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_journal.search.spelling import slips
from tests.support.journals import aj, aj_json
from tests.support.talks import hits, record, write

SESSIONS = {
    "shell": ("Shell test suite setup", "please help me with bats on the runner"),
    "kitchen": ("Painting", "paint the kitchen walls in a light colour with parseConfig"),
    "login": ("Authentication", "the login form rejects a correct password, retry_count is 3"),
    "cjk": ("検索エンジン", "検索エンジンの設定を変更する"),
}
COMMON = 260  # sessions in which a word is common


def said(name: str, text: str, title: str) -> list[dict[str, Any]]:
    prompt = {**record("user", name, text), "sessionId": name, "cwd": "/w", "gitBranch": ""}
    return [prompt, {"type": "custom-title", "sessionId": name, "customTitle": title}]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("spelling")
    for name, (title, text) in SESSIONS.items():
        write(path, said(name, text, title), f".claude/projects/-w/{name}.jsonl")
    many = [
        record("user", f"c{number}", f"coffee break {number}", cwd="/w") for number in range(COMMON)
    ]
    write(path, many, ".claude/projects/-w/s1.jsonl")
    others = [record("user", f"o{number}", "a coffe house", cwd="/w") for number in range(3)]
    write(path, others, ".claude/projects/-w/s2.jsonl")
    rare = said("rare", "the cofee maker of Lyon", "Lyon")
    write(path, rare, ".claude/projects/-w/rare.jsonl")
    assert aj(path, "sync").returncode == 0
    return path


def ask(home: Path, *query: str) -> Any:
    """The answer to a search by words."""
    return aj_json(home, "search", "--no-sync", "--mode", "lexical", *query)


def sessions(answer: Any) -> list[str]:
    return [item["session"].partition(":")[2] for item in answer["items"]]


def test_typing_errors_find_what_was_meant(home: Path) -> None:
    found = aj_json(home, "search", "--no-sync", "shel test siute")
    assert sessions(found)[0] == "shell"
    assert found["spelled"] == {"shel": "shell", "siute": "suite"}
    assert found["missing"] == []
    assert found["matched"] == "similar"
    said = aj(home, "search", "--no-sync", "shel test siute").stderr
    assert "shel was not found; showing results for shell" in said
    assert "siute was not found; showing results for suite" in said


@pytest.mark.parametrize(
    ("typed", "meant"),
    [
        ("kitchn", "kitchen"),
        ("kithcen", "kitchen"),
        ("kitchenn", "kitchen"),
        ("kitcken", "kitchen"),
        ("iktchen", "kitchen"),
        ("pasword", "password"),
        ("atuhentiaction", "authentication"),
        ("Pasword", "password"),
        ("sute", "suite"),
    ],
)
def test_slips(home: Path, typed: str, meant: str) -> None:
    found = ask(home, typed)
    assert found["spelled"] == {typed: meant}
    assert len(found["items"]) == 1


@pytest.mark.parametrize(
    "typed",
    [
        "walks",  # another word of five letters than `walls`
        "xitchen",  # begins with another letter
        "kxtcxen",
        "kitche2",
        "12345",
        "retry_conut",
        "pasConfig",
        "logn.form",
        "検案",
        "パスワート",
    ],
)
def test_what_is_not_corrected(home: Path, typed: str) -> None:
    found = ask(home, typed)
    assert found["spelled"] == {}
    assert found["items"] == []


def test_words_that_occur_nowhere_are_named(home: Path) -> None:
    found = ask(home, "kitchen quuxly zorbify quuxly")
    assert found["missing"] == ["quuxly", "zorbify"]
    assert sessions(found) == ["kitchen"]
    assert found["matched"] == "any"
    said = aj(home, "search", "--no-sync", "kitchen quuxly zorbify quuxly").stderr
    assert "not found: quuxly, zorbify\n" in said


@pytest.mark.parametrize("typed", ["quuxly?", "quuxly...", "'quuxly'", "quuxly!", "quuxly,"])
def test_the_signs_of_a_sentence_are_no_part_of_a_word(home: Path, typed: str) -> None:
    assert ask(home, "kitchen", typed)["missing"] == ["quuxly"]
    assert ask(home, f"{typed} kitchn?")["spelled"] == {"kitchn": "kitchen"}
    alone = aj(home, "search", "--no-sync", typed).stderr
    assert "not found: quuxly\nno hits (last sync" in alone


@pytest.mark.parametrize("typed", [".quuxly", "quuxly()", "quuxly++"])
def test_what_is_more_than_a_sign_of_a_sentence_stays(home: Path, typed: str) -> None:
    assert ask(home, "kitchen", typed)["missing"] == [typed]


@pytest.mark.parametrize("word", ["eat", "eats", "eating"])
def test_a_word_of_three_letters_has_other_forms(tmp_path: Path, word: str) -> None:
    write(tmp_path, said("s1", f"the cat {word} during io", "Lunch"))
    assert aj(tmp_path, "sync").returncode == 0
    for asked in ("eat", "eats", "eating"):
        found = ask(tmp_path, asked)
        assert (sessions(found), found["missing"]) == (["s1"], [])
    assert ask(tmp_path, "ios")["items"] == []


def test_many_such_words_are_counted(home: Path) -> None:
    words = [f"{letter}{letter}quux" for letter in "bcdfghjkl"]
    said = aj(home, "search", "--no-sync", "kitchen", *words).stderr
    assert "other words" in said
    assert words[0] in said


@pytest.mark.parametrize(
    "query",
    [
        "agent:claude quuxly",
        "is:prompt quuxly zorbify",
        "date:2026 quuxly",
        "quuxly sort:newest",
        "agent:claude quuxly sort:oldest",
        "quuxly OR zorbify",
        '"kitchen quuxly"',
        'kitchen "walls quuxly"',
    ],
)
def test_nothing_is_found_for_missing_words_alone(home: Path, query: str) -> None:
    assert ask(home, query)["items"] == []
    assert hits(home, query) == []


def test_an_alternative_is_enough(home: Path) -> None:
    found = ask(home, "quuxly OR kitchen")
    assert sessions(found) == ["kitchen"]
    assert found["missing"] == ["quuxly"]
    assert sessions(ask(home, "quuxly OR agent:codex OR login")) == ["login"]
    assert ask(home, "kitchn OR quuxly")["spelled"] == {"kitchn": "kitchen"}


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("login_handler", ["login"]),  # both are words
        ("login_xkqz9", []),  # a name of which one part is no word at all
        ("xkqz_login", []),
        ("retry_count", ["login"]),
        ("parseConfig", ["kitchen"]),
        ("parse config", ["kitchen"]),
    ],
)
def test_identifiers_with_unknown_parts(home: Path, query: str, expected: list[str]) -> None:
    assert sessions(ask(home, query)) == expected


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("password_rejected", ["login"]),
        ("passwordRejected", ["login"]),  # as if there were a sign between them
        ("PASSWORDRejected()", ["login"]),
        ("password_xkqz", []),
        ("passwordXkqz", []),
        ("XkqzPassword", []),
        ("xShCi", []),  # each part is a word, but letters at random have such words, too
    ],
)
def test_names_that_nothing_has_by_meaning(home: Path, query: str, expected: list[str]) -> None:
    found = aj_json(home, "search", "--no-sync", "--mode", "semantic", query)
    assert sessions(found)[:1] == expected


def test_exclusions_are_not_corrected(home: Path) -> None:
    found = ask(home, "paint NOT kitchn")
    assert (found["spelled"], sessions(found)) == ({}, ["kitchen"])


def test_prefixes_are_not_corrected(home: Path) -> None:
    assert (ask(home, "kitchn*")["spelled"], ask(home, "kitchn*")["items"]) == ({}, [])


def test_a_rare_word_is_found_as_it_is_and_as_it_may_be_meant(home: Path) -> None:
    found = ask(home, "cofee")
    assert found["spelled"] == {}  # it occurs
    assert sessions(found)[0] == "rare"
    flat = hits(home, "--mode", "lexical", "--flat", "-n", "500", "cofee")
    assert flat[0]["session"] == "claude-code:rare"
    assert len(flat) == 1
    asked = "cofee kitchen login bats"  # of which no message has all
    many = hits(home, "--mode", "lexical", "--flat", "-n", "500", asked)
    assert len(many) > COMMON


def test_a_word_that_a_few_messages_have_is_meant_as_it_is(home: Path) -> None:
    asked = "coffe kitchen login bats"
    assert len(hits(home, "--mode", "lexical", "--flat", "-n", "500", asked)) < COMMON


def test_a_common_word_is_not_taken_for_a_rare_one(home: Path) -> None:
    found = hits(home, "--mode", "lexical", "--flat", "-n", "500", "coffee")
    assert "claude-code:rare" not in {hit["session"] for hit in found}


@pytest.mark.parametrize(
    ("typed", "meant", "expected"),
    [
        ("", "", 0),
        ("word", "word", 0),
        ("wrod", "word", 1),
        ("wor", "word", 1),
        ("wword", "word", 1),
        ("ward", "word", 1),
        ("drow", "word", 3),
        ("", "word", 4),
        ("abcd", "badc", 2),
    ],
)
def test_slips_are_counted(typed: str, meant: str, expected: int) -> None:
    assert slips(typed, meant) == expected


LETTERS = st.text("abcd", max_size=7)


@given(LETTERS, LETTERS)
def test_slips_are_the_same_in_both_directions(one: str, other: str) -> None:
    number = slips(one, other)
    assert number == slips(other, one)
    assert (number == 0) == (one == other)
    assert abs(len(one) - len(other)) <= number <= max(len(one), len(other))


def test_a_word_of_a_phrase_that_nothing_has_is_named(home: Path) -> None:
    found = ask(home, '"kitchen quuxly, walls" "quuxly 検索"')
    assert (found["items"], found["missing"]) == ([], ["quuxly"])
    assert ask(home, '"kitchen walls" paint')["missing"] == []
    assert ask(home, '"walls kitchen"')["missing"] == []
    assert sessions(ask(home, '"quuxly walls" OR kitchen')) == ["kitchen"]
    done = aj(home, "search", "--no-sync", '"quuxly walls"')
    assert "not found: quuxly\n" in done.stderr


def test_a_word_that_exists_is_not_taken_for_another_one(home: Path) -> None:
    """`halls` is not a slip of `walls`, although nothing has it."""
    answer = aj_json(home, "search", "--no-sync", "--mode", "lexical", "kitchen", "halls")
    assert (answer["spelled"], answer["missing"]) == ({}, ["halls"])
    misspelt = aj_json(home, "search", "--no-sync", "--mode", "lexical", "kitchen", "wallls")
    assert misspelt["spelled"] == {"wallls": "walls"}


def test_of_a_word_that_is_kept_and_not_searched_nothing_false_is_said(tmp_path: Path) -> None:
    """An earlier version of the file has it."""
    name = ".claude/projects/-w/s1.jsonl"
    write(tmp_path, [record("user", "m1", "the frobnicator is broken", cwd="/w")], name)
    aj(tmp_path, "sync")
    (tmp_path / name).unlink()
    write(tmp_path, [record("user", "m2", "the other one works", cwd="/w")], name)
    aj(tmp_path, "sync")
    words = aj(tmp_path, "search", "--no-sync", "frobnicator").stderr
    assert "not found: frobnicator\n" in words
    assert "no message has" not in words
    found = aj(tmp_path, "show", "s1", "--find", "frobnicator").stderr
    assert "'frobnicator' was not found in this session" in found
