"""Vectors from letters alone: texts are alike when they share parts of words, in any language.

They know no meaning. `index.vector.fallback = "hash"` selects them, for texts in languages that the
table does not know.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    import numpy

    from agent_journal.search.embedding import Weigh

_DIMS = 1024
_SIZES = (3, 4, 5)


class Hashes:
    """Counts each word and each group of 3 to 5 letters, at the place that its checksum names."""

    name = f"hashes {_DIMS}"
    dims = _DIMS
    units = 127
    unlike = 0.1
    is_slow = False

    def knows(self, word: str) -> bool:
        """Whether a word has a meaning for it: any may."""
        return True

    def embed(self, text: str, weigh: Weigh | None = None) -> list[float] | None:
        """The vector of a text; None when there is no word in it."""
        sums = [0.0] * _DIMS
        for part, count in Counter(_parts(text)).items():
            key = crc32(part.encode())
            # The highest bit gives the sign, so that parts which share a place by chance cancel out
            # as often as they add up.
            sign = 2 * (key >> 31) - 1
            sums[key % _DIMS] += sign * (1 + math.log(count))
        length = math.sqrt(sum(value * value for value in sums))
        if not length:
            return None
        return [value / length for value in sums]

    def embed_many(self, texts: list[str]) -> numpy.ndarray[Any, Any]:
        """A row for each text."""
        import numpy as np

        return np.array([self.embed(text) or [0.0] * _DIMS for text in texts], np.float32)


def _parts(text: str) -> list[str]:
    parts = []
    for word in re.findall(r"\w+", text.lower()):
        whole = f"<{word[:60]}>"
        parts.append(whole)
        parts += [whole[at : at + size] for size in _SIZES for at in range(len(whole) - size + 1)]
    return parts
