"""Which session comes first, and that pages of many sessions neither repeat nor miss one."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from agent_journal.search.message_hits import MessageHits
from agent_journal.search.ranking import Evidence, Scored, rank_items, rank_sessions
from tests.support.journals import aj
from tests.support.talks import hits, record, write

MANY = 2_000  # hits of one session
OTHERS = 450  # sessions with one hit each
LINES = 450  # of a prompt history, without a session


def order(
    messages: list[Scored],
    near: tuple[Scored, ...] = (),
    whole: dict[int, float] | None = None,
    dates: dict[int, float] | None = None,
    asked: float = 0.1,
) -> list[int]:
    """The sessions, best first; `asked` is so little that the words are trusted."""
    evidence = Evidence(messages, list(near), whole or {}, dates or {}, asked)
    return [hit.session for hit in rank_sessions(evidence)]


def test_three_messages_of_a_session_count() -> None:
    one = Scored(1, 1, 1.0)
    several = [Scored(item_id, 2, 0.7) for item_id in (2, 3, 4)]
    assert order([one, *several]) == [2, 1]
    assert order([one, several[0]]) == [1, 2]
    many = [Scored(item_id, 3, 0.1) for item_id in range(10, 100)]
    assert order([one, *many]) == [1, 3]


def test_a_title_counts_beside_the_messages() -> None:
    same = [Scored(11, 1, 1.0), Scored(12, 2, 1.0)]
    assert order([*same, Scored(3, 1, 1.0, repeats=True)]) == [1, 2]
    assert order([*same, Scored(3, 2, 1.0, repeats=True)]) == [2, 1]
    two = [Scored(1, 1, 1.0), Scored(2, 1, 1.0)]
    titled = [Scored(3, 2, 1.0), Scored(4, 2, 1.0, repeats=True)]
    assert order([*two, *titled]) == [1, 2]  # it is not another message


def test_whole_sessions_meaning_and_dates_decide_between_equals() -> None:
    same = [Scored(1, 1, 1.0), Scored(2, 2, 1.0)]
    for session in (1, 2):
        other = 3 - session
        assert order(same, whole={session: 2.0, other: 1.0}) == [session, other]
        assert order(same, near=(Scored(session, session, 0.6),)) == [session, other]
        assert order(same, dates={session: 1.0}) == [session, other]


def test_weak_words_give_way_to_meaning() -> None:
    words = [Scored(1, 1, 1.0)]
    near = (Scored(2, 2, 0.4, by="meaning"),)
    assert order(words, near, asked=0.1) == [1, 2]
    assert order(words, near, asked=5.0) == [2, 1]


def test_what_is_there_as_it_was_typed_comes_before_what_is_about_it() -> None:
    words = [Scored(1, 1, 1.0), Scored(2, 2, 0.7)]
    near = [Scored(2, 2, 0.9, by="meaning")]
    evidence = Evidence(words, near, {2: 5.0}, {}, 0.1)
    assert [hit.session for hit in rank_sessions(evidence)] == [2, 1]
    literal = evidence._replace(is_literal=True)
    assert [hit.session for hit in rank_sessions(literal)] == [1, 2]


def test_a_hit_with_words_is_shown_for_its_session() -> None:
    near = [Scored(1, 1, 0.9, by="meaning")]
    [shown] = rank_sessions(Evidence([Scored(2, 1, 0.1)], near, {}, {}, 1.0))
    assert (shown.item_id, shown.by) == (2, "words")


def test_items_without_a_session_are_hits_of_their_own() -> None:
    found = rank_sessions(Evidence([Scored(1, 0, 1.0), Scored(2, 0, 0.5)], [], {}, {}, 1.0))
    assert [hit.item_id for hit in found] == [1, 2]


def test_single_items_have_both_scores() -> None:
    words = [Scored(1, 1, 1.0), Scored(2, 1, 0.9)]
    near = [Scored(2, 1, 0.9, by="meaning"), Scored(3, 1, 0.8, by="meaning")]
    assert [(hit.item_id, hit.by) for hit in rank_items(words, near)] == [
        (2, "words"),
        (1, "words"),
        (3, "meaning"),
    ]


# -- real journals -------------------------------------------------------------------------------


def prompts(home: Path, name: str, *texts: str, **more: Any) -> None:
    lines = [
        {**record("user", f"{name}-{number}", text, cwd="/w", **more), "sessionId": name}
        for number, text in enumerate(texts)
    ]
    write(home, lines, f".claude/projects/-w/{name}.jsonl")


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("many")
    prompts(path, "long", *(f"kiwi {number}" for number in range(MANY)))
    for number in range(OTHERS):
        prompts(path, f"o{number}", f"somebody mentions a kiwi here, number {number}")
    lines = [
        {"display": f"kiwi {number}", "timestamp": 1762000000000 + number, "project": "/elsewhere"}
        for number in range(LINES)
    ]
    history = path / ".claude/history.jsonl"
    history.write_text("".join(json.dumps(line) + "\n" for line in lines))
    prompts(path, "both", "the ferret and the otter")
    prompts(path, "one", "ferret ferret ferret ferret", "ferret ferret")
    prompts(path, "another", "otter otter otter otter")
    answer = record("assistant", "q2", [{"type": "text", "text": "a walrus on the beach"}])
    side = {**answer, "isSidechain": True, "agentId": "a1", "sessionId": "one"}
    write(path, [side], ".claude/projects/-w/one/subagents/agent-a1.jsonl")
    own = record("assistant", "w1", [{"type": "text", "text": "a walrus on the beach"}], cwd="/w")
    write(path, [{**own, "sessionId": "alone"}], ".claude/projects/-w/alone.jsonl")
    assert aj(path, "sync").returncode == 0
    return path


def keys(found: list[dict[str, Any]], *, is_flat: bool = False) -> list[str]:
    if is_flat:
        return [f"{hit.get('session')} {hit['message']['id']}" for hit in found]
    return [hit.get("session") or f"line {hit['snippet']['text']}" for hit in found]


@pytest.mark.parametrize("sort", ["", " sort:newest", " sort:oldest"])
@pytest.mark.parametrize("mode", ["lexical", "hybrid"])
def test_pages_neither_repeat_nor_miss_a_session(home: Path, mode: str, sort: str) -> None:
    def page(offset: int, size: int) -> list[str]:
        return keys(hits(home, "--mode", mode, "-n", f"{size}", "--offset", f"{offset}", query))

    query = f"kiwi{sort}"
    everything = page(0, 5_000)
    assert len(everything) == len(set(everything)) == 1 + OTHERS + LINES
    assert [*page(0, 7), *page(7, 300), *page(307, 500), *page(807, 500)] == everything


def test_pages_of_single_messages_are_in_one_order(home: Path) -> None:
    def page(offset: int, size: int) -> list[str]:
        asked = ("--flat", "--mode", "lexical", "-n", f"{size}", "--offset", f"{offset}")
        return keys(hits(home, *asked, "kiwi is:prompt"), is_flat=True)

    everything = page(0, 5_000)
    assert len(everything) == len(set(everything)) >= MANY + OTHERS
    assert [*page(0, 390), *page(390, 20), *page(410, 2_500)] == everything[:2_910]


def test_a_long_session_costs_one_round(home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    rounds: list[int] = []
    best = MessageHits.best

    def counted(self: MessageHits, *args: Any) -> Any:
        rounds.append(1)
        return best(self, *args)

    monkeypatch.setattr(MessageHits, "best", counted)
    found = hits(home, "--mode", "lexical", "-n", "200", "kiwi is:prompt")
    assert len(found) == 200
    assert len(rounds) <= 4


def test_all_words_of_a_few_beat_some(home: Path) -> None:
    assert keys(hits(home, "--mode", "lexical", "ferret otter")) == ["claude-code:both"]
    asked = "ferret otter walrus beach"  # a question: some of the words are enough
    some = set(keys(hits(home, "--mode", "lexical", asked)))
    assert {"claude-code:both", "claude-code:one", "claude-code:another"} <= some


def test_sub_agents_come_after_sessions_of_people(home: Path) -> None:
    found = keys(hits(home, "--mode", "lexical", "walrus beach"))
    assert found[0] == "claude-code:alone"
    assert len(found) == 2


@pytest.mark.parametrize("nonsense", ["xqzzv", "qwrtpl zzkxv", "7f3a9c0b1d", "__xkq__", "ƣƣƣƣ"])
def test_nonsense_finds_nothing(home: Path, nonsense: str) -> None:
    assert hits(home, nonsense) == []
    assert hits(home, "--flat", nonsense) == []
