"""The Parquet writer: whatever is written, other readers read the same."""

from __future__ import annotations

import io
from typing import Any

import duckdb
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_journal.store.mirror.parquet import Column, encoded

COLUMNS = tuple(Column(kind, kind, "") for kind in ("text", "int", "float", "bool", "time"))
_INT = st.integers(-(2**63), 2**63 - 1)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=20) | st.sampled_from(["a", "b"])
_CELLS = (
    _TEXT,
    _INT,
    st.floats(allow_nan=False),
    st.booleans(),
    st.integers(-(10**15), 4 * 10**15),
)
_ROWS = st.lists(st.tuples(*(st.none() | cell for cell in _CELLS)), max_size=60)


def read(data: bytes) -> list[tuple[Any, ...]]:
    table = pq.read_table(io.BytesIO(data))
    micros = table.column("time").cast("int64")
    return list(
        zip(
            *(table.column(name).to_pylist() for name in ("text", "int", "float", "bool")),
            micros.to_pylist(),
            strict=True,
        )
    )


@settings(max_examples=150, deadline=None)
@given(_ROWS)
def test_rows_come_back(rows: list[tuple[Any, ...]]) -> None:
    assert read(encoded(COLUMNS, rows)) == rows


@pytest.mark.parametrize("count", [0, 1, 7, 8, 9, 255, 256, 257, 70_000])
@pytest.mark.parametrize("values", [1, 200, 300, 40_000])
def test_dictionaries_of_every_size(
    count: int, values: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    rows = [(f"value {number % values}" if number % 5 else None,) for number in range(count)]
    data = encoded((Column("text", "text", ""),), rows)
    assert pq.read_table(io.BytesIO(data)).column("text").to_pylist() == [row[0] for row in rows]
    path = tmp_path_factory.mktemp("parquet") / "x.parquet"
    path.write_bytes(data)
    assert duckdb.sql(f"SELECT * FROM '{path}'").fetchall() == rows


def test_texts_that_are_no_unicode_are_written_with_marks() -> None:
    data = encoded((Column("text", "text", ""),), [("a\ud800b",), ("nul \0 in it",)])
    assert pq.read_table(io.BytesIO(data)).column("text").to_pylist() == ["a?b", "nul \0 in it"]
