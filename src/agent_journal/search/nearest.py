"""The best of many products, in plain Python or with numpy.

Plain Python is for a process that asks once: importing numpy takes longer than its search.
"""

from __future__ import annotations

from typing import Any, NamedTuple

_BLOCK = 256


class Form(NamedTuple):
    """How the numbers of a vector are stored."""

    name: str
    code: str  # of struct
    size: int  # bytes of a number
    cast: Any  # the code for memoryview, which knows no half floats
    dtype: Any  # the name that simsimd uses


FORMS = {
    "int8": Form("int8", "b", 1, "b", "int8"),
    "f16": Form("f16", "e", 2, "H", "float16"),
    "f32": Form("f32", "f", 4, "f", "float32"),
}


def nearest(
    query: bytes, rows: memoryview, form: Form, *, dims: int, count: int, with_numpy: bool
) -> list[tuple[float, int]]:
    """The rows with the greatest product with a query, as (product, place), best first.

    Both ways find the same rows; `with_numpy` is faster once numpy is imported.
    """
    stride = dims * form.size
    total = len(rows) // stride
    if not total:
        return []
    products = _products(query, rows[: total * stride], form, dims, total)
    if with_numpy:
        return best_with_numpy(products, min(count, total))
    return best_in_python(products, min(count, total))


def _products(query: bytes, rows: memoryview, form: Form, dims: int, total: int) -> Any:
    """The product of a vector with every row; with simsimd, else numpy."""
    try:
        import simsimd
    except ImportError:
        return _products_with_numpy(query, rows, form, dims, total)
    vector: Any = memoryview(query).cast(form.cast, shape=[1, dims])
    table: Any = rows.cast(form.cast, shape=[total, dims])
    found: Any = simsimd.cdist(
        vector, table, metric="dot", dtype=form.dtype, out_dtype="float32", threads=2
    )
    return memoryview(found).cast("B").cast("f")


def _products_with_numpy(query: bytes, rows: memoryview, form: Form, dims: int, total: int) -> Any:
    import numpy as np

    numbers = np.frombuffer(rows, form.dtype).reshape(total, dims).astype(np.float32)
    return numbers @ np.frombuffer(query, form.dtype).astype(np.float32)


def best_in_python(products: Any, count: int) -> list[tuple[float, int]]:
    """The greatest products with their places, found block by block."""
    import heapq  # a sync imports this module and looks for nothing

    # One block at a time: a list of a million numbers takes longer to make than to look through.
    starts = range(0, len(products), _BLOCK)
    tops = [max(products[first : first + _BLOCK].tolist()) for first in starts]
    # Each of the `count` best blocks has a value of at least this, so nothing below it is among
    # the best.
    floor = float("-inf")
    if len(tops) >= count:
        floor = heapq.nlargest(count, tops)[-1]
    found: list[tuple[float, int]] = []
    for first, top in zip(starts, tops, strict=True):
        if top >= floor:
            block = enumerate(products[first : first + _BLOCK].tolist(), first)
            found.extend((value, place) for place, value in block if value >= floor)
    return heapq.nlargest(count, found)


def best_with_numpy(products: Any, count: int) -> list[tuple[float, int]]:
    """The greatest products with their places, found with numpy."""
    import numpy as np

    values = np.asarray(products)
    places = np.arange(len(values))
    whole = len(values) - len(values) % _BLOCK
    if whole >= count * _BLOCK:
        tops = values[:whole].reshape(-1, _BLOCK).max(axis=1)
        floor = np.partition(tops, len(tops) - count)[len(tops) - count]
        places = np.flatnonzero(values >= floor)
    # Of equal ones the later, as in plain Python: two pages of one search may come from processes
    # of either kind.
    places = places[np.lexsort((-places, -values[places]))][:count]
    return list(zip(values[places].tolist(), places.tolist(), strict=True))
