"""What went wrong with a query, in words: the place, and what was probably meant."""

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


_SAID = {
    "SET": "SET changes settings",
    "VARIABLE_SET": "SET changes settings",
    "PRAGMA": "PRAGMA changes settings",
    "ATTACH": "ATTACH opens another database",
    "LOAD": "LOAD brings in an extension",
    "CALL": "CALL runs a function, and some of them write",
    "PREPARE": "PREPARE keeps a statement",
    "MULTI": "this is several statements in one (PIVOT of DuckDB makes a type first; write it as SQL has it)",
}


class QueryError(JournalError):
    """A query that cannot be answered."""

    code = "query"
    exit_code = 2


def refused(kind: str) -> QueryError:
    """For a statement that is no question."""
    said = _SAID.get(kind, f"{kind} writes")
    return QueryError(
        f"{said}: aj sql only reads", "ask with SELECT; --parquet FILE keeps the rows"
    )


def broken_off(seconds: float) -> QueryError:
    """For a query that took too long."""
    return QueryError(
        f"the query took more than {seconds:g} s and was broken off", "--timeout gives it more"
    )


def explained(error: Exception, query: str, seconds: float, folder: str) -> QueryError:
    """The error of DuckDB as one of ours."""
    name, text = type(error).__name__, str(error)
    if name == "InterruptException" or "INTERRUPT" in text:
        return broken_off(seconds)
    if name == "OutOfMemoryException":
        return QueryError(
            "the query needs more memory than it may have", "--memory 8GB gives it more"
        )
    if name == "PermissionException" or "file system operations are disabled" in text:
        return QueryError("a query reads no files beside the journal", "--files allows it")
    if folder in text:
        return QueryError(
            "a file of the tables is damaged", f"delete {folder}: the next query makes them anew"
        )
    head = re.sub(r"^[A-Za-z ]+ Error: ", "", text.split("\n")[0]).rstrip("!")
    return QueryError(f"{head}{_place(text, query)}", _meant(text, query))


def _place(text: str, query: str) -> str:
    """The line with a mark below: as DuckDB tells it, or where the word stands that it complains
    of.
    """
    told = _PLACE.search(text)
    if told:
        return f"\n{told[1]}\n{told[2]}"
    named = re.search(r'"([^"]+)"|name (\S+) does', text.split("\n")[0])
    word = named and re.search(rf"\b{re.escape(named[1] or named[2])}\b", query, re.I)
    if not word:
        return ""
    start = query.rfind("\n", 0, word.start()) + 1
    head = f"LINE {query.count(chr(10), 0, start) + 1}: "
    mark = " " * (len(head) + word.start() - start) + "^" * len(word[0])
    return f"\n{head}{query[start:].split(chr(10))[0]}\n{mark}"


def _meant(text: str, query: str) -> str | None:
    found = _TABLE.search(text)
    if found:
        table = found[1].strip('"').lower()
        hint = did_you_mean(table, tables(), limit=3, cutoff=0.5)
        return hint or f"there are: {', '.join(tables())}"
    missing = _COLUMN.search(text)
    if not missing:
        return None
    word = next(filter(None, missing.groups())).lower()
    words = set(re.findall(r"[a-z_]+", query.lower().replace("read_", " ")))
    asked = {name: columns for name, columns in tables().items() if name in words}
    columns = list(dict.fromkeys(column.name for table in asked.values() for column in table))
    hint = did_you_mean(word, columns, limit=3, cutoff=0.5)
    if hint:
        return hint
    return (
        "".join(
            f"{name} has: {', '.join(one.name for one in cells)}\n" for name, cells in asked.items()
        )
        or None
    )
