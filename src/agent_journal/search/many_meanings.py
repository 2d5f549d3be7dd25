"""The vectors of many texts, from the table of words, with numpy.

What texts have in common is done once: words are looked up, and the signs of unknown ones computed.
The sum of each text is a product of its own, so that it does not depend on the texts beside it.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from itertools import chain, pairwise
from typing import TYPE_CHECKING, Any

from agent_journal.search.words import signs, words

if TYPE_CHECKING:
    import numpy

    Array = numpy.ndarray[Any, Any]

_REMEMBERED = 100_000  # words


class _Numbers(dict[str, int]):
    """The row of each word, cached; those that the table does not have count down from -1."""

    def __init__(self, place: Callable[[str], int], dims: int) -> None:
        super().__init__()
        self._place = place
        self._bytes = dims // 8
        self.signs: list[bytes] = []  # of words that the table does not have

    def __missing__(self, word: str) -> int:
        number = self._place(word)
        if number < 0:
            self.signs.append(signs(word).to_bytes(self._bytes, "big"))
            number = -len(self.signs)
        self[word] = number
        return number


class ManyMeanings:
    """Makes vectors: `place` is the row of a word in the table, -1 when that does not have it.

    A word that the table does not have counts as much as `unknown` says.
    """

    def __init__(
        self,
        place: Callable[[str], int],
        scales: memoryview[float],
        rows: memoryview[int],
        unknown: float,
    ) -> None:
        import numpy as np

        self._place = place
        self._scales = np.asarray(scales)
        self._rows = np.frombuffer(rows, "i1").reshape(len(scales), -1)
        self._dims = self._rows.shape[1]
        self._unknown = unknown / math.sqrt(self._dims)
        self._numbers = _Numbers(place, self._dims)

    def embed(self, texts: list[str]) -> Array:
        """A row of length 1 for each text; zeros for one without words."""
        import numpy as np

        if len(self._numbers) > _REMEMBERED:
            self._numbers = _Numbers(self._place, self._dims)
        counts = [Counter(words(text)) for text in texts]
        ends = np.cumsum([0, *map(len, counts)])
        found = map(self._numbers.__getitem__, chain.from_iterable(counts))
        numbers = np.fromiter(found, np.int64, ends[-1])
        repeats = chain.from_iterable(count.values() for count in counts)
        factors = 1 + np.log(np.fromiter(repeats, np.float32, ends[-1]))
        out = np.zeros((len(texts), self._dims), np.float32)
        is_known = numbers >= 0
        self._add_known(out, numbers[is_known], factors[is_known], _edges(is_known, ends))
        is_unknown = ~is_known
        places = -1 - numbers[is_unknown]
        self._add_unknown(out, places, factors[is_unknown], _edges(is_unknown, ends))
        lengths = np.linalg.norm(out, axis=1, keepdims=True)
        whole: Array = out / np.where(lengths, lengths, 1)
        return whole

    def _add_known(self, out: Array, places: Array, factors: Array, edges: list[int]) -> None:
        weights = factors * self._scales[places]
        for number, (first, last) in enumerate(pairwise(edges)):
            if first < last:
                rows = self._rows[places[first:last]]
                out[number] = weights[first:last] @ rows.astype(out.dtype)

    def _add_unknown(self, out: Array, places: Array, factors: Array, edges: list[int]) -> None:
        import numpy as np

        packed = np.frombuffer(b"".join(self._numbers.signs), "u1").reshape(-1, self._dims // 8)
        for number, (first, last) in enumerate(pairwise(edges)):
            if first < last:
                bits = np.unpackbits(packed[places[first:last]], axis=1)
                weights = factors[first:last]
                total = weights @ bits.astype(out.dtype) * 2 - weights.sum()
                out[number] += total * self._unknown


def _edges(is_chosen: Array, ends: Array) -> list[int]:
    """Where the chosen words of each text begin among all that are chosen, and where they end."""
    import numpy as np

    before = np.concatenate(([0], np.cumsum(is_chosen)))
    edges: list[int] = before[ends].tolist()
    return edges
