"""Errors of a query in words: the place, and what was probably meant."""

from __future__ import annotations

import re

from agent_journal.errors import JournalError
from agent_journal.sql.making import tables
from agent_journal.text.suggestions import did_you_mean

_TABLE = re.compile(r"Table with name (\S+) does not exist")
_COLUMN = re.compile(
    r'Referenced column "([^"]+)"|Values list "[^"]*" does not have a column named "([^"]+)"|'
    r'does not have a column named "([^"]+)"'
)
_PLACE = re.compile(r"\n(LINE \d+: .*)\n(\s*\^+)")
_REFUSED = {
    "SET": "SET changes settings",
    "VARIABLE_SET": "SET changes settings",
    "PRAGMA": "PRAGMA changes settings",
    "ATTACH": "ATTACH opens another database",
    "LOAD": "LOAD loads an extension",
    "CALL": "CALL runs a function, which may write",
    "PREPARE": "PREPARE stores a statement",
    "MULTI": "this is several statements in one (use the SQL standard form of PIVOT)",
}

_NEEDS_FILES = "reading other files needs --files"


class QueryError(JournalError):
    """A query that cannot be answered."""

    code = "query"
    exit_code = 2


def refused(kind: str) -> QueryError:
    """The error for a statement that is not a query."""
    reason = _REFUSED.get(kind, f"{kind} writes")
    return QueryError(f"{reason}: aj sql only reads", "use SELECT; --parquet FILE saves the rows")


def timed_out(seconds: float) -> QueryError:
    """The error for a query that took too long."""
    return QueryError(f"the query timed out after {seconds:g} s", "--timeout gives it more time")


def explained(
    error: Exception, query: str, *, seconds: float, folder: str, may_read_files: bool
) -> QueryError:
    """The error of DuckDB as one of ours."""
    name = type(error).__name__
    text = str(error)
    if name == "InterruptException" or "INTERRUPT" in text:
        return timed_out(seconds)
    if name in ("OutOfMemoryException", "MemoryError") or "bad_alloc" in text:
        return QueryError("the query exceeds its memory limit", "--memory 8GB raises it")
    if name == "PermissionException" or "file system operations are disabled" in text:
        return QueryError("a query cannot read files outside the journal", _NEEDS_FILES)
    if folder in text:
        hint = f"delete {folder}; the next query rebuilds it"
        return QueryError("a file of the tables is damaged", hint)
    head = re.sub(r"^[A-Za-z ]+ Error: ", "", text.split("\n")[0]).rstrip("!")
    return QueryError(f"{head}{_place(text, query)}", _meant(text, query, may_read_files))


def _place(text: str, query: str) -> str:
    """The line with a mark below: as DuckDB shows it, or for the word that it complains about."""
    shown = _PLACE.search(text)
    if shown:
        return f"\n{shown[1]}\n{shown[2]}"
    named = re.search(r'"([^"]+)"|name (\S+) does', text.split("\n")[0])
    word = named and re.search(rf"\b{re.escape(named[1] or named[2])}\b", query, re.I)
    if not word:
        return ""
    start = query.rfind("\n", 0, word.start()) + 1
    head = f"LINE {query.count(chr(10), 0, start) + 1}: "
    mark = " " * (len(head) + word.start() - start) + "^" * len(word[0])
    return f"\n{head}{query[start:].split(chr(10))[0]}\n{mark}"


def _meant(text: str, query: str, may_read_files: bool) -> str | None:
    """What was probably meant by an unknown table or column."""
    table = _TABLE.search(text)
    if table:
        name = table[1].strip('"').lower()
        if "/" in name and not may_read_files:
            return _NEEDS_FILES
        hint = did_you_mean(name, tables(), limit=3, cutoff=0.5)
        return hint or f"the tables are: {', '.join(tables())}"
    column = _COLUMN.search(text)
    if column:
        name = next(filter(None, column.groups())).lower()
        return _near_columns(name, query)
    return None


def _near_columns(name: str, query: str) -> str | None:
    """The columns with a similar name in the tables of a query, or all of their columns."""
    words = set(re.findall(r"[a-z_]+", query.lower().replace("read_", " ")))
    named = {table: columns for table, columns in tables().items() if table in words}
    known = dict.fromkeys(column.name for columns in named.values() for column in columns)
    hint = did_you_mean(name, known, limit=3, cutoff=0.5)
    if hint:
        return hint
    lines = [
        f"{table} has: {', '.join(column.name for column in columns)}\n"
        for table, columns in named.items()
    ]
    return "".join(lines) or None
