"""Fit the word table: teacher vectors -> a table that tune.py starts from.

    python fit.py WORK VECTORS OUT [--words 45000] [--lambda X]

WORK holds kept.jsonl.gz and words.txt (carry.py), VECTORS the files of teacher_gpu.py. Steps:

1. A = sparse matrix chunks x words of (1 + ln tf) x a / (a + p(w)), each row scaled to length 1.
2. Start: E0 = W B, where W are the teacher's vectors of the words alone (--prior alone) or the
   mean of their input embeddings (--prior input), and B is the small ridge regression from A W to
   the chunk vectors Y.
3. Each word is then corrected: D minimises |A (E0 + D) - Y|^2 + lambda |D|^2 (conjugate
   gradients). Rare words stay near their start. lambda is chosen by the mean cosine on chunks of
   held-out sources.
4. The rows are fitted once more on all chunks, multiplied by their SIF weight and written as int8.

Needs numpy and scipy. No chance is involved: the same input gives the same file on the same BLAS.
"""

import argparse
import json
import math
import os
import sys
import time
import zlib
from collections import Counter
from dataclasses import dataclass
from zlib import crc32

import numpy as np
from scipy import sparse

import carry
import table
from words import words

SIF = 3e-3
LAMBDAS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25)
STEPS = 25


@dataclass
class Data:
    """Everything the regression needs."""

    vocabulary: list[str]
    weight: np.ndarray  # SIF weight of each word
    rows: sparse.csr_matrix  # A
    target: np.ndarray  # Y
    start: np.ndarray  # W
    aside: np.ndarray  # bool per chunk: validation


def unshard(folder: str, name: str, dims: int) -> np.ndarray:
    """One file of teacher_gpu.py as int8 rows."""
    with open(os.path.join(folder, name), "rb") as file:
        return np.frombuffer(zlib.decompress(file.read()), np.int8).reshape(dims, -1).T


def vectors_of(folder: str) -> tuple[np.ndarray, np.ndarray]:
    """Chunk and word vectors, float32, chunk vectors at length 1."""
    with np.load(os.path.join(folder, "pca.npz")) as pca:
        step, dims, count = float(pca["step"]), pca["basis"].shape[1], int(pca["rows"])
    names = sorted(name for name in os.listdir(folder) if name.startswith("chunks-"))
    chunks = np.concatenate([unshard(folder, name, dims) for name in names]).astype(np.float32)
    if len(chunks) != count:
        sys.exit(f"{len(chunks)} chunk vectors, {count} expected")
    chunks /= np.linalg.norm(chunks, axis=1, keepdims=True)
    return chunks, unshard(folder, "words.z", dims).astype(np.float32) * step


def input_vectors(work: str, vocabulary: list[str]) -> np.ndarray:
    """The mean of the teacher's input embeddings of each word (384 wide)."""
    from teacher import tokenizer

    embeddings = carry.full_weights(work)["embeddings.word_embeddings.weight"]
    coded = tokenizer(work).encode_batch(vocabulary, add_special_tokens=False)
    return np.stack([embeddings[entry.ids].mean(0) for entry in coded])


def load(work: str, folder: str, count: int, prior: str, a: float) -> Data:
    """Read chunks and vectors and build the matrices."""
    target, start = vectors_of(folder)
    with open(os.path.join(work, "words.txt"), encoding="utf-8") as lines:
        vocabulary = [line.split()[0] for line in lines][:count]
    if prior == "input":
        start = input_vectors(work, vocabulary)
    place = {word: n for n, word in enumerate(vocabulary)}
    columns: list[int] = []
    values: list[float] = []
    ends = [0]
    aside = np.zeros(len(target), bool)
    total: Counter[str] = Counter()
    for number, row in enumerate(carry.chunk_rows(work, len(target), "kept.jsonl.gz")):
        counts = Counter(words(row["t"]))
        total.update(counts)
        for word, times in counts.items():
            if word in place:
                columns.append(place[word])
                values.append(1 + math.log(times))
        ends.append(len(columns))
        aside[number] = crc32(row["s"].encode()) % 20 == 0
    tokens = total.total()
    weight = np.array([a / (a + total[word] / tokens) for word in vocabulary], np.float32)
    shape = (len(target), len(vocabulary))
    flat = np.array(values, np.float32) * weight[columns]
    rows = sparse.csr_matrix((flat, np.array(columns, np.int32), np.array(ends, np.int64)), shape)
    length = np.sqrt(np.asarray(rows.multiply(rows).sum(1)).ravel())
    rows = sparse.diags_array((1 / np.maximum(length, 1e-9)).astype(np.float32)) @ rows
    return Data(
        vocabulary, weight, sparse.csr_matrix(rows), target, start[: len(vocabulary)], aside
    )


def cosine(rows: sparse.csr_matrix, vectors: np.ndarray, target: np.ndarray) -> float:
    """Mean cosine between what the table gives and the teacher's vectors."""
    made = rows @ vectors
    length = np.maximum(np.linalg.norm(made, axis=1), 1e-9)
    return float(((made * target).sum(1) / length).mean())


def linear(rows: sparse.csr_matrix, start: np.ndarray, target: np.ndarray) -> np.ndarray:
    """E0 = W B."""
    made = (rows @ start).astype(np.float64)
    gram = made.T @ made
    gram[np.diag_indices_from(gram)] += 1e-3 * np.trace(gram) / len(gram)
    return (start @ np.linalg.solve(gram, made.T @ target.astype(np.float64))).astype(np.float32)


def correct(
    rows: sparse.csr_matrix,
    start: np.ndarray,
    target: np.ndarray,
    strength: float,
    begin: np.ndarray | None = None,
) -> np.ndarray:
    """D by conjugate gradients on (A'A + lambda) D = A'(Y - A E0), all dimensions at once."""
    across = sparse.csr_matrix(rows.T)
    right = across @ (target - rows @ start)
    found = np.zeros_like(right) if begin is None else begin.copy()
    rest = right - (across @ (rows @ found) + strength * found)
    way = rest.copy()
    size = (rest * rest).sum(0)
    first = (right * right).sum(0)
    for _ in range(STEPS):
        image = across @ (rows @ way) + strength * way
        step = size / np.maximum((way * image).sum(0), 1e-30)
        found += step * way
        rest -= step * image
        fresh = (rest * rest).sum(0)
        if (fresh < 1e-5 * first).all():
            break
        way = rest + (fresh / np.maximum(size, 1e-30)) * way
        size = fresh
    return found


def choose(data: Data) -> tuple[float, float]:
    """The lambda with the best cosine on the sources kept aside, and that cosine."""
    seen, unseen = data.rows[~data.aside], data.rows[data.aside]
    here, there = data.target[~data.aside], data.target[data.aside]
    start = linear(seen, data.start, here)
    print(f"start: cosine {cosine(unseen, start, there):.4f}", flush=True)
    best, top, delta = LAMBDAS[0], -1.0, None
    for strength in LAMBDAS:
        delta = correct(seen, start, here, strength, delta)
        score = cosine(unseen, start + delta, there)
        print(
            f"lambda {strength}: cosine {score:.4f} (training "
            f"{cosine(seen, start + delta, here):.4f})",
            flush=True,
        )
        if score < top:
            break
        best, top = strength, score
    return best, top


def main() -> None:
    """Fit and write."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work")
    parser.add_argument("vectors")
    parser.add_argument("out")
    parser.add_argument("--words", type=int, default=45_000)
    parser.add_argument("--lambda", dest="strength", type=float)
    parser.add_argument("--prior", choices=["alone", "input"], default="alone")
    parser.add_argument("--sif", type=float, default=SIF)
    given = parser.parse_args()
    begin = time.time()
    data = load(given.work, given.vectors, given.words, given.prior, given.sif)
    print(
        f"{data.rows.shape[0]} chunks, {data.rows.shape[1]} words, {data.rows.nnz} entries, "
        f"{int(data.aside.sum())} kept aside, {time.time() - begin:.0f} s",
        flush=True,
    )
    score = None
    strength = given.strength
    if strength is None:
        strength, score = choose(data)
    start = linear(data.rows, data.start, data.target)
    vectors = start + correct(data.rows, start, data.target, strength)
    packed = table.pack(table.hashes_of(data.vocabulary), vectors * data.weight[:, None])
    with open(given.out, "wb") as out:
        out.write(packed)
    print(
        json.dumps(
            {
                "file": given.out,
                "bytes": len(packed),
                "lambda": strength,
                "cosine": score,
                "prior": given.prior,
                "sif": given.sif,
                "seconds": round(time.time() - begin),
            }
        )
    )


if __name__ == "__main__":
    main()
