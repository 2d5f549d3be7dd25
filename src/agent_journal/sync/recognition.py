"""What a file holds, by its content: for files that people import by name, wherever they are.

What each agent's files look like is known to its connector; here they are asked in turn.
"""

from __future__ import annotations

import os
import stat
from typing import Any, NamedTuple

from agent_journal import connectors
from agent_journal.connectors.base import CopyOf, FileRole, Recognition
from agent_journal.connectors.exported import check_head
from agent_journal.connectors.hooks import AgentConnector
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.recognition import begins_as_json, first_records, without_padding
from agent_journal.connectors.values import items, mapping, string
from agent_journal.errors import JournalError
from agent_journal.model.exchange import FORMAT

MAX_SIZE = 512 * 2**20
MAX_LINE = 256 * 2**20
_HEAD = 8 * 2**20
RANK_EXPORT = -(10**9)
_ZSTD = b"\x28\xb5\x2f\xfd"
_UNKNOWN = "no session that this version knows"
_USE_AS_HINT = "use --as AGENT if you know which agent wrote it"


class Recognised(NamedTuple):
    """Whose file it is, and which session it holds.

    copy_of: the stored session that an exported chat may be a copy of. sessions: the ids of all
    sessions in an export of agent-journal.
    """

    agent: str
    role: FileRole
    session_id: str | None
    rank: int = 0
    copy_of: CopyOf | None = None
    sessions: tuple[str, ...] = ()


class NotRecognised(ValueError):
    """The file holds no session that this version knows; the text says why."""


def _not_recognised(why: str) -> NotRecognised:
    return NotRecognised(f"not recognised: {why}; {_USE_AS_HINT}")


def recognise(path: str) -> Recognised:
    """What a file holds; NotRecognised or OSError when it holds no session."""
    head = _head_of(path)
    try:
        return _recognise(path, head)
    except NotRecognised:
        # The agents of other packages are asked last, about every file.
        for agent in connectors.NAMES[len(connectors.BUILT_IN) :]:
            found = _by_connector(agent, path, head)
            if found is not None:
                return found
        raise


def recognise_as(path: str, agent: str) -> Recognised:
    """What a file holds when a person says whose it is: what is recognised, or else by its name."""
    head = _head_of(path)
    try:
        found = _recognise(path, head)
        if found.agent == agent:
            return found
    except NotRecognised:
        pass
    if agent not in connectors.BUILT_IN:
        by_connector = _by_connector(agent, path, head)
        if by_connector is not None:
            return by_connector
    return _of(agent, connectors.get_connector(agent).recognise_by_name(path))


def _head_of(path: str) -> bytes:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NotRecognised("not a regular file")
    with open(path, "rb") as file:
        head = file.read(_HEAD)
        # A log that VS Code rewrote is one huge line and some more
        if b"\n" not in head and len(head) == _HEAD:
            head += file.readline(MAX_LINE)
    return head


def _recognise(path: str, head: bytes) -> Recognised:
    _check_kind(head)
    records = first_records(head)
    if records and records[0].get("format") == FORMAT and "sessions" not in records[0]:
        return _exported(records[0], *_sessions_in_lines(path))
    for agent in connectors.BUILT_IN:
        found = _by_connector(agent, path, head)
        if found is not None:
            return found
    if head.startswith(_ZSTD):
        raise NotRecognised("compressed, and not a session that this version knows")
    if not begins_as_json(head):
        raise _not_recognised("not JSON")
    if os.path.getsize(path) > MAX_SIZE:
        raise NotRecognised(f"larger than {MAX_SIZE >> 20} MiB")
    with open(path, "rb") as file:
        return _document(path, file.read())


def _check_kind(head: bytes) -> None:
    """Refuses what is no session for certain."""
    if head.startswith(b"PK\x03\x04"):
        raise NotRecognised("a zip file: unpack it and import the chat.json in it")
    if head.startswith(b"SQLite format 3"):
        raise NotRecognised(
            "a database: import the folder around it, for VS Code and Cursor the one called User"
        )
    if not without_padding(head):
        raise NotRecognised("the file is empty")


def _by_connector(agent: str, path: str, head: bytes) -> Recognised | None:
    """What the connector of an agent recognises; nothing when it is broken."""
    try:
        found = connectors.get_connector(agent).recognise(path, head)
    except JournalError:
        return None
    except ValueError as error:
        raise NotRecognised(str(error)) from error
    return None if found is None else _of(agent, found)


def _of(agent: str, found: Recognition) -> Recognised:
    return Recognised(agent, found.role, found.session_id, found.rank, found.copy_of)


# -- documents ---------------------------------------------------------------------------------


def _document(path: str, content: bytes) -> Recognised:
    try:
        document = decode_document(content)
    except ValueError as error:
        why = str(error)
        if len(first_records(content[:_HEAD])) > 1:  # JSON lines
            why = _UNKNOWN
        raise _not_recognised(why) from error
    if isinstance(document, dict) and document.get("format") == FORMAT:
        sessions = items(document.get("sessions"))
        messages = items(sessions[0].get("messages")) if sessions else []
        return _exported(document, sessions, len(messages))
    for agent in connectors.NAMES:
        try:
            connector: AgentConnector = connectors.get_connector(agent)
            found = connector.recognise_document(path, document, content)
        except JournalError:
            continue
        except ValueError as error:
            raise NotRecognised(str(error)) from error
        if found is not None:
            return _of(agent, found)
    raise _not_recognised(_UNKNOWN)


# -- exports of agent-journal ------------------------------------------------------------------


def _exported(head: dict[str, Any], sessions: list[dict[str, Any]], messages: int) -> Recognised:
    try:
        check_head(head)
    except ValueError as error:
        raise NotRecognised(str(error)) from error
    ids = tuple(filter(None, (string(session.get("id")) for session in sessions)))
    if not ids or len(ids) < len(sessions):
        raise NotRecognised("an export without a session, or with one that has no id")
    agent = string(sessions[0].get("agent"))
    if agent is None or agent not in connectors.NAMES:
        raise NotRecognised(
            f"an export of a session of {agent!r}, an agent this version does not know"
        )
    # The agent's own file says more; of two exports the one with more messages does.
    return Recognised(agent, "export", ids[0], RANK_EXPORT + messages, sessions=ids)


def _sessions_in_lines(path: str) -> tuple[list[dict[str, Any]], int]:
    """The sessions of a .jsonl export, and the number of messages in it."""
    sessions = []
    messages = 0
    with open(path, "rb") as file:
        while line := file.readline(MAX_LINE):
            if line.startswith(b'{"message":'):
                messages += 1
            if line.startswith(b'{"session":'):
                try:
                    sessions.append(mapping(decode_document(line)["session"]))
                except ValueError:
                    continue
    return sessions, messages
