"""What happens to a file of a journal: flipped bits, lost, zeroed or swapped blocks, other
content.
"""

from __future__ import annotations

import os
import random

_BLOCK = 512
_FOREIGN = (
    b"this is not what was here before\n" * 40,
    b"SQLite format 3\x00" + b"\x00" * 1000,
    b"{}",
    b"\xff" * 4096,
    b"PK\x03\x04" + b"zip" * 300,
)


def flip_a_bit(data: bytes, rng: random.Random) -> bytes:
    """One bit is another."""
    return _flipped(data, rng, 1)


def flip_bits(data: bytes, rng: random.Random) -> bytes:
    """Two to twenty bits are others."""
    return _flipped(data, rng, rng.randint(2, 20))


def _flipped(data: bytes, rng: random.Random, count: int) -> bytes:
    if not data:
        return b"\x01"
    changed = bytearray(data)
    for at in rng.sample(range(8 * len(data)), min(count, 8 * len(data))):
        changed[at // 8] ^= 1 << (at % 8)
    return bytes(changed)


def truncate(data: bytes, rng: random.Random) -> bytes:
    """The end is missing."""
    if not data:
        return b"\x00"
    return data[: rng.randrange(len(data))]


def zero_a_block(data: bytes, rng: random.Random) -> bytes:
    """A part is zeros."""
    start = rng.randrange(len(data) + 1)
    start -= start % min(_BLOCK, max(1, len(data) // 8))
    end = min(len(data), start + rng.choice((16, _BLOCK, 4096)))
    changed = data[:start] + b"\x00" * (end - start) + data[end:]
    return _surely_other(data, changed, rng)


def swap_blocks(data: bytes, rng: random.Random) -> bytes:
    """Two parts have changed places."""
    size = min(rng.choice((16, _BLOCK, 4096)), len(data) // 2)
    if size == 0:
        return _flipped(data, rng, 1)
    blocks = [data[at : at + size] for at in range(0, len(data), size)]
    first, second = rng.sample(range(len(data) // size), 2)
    blocks[first], blocks[second] = blocks[second], blocks[first]
    return _surely_other(data, b"".join(blocks), rng)


def replace(data: bytes, rng: random.Random) -> bytes:
    """It is another program's file."""
    return _surely_other(data, rng.choice(_FOREIGN), rng)


def add_garbage(data: bytes, rng: random.Random) -> bytes:
    """Something was appended."""
    return data + rng.randbytes(rng.choice((1, 7, 600)))


def empty(data: bytes, rng: random.Random) -> bytes:
    """Nothing is left but the name."""
    if not data:
        return b"\n"
    return b""


def _surely_other(before: bytes, after: bytes, rng: random.Random) -> bytes:
    if before == after:
        return _flipped(before, rng, 1)
    return after


ACCIDENTS = (
    flip_a_bit,
    flip_bits,
    truncate,
    zero_a_block,
    swap_blocks,
    replace,
    add_garbage,
    empty,
    None,  # the file is deleted
)


def happen(path: str, number: int, rng: random.Random) -> str:
    """Have the accident with this number happen to a file; returns its name."""
    accident = ACCIDENTS[number % len(ACCIDENTS)]
    if accident is None:
        os.unlink(path)
        return "deleted"
    with open(path, "rb") as file:
        data = file.read()
    stamp = os.stat(path)
    with open(path, "r+b") as file:  # in place: with its inode and mode
        file.truncate(0)
        file.write(accident(data, rng))
    os.utime(path, ns=(stamp.st_atime_ns, stamp.st_mtime_ns))  # a disk that fails sets no times
    return accident.__name__.replace("_", " ")
