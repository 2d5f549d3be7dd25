"""How long a search takes in a journal of 10 thousand, 100 thousand and a million messages: cold,
and asked again; and in a journal with a session in which every message has the word.

Cold is a new process each time, with the files in the page cache; warm are many different questions
in one process.
"""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from random import Random
from typing import TYPE_CHECKING

import messages
from lab import Lab, Row, all_bytes, fastest, log_bytes

if TYPE_CHECKING:
    from agent_journal.query.tree import Parsed
    from agent_journal.search.finding import Searcher

# name, words, mode, milliseconds at most, times bare Python at most: one of the two must hold
COLD = (
    ("a rare word", "{rare}", "lexical", 120, 8.5),
    ("a misspelt word", "{rare}y", "lexical", 120, 8.5),
    ("a common word", "the", "lexical", 120, 8.5),
    ("two words", "test file", "hybrid", 220, 16),
)
WARM = {"lexical": 12, "hybrid": 35}  # milliseconds at most
FLOOD = 50_000  # messages of one session that all have the word
FLOOD_TIMES = 2  # times a rare word at most


def measure_latency(lab: Lab) -> Iterator[Row]:
    """Searches in journals of growing size."""
    for count in lab.sizes.messages:
        home = messages.cached(count)
        journal = tempfile.mkdtemp(dir=lab.scratch)
        run = lab.aj("sync", home=home, journal=journal)
        size = log_bytes(home) / 1e6
        beside = (
            f"{count / run.wall:,.0f} messages a second, "
            f"{all_bytes(journal) / 1e6 / size:.2f}x on disk"
        )
        yield Row(
            "latency",
            f"{count:,} messages: peak memory of the sync",
            run.peak / 1e6,
            "MB",
            400,
            beside=beside,
        )
        yield from _cold(lab, home, journal, count)
        asked = (os.path.abspath(__file__), str(count))
        for mode, seconds in json.loads(lab.output(asked, home, journal)).items():
            name = f"{count:,} messages: {mode}, warm, p95"
            yield Row("latency", name, seconds * 1000, "ms", WARM[mode])
    yield from _flood(lab)


def _cold(lab: Lab, home: str, journal: str, count: int) -> Iterator[Row]:
    rare = messages.vocabulary(count).words[-1]
    for name, words, mode, most, times in COLD:
        bare = lab.bare()
        asked = ("search", "--no-sync", "--mode", mode, words.format(rare=rare))
        run = fastest(
            [lab.aj(*asked, home=home, journal=journal) for _ in range(lab.sizes.repeats)]
        )
        limit = max(most, bare.wall * 1000 * times)
        beside = f"{run.wall / bare.wall:.1f}x bare Python ({bare.wall * 1000:.0f} ms)"
        yield Row(
            "latency",
            f"{count:,} messages: {name}, {mode}, cold",
            run.wall * 1000,
            "ms",
            limit,
            beside=beside,
        )


def _flood(lab: Lab) -> Iterator[Row]:
    """A word that every message of a long session has, against a rare one."""
    home = messages.cached_flood(FLOOD)
    journal = tempfile.mkdtemp(dir=lab.scratch)
    lab.aj("sync", home=home, journal=journal)
    rare, flood = _flood_words()
    warm = json.loads(lab.output((os.path.abspath(__file__), "flood"), home, journal))
    for mode, seconds in warm.items():
        asked = ("search", "--no-sync", "--mode", mode)
        turns = [
            [lab.aj(*asked, word, home=home, journal=journal).wall for word in (rare, flood)]
            for _ in range(lab.sizes.repeats)
        ]
        times = [min(walls) for walls in zip(*turns, strict=True)]
        name = f"a word in all {FLOOD:,} messages of a session / a rare one, {mode}"
        beside = f"{times[1] * 1000:.0f} ms"
        yield Row("latency", f"{name}, cold", times[1] / times[0], "x", FLOOD_TIMES, beside=beside)
        name = f"a word in all {FLOOD:,} messages of a session, {mode}, warm"
        yield Row("latency", name, seconds * 1000, "ms", WARM[mode])


def _flood_words() -> tuple[str, str]:
    """A rare word of that journal, and the one of the flood."""
    vocabulary = messages.Vocabulary(Random(f"flood {FLOOD}"))
    return vocabulary.words[-1], messages.FLOOD


@contextmanager
def _searcher() -> Iterator[Searcher]:
    """What answers questions to the journal of this process."""
    from agent_journal.journal import Journal
    from agent_journal.search.finding import Searcher
    from agent_journal.sync.indexes import lexical, vectors

    with Journal.open() as journal:
        assert journal.db is not None
        yield Searcher(journal.db, lexical(journal.config), vectors(journal.config)[0])


def ask(count: int) -> dict[str, float]:
    """Asks the journal of this process 200 different questions in each mode; the 95th percentile in
    seconds.
    """
    from agent_journal.query.parser import parse

    rng = Random(f"questions {count}")
    vocabulary = messages.vocabulary(count)
    questions = [parse(vocabulary.text(rng, rng.randrange(1, 4))) for _ in range(220)]
    with _searcher() as searcher:
        return {
            mode: _percentile([_seconds(searcher, one, mode) for one in questions][20:])
            for mode in WARM
        }


def ask_flood() -> dict[str, float]:
    """The least seconds for the word of the flood in each mode."""
    from agent_journal.query.parser import parse

    question = parse(messages.FLOOD)
    with _searcher() as searcher:
        return {mode: min(_seconds(searcher, question, mode) for _ in range(20)) for mode in WARM}


def _seconds(searcher: Searcher, question: Parsed, mode: str) -> float:
    started = time.perf_counter()
    searcher.find(question, mode, per_session=True, limit=20)
    return time.perf_counter() - started


def _percentile(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) * 95 // 100]


if __name__ == "__main__":
    if sys.argv[1] == "flood":
        print(json.dumps(ask_flood()))
    else:
        print(json.dumps(ask(int(sys.argv[1]))))
