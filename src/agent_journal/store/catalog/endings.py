"""How a session ended, by its last messages and their tool calls."""

from __future__ import annotations

import sqlite3
from typing import NamedTuple

from agent_journal.model import Message, ToolCall
from agent_journal.model.structs import Ending
from agent_journal.store.catalog.bodies import BodyReader, Spot

_TELLING_KINDS = "'prompt', 'answer', 'interrupt', 'error'"
_BY_KIND: dict[str, Ending] = {"prompt": "cut_off", "interrupt": "interrupted", "error": "cut_off"}
_BY_STATE: dict[str, Ending] = {"cancelled": "interrupted", "failed": "cut_off"}
# Reasons to stop, as providers call them, by what they mean; any other ends an answer
_STOPS = {
    None: "unknown",
    "tool_use": "for_tool",
    "tool_calls": "for_tool",
    "function_call": "for_tool",
    "pause_turn": "for_tool",
    "needs_input": "for_person",
    "max_tokens": "early",
    "length": "early",
    "model_context_window_exceeded": "early",
    "content_filter": "early",
}
_END_OF_TEXT = 20  # characters, since only spaces may follow the last sign
_UNFINISHED = (None, "running")
_ASKS_PERSON = ("ask", "plan")
_QUESTION_MARKS = ("?", "？", "؟")


class _Last(NamedTuple):
    """The last message of a file of a session."""

    seq: int
    uid: str
    kind: str
    state: str | None
    timestamp: int | None
    file_id: int
    stopped: str | None  # None in rows that an earlier version wrote
    is_question: int | None
    block: int
    start: int
    size: int

    @property
    def spot(self) -> Spot:
        """Where its body is."""
        return Spot(self.block, self.start, self.size)


class _Call(NamedTuple):
    """A tool call of the last answer."""

    kind: str
    status: str | None
    block: int
    start: int
    size: int

    @property
    def spot(self) -> Spot:
        """Where its body is."""
        return Spot(self.block, self.start, self.size)


def stop_of(message: Message) -> str:
    """Return why an answer stopped: for_tool, for_person, early, final or unknown."""
    return _STOPS.get(message.stop_reason, "final")


def is_question(message: Message) -> bool:
    """Return whether a text ends with a question mark."""
    return message.text[-_END_OF_TEXT:].rstrip().endswith(_QUESTION_MARKS)


def fill_endings(db: sqlite3.Connection) -> None:
    """Find out how each session ended, in a catalog that did not say it yet."""
    sessions = db.execute("SELECT id FROM sessions WHERE message_count > 0").fetchall()
    db.executemany(
        "UPDATE sessions SET ended_as = ? WHERE id = ?",
        [(find_ending(db, session_id), session_id) for (session_id,) in sessions],
    )


def find_ending(db: sqlite3.Connection, session_id: int) -> Ending | None:
    """How a session ended, as far as it was read; None when its messages do not say."""
    last = _last_message(db, session_id)
    if last is None:
        return None
    if last.state in _BY_STATE:
        return _BY_STATE[last.state]
    if last.kind in _BY_KIND:
        return _BY_KIND[last.kind]
    ending = _ending_of_answer(db, session_id, last)
    if ending == "waiting" and _is_subagent(db, session_id):
        return "finished"  # its answer goes to an agent, not to a person
    return ending


def _ending_of_answer(db: sqlite3.Connection, session_id: int, last: _Last) -> Ending | None:
    bodies = BodyReader(db)
    if last.stopped is None:
        answer = bodies.read(last.spot, Message)
        last = last._replace(stopped=stop_of(answer), is_question=is_question(answer))
    calls = _calls(db, session_id, last.uid)
    if last.stopped == "for_person" or any(_asks_person(call, bodies) for call in calls):
        return "waiting"
    if last.state == "complete" or not calls or last.stopped in ("early", "final"):
        return _ending_in_words(last)
    if last.stopped == "for_tool" or _has_outcomes(db, session_id):
        return _ending_in_calls(calls)
    return None  # the agent does not record how calls end


def _ending_in_words(last: _Last) -> Ending:
    if last.stopped == "early":
        return "cut_off"
    if last.is_question:
        return "waiting"
    return "finished"


def _ending_in_calls(calls: list[_Call]) -> Ending:
    """How a session ended whose last answer used tools, and was to go on after them."""
    statuses = {call.status for call in calls}
    if statuses & {"denied", "interrupted"}:
        return "interrupted"
    if statuses & set(_UNFINISHED):
        return "in_tool"
    return "cut_off"


def _asks_person(call: _Call, bodies: BodyReader) -> bool:
    if call.status not in _UNFINISHED:
        return False
    if call.kind in _ASKS_PERSON:
        return True
    return bodies.read(call.spot, ToolCall).approval == "pending"


def _last_message(db: sqlite3.Connection, session_id: int) -> _Last | None:
    """The last message of the file that was written last: files may be read in any order."""
    query = "SELECT file_id FROM session_pieces WHERE session_id = ?"
    files = db.execute(query, (session_id,)).fetchall()
    found = []
    for (file_id,) in files:
        row = db.execute(
            "SELECT seq, uid, kind, state, timestamp, file_id, stopped, is_question, "
            "block, start, size FROM messages WHERE session_id = ? AND file_id = ? "
            f"AND kind IN ({_TELLING_KINDS}) AND state IS NOT 'hidden' ORDER BY seq DESC LIMIT 1",
            (session_id, file_id),
        ).fetchone()
        if row is not None:
            found.append(_Last._make(row))
    return max(found, key=lambda last: (last.timestamp or 0, last.seq), default=None)


def _calls(db: sqlite3.Connection, session_id: int, message_uid: str) -> list[_Call]:
    rows = db.execute(
        "SELECT kind, status, block, start, size FROM tool_calls "
        "WHERE session_id = ? AND message_uid = ?",
        (session_id, message_uid),
    )
    return [_Call._make(row) for row in rows]


def _is_subagent(db: sqlite3.Connection, session_id: int) -> bool:
    query = "SELECT 1 FROM sessions WHERE id = ? AND parent_uid IS NOT NULL"
    return db.execute(query, (session_id,)).fetchone() is not None


def _has_outcomes(db: sqlite3.Connection, session_id: int) -> bool:
    query = "SELECT 1 FROM tool_calls WHERE session_id = ? AND status IS NOT NULL LIMIT 1"
    return db.execute(query, (session_id,)).fetchone() is not None
