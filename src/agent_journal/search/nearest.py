"""The best of many products, in plain Python while numpy is not there: importing it costs more than
one search.
"""

from __future__ import annotations

import heapq
import sys
from typing import Any, NamedTuple

_BLOCK = 256


class Form(NamedTuple):
    """How the numbers of a vector lie in the file."""

    name: str
    code: str  # of struct
    size: int  # bytes of a number
    cast: Any  # the code for memoryview, which knows no half floats
    dtype: Any  # as simsimd calls it


FORMS = {
    "int8": Form("int8", "b", 1, "b", "int8"),
    "f16": Form("f16", "e", 2, "H", "float16"),
    "f32": Form("f32", "f", 4, "f", "float32"),
}


def nearest(
    query: bytes, rows: memoryview, form: Form, dims: int, count: int
) -> list[tuple[float, int]]:
    """The rows with the greatest product with a query, as (product, place), best first."""
    stride = dims * form.size
    total = len(rows) // stride
    if not total:
        return []
    products = _products(query, rows[: total * stride], form, dims, total)
    best = _best_plain if "numpy" not in sys.modules else _best_numpy
    return best(products, min(count, total))


def _products(query: bytes, rows: memoryview, form: Form, dims: int, total: int) -> Any:
    """The product of a vector with every row; with simsimd, else numpy."""
    try:
        import simsimd
    except ImportError:
        import numpy as np

        kind = {"int8": np.int8, "f16": np.float16, "f32": np.float32}[form.name]
        numbers = np.frombuffer(rows, kind).reshape(total, dims).astype(np.float32)
        return numbers @ np.frombuffer(query, kind).astype(np.float32)
    asked: Any = memoryview(query).cast(form.cast, shape=[1, dims])
    table: Any = rows.cast(form.cast, shape=[total, dims])
    found: Any = simsimd.cdist(
        asked, table, metric="dot", dtype=form.dtype, out_dtype="float32", threads=2
    )
    return memoryview(found).cast("B").cast("f")


def _best_plain(products: Any, count: int) -> list[tuple[float, int]]:
    values = products.tolist()
    tops = [max(values[at : at + _BLOCK]) for at in range(0, len(values), _BLOCK)]
    # Of the `count` best blocks each has a value of at least this: whatever is below cannot be
    # among the best.
    floor = heapq.nlargest(count, tops)[-1] if len(tops) >= count else float("-inf")
    found = [
        (value, number * _BLOCK + place)
        for number, top in enumerate(tops)
        if top >= floor
        for place, value in enumerate(values[number * _BLOCK : (number + 1) * _BLOCK])
        if value >= floor
    ]
    return heapq.nlargest(count, found)


def _best_numpy(products: Any, count: int) -> list[tuple[float, int]]:
    import numpy as np

    values = np.asarray(products)
    least = np.partition(values, len(values) - count)[len(values) - count]
    above = np.flatnonzero(values > least)
    # Of equal ones the later, as in plain Python: two pages of one search may come from processes
    # of either kind.
    places = np.concatenate([above, np.flatnonzero(values == least)[::-1][: count - len(above)]])
    places = places[np.lexsort((-places, -values[places]))]
    return list(zip(values[places].tolist(), places.tolist(), strict=True))
