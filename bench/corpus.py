"""Makes a home folder of agent sessions to measure with: any size, always the same for the same
parameters.

python bench/corpus.py OUT --home
python bench/corpus.py OUT --dense --share 0.1
python bench/corpus.py OUT --megabytes 200
python bench/corpus.py OUT --megabytes 25 --files 5000
python bench/corpus.py OUT --megabytes 300 --one-file --agent claude
"""

from __future__ import annotations

import argparse
import math
import os
import shutil
import time
from random import Random
from statistics import NormalDist
from typing import NamedTuple, Protocol

import claude_shape
import codex_shape
import copilot_shape
from mix import DENSE, HOME, Mix
from realtext import RealText

VERSION = 3  # incremented when the corpus changes, so that cached ones are rebuilt
_LAST_START = 1_793_500_000_000  # ms; sessions start in the 60 days before
_CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".corpus")


class Parameters(NamedTuple):
    """What is to be made."""

    megabytes: int
    files: int = 0  # 0: as many as in a real home of that size
    one_file: bool = False
    agent: str = "all"
    seed: int = 1
    kind: str = "home"


class Writer(Protocol):
    """Writes a session of about `size` bytes; the bytes written."""

    def __call__(
        self,
        root: str,
        text: RealText,
        rng: Random,
        project: int,
        size: int,
        start_ms: int,
        alone: bool,
        mix: Mix = HOME,
    ) -> int: ...


# The homes that syncs are measured with, and how the sizes of sessions are spread in each: the
# deviation of the logarithm of the size, and the largest.
REAL_HOME = Parameters(344, files=1_870)
DENSE_HOME = Parameters(73, files=1_500, agent="claude", kind="dense")
MIXES = {"home": HOME, "dense": DENSE}
SPREADS = {"home": 1.9, "dense": 0.9}
_LARGEST = 20_000_000
_SMALLEST = 1_000
WRITERS: dict[str, Writer] = {
    "claude": claude_shape.write_session,
    "copilot": copilot_shape.write_session,
    "codex": codex_shape.write_session,
}
# Claude Code writes most sessions of most homes.
_SHARES = ("claude",) * 15 + ("copilot",) * 4 + ("codex",)


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Make a home folder of agent sessions to measure with."
    )
    parser.add_argument("out", help="folder to write; must not exist or be empty")
    which = parser.add_mutually_exclusive_group(required=True)
    which.add_argument("--home", action="store_true", help="a real home: 344 MB in 2,023 logs")
    which.add_argument("--dense", action="store_true", help="short chats: 36,000 messages in 73 MB")
    which.add_argument("--megabytes", type=int)
    parser.add_argument("--share", type=float, default=1, help="of --home or --dense (1)")
    parser.add_argument("--files", type=int, default=0, help="sessions (six per megabyte)")
    parser.add_argument("--one-file", action="store_true", help="one session with all the bytes")
    parser.add_argument("--agent", choices=(*WRITERS, "all"), default="all")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if os.path.isdir(given.out) and os.listdir(given.out):
        parser.error(f"{given.out} is not empty")
    started = time.perf_counter()
    size = make(given.out, _wanted(given))
    took = time.perf_counter() - started
    print(f"{size / 1e6:.1f} MB in {took:.1f} s ({size / 1e6 / took:.0f} MB/s)")


def make(out: str, given: Parameters) -> int:
    """Writes the corpus; its size in bytes."""
    text = RealText(given.seed)
    written = planned = 0
    for index, wanted in enumerate(_sizes(given)):
        # Sessions end a little late; later ones are shorter for it.
        size = max(wanted // 2, wanted - max(0, written - planned))
        planned += wanted
        rng = Random(f"session {given.seed} {index}")
        writer = _writer(given.agent, rng)
        start = _LAST_START - rng.randrange(60 * 86_400) * 1000
        mix = MIXES[given.kind]
        written += writer(out, text, rng, index % 7, size, start, given.one_file, mix)
    return written


def cached(given: Parameters) -> str:
    """The folder of a corpus, made when it is not there yet."""
    files = 1 if given.one_file else given.files
    name = (
        f"v{VERSION}-{given.kind}-{given.agent}-{given.megabytes}mb-{files}files-seed{given.seed}"
    )
    path = os.path.join(_CACHE, name)
    if not os.path.isdir(path):
        part = path + ".part"
        shutil.rmtree(part, ignore_errors=True)
        make(part, given)
        os.rename(part, path)
    return path


def scaled(given: Parameters, share: float) -> Parameters:
    """A smaller home of the same kind."""
    return given._replace(
        megabytes=max(1, round(given.megabytes * share)), files=max(4, round(given.files * share))
    )


def _wanted(given: argparse.Namespace) -> Parameters:
    """What the command line asks for."""
    if given.home:
        return scaled(REAL_HOME._replace(seed=given.seed), given.share)
    if given.dense:
        return scaled(DENSE_HOME._replace(seed=given.seed), given.share)
    return Parameters(given.megabytes, given.files, given.one_file, given.agent, given.seed)


def _sizes(given: Parameters) -> list[int]:
    """The sizes of the sessions: log-normal, and for the same parameters the same."""
    total = given.megabytes * 1_000_000
    if given.one_file:
        return [total]
    count = given.files or max(4, given.megabytes * REAL_HOME.files // REAL_HOME.megabytes)
    normal, spread = NormalDist(), SPREADS[given.kind]
    weights = [math.exp(spread * normal.inv_cdf((index + 0.5) / count)) for index in range(count)]
    Random(f"corpus {given.seed}").shuffle(weights)
    scale = total / sum(weights)
    return [min(_LARGEST, max(_SMALLEST, int(weight * scale))) for weight in weights]


def _writer(agent: str, rng: Random) -> Writer:
    return WRITERS[rng.choice(_SHARES) if agent == "all" else agent]


if __name__ == "__main__":
    main()
