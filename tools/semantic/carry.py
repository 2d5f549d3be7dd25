"""Pack what the GPU machine needs into tools/semantic/.carry (at most about 60 MB in all).

    python carry.py WORK [--words 60000] [--rows 330000]

Reads WORK/model and WORK/chunks.jsonl.gz; writes WORK/kept.jsonl.gz (the chunks that were carried,
cut to what the teacher sees, in the order of the vectors), WORK/words.txt (the table's words with
their counts) and the folder .carry: weights.npz, chunk-ids.xz, chunk-lengths.xz, word-ids.xz,
word-lengths.xz, words.txt and teacher_gpu.py. Prose is kept whole; code, chosen by checksum, fills
the rest of ``rows``. The words are those that occur in most sources, then in most chunks; after the
words of three sources come the whole words of the teacher's own vocabulary, general English that
these sources seldom use; names of a single project come last. Needs numpy and tokenizers.
"""

import argparse
import gzip
import json
import lzma
import os
import shutil
import struct
from collections import Counter, defaultdict
from collections.abc import Iterator
from typing import Any
from zlib import crc32

import numpy as np

from words import words

HERE = os.path.dirname(os.path.abspath(__file__))
FOLDER = os.path.join(HERE, ".carry")
LONGEST = 126  # tokens of a chunk without [CLS] and [SEP]
SHORTEST = 6
COMMON = 3  # sources that a word of the teacher's own vocabulary counts as being in


def full_weights(work: str) -> dict[str, np.ndarray]:
    """The float32 tensors of model.safetensors by name."""
    with open(os.path.join(work, "model", "model.safetensors"), "rb") as file:
        data = file.read()
    size = struct.unpack("<Q", data[:8])[0]
    found = {}
    for name, entry in json.loads(data[8 : 8 + size]).items():
        if name != "__metadata__" and entry["dtype"] == "F32" and not name.startswith("pooler"):
            begin, end = (8 + size + offset for offset in entry["data_offsets"])
            found[name] = np.frombuffer(data[begin:end], "<f4").reshape(entry["shape"]).copy()
    return found


def pack_weights(work: str) -> None:
    """Write .carry/weights.npz: everything fp16, token embeddings int8 with a scale per row."""
    weights = full_weights(work)
    table = weights.pop("embeddings.word_embeddings.weight")
    scale = np.abs(table).max(1) / 127
    packed: dict[str, Any] = {name: value.astype(np.float16) for name, value in weights.items()}
    packed["embeddings.position_embeddings.weight"] = packed[
        "embeddings.position_embeddings.weight"
    ][:128]
    packed["embeddings.word_embeddings.weight"] = np.rint(table / scale[:, None]).astype(np.int8)
    packed["embeddings.word_embeddings.scale"] = scale.astype(np.float32)
    np.savez_compressed(os.path.join(FOLDER, "weights.npz"), **packed)


def chunk_rows(
    work: str, limit: int = 0, name: str = "chunks.jsonl.gz"
) -> Iterator[dict[str, str]]:
    """The rows of a chunk file (all, or the first ``limit``)."""
    with gzip.open(os.path.join(work, name), "rt", encoding="utf-8") as lines:
        for number, line in enumerate(lines):
            if limit and number >= limit:
                return
            yield json.loads(line)


def store(name: str, lists: list[list[int]]) -> None:
    """Write ids and lengths as xz; literal coding tuned to 16-bit values."""
    filters = [
        {
            "id": lzma.FILTER_LZMA2,
            "preset": 9 | lzma.PRESET_EXTREME,
            "dict_size": 1 << 26,
            "lc": 0,
            "lp": 1,
            "pb": 1,
        }
    ]
    ids = np.array([i for part in lists for i in part], "<u2").tobytes()
    lengths = np.array([len(part) for part in lists], np.uint8).tobytes()
    for suffix, data in (("-ids.xz", ids), ("-lengths.xz", lengths)):
        with lzma.open(os.path.join(FOLDER, name + suffix), "wb", filters=filters) as out:
            out.write(data)


def pick_chunks(work: str, rows: int) -> tuple[list[list[int]], Counter[str], Counter[str]]:
    """Tokenise the chunks, cut their text where the teacher stops reading, count words by chunk and
    by source.
    """
    from teacher import tokenizer

    made = tokenizer(work)
    keys = sorted(
        (row["k"] == "code", crc32(row["t"].encode()), n) for n, row in enumerate(chunk_rows(work))
    )
    kept = {n for _, _, n in keys[:rows]}
    lists: list[list[int]] = []
    counts: Counter[str] = Counter()
    homes: dict[str, set[str]] = defaultdict(set)
    target = os.path.join(work, "kept.jsonl.gz")
    with open(target, "wb") as raw, gzip.GzipFile("", "wb", 6, raw, mtime=0) as out:
        batch = [row for n, row in enumerate(chunk_rows(work)) if n in kept]
        for start in range(0, len(batch), 4096):
            part = batch[start : start + 4096]
            for row, coded in zip(
                part,
                made.encode_batch([r["t"] for r in part], add_special_tokens=False),
                strict=True,
            ):
                ids = coded.ids[:LONGEST]
                if len(ids) < SHORTEST:
                    continue
                text = row["t"][: coded.offsets[len(ids) - 1][1]]
                lists.append(ids)
                found = set(words(text))
                counts.update(found)
                homes[row["s"]] |= found
                out.write(json.dumps({**row, "t": text}).encode() + b"\n")
    return lists, counts, Counter(word for found in homes.values() for word in found)


def rank(counts: Counter[str], homes: Counter[str], whole: set[str]) -> list[tuple[str, int]]:
    """Words from most to least wanted, with the number of chunks they are in."""
    likely = {
        word: max(homes[word], COMMON if word in whole else 0) for word in counts.keys() | whole
    }
    return sorted(
        ((word, counts[word]) for word in likely),
        key=lambda item: (-likely[item[0]], -item[1], item[0]),
    )


def whole_words(work: str) -> set[str]:
    """The words that the teacher's tokenizer does not take apart."""
    from teacher import tokenizer

    return {
        word
        for word in tokenizer(work).get_vocab()
        if word.isascii() and word.isalpha() and len(word) > 1
    }


def main() -> None:
    """Fill .carry."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("work")
    parser.add_argument("--words", type=int, default=60_000)
    parser.add_argument("--rows", type=int, default=330_000)
    given = parser.parse_args()
    os.makedirs(FOLDER, exist_ok=True)
    pack_weights(given.work)
    lists, counts, homes = pick_chunks(given.work, given.rows)
    ranked = rank(counts, homes, whole_words(given.work))[: given.words]
    for folder in (given.work, FOLDER):
        with open(os.path.join(folder, "words.txt"), "w", encoding="utf-8") as out:
            out.writelines(f"{word} {count}\n" for word, count in ranked)
    store("chunk", lists)
    from teacher import tokenizer

    made = tokenizer(given.work)
    coded = made.encode_batch([word for word, _ in ranked], add_special_tokens=False)
    store("word", [entry.ids[:20] for entry in coded])
    shutil.copy(os.path.join(HERE, "teacher_gpu.py"), FOLDER)
    print(
        f"{len(lists)} chunks, {sum(map(len, lists))} tokens; {len(ranked)} of {len(counts)} words"
    )
    print(f"the rarest word is in {homes[ranked[-1][0]]} sources, {ranked[-1][1]} chunks")
    for name in sorted(os.listdir(FOLDER)):
        print(f"{os.path.getsize(os.path.join(FOLDER, name)):>10} {name}")


if __name__ == "__main__":
    main()
