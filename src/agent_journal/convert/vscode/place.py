"""Putting a chat into a workspace of VS Code, where it stays: the file, and its entry in the list
that VS Code shows.

VS Code must not run: a window has the list in memory and writes it back. Whatever happens on the
way, its data stays usable: the file comes first (one that is not in the list is only not shown),
the list is changed in one transaction of SQLite, and a copy of the database is made before.
"""

from __future__ import annotations

import json
import os
import re
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple

from agent_journal.convert.target import Converted
from agent_journal.convert.vscode.workspaces import Workspace, find_workspace, running
from agent_journal.errors import CannotWrite, UsageError
from agent_journal.export.files import write_file
from agent_journal.store.catalog.connection import Connection

_KEY = "chat.ChatSessionStore.index"
_PLAIN_ID = re.compile(r"[0-9a-fA-F-]{8,64}\Z")
_WAIT = 2.0  # seconds for another program that holds the database


class Placed(NamedTuple):
    """Where a chat was put, and the copy of the database as it was before."""

    path: str
    database: str
    backup: str


def place(converted: Converted, workspace: str, roots: Sequence[str]) -> Placed:
    """Puts a converted chat into the workspace of a folder (or a folder of workspaceStorage).

    `roots` are the `User` folders of VS Code and its relatives, as sync.roots_of finds them for
    vscode-chat.
    """
    found = find_workspace(workspace, roots)
    _refuse_while_running(found)
    document = json.loads(converted.files[0].content)
    if (
        not _PLAIN_ID.match(converted.session_id)
        or document.get("sessionId") != converted.session_id
    ):
        raise UsageError("the chat has no id of its own", "convert the session anew")
    _check(found)
    backup = _backed_up(found.database)
    folder = os.path.join(found.folder, "chatSessions")
    path = os.path.join(folder, f"{converted.session_id}.json")
    if os.path.lexists(f"{path}l"):
        raise UsageError(f"{path}l is there already", "convert the session anew, for another id")
    _make(folder)
    write_file(path, [converted.files[0].content], force=False)
    try:
        _flush(path)
        _list(found, _entry(document))
    except BaseException:
        os.unlink(path)
        raise
    return Placed(path, found.database, backup)


def _refuse_while_running(workspace: Workspace) -> None:
    who = running(workspace)
    if who:
        raise UsageError(
            f"VS Code is running ({who}), and would write over the list of chats",
            "close it, then again",
        )


def _flush(path: str) -> None:
    """The file is on the disk before the list names it."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _make(folder: str) -> None:
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        raise CannotWrite(
            f"cannot make {folder}: {error.strerror}", "check its owner and mode"
        ) from error


# -- the list ----------------------------------------------------------------------------------


def _entry(document: dict[str, Any]) -> dict[str, Any]:
    """What the list says of a chat; VS Code drops the whole list when one entry lacks id, title or
    date.
    """
    told = document.get("requests") or []
    requests = told or [{}]
    started, ended = (
        requests[-1].get("timestamp"),
        (requests[-1].get("modelState") or {}).get("completedAt"),
    )
    timing = {
        "created": document["creationDate"],
        "lastRequestStarted": started,
        "lastRequestEnded": ended,
    }
    first = requests[0].get("message") or ""
    prompt = first if isinstance(first, str) else first.get("text", "")
    return {
        "sessionId": document["sessionId"],
        "title": document.get("customTitle")
        or prompt.strip().split("\n")[0][:200]
        or "Imported chat",
        "lastMessageDate": document["lastMessageDate"],
        "timing": {name: value for name, value in timing.items() if value is not None},
        "initialLocation": "panel",
        "isEmpty": not told,
        "isExternal": False,
        "hasPendingEdits": False,
        "lastResponseState": (requests[-1].get("modelState") or {}).get("value", 1),
    }


def _check(workspace: Workspace) -> None:
    """Refuses before anything is written what could not be finished."""
    try:
        with closing(_connected(workspace.database)) as database:
            _read(database, workspace)
    except sqlite3.Error as error:
        raise _unusable(workspace, error) from error


def _list(workspace: Workspace, entry: dict[str, Any]) -> None:
    """Adds the entry, in one transaction."""
    try:
        with closing(_connected(workspace.database)) as database:
            database.execute("BEGIN IMMEDIATE")
            index = _read(database, workspace)
            if entry["sessionId"] in index["entries"]:
                raise UsageError(
                    f"the list has a chat {entry['sessionId']}", "convert the session anew"
                )
            index["entries"][entry["sessionId"]] = entry
            text = json.dumps(index, separators=(",", ":"))
            database.execute("DELETE FROM ItemTable WHERE key = ?", (_KEY,))
            database.execute("INSERT INTO ItemTable (key, value) VALUES (?, ?)", (_KEY, text))
            _refuse_while_running(workspace)  # it may have been started meanwhile
            database.execute("COMMIT")
    except sqlite3.Error as error:
        raise _unusable(workspace, error) from error


def _read(database: Connection, workspace: Workspace) -> dict[str, Any]:
    row = database.execute("SELECT value FROM ItemTable WHERE key = ?", (_KEY,)).fetchone()
    if row is None:
        return {"version": 1, "entries": {}}
    try:
        index = json.loads(row[0])
    except (ValueError, TypeError, RecursionError):
        index = None
    if (
        not isinstance(index, dict)
        or type(index.get("version")) is bool
        or index.get("version") != 1
        or not isinstance(index.get("entries"), dict)
    ):
        raise UsageError(
            f"{workspace.database} has a list of chats that this version does not know",
            "import the file in VS Code instead: Chat: Import Chat...",
        )
    return index


def _connected(path: str) -> Connection:
    uri = f"file:{_quoted(path)}?mode=rw"  # it is never made
    database = sqlite3.connect(uri, uri=True, isolation_level=None, timeout=_WAIT)
    database.execute("PRAGMA trusted_schema = OFF")
    return database


def _quoted(path: str) -> str:
    from urllib.parse import quote

    return quote(path.replace("\\", "/"))


def _backed_up(path: str) -> str:
    """A copy of the database beside it, whole whatever state its log is in."""
    number = 1
    while os.path.lexists(backup := f"{path}.before-aj-{number}"):
        number += 1
    try:
        os.close(os.open(backup, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))
        with closing(_connected(path)) as database, closing(sqlite3.connect(backup)) as copy:
            database.backup(copy)
    except (OSError, sqlite3.Error) as error:
        raise CannotWrite(
            f"cannot copy {path}: {error}", "check the disk and the folder's permissions"
        ) from error
    return backup


def _unusable(workspace: Workspace, error: sqlite3.Error) -> CannotWrite:
    is_held = isinstance(error, sqlite3.OperationalError) and "locked" in str(error)
    cure = (
        "close VS Code, then again"
        if is_held
        else "import the file in VS Code instead: Chat: Import Chat..."
    )
    return CannotWrite(f"{workspace.database} cannot be changed: {error}", cure)
