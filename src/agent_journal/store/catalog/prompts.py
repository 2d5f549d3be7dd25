"""The prompts of a session, without reading its other messages: for outlines of long sessions."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Sequence
from typing import NamedTuple

from agent_journal.model import Message
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.loading import items_of

_ASKED = ("prompt", "command", "shell")  # what people wrote


class Prompt(NamedTuple):
    """What a person wrote, and where it is in the session."""

    position: int
    text: str


class PromptCounts(NamedTuple):
    """How many positions of a session are what people wrote."""

    all: int
    commands: int  # to the agent or the shell, which are no prompts
    reached: int  # up to a position


def count_prompts(db: sqlite3.Connection, session_id: int, position: int = -1) -> PromptCounts:
    """How much people wrote in a session, in one pass over its messages."""
    row = db.execute(
        "SELECT count(*), coalesce(sum(kind <> 'prompt'), 0), coalesce(sum(seq <= ?), 0) "
        "FROM messages WHERE session_id = ? AND kind IN (?, ?, ?)",
        (position, session_id, *_ASKED),
    ).fetchone()
    return PromptCounts(*row)


def prompt_positions(
    db: sqlite3.Connection, session_id: int, first: int = 0, count: int = -1
) -> list[int]:
    """The positions of what people wrote in a session, in their order: all, or some of them."""
    rows = db.execute(
        "SELECT seq FROM messages WHERE session_id = ? AND kind IN (?, ?, ?) ORDER BY seq "
        "LIMIT ? OFFSET ?",
        (session_id, *_ASKED, count, first),
    )
    return [position for (position,) in rows]


def prompts_near(
    db: sqlite3.Connection, session_id: int, position: int, before: int, after: int
) -> list[int]:
    """Positions of what people wrote around one: at most so many up to it, and behind it."""
    query = "SELECT seq FROM messages WHERE session_id = ? AND kind IN (?, ?, ?) AND seq {} LIMIT ?"
    values = (session_id, *_ASKED, position)
    up_to = db.execute(query.format("<= ? ORDER BY seq DESC"), (*values, before)).fetchall()
    behind = db.execute(query.format("> ? ORDER BY seq"), (*values, after)).fetchall()
    return [seq for (seq,) in (*reversed(up_to), *behind)]


def load_prompts(db: sqlite3.Connection, session_id: int, positions: Sequence[int]) -> list[Prompt]:
    """The texts of prompts at these positions."""
    bodies = BodyReader(db)
    wanted = "t.kind IN (?, ?, ?) AND t.seq IN (SELECT value FROM json_each(?))"
    values = (*_ASKED, json.dumps(list(positions)))
    items = items_of(db, "messages", session_id, wanted, values)
    return [Prompt(item.seq, bodies.read(item.spot, Message).text) for item in items]
