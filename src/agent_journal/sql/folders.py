"""`read_conversations('~/.claude')` and the like: a folder read into a temporary journal."""

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
_TEXT_OR_COMMENT = re.compile(rf"{_TEXT.pattern}|--[^\n]*|/\*.*?\*/", re.S)
_READER = re.compile(rf"\b(?:{'|'.join(READERS)})\b", re.I)
_ARGUMENT = rf"(?:(?:path|source)\s*:=\s*)?(?:{_TEXT.pattern}|NULL)"
_ARGUMENTS = re.compile(rf"\s*(?:{_ARGUMENT}\s*(?:,\s*{_ARGUMENT}\s*)?)?", re.I)


class Folder(NamedTuple):
    """A folder that was read."""

    mirror: str
    db: Connection | None


def plain_calls(query: str) -> str:
    """The query without comments and with named arguments as DuckDB expects them."""
    return _CALL.sub(_with_named_arguments, _TEXT_OR_COMMENT.sub(_blank_comment, query))


def _blank_comment(found: re.Match[str]) -> str:
    text = found[0]
    if text.startswith("'"):
        return text
    return " " * len(text)


def _with_named_arguments(call: re.Match[str]) -> str:
    arguments = _NAMED.sub(r"\1 := ", call[2])
    return f"{call[1]}({arguments})"


def check_calls(query: str) -> None:
    """Refuse calls whose folder is not a plain string: they would seem to find nothing."""
    understood = {call.start() for call in _CALL.finditer(query) if _ARGUMENTS.fullmatch(call[2])}
    for name in _named(query):
        if name.start() not in understood:
            message = f"{name[0]} takes a folder as a plain string"
            raise UsageError(message, f"{name[0]}('~/.claude'), or no argument at all")


def _named(query: str) -> list[re.Match[str]]:
    """Where the functions are named, outside of strings."""
    return list(_READER.finditer(_TEXT.sub(lambda text: " " * len(text[0]), query)))


def folders_in(query: str) -> list[str]:
    """The paths that a query reads directly, as they are written in it."""
    found: dict[str, None] = {}
    for name in _named(query):
        call = _CALL.match(query, name.start())
        if call is not None:
            path = _path_argument(call[2])
            if path is not None:
                found[path[1].replace("''", "'")] = None
    return list(found)


def _path_argument(arguments: str) -> re.Match[str] | None:
    named = _NAMED_PATH.search(arguments)
    if named is not None:
        return named
    if "source" in arguments.partition("'")[0]:
        return None  # the only argument is the source
    return _PATH.match(arguments)


def read_folder(path: str, scratch: str) -> Folder:
    """Read an agent's folder into a journal in `scratch`."""
    real = os.path.abspath(os.path.expanduser(path))
    if not path or not os.path.exists(real):
        hint = "name the folder of an agent, like '~/.claude'"
        raise UsageError(f"there is no folder '{path}'", hint)
    home = os.path.join(scratch, f"folder-{len(os.listdir(scratch))}")
    config = load({"AJ_HOME": home, "HOME": os.path.expanduser("~")})
    import_files(config, [real], indexes=[mirror(config)])
    return Folder(os.path.join(home, "parquet"), open_reader(config.index_path, config.marks_path))
