"""The homes that syncs are measured with have the figures of real ones, on a small scale too."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median, quantiles

import pytest
from bench.tree import Watch

from agent_journal.journal import Journal
from agent_journal.model.structs import Message
from agent_journal.query.tree import Query
from tests.support.paths import ROOT

if sys.version_info >= (3, 14):  # pragma: no cover
    from compression import zstd
else:
    from backports import zstd

SHARE = "0.06"
PIECE = 2**20  # bytes that are compressed together


@dataclass
class Figures:
    """What a journal of a home says about it; texts by what they are."""

    megabytes: float
    sizes: list[int]
    texts: dict[str, list[str]] = field(default_factory=dict)
    sessions: dict[str, list[str]] = field(default_factory=dict)  # the texts of each, joined
    messages: int = 0

    def end_session(self, before: dict[str, int]) -> None:
        """Join the texts that were added since there were so many of each kind."""
        for kind, texts in self.texts.items():
            self.sessions.setdefault(kind, []).append("\n".join(texts[before.get(kind, 0) :]))

    def add(self, kind: str, text: str | None) -> None:
        self.texts.setdefault(kind, []).append(text or "")

    def of(self, kind: str) -> float:
        """Megabytes of such texts in 344 MB of logs."""
        size = sum(len(text.encode()) for text in self.texts[kind])
        return size / 1e6 / self.megabytes * 344

    def lengths(self, kind: str) -> tuple[float, float]:
        """The median and the 95th percentile, in characters."""
        found = [len(text) for text in self.texts[kind]]
        return median(found), quantiles(found, n=20)[-1]

    def per_344_mb(self, count: int) -> float:
        return count / self.megabytes * 344


def written(out: Path, *arguments: str) -> Path:
    command = [sys.executable, ROOT / "bench/corpus.py", out, *arguments]
    subprocess.run(command, check=True, capture_output=True)
    return out


def figures(home: Path, journal: Path) -> Figures:
    env = os.environ | {"HOME": str(home), "AJ_HOME": str(journal)}
    command = [sys.executable, "-m", "agent_journal", "sync", "--no-index"]
    subprocess.run(command, check=True, capture_output=True, env=env)
    sizes = [path.stat().st_size for path in home.rglob("*.jsonl")]
    found = Figures(sum(sizes) / 1e6, sizes)
    with Journal.open(journal) as opened:
        for session in opened.sessions(Query(include_all=True)):
            before = {kind: len(texts) for kind, texts in found.texts.items()}
            for message in opened.session(session.id).messages:
                count(found, message)
            found.end_session(before)
    return found


def shrunk(texts: list[bytes]) -> float:
    """What zstd makes of each of the texts, in pieces, as a share of their size."""
    pieces = [text[at : at + PIECE] for text in texts for at in range(0, len(text), PIECE)]
    return sum(len(zstd.compress(piece, 3)) for piece in pieces) / sum(map(len, pieces))


def logs(home: Path) -> list[bytes]:
    return [path.read_bytes() for path in home.rglob("*.jsonl")]


def count(found: Figures, message: Message) -> None:
    found.messages += 1
    found.add(message.kind, message.text)
    found.add("reasoning", message.reasoning)
    for call in message.tool_calls:
        found.add("arguments", call.arguments)
        found.add("result", call.result)


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    folder = tmp_path_factory.mktemp("home")
    return figures(written(folder / "home", "--home", "--share", SHARE), folder / "journal")


@pytest.fixture(scope="module")
def dense(tmp_path_factory: pytest.TempPathFactory) -> Figures:
    folder = tmp_path_factory.mktemp("dense")
    return figures(written(folder / "home", "--dense", "--share", SHARE), folder / "journal")


def test_a_home_has_the_size_and_the_files_of_a_real_one(home: Figures) -> None:
    assert home.megabytes == pytest.approx(344 * float(SHARE), rel=0.1)
    assert len(home.sizes) == pytest.approx(2_023 * float(SHARE), rel=0.15)
    assert min(home.sizes) < 10_000
    assert max(home.sizes) > 20 * median(home.sizes)


def test_a_home_has_the_messages_and_calls_of_a_real_one(home: Figures) -> None:
    assert home.per_344_mb(home.messages) == pytest.approx(28_600, rel=0.2)
    assert home.per_344_mb(len(home.texts["result"])) == pytest.approx(26_200, rel=0.2)


def test_a_home_has_the_shares_of_text_of_a_real_one(home: Figures) -> None:
    assert home.of("result") == pytest.approx(51, rel=0.25)
    assert home.of("arguments") == pytest.approx(13, rel=0.25)
    prose = home.of("prompt") + home.of("answer") + home.of("reasoning")
    assert prose == pytest.approx(13, rel=0.25)


def test_texts_of_a_home_are_as_long_as_real_ones(home: Figures) -> None:
    assert home.lengths("result") == pytest.approx((400, 8_000), rel=0.25)
    typical, long = home.lengths("prompt")
    assert typical == pytest.approx(77, rel=0.35)
    assert long == pytest.approx(3_000, rel=0.5)
    typical, long = home.lengths("answer")
    assert typical == 0
    assert long == pytest.approx(1_000, rel=0.25)


def test_a_third_of_all_texts_is_not_ascii(home: Figures) -> None:
    texts = [text for kind in ("prompt", "answer", "result") for text in home.texts[kind] if text]
    foreign = [text for text in texts if not text.isascii()]
    assert len(foreign) / len(texts) == pytest.approx(1 / 3, abs=0.06)


def test_words_are_as_frequent_as_in_real_sessions(home: Figures) -> None:
    words: Counter[str] = Counter()
    for text in home.texts["result"]:
        words.update(re.findall(r"\w+", text.lower()))
    frequent = sum(count for _, count in words.most_common(1_000))
    assert frequent / words.total() == pytest.approx(0.77, abs=0.08)
    assert 5_000 < len(words) < 40_000


def test_a_dense_home_is_mostly_prose(dense: Figures) -> None:
    assert dense.messages / dense.megabytes == pytest.approx(36_000 / 73, rel=0.15)
    assert len(dense.texts["result"]) < dense.messages / 5
    prose = dense.of("prompt") + dense.of("answer")
    assert prose > 5 * (dense.of("result") + dense.of("arguments"))


# As the logs of real sessions shrink, within a tenth; a small home has a little less to repeat.
@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (("--megabytes", "12", "--agent", "claude"), 0.155),
        (("--megabytes", "8", "--agent", "copilot"), 0.165),
        (("--megabytes", "8", "--agent", "codex"), 0.23),
        (("--dense", "--share", SHARE), 0.22),
    ],
)
def test_logs_shrink_as_real_ones_do(
    tmp_path: Path, arguments: tuple[str, ...], expected: float
) -> None:
    home = written(tmp_path / "home", *arguments)
    assert shrunk(logs(home)) == pytest.approx(expected, rel=0.1)


def test_texts_shrink_as_real_ones_do(home: Figures) -> None:
    answers, results = (
        shrunk([chunk.encode() for chunk in home.sessions[kind]]) for kind in ("answer", "result")
    )
    assert answers == pytest.approx(0.41, rel=0.12)
    assert results == pytest.approx(0.225, rel=0.12)


def test_the_same_parameters_give_the_same_bytes(tmp_path: Path) -> None:
    homes = [written(tmp_path / name, "--home", "--share", "0.003") for name in ("one", "other")]
    states = [
        {
            str(path.relative_to(home)): (path.read_bytes(), path.stat().st_mtime)
            for path in home.rglob("*.jsonl")
        }
        for home in homes
    ]
    assert states[0] == states[1]
    assert len(states[0]) > 3


# Keeps 60 MB, and starts a process that does so, too.
GREEDY = """
import subprocess, sys, time
kept = b"x" * 60_000_000
if len(sys.argv) > 1:
    subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
time.sleep(0.3)
"""


@pytest.mark.skipif(not Path("/proc/self/smaps_rollup").exists(), reason="needs /proc")
def test_the_peak_is_that_of_all_processes() -> None:
    with subprocess.Popen([sys.executable, "-c", GREEDY, GREEDY]) as process:
        watch = Watch(process.pid)
        watch.start()
        assert process.wait() == 0
    assert 120e6 < watch.stop() < 200e6
