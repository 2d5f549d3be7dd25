"""Secrets in the columns of tables: Markdown, CSV, what a database prints."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator
from typing import NamedTuple

from agent_journal.text.redaction import values
from agent_journal.text.redaction.judgement import is_secret
from agent_journal.text.redaction.names import WORDS, Word, is_open, start_of
from agent_journal.text.redaction.places import SLASHES, Place, Value
from agent_journal.text.redaction.secret import Secret, as_secret

_LONGEST_HEAD = 400  # characters of the first line
_LONGEST_LINE = 4096
_MOST_LINES = 2000
_MOST_COLUMNS = 8  # that are secret, in one table
_LINE_END = r"\r?\n|\\{1,16}[rn]"
_END = re.compile(_LINE_END)
_NUMBERED = re.compile(r"[ ]{0,8}[0-9]{1,6}(?:\t|→)")
_CELL_END = {
    word.word: re.compile(
        rf"""(?i:{word.whole})(?:{SLASHES}["'`*]){{0,3}}[ ]{{0,40}}"""
        rf"(?P<sign>[,;|\t]|\\{{1,16}}t|(?={_LINE_END}))"
    )
    for word in WORDS
}
_CELL_START = re.compile(
    rf"""(?P<sign>[,;|\t]|\\{{1,16}}t)[ ]{{0,40}}(?:{SLASHES}["'`*]){{0,3}}\Z"""
)
_SIGNS = {sign: re.compile(re.escape(sign)) for sign in ",;|"}
_SIGNS["\t"] = re.compile(r"\t|\\{1,16}t")
_BREAK = f"(?P<end>{_LINE_END})"
_NAMES = rf"""(?:[\w .()*-]|\\{{0,16}}["'`]|%s){{1,{_LONGEST_HEAD}}}?{_BREAK}"""
_REST = {  # of the first line, from a name on
    "|": re.compile(rf"[^\r\n]{{1,{_LONGEST_HEAD}}}?{_BREAK}(?=[ |:+=-]{{3}})"),
    ",": re.compile(_NAMES % ","),
    ";": re.compile(_NAMES % ";"),
    "\t": re.compile(_NAMES % r"\t|\\{1,16}t"),
}
_RULE = re.compile(r"[\s|:+=-]{3,}\Z")
_HEAD_CELL = re.compile(
    rf"""[ +-]{{0,40}}(?:{SLASHES}["'])?[A-Za-z_][\w .()-]{{0,40}}(?:{SLASHES}["'])?[ ]{{0,40}}\Z"""
)
_LAST_WORD = re.compile(
    rf"""(?:["'>\t→:]|{SLASHES}["'])[ ]?(?:{SLASHES}["'])?\w[\w.-]{{0,40}}(?:{SLASHES}["'])?\Z"""
)
_STATEMENT = re.compile(
    r"\s*[+-]?\s*(?:return|from|import|yield|print|const|let|var|select|def)\b", re.I
)
_VALUE = re.compile(rf"""[\s`*]{{0,40}}(?:{SLASHES}["'`])?(?P<bare>[^\s"'`\\|]{{4,4096}}+)""")


class Head(NamedTuple):
    """A name that may be the head of a column."""

    at: int
    word: Word


class _Table(NamedTuple):
    """The first line of a table."""

    start: int
    end: int
    below: int  # where the next line begins
    sign: str
    is_numbered: bool


def find_in_columns(text: str, heads: list[Head]) -> Iterator[Secret]:
    """Yield the secrets in the columns that have one of these heads."""
    done = 0  # the end of the last table
    table: _Table | None = None
    columns = 0
    for head in sorted(heads):
        if table is not None and head.at < table.end:
            columns += 1
        elif head.at < done:
            continue
        else:
            table = _table_at(text, head)
            columns = 1
        if table is None or columns > _MOST_COLUMNS:
            continue
        done = yield from _in_column(text, table, head)


def _table_at(text: str, head: Head) -> _Table | None:
    """Return the table that begins with the line of a name."""
    sign = _sign_beside(text, head)
    if sign == "":
        return None
    end = _REST[sign].match(text, head.at)
    if end is None:
        return None
    start = max(0, head.at - _LONGEST_HEAD)
    for sign_of_line in ("\n", "\\n", "\\r"):
        found = text.rfind(sign_of_line, start, head.at)
        if found >= 0:
            start = found + len(sign_of_line)
    is_numbered = _NUMBERED.match(text, start) is not None
    return _Table(start, end.start("end"), end.end("end"), sign, is_numbered)


def _sign_beside(text: str, head: Head) -> str:
    """Return what separates a name from the cell after or before it."""
    after = _CELL_END[head.word.word].match(text, head.at)
    if after is None:
        return ""
    if after["sign"]:
        return _plain(after["sign"])
    start = start_of(text, head.at)
    before = _CELL_START.search(text, max(0, start - 50), start)
    if before is None:
        return ""
    return _plain(before["sign"])


def _plain(sign: str) -> str:
    if sign.startswith("\\"):
        return "\t"
    return sign


def _in_column(text: str, table: _Table, head: Head) -> Generator[Secret, None, int]:
    """Yield the secrets below a name; return where the table ends."""
    cells = _cells(text, table.start, table.end, table.sign)
    number = next((at for at, cell in enumerate(cells) if cell[0] <= head.at < cell[1]), 0)
    place = Place(text, head.word, head.at, start_of(text, head.at))
    if place.is_short_pass and not place.before:
        return table.below
    if not _is_head(text, cells, table) or is_open(head.word, place.qualifier):
        return table.below
    at = table.below
    for line in range(_MOST_LINES):
        end = _END.search(text, at, at + _LONGEST_LINE)
        stop = min(len(text), at + _LONGEST_LINE)
        if end is not None:
            stop = end.start()
        row = _row(text, at, stop, table)
        if table.sign == "|" and line == 0 and not _RULE.match(text[at:stop]):
            return table.below
        if len(row) < len(cells):
            return at
        value = _value_in(text, *row[number])
        if value is not None and _is_secret(place, value):
            yield as_secret("secret", value.start, value.end, "")
        if end is None:
            return stop
        at = end.end()
    return at


_Cell = tuple[int, int]


def _cells(text: str, start: int, end: int, sign: str) -> list[_Cell]:
    """Return where the cells of a line begin and end."""
    cells = []
    for match in _SIGNS[sign].finditer(text, start, end):
        cells.append((start, match.start()))
        start = match.end()
    return [*cells, (start, end)]


def _row(text: str, start: int, end: int, table: _Table) -> list[_Cell]:
    if table.is_numbered:
        numbered = _NUMBERED.match(text, start)
        if numbered is not None:
            start = numbered.end()
    if table.sign == "|" and _RULE.match(text[start:end]):
        return [(start, start)] * _LONGEST_HEAD
    return _cells(text, start, end, table.sign)


def _is_head(text: str, cells: list[_Cell], table: _Table) -> bool:
    """Whether all cells of a line are names."""
    if table.sign == "|":
        return len(cells) > 1
    written = [text[start:end] for start, end in cells]
    if len(written) < 2 or _STATEMENT.match(written[0]):
        return False
    if not all(_HEAD_CELL.match(cell) for cell in written[1:]):
        return False
    return bool(_HEAD_CELL.match(written[0]) or _LAST_WORD.search(written[0]))


def _value_in(text: str, start: int, end: int) -> Value | None:
    match = _VALUE.match(text, start, end)
    if match is None:
        return None
    start, end = match.span("bare")
    return Value(match["bare"], start, end, is_quoted=True)


def _is_secret(place: Place, value: Value) -> bool:
    is_word = not values.is_chosen(value.text) or not values.has_letter(value.text)
    if is_word and place.word.kind == "password":
        return False
    return is_secret(place, value)
