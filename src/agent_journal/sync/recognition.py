"""What a file holds, by what is in it: for files that people hand over by name, wherever they lie."""

from __future__ import annotations

import os
import stat
from collections.abc import Callable
from typing import Any, NamedTuple

from agent_journal import connectors
from agent_journal.connectors.aider.places import CHAT
from agent_journal.connectors.aider.recognition import first_session
from agent_journal.connectors.base import FileRole, Recognition
from agent_journal.connectors.codex import session_of
from agent_journal.connectors.codex.compressed import unpacked_head
from agent_journal.connectors.cursor import RANK_TRANSCRIPT as RANK_CURSOR
from agent_journal.connectors.exported import check_head
from agent_journal.connectors.jsonl import decode_document
from agent_journal.connectors.values import items, mapping, string
from agent_journal.connectors.vscode_chat import RANK_DOCUMENT, RANK_LOG, RANK_TRANSCRIPT
from agent_journal.connectors.vscode_export import export_id
from agent_journal.errors import JournalError
from agent_journal.model.exchange import FORMAT

MAX_SIZE = 512 * 2**20
MAX_LINE = 256 * 2**20
_HEAD = 8 * 2**20
RANK_EXPORT = -(10**9)
_LINES = 200
_SAY_WHOSE = "; --as AGENT says whose it is"
_ZSTD = b"\x28\xb5\x2f\xfd"
_CODEX_TYPES = frozenset(
    ("session_meta", "response_item", "event_msg", "turn_context", "compacted")
)
_LINES_SUFFIXES = (".jsonl", ".ndjson", ".log")
_ONLY_LOGS = ("aider", "codex")  # whatever their files are called; what is compressed is read whole
_REPLAYED = ("gemini", "vscode-chat")  # their lines change what earlier ones said
_CLAUDE_TYPES = frozenset(
    (
        "user",
        "assistant",
        "system",
        "summary",
        "attachment",
        "progress",
        "queue-operation",
        "file-history-snapshot",
    )
)


class Recognised(NamedTuple):
    """Whose file it is, and which session it holds; `requests` are the ids of an exported chat's
    turns, `sessions` those of all sessions in an export of agent-journal.
    """

    agent: str
    role: FileRole
    session_id: str | None
    rank: int = 0
    requests: tuple[str, ...] = ()
    sessions: tuple[str, ...] = ()


class NotRecognised(ValueError):
    """The file holds no session that this version knows; the text says why."""


def recognise(path: str) -> Recognised:
    """What a file holds; NotRecognised or OSError when that is nothing of ours."""
    try:
        return _recognise(path)
    except NotRecognised:
        for agent in connectors.NAMES[len(connectors.BUILT_IN) :]:
            found = _told_by(agent, path)
            if found is not None:
                return found
        raise


def recognise_as(path: str, agent: str) -> Recognised:
    """What a file holds when a person says whose it is: as it is recognised, or else by its name."""
    try:
        found: Recognised | None = _recognise(path)
    except NotRecognised:
        found = None
    if found is not None and found.agent == agent:
        return found
    named = _told_by(agent, path) if agent not in connectors.BUILT_IN else None
    if named is not None:
        return named
    is_log = path.lower().endswith(_LINES_SUFFIXES) or (
        agent in _ONLY_LOGS and not path.lower().endswith(".zst")
    )
    role: FileRole = ("replay" if agent in _REPLAYED else "log") if is_log else "session"
    # Claude Code's files are named by their session, and those of no session are sub-agents'.
    return Recognised(agent, role, _stem(path) if agent == "claude-code" else None)


def _told_by(agent: str, path: str) -> Recognised | None:
    """What a connector of another package says about a file; nothing when it is broken."""
    try:
        ask = getattr(connectors.get_connector(agent), "recognise", None)
        with open(path, "rb") as file:
            told = ask(path, file.read(_HEAD)) if ask is not None else None
    except JournalError:
        return None
    return (
        Recognised(agent, told.role, told.session_id, told.rank)
        if isinstance(told, Recognition)
        else None
    )


def _recognise(path: str) -> Recognised:
    if not stat.S_ISREG(os.stat(path).st_mode):
        raise NotRecognised("not a regular file")
    with open(path, "rb") as file:
        head = file.read(_HEAD)
        # A log that VS Code wrote anew is one huge line and some more
        if b"\n" not in head and len(head) == _HEAD:
            head += file.readline(MAX_LINE)
    if head.startswith(_ZSTD):
        found = _log(path, unpacked_head(head, _HEAD))
        if found is None or found.agent != "codex":
            raise NotRecognised("compressed, and no rollout of Codex")
        return found._replace(role="session")
    text = head.lstrip(b"\xef\xbb\xbf\0 \t\r\n")
    if head.startswith(b"PK\x03\x04"):
        raise NotRecognised("a zip file: unpack it and import the chat.json in it")
    if head.startswith(b"SQLite format 3"):
        raise NotRecognised(
            "a database: import the folder around it, for VS Code and Cursor the one called User"
        )
    if not text:
        raise NotRecognised("the file is empty")
    if text.startswith((b"user:\n", b"user:\r\n", b"assistant:\n")) and not path.endswith(CHAT):
        return Recognised("cursor", "session", _stem(path), RANK_CURSOR)
    if text[:1] not in (b"{", b"[") or path.endswith(CHAT):
        is_history, session = first_session(path, text)
        if is_history:
            return Recognised("aider", "log", session)
    if text[:1] not in (b"{", b"["):
        raise NotRecognised("not JSON" + _SAY_WHOSE)
    found = _log(path, head)
    if found is not None:
        return found
    if os.path.getsize(path) > MAX_SIZE:
        raise NotRecognised(f"larger than {MAX_SIZE >> 20} MiB")
    with open(path, "rb") as file:
        return _document(path, file.read())


def _stem(path: str) -> str:
    return os.path.basename(path).rpartition(".")[0] or os.path.basename(path)


# -- logs: one object per line -----------------------------------------------------------------


def _log(path: str, head: bytes) -> Recognised | None:
    records = []
    for line in head.split(b"\n")[:_LINES]:
        try:
            record = decode_document(line)
        except ValueError:
            continue
        if isinstance(record, dict):
            records.append(record)
    if records and records[0].get("format") == FORMAT and "sessions" not in records[0]:
        return _exported(records[0], *_sessions_in_lines(path))
    for recogniser in _LOGS:
        found = recogniser(path, records)
        if found is not None:
            return found
    return None


def _changes(path: str, records: list[dict[str, Any]]) -> Recognised | None:
    if not any(
        record.get("kind") in (0, 1, 2, 3) and ("v" in record or "k" in record)
        for record in records
    ):
        return None
    initial = next(
        (record["v"] for record in records if record.get("kind") == 0 and "v" in record), None
    )
    named = initial.get("sessionId") if isinstance(initial, dict) else None
    return Recognised(
        "vscode-chat",
        "replay",
        named if isinstance(named, str) and named else _stem(path),
        RANK_LOG,
    )


def _events(path: str, records: list[dict[str, Any]]) -> Recognised | None:
    events = [
        one
        for one in records
        if isinstance(one.get("data"), dict) and isinstance(one.get("type"), str)
    ]
    if not any("." in event["type"] for event in events):
        return None
    start: dict[str, Any] = next(
        (event["data"] for event in events if event["type"] == "session.start"), {}
    )
    named = start.get("sessionId")
    named = named if isinstance(named, str) and named else None
    in_folder = os.path.basename(path) == "events.jsonl"
    session = named or (os.path.basename(os.path.dirname(path)) if in_folder else _stem(path))
    if start.get("producer") == "copilot-agent" and "vscodeVersion" in start:
        return Recognised("vscode-chat", "log", session, RANK_TRANSCRIPT)
    return Recognised("copilot-cli", "log", session, 1)


def _claude(path: str, records: list[dict[str, Any]]) -> Recognised | None:
    mine = [
        one
        for one in records
        if one.get("type") in _CLAUDE_TYPES and ("uuid" in one or "leafUuid" in one)
    ]
    if not mine:
        return None
    if _stem(path).startswith("agent-"):
        return Recognised("claude-code", "log", None)
    named = next((one["sessionId"] for one in mine if isinstance(one.get("sessionId"), str)), None)
    return Recognised("claude-code", "log", named or _stem(path))


def _codex(path: str, records: list[dict[str, Any]]) -> Recognised | None:
    mine = [
        one
        for one in records
        if one.get("type") in _CODEX_TYPES and isinstance(one.get("payload"), dict)
    ]
    # Before August 2025 a line was the payload itself, below a head without a type.
    old = (
        records[0]
        if records and {"id", "timestamp"} <= records[0].keys() and "type" not in records[0]
        else None
    )
    if not mine and not (
        old and any(one.get("record_type") == "state" or "instructions" in one for one in records)
    ):
        return None
    metas = [one["payload"] for one in mine if one["type"] == "session_meta"] or [old or {}]
    named = session_of(os.path.basename(path)) or metas[0].get("id")
    return Recognised("codex", "log", named if isinstance(named, str) and named else _stem(path))


def _gemini(path: str, records: list[dict[str, Any]]) -> Recognised | None:
    mine = [one for one in records if "projectHash" in one or "$set" in one or "$rewindTo" in one]
    is_document = any("messages" in one for one in mine) and not path.endswith(".jsonl")
    if not mine or is_document:
        return None
    named = next((one["sessionId"] for one in mine if "sessionId" in one), None)
    return Recognised("gemini", "replay", _gemini_id(path, named))


def _gemini_id(path: str, named: object) -> str:
    """The id of a session; a sub-agent's is that of its folder and its own."""
    folder, name = os.path.split(path)
    if os.path.basename(os.path.dirname(folder)) == "chats":
        return f"{os.path.basename(folder)}/{_stem(name)}"
    return named if isinstance(named, str) and named else _stem(path)


def _cursor(path: str, records: list[dict[str, Any]]) -> Recognised | None:
    mine = [
        one
        for one in records
        if one.get("role") in ("user", "assistant") and isinstance(one.get("message"), dict)
    ]
    if not mine or not any(isinstance(one["message"].get("content"), (list, str)) for one in mine):
        return None
    return Recognised("cursor", "log", _stem(path), RANK_CURSOR)


_LOGS: tuple[Callable[[str, list[dict[str, Any]]], Recognised | None], ...] = (
    _changes,
    _events,
    _codex,
    _claude,
    _gemini,
    _cursor,
)


# -- documents ---------------------------------------------------------------------------------


def _document(path: str, data: bytes) -> Recognised:
    try:
        document = decode_document(data)
    except ValueError as error:
        raise NotRecognised(str(error) + _SAY_WHOSE) from error
    if isinstance(document, dict) and document.get("format") == FORMAT:
        sessions = items(document.get("sessions"))
        return _exported(
            document, sessions, len(items(sessions[0].get("messages"))) if sessions else 0
        )
    if (
        isinstance(document, dict)
        and isinstance(document.get("messages"), list)
        and "projectHash" in document
    ):
        return Recognised("gemini", "session", _gemini_id(path, document.get("sessionId")))
    # Gemini CLI saves lists of turns, too, made of `parts`: they are checkpoints, not sessions.
    listed = document if isinstance(document, list) else []
    if any(
        isinstance(one, dict) and one.get("role") == "user" and "parts" not in one for one in listed
    ):
        return Recognised("cursor", "session", _stem(path), RANK_CURSOR)
    if not isinstance(document, dict) or "requests" not in document:
        raise NotRecognised("no session that this version knows" + _SAY_WHOSE)
    requests = document["requests"]
    if not isinstance(requests, list):
        raise NotRecognised("looks like a VS Code chat, but its 'requests' is no list")
    turns = [
        turn
        for turn in requests
        if isinstance(turn, dict) and ("message" in turn or "response" in turn)
    ]
    if requests and not turns:
        raise NotRecognised("looks like a VS Code chat, but its requests are no turns of a chat")
    if isinstance(document.get("sessionId"), str) and document["sessionId"]:
        return Recognised("vscode-chat", "session", document["sessionId"], RANK_DOCUMENT)
    if not turns:
        raise NotRecognised("an exported chat without any turn")
    ids = tuple(turn["requestId"] for turn in turns if isinstance(turn.get("requestId"), str))
    return Recognised(
        "vscode-export", "session", export_id(turns, data), 0, ids if len(ids) == len(turns) else ()
    )


# -- what agent-journal itself exported --------------------------------------------------------


def _exported(head: dict[str, Any], sessions: list[dict[str, Any]], messages: int) -> Recognised:
    try:
        check_head(head)
    except ValueError as error:
        raise NotRecognised(str(error)) from error
    ids = tuple(filter(None, (string(one.get("id")) for one in sessions)))
    if not ids or len(ids) < len(sessions):
        raise NotRecognised("an export without a session, or with one that has no id")
    agent = string(sessions[0].get("agent"))
    if agent is None or agent not in connectors.NAMES:
        raise NotRecognised(
            f"an export of a session of {agent!r}, an agent this version does not know"
        )
    # The agent's own file says more; of two exports the one with more messages does.
    return Recognised(agent, "export", ids[0], RANK_EXPORT + messages, (), ids)


def _sessions_in_lines(path: str) -> tuple[list[dict[str, Any]], int]:
    """The sessions of a .jsonl export, and how many messages are in it."""
    sessions, messages = [], 0
    with open(path, "rb") as file:
        while line := file.readline(MAX_LINE):
            messages += line.startswith(b'{"message":')
            if line.startswith(b'{"session":'):
                try:
                    sessions.append(mapping(decode_document(line)["session"]))
                except ValueError:
                    continue
    return sessions, messages
