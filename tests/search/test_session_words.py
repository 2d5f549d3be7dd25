"""The index of whole sessions follows whatever happens to messages, at the cost of a few."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest
import tantivy
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_journal.search import backlog, session_words
from agent_journal.sync.indexes import lexical
from tests.support.journals import append, claude_line, open_journal, write_claude
from tests.support.talks import record, write
from tests.support.whole_sessions import Held, Sessions, all_pieces, held, of_journal

WORDS = ("apple", "brick", "cloud", "daisy", "eagle")
SMALL = 30  # characters of a document
STEPS = st.lists(
    st.one_of(
        st.tuples(st.just("say"), st.integers(1, 3), st.sampled_from(WORDS)),
        st.tuples(st.just("say much"), st.integers(1, 3), st.sampled_from(WORDS)),
        st.tuples(st.just("replace"), st.integers(0, 40), st.sampled_from(WORDS)),
        st.tuples(st.just("remove"), st.integers(0, 40), st.just("")),
        st.tuples(st.just("sync"), st.just(0), st.just("")),
        st.tuples(st.just("killed sync"), st.just(0), st.just("")),
        st.tuples(st.just("sync killed after"), st.integers(0, 6), st.just("")),
        st.tuples(st.just("rebuild"), st.just(0), st.just("")),
    ),
    max_size=25,
)


@pytest.fixture(autouse=True)
def small_documents(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_words, "_FULL", SMALL)


def contents(index: tantivy.Index) -> tuple[dict[int, int], set[tuple[int, str]]]:
    """What an index has of sessions; how it is divided into documents does not matter."""
    found = held(index.searcher(), WORDS)
    return found.sizes, set(found.words)


def take(sessions: Sessions, step: tuple[str, int, str]) -> None:
    what, number, word = step
    if what == "say":
        sessions.say(number, f"{word} {word}")
    elif what == "say much":
        sessions.say(number, f"{word} " * SMALL)
    elif what in ("replace", "remove") and sessions.items:
        item_id = list(sessions.items)[number % len(sessions.items)]
        item = sessions.remove(item_id)
        if what == "replace":
            sessions.say(item.session, f"not {word}")
    elif what == "sync":
        sessions.sync()
    elif what == "killed sync":
        sessions.sync(is_killed=True)
    elif what == "sync killed after":
        sessions.sync(is_killed=True, items=number)
    elif what == "rebuild":
        sessions.rebuild()


@settings(max_examples=40, deadline=None)
@given(steps=STEPS, most=st.sampled_from((0, 2 * SMALL, 10_000)))
def test_after_any_changes_it_is_like_a_new_one(
    steps: list[tuple[str, int, str]], most: int
) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session_words, "_FULL", SMALL)
        patch.setattr(backlog, "_MOST", most)  # characters that wait for a commit
        sessions = Sessions()
        sessions.say(1, "apple and brick")
        sessions.sync()
        for step in steps:
            take(sessions, step)
        sessions.sync()
        assert contents(sessions.index) == contents(sessions.fresh())


def test_a_kill_after_an_early_commit_does_not_cost_what_was_said_before(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(backlog, "_MOST", 0)
    sessions = Sessions()
    sessions.say(1, "apple")
    sessions.sync()
    sessions.say(1, "brick")  # its document is made again
    sessions.say(2, "cloud " * SMALL)  # fills a document, which is committed
    sessions.sync(is_killed=True, items=2)
    assert contents(sessions.index)[1] == {(1, "apple"), (1, "brick"), (2, "cloud")}
    sessions.sync()
    assert contents(sessions.index) == contents(sessions.fresh())


def test_a_killed_sync_with_a_removed_message_leaves_no_overlap() -> None:
    sessions = Sessions()
    for number in range(9):
        sessions.say(1, f"apple {number} " + "x" * 10)
    sessions.sync()
    sessions.say(1, "cloud")
    sessions.sync(is_killed=True)  # the last document ends above the watermark
    sessions.remove(2)
    sessions.sync()
    assert contents(sessions.index) == contents(sessions.fresh())


def test_full_documents_of_a_killed_sync_are_not_there_twice() -> None:
    sessions = Sessions()
    sessions.say(1, "apple")
    sessions.sync()
    for _ in range(3):
        sessions.say(1, "brick " * SMALL)
    sessions.sync(is_killed=True)
    assert len(all_pieces(sessions.index.searcher())) == 3
    sessions.sync()
    assert contents(sessions.index) == contents(sessions.fresh())


def long_session() -> Sessions:
    """A session of ten documents with two messages each, and a last one that is not full."""
    sessions = Sessions()
    for number in range(21):
        sessions.say(1, f"message {number:02d} of it")
    sessions.sync()
    pieces = all_pieces(sessions.index.searcher())
    assert [(piece.first, piece.last) for piece in pieces[:2]] == [(1, 2), (3, 4)]
    assert len(pieces) == 11
    return sessions


def test_a_line_more_reads_only_the_last_document_again() -> None:
    sessions = long_session()
    before = all_pieces(sessions.index.searcher())
    sessions.say(1, "daisy")
    sessions.sync()
    assert sessions.read == [21]
    after = all_pieces(sessions.index.searcher())
    assert after[:-1] == before[:-1]
    assert (after[-1].first, after[-1].last) == (21, 22)


def test_a_full_document_is_not_opened_again() -> None:
    sessions = long_session()
    sessions.say(1, "eagle " * 10)
    sessions.sync()
    before = all_pieces(sessions.index.searcher())
    sessions.say(1, "daisy")
    sessions.sync()
    assert sessions.read == []
    assert all_pieces(sessions.index.searcher())[:-1] == before


def test_a_message_replaced_in_the_middle_reads_only_its_document_again() -> None:
    sessions = long_session()
    before = all_pieces(sessions.index.searcher())
    sessions.remove(9)
    sessions.say(1, "message that replaces it")
    sessions.sync()
    assert sorted(sessions.read) == [10, 21]  # the other of its document, and the last one
    after = all_pieces(sessions.index.searcher())
    untouched = [piece for piece in before if piece.first not in (9, 21)]
    assert [piece for piece in after if piece in untouched] == untouched
    assert contents(sessions.index) == contents(sessions.fresh())


def test_other_sessions_are_not_read_again() -> None:
    sessions = long_session()
    other = sessions.say(2, "apple")
    sessions.sync()
    sessions.remove(other)
    sessions.say(3, "brick")
    sessions.sync()
    assert sessions.read == []
    assert set(contents(sessions.index)[0]) == {1, 3}


def test_so_many_waiting_documents_are_written_early(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session_words, "_MOST_WAITING", 40)
    sessions = Sessions()
    for turn in range(4):
        for session in range(1, 6):
            sessions.say(session, f"apple {turn}")
    sessions.sync()
    assert len(all_pieces(sessions.index.searcher())) > 5
    found = held(sessions.index.searcher(), WORDS)
    assert found.sizes == dict.fromkeys(range(1, 6), 4 * len("apple 0"))


def test_only_what_was_said_and_shown_counts() -> None:
    sessions = Sessions()
    sessions.say(1, "apple")
    sessions.say(1, "brick", kind="answer")
    sessions.say(1, "cloud", kind="compaction")
    sessions.say(1, "daisy", is_hidden=True)
    sessions.say(1, "eagle", kind="tool")
    sessions.say(0, "eagle")  # a line without a session
    sessions.sync()
    assert contents(sessions.index) == ({1: 15}, {(1, "apple"), (1, "brick"), (1, "cloud")})


# -- real journals -------------------------------------------------------------------------------


def of_home(home: Path) -> Held:
    with open_journal(home) as journal:
        return held(of_journal(journal), (*WORDS, "answer"))


def compared(home: Path) -> None:
    """The index has what one has that is built now."""
    grown = of_home(home)
    with open_journal(home) as journal:
        lexical(journal.config).drop()
        journal.sync()
    fresh = of_home(home)
    assert grown.sizes == fresh.sizes
    assert set(grown.words) == set(fresh.words)


@pytest.mark.parametrize("seed", [1, 2])
def test_real_journals_are_like_new_ones(tmp_path: Path, seed: int) -> None:
    random = Random(seed)
    numbers = {"s1": 0, "s2": 0}
    with open_journal(tmp_path) as journal:
        for _ in range(6):
            name = random.choice(["s1", "s2"])
            path = write_claude(tmp_path, name, 0)
            for _ in range(random.randint(1, 3)):
                word = random.choice(WORDS)
                kind = random.choice(["user", "assistant"])
                append(path, claude_line(kind, numbers[name], f"{word} of {kind}", name))
                numbers[name] += 1
            if random.random() < 0.4:  # as when an agent rewrites its file
                before, after = random.sample(WORDS, 2)
                path.write_text(path.read_text().replace(before, after))
            if random.random() < 0.2:
                path.write_text("".join(path.read_text().splitlines(keepends=True)[1:]))
            journal.sync()
    compared(tmp_path)


def test_hidden_messages_and_sub_agents(tmp_path: Path) -> None:
    prompt = record("user", "p1", "apple of the person")
    hidden = record("user", "p2", "brick of the agent", isMeta=True)
    write(tmp_path, [prompt, hidden])
    side = {"isSidechain": True, "agentId": "a1"}
    task = record("user", "q1", "eagle that another agent asked for", **side)
    answer = record("assistant", "q2", [{"type": "text", "text": "cloud of the helper"}], **side)
    write(tmp_path, [task, answer], ".claude/projects/-work-app/s1/subagents/agent-a1.jsonl")
    history = tmp_path / ".claude/history.jsonl"
    history.write_text('{"display": "daisy alone", "timestamp": 1762000000000, "project": "/x"}\n')
    with open_journal(tmp_path) as journal:
        journal.sync()
        found = held(of_journal(journal), WORDS)
        rows = dict(journal.db.execute("SELECT uid, id FROM sessions").fetchall())
    by_word = {word: session for session, word in found.words}
    assert set(by_word) == {"apple", "cloud"}
    assert by_word["apple"] == rows["s1"]
    assert by_word["cloud"] != rows["s1"]
