"""all-MiniLM-L6-v2 over every chunk and every word, on a machine with only torch and numpy.

    python teacher_gpu.py CARRY OUT [LIMIT]

CARRY is the folder made by carry.py: weights.npz (fp16, token embeddings int8 with one scale per
row) and chunk/word token ids (uint16, xz) with their lengths (uint8, xz). OUT receives at most 8
files:

    pca.npz           basis (384 x 256, f32: uncentred principal directions of the chunk vectors),
                      step (f32), rows, words, energy (share of the squared length it keeps)
    chunks-0..5.z     int8 chunk vectors x basis / step, one shard of rows each, stored dimension
                      by dimension (shape 256 x rows of the shard) and deflated
    words.z           the same for the words, each embedded alone

Vectors are mean pooled and normalised before the projection. At most 128 tokens of a chunk are
read.
"""

import json
import lzma
import os
import sys
import time
import zlib
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import torch

LONGEST = 128
DIMS = 256
SHARDS = 6
# Bytes of all files together; the step grows until they fit, a quarter at most for one
ROOM = 62 << 20
HEADS = 12
LAYERS = 6
CLS, SEP = 101, 102


def unpack(path: str) -> dict[str, np.ndarray]:
    """The packed weights as float32 arrays by their original names."""
    with np.load(path) as packed:
        weights = {name: packed[name].astype(np.float32) for name in packed.files}
    scale = weights.pop("embeddings.word_embeddings.scale")
    weights["embeddings.word_embeddings.weight"] *= scale[:, None]
    return weights


class Model:
    """BERT forward pass with mean pooling."""

    def __init__(self, weights: dict[str, np.ndarray], device: str) -> None:
        self.device = device
        self.dtype = torch.float16 if device == "cuda" else torch.float32
        self.w = {
            k: torch.from_numpy(v).to(device, self.dtype)
            for k, v in weights.items()
            if v.dtype == np.float32
        }

    def linear(self, name: str, x: Any) -> Any:
        """One dense layer."""
        return torch.nn.functional.linear(x, self.w[name + ".weight"], self.w[name + ".bias"])

    def norm(self, name: str, x: Any) -> Any:
        """One layer normalisation."""
        return torch.nn.functional.layer_norm(
            x, (384,), self.w[name + ".weight"], self.w[name + ".bias"], 1e-12
        )

    def forward(self, ids: Any, mask: Any) -> Any:
        """Normalised mean-pooled vectors (float32) of a padded batch of ids."""
        rows, length = ids.shape
        x = self.w["embeddings.word_embeddings.weight"][ids]
        x = x + self.w["embeddings.position_embeddings.weight"][:length]
        x = self.norm(
            "embeddings.LayerNorm", x + self.w["embeddings.token_type_embeddings.weight"][0]
        )
        allowed = mask[:, None, None, :]
        for number in range(LAYERS):
            base = f"encoder.layer.{number}."
            q, k, v = (
                self.linear(base + "attention.self." + part, x)
                .view(rows, length, HEADS, -1)
                .transpose(1, 2)
                for part in ("query", "key", "value")
            )
            mixed = torch.nn.functional.scaled_dot_product_attention(q, k, v, attn_mask=allowed)
            mixed = mixed.transpose(1, 2).reshape(rows, length, 384)
            x = self.norm(
                base + "attention.output.LayerNorm",
                x + self.linear(base + "attention.output.dense", mixed),
            )
            wide = torch.nn.functional.gelu(self.linear(base + "intermediate.dense", x))
            x = self.norm(base + "output.LayerNorm", x + self.linear(base + "output.dense", wide))
        x = x.float() * mask[:, :, None]
        return torch.nn.functional.normalize(x.sum(1) / mask.sum(1, keepdim=True), dim=1)

    def embed(self, texts: list[Any], batch: int = 256) -> np.ndarray:
        """Vectors (n x 384, float32) of texts given as id lists with [CLS] and [SEP]."""
        out = np.empty((len(texts), 384), np.float32)
        order = sorted(range(len(texts)), key=lambda i: -len(texts[i]))
        for start in range(0, len(order), batch):
            rows = order[start : start + batch]
            width = len(texts[rows[0]])
            ids = np.zeros((len(rows), width), np.int64)
            mask = np.zeros((len(rows), width), bool)
            for line, row in enumerate(rows):
                ids[line, : len(texts[row])] = texts[row]
                mask[line, : len(texts[row])] = True
            with torch.inference_mode():
                made = self.forward(
                    torch.from_numpy(ids).to(self.device), torch.from_numpy(mask).to(self.device)
                )
            out[rows] = made.cpu().numpy()
        return out


def read_ids(folder: str, name: str, limit: int) -> list[np.ndarray]:
    """The first ``limit`` (0: all) id lists of a pair of files, framed by [CLS] and [SEP]."""
    with lzma.open(os.path.join(folder, name + "-ids.xz")) as file:
        ids = np.frombuffer(file.read(), "<u2").astype(np.int64)
    with lzma.open(os.path.join(folder, name + "-lengths.xz")) as file:
        lengths = np.frombuffer(file.read(), np.uint8).astype(np.int64)
    ends = np.cumsum(lengths)
    if ends[-1] != len(ids):
        sys.exit(f"{name}: {len(ids)} ids, {ends[-1]} expected")
    frame = (np.array([CLS]), np.array([SEP]))
    count = min(limit or len(lengths), len(lengths))
    return [
        np.concatenate((frame[0], ids[e - n : e], frame[1]))
        for e, n in zip(ends[:count], lengths, strict=False)
    ]


def shrink(vectors: np.ndarray, step: float) -> np.ndarray:
    """Quantise to int8."""
    return np.clip(np.rint(vectors / step), -127, 127).astype(np.int8)


def write(job: tuple[str, np.ndarray]) -> int:
    """Deflate one shard, dimension by dimension; returns its size."""
    path, rows = job
    packer = zlib.compressobj(9, zlib.DEFLATED, 15, 9, zlib.Z_HUFFMAN_ONLY)
    data = (
        b"".join(packer.compress(np.ascontiguousarray(column).tobytes()) for column in rows.T)
        + packer.flush()
    )
    with open(path, "wb") as out:
        out.write(data)
    return len(data)


def main(folder: str, out: str, limit: int = 0) -> None:
    """The whole pass."""
    os.makedirs(out, exist_ok=True)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    model = Model(unpack(os.path.join(folder, "weights.npz")), device)
    batch = 1024 if device == "cuda" else 64
    start = time.time()
    chunks = model.embed(read_ids(folder, "chunk", limit), batch)
    print(f"{len(chunks)} chunks in {time.time() - start:.1f} s on {device}", flush=True)
    word_vectors = model.embed(read_ids(folder, "word", 0), batch)
    print(f"{len(word_vectors)} words, {time.time() - start:.1f} s in all", flush=True)
    if not (np.isfinite(chunks).all() and np.isfinite(word_vectors).all()):
        sys.exit("vectors are not finite")
    gram = chunks.astype(np.float64).T @ chunks.astype(np.float64)
    values, directions = np.linalg.eigh(gram)
    basis = directions[:, ::-1][:, :DIMS]
    basis = basis * np.sign(basis[np.abs(basis).argmax(0), np.arange(DIMS)])
    basis = basis.astype(np.float32)
    energy = float(values[::-1][:DIMS].sum() / values.sum())
    flat, words = chunks @ basis, word_vectors @ basis
    step = float(np.quantile(np.abs(flat[:: max(1, len(flat) // 20000)]), 0.9999) / 127)
    while True:
        small = shrink(flat, step)
        jobs = [
            (os.path.join(out, f"chunks-{n}.z"), part)
            for n, part in enumerate(np.array_split(small, SHARDS))
        ]
        jobs.append((os.path.join(out, "words.z"), shrink(words, step)))
        with ThreadPoolExecutor(8) as pool:
            sizes = list(pool.map(write, jobs))
        if sum(sizes) <= ROOM and max(sizes) <= ROOM // 4:
            break
        step *= 1.15
    np.savez(
        os.path.join(out, "pca.npz"),
        basis=basis,
        step=step,
        rows=len(small),
        words=len(words),
        energy=energy,
    )
    back = small[:5000].astype(np.float32)
    back /= np.linalg.norm(back, axis=1, keepdims=True)
    cosine = (back * flat[:5000]).sum(1) / np.linalg.norm(flat[:5000], axis=1)
    print(
        json.dumps(
            {
                "rows": len(small),
                "words": len(words),
                "energy": energy,
                "step": step,
                "sizes": sizes,
                "total": sum(sizes),
                "quantised_cosine": float(cosine.mean()),
                "seconds": time.time() - start,
            }
        )
    )


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]) if len(sys.argv) > 3 else 0)
