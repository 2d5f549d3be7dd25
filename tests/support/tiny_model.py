"""A model of sentences with seven words, as the real ones are published: model.onnx and
tokenizer.json.

The graph is one look-up (Gather), written as protobuf by hand: a library only to write it would be
20 MB.
"""

from __future__ import annotations

import struct
from pathlib import Path

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

# Words that mean the same have the same vector; everything else is [UNK].
WORDS = {
    "[PAD]": (0, 0, 0, 0),
    "[UNK]": (0, 0, 0, 0.1),
    "delete": (1, 0, 0, 0),
    "zap": (1, 0, 0, 0),
    "kitchen": (0, 1, 0, 0),
    "larder": (0, 1, 0, 0),
    "retry": (0, 0, 1, 0),
}
_FLOAT, _INT64 = 1, 7


def write_model(folder: Path) -> Path:
    """Writes the model; its folder."""
    folder.mkdir(parents=True, exist_ok=True)
    rows = b"".join(struct.pack("<4f", *row) for row in WORDS.values())
    table = (
        _number(1, len(WORDS))
        + _number(1, 4)
        + _number(2, _FLOAT)
        + _text(8, "table")
        + _bytes(9, rows)
    )
    node = (
        _text(1, "table")
        + _text(1, "input_ids")
        + _text(2, "last_hidden_state")
        + _text(4, "Gather")
    )
    graph = (
        _bytes(1, node)
        + _text(2, "words")
        + _bytes(5, table)
        + _bytes(11, _value("input_ids", _INT64, 2))
        + _bytes(12, _value("last_hidden_state", _FLOAT, 3))
    )
    (folder / "model.onnx").write_bytes(
        _number(1, 8) + _bytes(7, graph) + _bytes(8, _number(2, 13))
    )
    tokenizer = Tokenizer(
        models.WordLevel({word: number for number, word in enumerate(WORDS)}, "[UNK]")
    )
    tokenizer.normalizer = normalizers.Lowercase()
    tokenizer.pre_tokenizer = pre_tokenizers.Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    return folder


def _value(name: str, kind: int, rank: int) -> bytes:
    shape = b"".join(_bytes(1, _text(2, f"d{place}")) for place in range(rank))
    return _text(1, name) + _bytes(2, _bytes(1, _number(1, kind) + _bytes(2, shape)))


def _varint(value: int) -> bytes:
    out = b""
    while value > 127:
        out += bytes([value & 127 | 128])
        value >>= 7
    return out + bytes([value])


def _number(field: int, value: int) -> bytes:
    return _varint(field << 3) + _varint(value)


def _bytes(field: int, value: bytes) -> bytes:
    return _varint(field << 3 | 2) + _varint(len(value)) + value


def _text(field: int, value: str) -> bytes:
    return _bytes(field, value.encode())
