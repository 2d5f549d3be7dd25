"""A PNG of boxes and short texts, without a library: zlib does the packing, the letters are five
dots high.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_journal.cli.views.chart import Box, Label

# Each letter: five rows of three dots, as numbers from 0 to 7; a sixth row is below the line.
_FONT = {
    "0": "75557",
    "1": "26227",
    "2": "71747",
    "3": "71717",
    "4": "55711",
    "5": "74717",
    "6": "74757",
    "7": "71122",
    "8": "75757",
    "9": "75717",
    "A": "25755",
    "B": "65656",
    "C": "74447",
    "D": "65556",
    "E": "74647",
    "F": "74644",
    "G": "74557",
    "H": "55755",
    "I": "72227",
    "J": "11157",
    "K": "55655",
    "L": "44447",
    "M": "57755",
    "N": "65555",
    "O": "75557",
    "P": "75744",
    "Q": "75571",
    "R": "75655",
    "S": "74717",
    "T": "72222",
    "U": "55557",
    "V": "55552",
    "W": "55775",
    "X": "55255",
    "Y": "55222",
    "Z": "71247",
    "-": "00700",
    ".": "00002",
    ",": "00024",
    "/": "11244",
    "$": "76737",
    "_": "00007",
    " ": "00000",
    ":": "02020",
    "?": "71202",
    "+": "02720",
    "…": "00005",
    ";": "02024",
    "(": "24442",
    ")": "21112",
    "~": "03600",
    "#": "57575",
    "a": "06357",
    "b": "46556",
    "c": "03443",
    "d": "13553",
    "e": "03563",
    "f": "12722",
    "g": "035712",
    "h": "46555",
    "i": "20222",
    "j": "101152",
    "k": "45665",
    "l": "62227",
    "m": "07775",
    "n": "06555",
    "o": "02552",
    "p": "065564",
    "q": "035531",
    "r": "03444",
    "s": "03636",
    "t": "27223",
    "u": "05553",
    "v": "05572",
    "w": "05777",
    "x": "05225",
    "y": "055312",
    "z": "07367",
}
_DOT = 2


def painted(width: int, height: int, boxes: Iterable[Box], labels: Iterable[Label]) -> bytes:
    """The picture as a file."""
    rows = [bytearray(b"\xff" * (3 * width)) for _ in range(height)]

    def fill(x: float, y: float, wide: float, tall: float, colour: tuple[int, int, int]) -> None:
        left, right = max(0, round(x)), min(width, round(x + wide))
        for row in rows[max(0, round(y)) : max(0, min(height, round(y + tall)))]:
            row[3 * left : 3 * right] = bytes(colour) * max(0, right - left)

    for box in boxes:
        fill(*box)
    for label in labels:
        size = 4 * _DOT * len(label.text)
        x = label.x - {"start": 0, "middle": size / 2, "end": size}[label.anchor]
        for letter in label.text:
            for down, dots in enumerate(_FONT.get(letter, "00700")):
                for right in range(3):
                    if int(dots) >> (2 - right) & 1:
                        fill(x + right * _DOT, label.y - 10 + down * _DOT, _DOT, _DOT, (50, 50, 50))
            x += 4 * _DOT
    data = zlib.compress(b"".join(b"\0" + bytes(row) for row in rows), 9)
    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    return (
        b"\x89PNG\r\n\x1a\n" + _chunk(b"IHDR", head) + _chunk(b"IDAT", data) + _chunk(b"IEND", b"")
    )


def _chunk(name: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))
