"""The dialogs that search is measured with say what they claim to say."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from bench.retrieval.dialogs import KINDS, Home, Session, Turn, nonsense, own_homes, read

from agent_journal.search.lexical import analyzers

HOMES = own_homes()
LARGEST = 200_000  # bytes of one file
# Words that say nothing about what a session is about.
COMMON_WORDS = """
a about across after again against all along also although am among an and another any anybody
anyone anything around are as at away back be because been before behind being between both but by
can cannot could did do does doing done down due during each either else ever every everybody
everyone everything few for from further gave get gets getting give go goes going gone got had has
have having he her here him his how i if in instead into is isn it its itself just least less let
like made make makes making many may me might mine more most much must my neither never no nobody
none nor not nothing now of off on once one only onto or other others our ours out over own per
rather s same she should since so some somebody someone something sometimes still such t than that
the their them themselves then there these they thing things this those though through till to
together too under until up upon us very was we well went were what when where whether which while
who whom whose why will with within without would yet you your yours
auf das dem den der die ein eine es ich ist mit nicht und zu
"""
COMMON = frozenset(COMMON_WORDS.split())
WORD = re.compile(r"[^\W\d_]+")
STEMS = analyzers()["stems"]
SHORTEST_SHARED_BEGINNING = 5


def said(session: Session) -> str:
    return "\n".join([session.title or "", *(turn.text for turn in session.turns)])


def words(text: str) -> set[str]:
    return {word.lower() for word in WORD.findall(text)}


def stems(text: str) -> set[str]:
    """The stems of the content words; parts of identifiers are words, too."""
    apart = re.sub(r"([a-z])([A-Z])", r"\1 \2", text)
    content = words(f"{text} {apart}") - COMMON
    return {stem for word in content for stem in STEMS.analyze(word)}


def are_forms_of_one_word(one: str, other: str) -> bool:
    """Whether the stems are equal, or a long one goes on where the other ends."""
    if one == other:
        return True
    short, long = sorted((one, other), key=len)
    return len(short) >= SHORTEST_SHARED_BEGINNING and long.startswith(short)


def shared(query: str, text: str) -> set[str]:
    """The content words of `query` that occur in `text` in some form."""
    there = stems(text)
    return {
        stem for stem in stems(query) if any(are_forms_of_one_word(stem, other) for other in there)
    }


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_sessions_are_whole(home: Home) -> None:
    assert 25 <= len(home.sessions) <= 40
    dates = [session.date for session in home.sessions if session.date]
    assert len(dates) == len(home.sessions)
    assert dates == sorted(dates)
    for session in home.sessions:
        assert 8 <= len(session.turns) <= 16, session.date
        roles = [turn.role for turn in session.turns]
        assert roles == (["user", "assistant"] * len(roles))[: len(roles)], session.date
        assert all(turn.text.strip() for turn in session.turns)


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_every_session_of_an_answer_exists(home: Home) -> None:
    for question in home.questions:
        assert question.sessions, question.text
        assert question.sessions <= set(range(len(home.sessions))), question.text


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_all_kinds_of_questions_are_there(home: Home) -> None:
    kinds = Counter(question.kind for question in home.questions)
    assert set(kinds) == set(KINDS)
    assert min(kinds.values()) >= 6
    texts = Counter(question.text for question in home.questions)
    assert texts.most_common(1)[0][1] == 1


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_paraphrases_share_no_content_word_with_their_session(home: Home) -> None:
    odd = {}
    for question in home.questions:
        if question.kind == "paraphrase":
            text = " ".join(said(home.sessions[place]) for place in question.sessions)
            odd[question.text] = shared(question.text, text)
    assert {text: common for text, common in odd.items() if common} == {}


def test_forms_of_a_word_are_seen() -> None:
    text = "We cached the retries in fetchUserById"
    assert shared("caching a retry of users", text) == stems("caching retry user")
    assert shared("something else entirely", text) == set()


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_commands_stand_in_their_session(home: Home) -> None:
    for question in home.questions:
        if question.kind == "command":
            for place in question.sessions:
                assert question.text in said(home.sessions[place])


@pytest.mark.parametrize("home", HOMES, ids=lambda home: home.name)
def test_typing_errors_are_in_no_session(home: Home) -> None:
    known = words("\n".join(said(session) for session in home.sessions))
    for question in home.questions:
        if question.kind == "typo":
            assert words(question.text) - known, question.text


def test_nonsense_occurs_nowhere() -> None:
    everything = "\n".join(said(session) for home in HOMES for session in home.sessions).lower()
    queries = nonsense()
    assert len(queries) == len(set(queries)) == 100
    known = [term for query in queries for term in query.lower().split() if term in everything]
    assert known == []


def test_files_are_small() -> None:
    paths = list((Path(__file__).parents[2] / "bench/retrieval/dialogs").glob("*.json"))
    assert len(paths) == len(HOMES) + 1
    assert [path.name for path in paths if path.stat().st_size > LARGEST] == []


def test_conversations_of_locomo_are_read(tmp_path: Path) -> None:
    conversation = {
        "speaker_a": "Ada",
        "session_10": [{"speaker": "Bo", "text": "I sold it.", "dia_id": "D10:1"}],
        "session_10_date_time": "no idea",
        "session_2": [
            {"speaker": "Ada", "text": "I have a boat."},
            {"speaker": "Bo", "text": "Nice!"},
        ],
        "session_2_date_time": "1:56 pm on 8 May, 2023",
        "session_3": [],
        "session_11_date_time": "1:00 pm on 9 May, 2023",
    }
    evidence = [["D2:1"], ["D2:1; D10:1"], ["D"], [""], [], ["D3:1"], ["D", "D10:1"], None]
    asked = [
        {"question": f"Question {number}?", "evidence": named}
        for number, named in enumerate(evidence)
    ]
    path = tmp_path / "talk.json"
    path.write_text(json.dumps([{"conversation": conversation, "qa": asked}]), encoding="utf-8")

    [home] = read(str(path))

    first, second = home.sessions
    assert home.name == "talk-0"
    assert str(first.date) == "2023-05-08 13:56:00"
    assert first.turns == [Turn("user", "Ada: I have a boat."), Turn("assistant", "Bo: Nice!")]
    assert second == Session(None, None, [Turn("assistant", "Bo: I sold it.")])
    assert [(question.text, question.sessions) for question in home.questions] == [
        ("Question 0?", {0}),
        ("Question 1?", {0, 1}),
        ("Question 6?", {1}),
    ]
