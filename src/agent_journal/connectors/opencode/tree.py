"""A session in the tree of JSON files of versions before 1.2, in the same lines as a database has.

A file that is printed as OpenCode prints it is kept without the blanks between its values, any
other as a text: so its bytes follow from the line.
"""

from __future__ import annotations

import os
from collections.abc import Iterator

import msgspec

from agent_journal.connectors.base import Extract
from agent_journal.connectors.opencode import RANK_TREE
from agent_journal.connectors.row_lines import is_json_line, session_extract

_SUFFIX = ".json"
_INDENT = 2


def tree_extract(path: str) -> Iterator[Extract | str]:
    """Yield the session of a file `storage/session/<project>/<id>.json`."""
    session_id = os.path.basename(path).removesuffix(_SUFFIX)
    data = b"".join(_lines(path, session_id))
    yield Extract(session_extract(session_id), "session", session_id, RANK_TREE, data)


def _lines(path: str, session_id: str) -> Iterator[bytes]:
    storage = os.path.dirname(os.path.dirname(os.path.dirname(path)))
    yield _line("session", session_id, path) + b"\n"
    for message_id, message in _files(os.path.join(storage, "message", session_id)):
        parts = [
            _line("part", part_id, part)
            for part_id, part in _files(os.path.join(storage, "part", message_id))
        ]
        row = _line("message", message_id, message)
        yield row[:-1] + b',"parts":[' + b",".join(parts) + b"]}\n"
    todos = os.path.join(storage, "todo", session_id + _SUFFIX)
    if _is_plain_file(todos):
        yield _line("todo", session_id, todos) + b"\n"


def _files(folder: str) -> list[tuple[str, str]]:
    """Return the ids and paths of the files in a folder, in the order of the ids."""
    try:
        names = sorted(os.listdir(folder))
    except (FileNotFoundError, NotADirectoryError):
        return []
    return [
        (name.removesuffix(_SUFFIX), os.path.join(folder, name))
        for name in names
        if name.endswith(_SUFFIX) and _is_plain_file(os.path.join(folder, name))
    ]


def _is_plain_file(path: str) -> bool:
    return os.path.isfile(path) and not os.path.islink(path)  # a link could lead anywhere


def _line(table: str, name: str, path: str) -> bytes:
    with open(path, "rb") as file:
        data = file.read()
    head = msgspec.json.encode({"table": table, "id": name})
    return head[:-1] + b',"data":' + _value(data) + b"}"


def _value(data: bytes) -> bytes:
    try:
        plain = msgspec.json.format(data, indent=-1)
        if msgspec.json.format(plain, indent=_INDENT) == data and is_json_line(plain):
            return plain
    except (msgspec.DecodeError, RecursionError, ValueError):
        pass
    return msgspec.json.encode(data.decode("utf-8", "replace"))
