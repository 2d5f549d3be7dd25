"""The pairs of mine.py as bags of word numbers, small enough to travel: WORK/mined.jsonl.gz ->
WORK/bags.xz.

    python bags.py WORK [--words 45000]

Word numbers are places in WORK/words.txt; words after the first ``words``, and words not in it, are
unknown to the table and get numbers after those. A bag is sorted and stored as gaps, low and high
bytes apart, which packs to a third. ``Bags`` reads the file again. Needs numpy.
"""

import argparse
import io
import lzma
import os
from collections import Counter
from dataclasses import dataclass
from zlib import crc32

import numpy as np

import carry
from words import words

KINDS = ("docstring", "said", "comment", "change", "heading", "lead", "cloze")


@dataclass
class Bags:
    """Pairs as flat arrays; text 2i is the query of pair i, text 2i + 1 its passage."""

    vocabulary: list[str]  # the table's words
    spread: np.ndarray  # in how many chunks each of them is
    unknown: list[str]  # the others
    ids: np.ndarray
    times: np.ndarray
    ends: np.ndarray  # of each text, with a zero in front
    kind: np.ndarray  # of each pair
    source: np.ndarray  # of each pair
    aside: np.ndarray  # of each pair: whether it is for validation


def encode(work: str, count: int) -> dict[str, np.ndarray]:
    """Read and count words."""
    with open(os.path.join(work, "words.txt"), encoding="utf-8") as lines:
        table = dict(line.split() for _, line in zip(range(count), lines, strict=False))
    place = {word: n for n, word in enumerate(table)}
    gaps: list[np.ndarray] = []
    times: list[np.ndarray] = []
    sizes: list[int] = []
    about: list[tuple[int, int, bool]] = []
    names: dict[str, int] = {}
    for row in carry.chunk_rows(work, name="mined.jsonl.gz"):
        name = row["s"]
        about.append(
            (
                KINDS.index(row["k"]),
                names.setdefault(name, len(names)),
                crc32(name.encode()) % 20 == 0,
            )
        )
        for text in (row["q"], row["p"]):
            bag = sorted(
                (place.setdefault(word, len(place)), n) for word, n in Counter(words(text)).items()
            )
            pairs = np.array(bag, np.uint32).reshape(-1, 2)
            gaps.append(np.diff(pairs[:, 0], prepend=np.uint32(0)))
            times.append(np.minimum(pairs[:, 1], 255).astype(np.uint8))
            sizes.append(len(bag))
    flat = np.concatenate(gaps)
    kind, source, aside = np.array(about).T
    return {
        "low": (flat & 255).astype(np.uint8),
        "high": (flat >> 8).astype(np.uint16),
        "times": np.concatenate(times),
        "sizes": np.array(sizes, np.uint16),
        "kind": kind.astype(np.uint8),
        "source": source.astype(np.uint16),
        "aside": aside.astype(bool),
        "spread": np.array([int(n) for n in table.values()], np.uint32),
        "words": np.frombuffer("\n".join(place).encode(), np.uint8),
    }


def read(path: str) -> Bags:
    """The file that ``main`` wrote."""
    with lzma.open(path) as file, np.load(io.BytesIO(file.read())) as data:
        gaps = data["low"] + (data["high"].astype(np.int64) << 8)
        ends = np.concatenate([[0], np.cumsum(data["sizes"], dtype=np.int64)])
        all_words = data["words"].tobytes().decode().split("\n")
        spread, times = data["spread"], data["times"]
        about = data["kind"], data["source"].astype(np.int64), data["aside"]
    total = np.cumsum(gaps)
    before = np.concatenate([[0], total])[ends[:-1]]
    ids = total - np.repeat(before, np.diff(ends))
    return Bags(
        all_words[: len(spread)], spread, all_words[len(spread) :], ids, times, ends, *about
    )


def main() -> None:
    """Write the file."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work")
    parser.add_argument("--words", type=int, default=45_000)
    given = parser.parse_args()
    target = os.path.join(given.work, "bags.xz")
    arrays = encode(given.work, given.words)
    with lzma.open(target, "wb", preset=4) as out:
        np.savez(out, **arrays)
    made = read(target)
    print(
        f"{len(made.kind)} pairs, {len(made.ids)} entries, {len(made.unknown)} unknown words, "
        f"{int(made.aside.sum())} pairs kept aside, {os.path.getsize(target)} bytes"
    )


if __name__ == "__main__":
    main()
