"""Rows of an SQL query as CSV: exact in a pipe, harmless on a terminal and in a spreadsheet."""

from __future__ import annotations

import csv
import io
import re
import sys
from collections.abc import Callable
from typing import IO, Any

from agent_journal.cli.views.rows import cell_text
from agent_journal.errors import CannotWrite
from agent_journal.sql.database import Database
from agent_journal.store.atomic import new_private_file
from agent_journal.text.plain import safe

# Spreadsheets run a text that begins with one of these; some take the wide forms for them, too.
_FORMULA = re.compile(r"[=+\-@\t\r\n＝＋－＠]")
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?\Z")

Shown = Callable[[str], str]


def print_csv(database: Database, query: str, limit: int | None, *, has_formulas: bool) -> None:
    """Write the rows to standard output; on a terminal, without what could control it."""
    shown = _quoting(has_formulas)
    if sys.stdout.isatty():
        _write(database, query, limit, sys.stdout, lambda text: safe(shown(text)))
    else:
        _write(database, query, limit, sys.stdout, shown)


def save_csv(
    database: Database, query: str, limit: int | None, path: str, *, has_formulas: bool
) -> int:
    """Write the rows to a private file, whole or not at all, and return how many there are."""
    try:
        with new_private_file(path) as file:
            text = io.TextIOWrapper(file, "utf-8", errors="replace", newline="")
            count = _write(database, query, limit, text, _quoting(has_formulas))
            text.detach()
    except OSError as error:
        raise CannotWrite(
            f"cannot write {path}: {error.strerror or error}", "choose another place with -o"
        ) from error
    return count


def _write(database: Database, query: str, limit: int | None, out: IO[str], shown: Shown) -> int:
    """Write the names of the columns and all rows, and return how many rows there are."""
    writer = csv.writer(out, lineterminator="\n")
    count = 0
    has_head = False

    def write(columns: list[str], rows: list[tuple[Any, ...]]) -> None:
        nonlocal count, has_head
        if not has_head:
            writer.writerow([shown(name) for name in columns])
            has_head = True
        writer.writerows([[shown(cell_text(value)) for value in row] for row in rows])
        count += len(rows)

    database.stream(query, write, limit)
    return count


def _quoting(has_formulas: bool) -> Shown:
    if has_formulas:
        return str
    return without_formula


def without_formula(text: str) -> str:
    """Return a text that no spreadsheet runs: with ' before what would be a formula."""
    if _FORMULA.match(text) and not _NUMBER.match(text):
        return f"'{text}"
    return text
