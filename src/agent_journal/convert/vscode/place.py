"""Puts a chat into a workspace of VS Code: the file, and its entry in the list that VS Code shows.

VS Code must not run: a window has the list in memory and writes it back. A crash at any point
leaves its data usable: the file is written first (one that is not listed is merely not shown), the
list is changed in one transaction of SQLite, and the database is backed up before.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple

from agent_journal.connectors.sqlite_writing import DatabaseUnusable, back_up, copies_of
from agent_journal.connectors.vscode_chat.chat_list import (
    AlreadyListed,
    UnknownList,
    add_to_list,
    check_list,
)
from agent_journal.convert.target import Converted
from agent_journal.convert.unfinished import Listing, Plan, noted, plan_of
from agent_journal.convert.vscode.workspaces import Workspace, find_workspace, running
from agent_journal.errors import CannotWrite, UsageError, permission_hint
from agent_journal.export.files import write_file

_PLAIN_ID = re.compile(r"[0-9a-fA-F-]{8,64}\Z")
_IMPORT_INSTEAD = "import the file in VS Code instead: Chat: Import Chat..."


class Placed(NamedTuple):
    """Where a chat was put, the backup of the database, and how many chats its list has now."""

    path: str
    database: str
    backup: str
    listed: int


def place(
    converted: Converted,
    workspace: str,
    roots: Sequence[str],
    backups: dict[str, str] | None = None,
    journal: str | None = None,
) -> Placed:
    """Puts a converted chat into the workspace of a folder (or a folder of workspaceStorage).

    `roots` are the `User` folders of VS Code and its relatives, as sync.roots_of finds them for
    vscode-chat. `backups` are those made so far, by database: each is backed up once. In the folder
    `journal`, what is about to be written is noted: the next run removes what a killed one leaves.
    """
    found = find_workspace(workspace, roots)
    _refuse_while_running(found)
    document = json.loads(converted.files[0].content)
    session_id = converted.session_id
    if not _PLAIN_ID.match(session_id) or document.get("sessionId") != session_id:
        raise UsageError("the chat has no valid id", "convert the session again")
    _check(found)
    if backups is None:
        backups = {}
    folder = os.path.join(found.folder, "chatSessions")
    path = os.path.join(folder, f"{session_id}.json")
    log_path = os.path.join(folder, f"{session_id}.jsonl")
    if os.path.lexists(log_path):
        raise UsageError(f"{log_path} already exists", "convert the session again, for another id")
    content = converted.files[0].content
    with noted(journal, _plan(found, session_id, content)) as partial:
        if found.database not in backups:
            backups[found.database] = _back_up(found.database)
        _make(folder)
        write_file(path, [content], force=False, partial=partial)
        try:
            _flush(path)
            listed = _list(found, _entry(document))
        except BaseException:
            os.unlink(path)
            raise
    return Placed(path, found.database, backups[found.database], listed)


def _plan(workspace: Workspace, session_id: str, content: bytes) -> Plan:
    copies = [path for path in copies_of(workspace.database) if not os.path.lexists(path)]
    listing = Listing(workspace.database, session_id, copies)
    return plan_of(workspace.folder, [(f"chatSessions/{session_id}.json", content)], listing)


def _refuse_while_running(workspace: Workspace) -> None:
    who = running(workspace)
    if who:
        raise UsageError(
            f"VS Code is running ({who}), and would write over the list of chats",
            "close it and try again",
        )


def _flush(path: str) -> None:
    """Make sure that the file is on disk before the list names it."""
    with open(path, "rb+") as file:
        os.fsync(file.fileno())


def _make(folder: str) -> None:
    try:
        os.mkdir(folder, 0o700)
    except FileExistsError:
        pass
    except OSError as error:
        message = f"cannot create {folder}: {error.strerror}"
        raise CannotWrite(message, permission_hint(error)) from error


# -- the list ----------------------------------------------------------------------------------


def _entry(document: dict[str, Any]) -> dict[str, Any]:
    """Return the entry of a chat in the list.

    VS Code drops the whole list when one entry lacks its id, title or date.
    """
    requests = document.get("requests") or []
    last = requests[-1] if requests else {}
    state = last.get("modelState") or {}
    timing = {
        "created": document["creationDate"],
        "lastRequestStarted": last.get("timestamp"),
        "lastRequestEnded": state.get("completedAt"),
    }
    return {
        "sessionId": document["sessionId"],
        "title": document.get("customTitle") or _first_line(requests) or "Imported chat",
        "lastMessageDate": document["lastMessageDate"],
        "timing": {name: value for name, value in timing.items() if value is not None},
        "initialLocation": "panel",
        "isEmpty": not requests,
        "isExternal": False,
        "hasPendingEdits": False,
        "lastResponseState": state.get("value", 1),
    }


def _first_line(requests: Sequence[dict[str, Any]]) -> str:
    """Return the beginning of the first prompt."""
    if not requests:
        return ""
    prompt = requests[0].get("message") or ""
    if not isinstance(prompt, str):
        prompt = prompt.get("text", "")
    return str(prompt).strip().split("\n")[0][:200]


def _check(workspace: Workspace) -> None:
    """Refuse what could not be finished, before anything is written."""
    with _refusals(workspace):
        check_list(workspace.database)


def _list(workspace: Workspace, entry: dict[str, Any]) -> int:
    """Adds the entry to the list, unless VS Code was started meanwhile; the length of the list."""
    with _refusals(workspace):
        return add_to_list(workspace.database, entry, lambda: _refuse_while_running(workspace))


def _back_up(path: str) -> str:
    try:
        return back_up(path)
    except DatabaseUnusable as error:
        raise CannotWrite(
            f"cannot copy {path}: {error}", "check the disk and the folder's permissions"
        ) from error


@contextmanager
def _refusals(workspace: Workspace) -> Iterator[None]:
    """Turns what the list of chats refuses into an error with a hint."""
    try:
        yield
    except AlreadyListed as error:
        raise UsageError(
            f"the list already has a chat {error}", "convert the session again"
        ) from error
    except UnknownList as error:
        raise UsageError(
            f"{workspace.database} has a list of chats that this version does not know",
            _IMPORT_INSTEAD,
        ) from error
    except DatabaseUnusable as error:
        hint = "close VS Code and try again" if error.is_locked else _IMPORT_INSTEAD
        raise CannotWrite(f"{workspace.database} cannot be changed: {error}", hint) from error
