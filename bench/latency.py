"""How long a search takes in a journal of 10 thousand, 100 thousand and a million messages: cold,
and asked again.

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
from random import Random

import messages
from lab import Lab, Row, all_bytes, fastest, log_bytes

# name, words, mode, milliseconds at most, times bare Python at most: one of the two must hold
COLD = (
    ("a rare word", ("zuzuzuhex",), "lexical", 120, 9),
    ("a common word", ("the",), "lexical", 120, 9),
    ("two words", ("test", "file"), "hybrid", 220, 16),
)
WARM = (("lexical", 20), ("hybrid", 80))


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
            limit = dict(WARM)[mode]
            yield Row(
                "latency", f"{count:,} messages: {mode}, warm, p95", seconds * 1000, "ms", limit
            )


def _cold(lab: Lab, home: str, journal: str, count: int) -> Iterator[Row]:
    for name, words, mode, most, times in COLD:
        bare = lab.bare()
        asked = ("search", "--no-sync", "--mode", mode, *words)
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


def ask(count: int) -> dict[str, float]:
    """Asks the journal of this process 200 different questions in each mode; the 95th percentile in
    seconds.
    """
    from agent_journal.journal import Journal
    from agent_journal.query.parser import parse
    from agent_journal.search.finding import Searcher
    from agent_journal.sync.indexes import lexical, vectors

    rng = Random(f"questions {count}")
    vocabulary = messages.Vocabulary(rng)
    questions = [parse(vocabulary.text(rng, rng.randrange(1, 4))) for _ in range(220)]
    with Journal.open() as journal:
        assert journal.db is not None
        searcher = Searcher(journal.db, lexical(journal.config), vectors(journal.config)[0])
        return {
            mode: _percentile([_seconds(searcher, one, mode) for one in questions][20:])
            for mode, _ in WARM
        }


def _seconds(searcher: object, question: object, mode: str) -> float:
    started = time.perf_counter()
    searcher.find(question, mode, per_session=True, limit=20)  # type: ignore[attr-defined]
    return time.perf_counter() - started


def _percentile(seconds: list[float]) -> float:
    return sorted(seconds)[len(seconds) * 95 // 100]


if __name__ == "__main__":
    print(json.dumps(ask(int(sys.argv[1]))))
