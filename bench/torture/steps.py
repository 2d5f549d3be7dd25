"""Files of a home that appear one after the other, and logs that grow between two syncs."""

from __future__ import annotations

import os
import random
from collections.abc import Iterator

from bench.torture.checks import files_under
from bench.torture.homes import EPOCH

_GROWING = (".jsonl", ".md", ".history", ".log")
_Part = tuple[str, bytes]  # a path, and what is appended to it


def in_steps(folder: str, rng: random.Random) -> Iterator[int]:
    """Take all files away, and yield after each of one to three steps in which they come back."""
    steps: list[list[_Part]] = [[] for _ in range(rng.choice((1, 2, 3)))]
    for path in files_under(folder):
        with open(path, "rb") as file:
            data = file.read()
        os.unlink(path)
        first, second = sorted((rng.randrange(len(steps)), rng.randrange(len(steps))))
        is_growing = first < second and path.endswith(_GROWING)
        cut = rng.randrange(len(data) + 1) if is_growing else len(data)
        steps[first].append((path, data[:cut]))
        if is_growing:
            steps[second].append((path, data[cut:]))
    written = 0
    for number, step in enumerate(steps):
        for path, part in step:
            with open(path, "ab") as file:
                file.write(part)
            written += 1
            os.utime(path, (EPOCH + written, EPOCH + written))
        yield number
