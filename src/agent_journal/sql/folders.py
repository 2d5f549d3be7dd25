"""`read_conversations('~/.claude')` and its like: a folder read directly, into a journal that is
thrown away.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from agent_journal.config.loading import load
from agent_journal.errors import UsageError
from agent_journal.sql.views import VIEWS
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.store import open_reader
from agent_journal.sync.importing import import_files
from agent_journal.sync.indexes import mirror

READERS = {f"read_{name}": name for name in VIEWS}
_CALL = re.compile(rf"\b({'|'.join(READERS)})\s*\(((?:[^()']|'(?:[^']|'')*')*)\)", re.I)
# The extension takes `path='…'`; DuckDB's own macros know only `path := '…'`.
_NAMED = re.compile(r"\b(path|source)\s*:?=\s*(?=')", re.I)
_PATH = re.compile(r"^\s*(?:path\s*:=\s*)?'((?:[^']|'')*)'", re.I)
_NAMED_PATH = re.compile(r"\bpath\s*:=\s*'((?:[^']|'')*)'", re.I)


_TEXT = re.compile(r"'(?:[^']|'')*'")
_REMARK = re.compile(rf"{_TEXT.pattern}|--[^\n]*|/\*.*?\*/", re.S)
_READER = re.compile(rf"\b(?:{'|'.join(READERS)})\b", re.I)
_ARGUMENT = rf"(?:(?:path|source)\s*:=\s*)?(?:{_TEXT.pattern}|NULL)"
_ARGUMENTS = re.compile(rf"\s*(?:{_ARGUMENT}\s*(?:,\s*{_ARGUMENT}\s*)?)?", re.I)


class Folder(NamedTuple):
    """A folder that was read."""

    mirror: str
    db: Connection | None


def plain_calls(query: str) -> str:
    """The query without remarks and with arguments as DuckDB wants them, of the same length as far
    as possible.
    """
    query = _REMARK.sub(
        lambda found: found[0] if found[0][0] == "'" else " " * len(found[0]), query
    )
    return _CALL.sub(
        lambda call: f"{call[1]}({_NAMED.sub(lambda name: f'{name[1]} := ', call[2])})", query
    )


def check_calls(query: str) -> None:
    """Refuses calls whose folder is not told by the words themselves: they would look as if nothing
    were there.
    """
    understood = {call.start() for call in _CALL.finditer(query) if _ARGUMENTS.fullmatch(call[2])}
    for name in _named(query):
        if name.start() not in understood:
            raise UsageError(
                f"{name[0]} takes a folder as one plain text",
                f"{name[0]}('~/.claude'), or none at all",
            )


def _named(query: str) -> list[re.Match[str]]:
    """Where the functions are named, but for texts that only speak of them."""
    return list(_READER.finditer(_TEXT.sub(lambda text: " " * len(text[0]), query)))


def folders_in(query: str) -> list[str]:
    """The paths that a query reads directly, as they are written in it."""
    found = []
    for call in filter(None, (_CALL.match(query, name.start()) for name in _named(query))):
        path = _NAMED_PATH.search(call[2]) or (
            None if "source" in call[2].partition("'")[0] else _PATH.match(call[2])
        )
        if path is not None:
            found.append(path[1].replace("''", "'"))
    return list(dict.fromkeys(found))


def read_folder(path: str, scratch: str) -> Folder:
    """Reads an agent's folder into a journal in `scratch`."""
    real = os.path.abspath(os.path.expanduser(path))
    if not path or not os.path.exists(real):
        raise UsageError(
            f"there is no folder '{path}'", "name the folder of an agent, like '~/.claude'"
        )
    home = os.path.join(scratch, f"folder-{len(os.listdir(scratch))}")
    config = load({"AJ_HOME": home, "HOME": os.path.expanduser("~")})
    import_files(config, [real], indexes=[mirror(config)])
    return Folder(os.path.join(home, "parquet"), open_reader(config.index_path))
