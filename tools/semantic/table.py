"""The word table file: its format, writing, reading, and the vector of a text.

Format of word-table.bin, little-endian, no padding, so that every part can be mapped without
parsing:

    offset 0   8 bytes  magic b"AJWORDS2" (the digit is the version)
           8   u32      words n
          12   u32      dims d
          16   u32      crc32 of everything after the header
          20   f32      weight of a word that is not in the table
          24   8 bytes  zero
          32   u32[n]   crc32 of each word (UTF-8), ascending, no two alike
     32 + 4n   f32[n]   scale of each row; the word's SIF weight is already in it
     32 + 8n   i8[n, d] rows

The vector of a text is the sum over its distinct words of (1 + ln count) x scale x row, normalised
to length 1. A word that is not in the table has weight x signs instead of scale x row: +-1/16 by
the bits of ``words.signs``, the highest bit first, so that it meets itself and, nearly, nothing
else. Words are cut by ``words.words``; a text without words has the zero vector.
"""

import math
import struct
from collections import Counter
from zlib import crc32

import numpy as np

from words import signs, words

MAGIC = b"AJWORDS2"
HEADER = struct.Struct("<8sIIIf8x")
UNKNOWN = 0.77  # the weight before tuning


class Table:
    """A word table in memory."""

    def __init__(self, data: bytes | memoryview) -> None:
        magic, count, self.dims, check, self.unknown = HEADER.unpack_from(data)
        if magic != MAGIC or len(data) != HEADER.size + count * (8 + self.dims):
            raise ValueError("not a word table of this version")
        if crc32(memoryview(data)[HEADER.size :]) != check:
            raise ValueError("the word table is damaged")
        self.hashes = np.frombuffer(data, "<u4", count, HEADER.size)
        self.scales = np.frombuffer(data, "<f4", count, HEADER.size + 4 * count)
        self.rows = np.frombuffer(data, "i1", count * self.dims, HEADER.size + 8 * count).reshape(
            count, self.dims
        )

    def embed(self, text: str) -> np.ndarray:
        """The vector of one text (float32, length 1 or 0)."""
        counts = Counter(words(text))
        if not counts:
            return np.zeros(self.dims, np.float32)
        keys = np.fromiter((crc32(word.encode()) for word in counts), np.uint32, len(counts))
        factors = np.fromiter((1 + math.log(n) for n in counts.values()), np.float32, len(counts))
        places = np.minimum(np.searchsorted(self.hashes, keys), len(self.hashes) - 1)
        known = self.hashes[places] == keys
        others = [word for word, is_known in zip(counts, known, strict=True) if not is_known]
        places = places[known]
        vector = (factors[known] * self.scales[places]) @ self.rows[places].astype(np.float32)
        vector += np.float32(self.unknown) * (factors[~known] @ sign_rows(others))
        length = float(np.linalg.norm(vector))
        return vector / length if length else vector


def sign_rows(unknown: list[str]) -> np.ndarray:
    """The rows of words that are not in a table, +-1/16 in 256 dimensions."""
    bits = np.frombuffer(b"".join(signs(word).to_bytes(32, "big") for word in unknown), np.uint8)
    return np.unpackbits(bits.reshape(-1, 32), axis=1).astype(np.float32) / 8 - np.float32(1 / 16)


def hashes_of(vocabulary: list[str]) -> np.ndarray:
    """The checksums by which the file knows the words."""
    return np.array([crc32(word.encode()) for word in vocabulary], np.uint32)


def pack(hashes: np.ndarray, vectors: np.ndarray, unknown: float = UNKNOWN) -> bytes:
    """The file of ``vectors`` (weight included, one row per word); the first word wins a hash
    collision.
    """
    unique, first = np.unique(hashes, return_index=True)
    rows = vectors[first].astype(np.float64)
    scale = (np.abs(rows).max(1) / 127).astype("<f4")
    scale[scale == 0] = 1
    small = np.clip(np.rint(rows / scale[:, None]), -127, 127).astype("i1")
    body = unique.astype("<u4").tobytes() + scale.tobytes() + small.tobytes()
    return bytes(HEADER.pack(MAGIC, len(unique), rows.shape[1], crc32(body), unknown) + body)
