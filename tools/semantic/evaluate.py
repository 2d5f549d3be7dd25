"""Retrieval figures of a word table on sources it was not made from.

    python evaluate.py WORK word-table.bin [more tables] [--teacher]

For each set of pairs.py: 1,000 queries against 1,000 passages; R@10 and mean reciprocal rank, ties
at mid-rank, for the table, a hash of character n-grams (1024 places), BM25, BM25 + table (sum of
z-scores) and, with --teacher, MiniLM itself (slow). Needs numpy.
"""

import argparse
import math
import os
import re
import time
from collections import Counter, defaultdict
from zlib import crc32

import numpy as np

import pairs
from table import Table
from words import words

STOP = frozenset(
    words(
        "an and are as at be but by for if in into is it no not of on or such that the "
        "their then there these they "
        "this to was will with"
    )
)


def bm25(queries: list[str], passages: list[str], k: float = 1.5, b: float = 0.75) -> np.ndarray:
    """Scores queries x passages."""
    bags = [Counter(w for w in words(p) if w not in STOP) for p in passages]
    lengths = np.array([bag.total() for bag in bags], np.float64)
    usual = lengths.mean()
    posting: dict[str, list[tuple[int, int]]] = defaultdict(list)
    for number, bag in enumerate(bags):
        for word, times in bag.items():
            posting[word].append((number, times))
    scores = np.zeros((len(queries), len(passages)))
    for row, query in enumerate(queries):
        for word in set(words(query)) - STOP:
            hits = posting.get(word, [])
            idf = math.log(1 + (len(bags) - len(hits) + 0.5) / (len(hits) + 0.5))
            for number, times in hits:
                scores[row, number] += (
                    idf * times * (k + 1) / (times + k * (1 - b + b * lengths[number] / usual))
                )
    return scores


def hashed(texts: list[str], size: int = 1024) -> np.ndarray:
    """Signed hash of words and of their 3- to 5-grams, 1 + ln tf, length 1."""
    out = np.zeros((len(texts), size), np.float32)
    for row, text in enumerate(texts):
        grams: Counter[str] = Counter()
        for word in re.findall(r"[a-z0-9]+", text.lower()):
            padded = f"<{word}>"
            grams.update(padded[i : i + n] for n in (3, 4, 5) for i in range(len(padded) - n + 1))
            grams[padded] += 1
        for gram, times in grams.items():
            key = crc32(gram.encode())
            out[row, key % size] += (1 + math.log(times)) * (1 if key >> 31 else -1)
    return out / np.maximum(np.linalg.norm(out, axis=1, keepdims=True), 1e-9)


def figures(scores: np.ndarray) -> tuple[float, float, np.ndarray]:
    """R@10 and MRR in per cent when passage i answers query i, and the ranks."""
    right = np.diag(scores)[:, None]
    ranks = 1 + (scores > right).sum(1) + ((scores == right).sum(1) - 1) / 2
    return 100 * float((ranks <= 10).mean()), 100 * float((1 / ranks).mean()), ranks


def standard(scores: np.ndarray) -> np.ndarray:
    """Each row to mean 0 and deviation 1."""
    return (scores - scores.mean(1, keepdims=True)) / np.maximum(scores.std(1, keepdims=True), 1e-9)


def teacher_scores(work: str, queries: list[str], passages: list[str]) -> np.ndarray:
    """MiniLM at 128 tokens."""
    import carry
    import teacher
    import teacher_gpu

    model = teacher_gpu.Model(carry.full_weights(work), "cpu")
    made = teacher.tokenizer(work)
    sides = [
        model.embed([e.ids[:128] for e in made.encode_batch(texts)], 64)
        for texts in (queries, passages)
    ]
    return sides[0] @ sides[1].T


def main() -> None:
    """Print one line per set and method."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work")
    parser.add_argument("tables", nargs="+")
    parser.add_argument("--teacher", action="store_true")
    given = parser.parse_args()
    for kind, found in pairs.gather(given.work).items():
        queries, passages = [q for q, _ in found], [p for _, p in found]
        results = {
            "bm25": bm25(queries, passages),
            "hash1024": hashed(queries) @ hashed(passages).T,
        }
        if given.teacher:
            results["minilm"] = teacher_scores(given.work, queries, passages)
        for path in given.tables:
            with open(path, "rb") as file:
                loaded = Table(file.read())
            begin = time.process_time()
            sides = [
                np.stack([loaded.embed(text) for text in texts]) for texts in (queries, passages)
            ]
            speed = 2 * len(queries) / max(time.process_time() - begin, 1e-9)
            name = os.path.basename(path)
            results[name] = sides[0] @ sides[1].T
            results[name + "+bm25"] = standard(results[name]) + standard(results["bm25"])
            print(f"{kind} {name}: {speed:.0f} texts per CPU second")
        for name, scores in results.items():
            recall, reciprocal, _ = figures(scores)
            print(f"{kind:10} {name:24} R@10 {recall:5.1f}  MRR {reciprocal:5.1f}", flush=True)


if __name__ == "__main__":
    main()
