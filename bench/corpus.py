"""Makes a home folder of agent sessions to measure with: any size, always the same for the same
parameters.

python bench/corpus.py OUT --megabytes 200
python bench/corpus.py OUT --megabytes 25 --files 5000
python bench/corpus.py OUT --megabytes 300 --one-file --agent claude
"""

from __future__ import annotations

import argparse
import os
import shutil
import time
from collections.abc import Callable
from random import Random
from typing import NamedTuple

import claude_shape
import copilot_shape
from text import Text

VERSION = 1  # incremented when the corpus changes, so that cached ones are rebuilt
_LAST_START = 1_793_500_000_000  # ms; sessions start in the 60 days before
_CACHE = os.path.join(os.path.dirname(os.path.abspath(__file__)), ".corpus")


class Parameters(NamedTuple):
    """What is to be made."""

    megabytes: int
    files: int = 0  # 0: about one per megabyte
    one_file: bool = False
    agent: str = "both"
    seed: int = 1


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(
        description="Make a home folder of agent sessions to measure with."
    )
    parser.add_argument("out", help="folder to write; must not exist or be empty")
    parser.add_argument("--megabytes", type=int, required=True)
    parser.add_argument("--files", type=int, default=0, help="sessions (about one per megabyte)")
    parser.add_argument("--one-file", action="store_true", help="one session with all the bytes")
    parser.add_argument("--agent", choices=("claude", "copilot", "both"), default="both")
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    if os.path.isdir(given.out) and os.listdir(given.out):
        parser.error(f"{given.out} is not empty")
    started = time.perf_counter()
    size = make(
        given.out, Parameters(given.megabytes, given.files, given.one_file, given.agent, given.seed)
    )
    took = time.perf_counter() - started
    print(f"{size / 1e6:.1f} MB in {took:.1f} s ({size / 1e6 / took:.0f} MB/s)")


def make(out: str, given: Parameters) -> int:
    """Writes the corpus; its size in bytes."""
    text = Text(given.seed)
    rng = Random(f"corpus {given.seed}")
    total = given.megabytes * 1_000_000
    count = 1 if given.one_file else given.files or max(4, given.megabytes)
    weights = [rng.lognormvariate(0, 1.1) for _ in range(count)]
    scale = total / sum(weights)
    written = 0
    for index, weight in enumerate(weights):
        writer = _writer(given.agent, index)
        session_rng = Random(f"session {given.seed} {index}")
        start = _LAST_START - session_rng.randrange(60 * 86_400) * 1000
        written += writer(
            out, text, session_rng, index % 7, int(weight * scale), start, given.one_file
        )
    return written


def cached(given: Parameters) -> str:
    """The folder of a corpus, made when it is not there yet."""
    files = 1 if given.one_file else given.files
    name = f"v{VERSION}-{given.agent}-{given.megabytes}mb-{files}files-seed{given.seed}"
    path = os.path.join(_CACHE, name)
    if not os.path.isdir(path):
        part = path + ".part"
        shutil.rmtree(part, ignore_errors=True)
        make(part, given)
        os.rename(part, path)
    return path


def _writer(agent: str, index: int) -> Callable[[str, Text, Random, int, int, int, bool], int]:
    # Of both agents, Claude Code writes three sessions of four: its files are the larger part of
    # most homes.
    is_copilot = agent == "copilot" or (agent == "both" and index % 4 == 3)
    return copilot_shape.write_session if is_copilot else claude_shape.write_session


if __name__ == "__main__":
    main()
