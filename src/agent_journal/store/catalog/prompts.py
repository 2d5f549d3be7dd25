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


def prompt_positions(db: sqlite3.Connection, session_id: int) -> list[int]:
    """The positions of what people wrote in a session, in their order."""
    rows = db.execute(
        "SELECT seq FROM messages WHERE session_id = ? AND kind IN (?, ?, ?) ORDER BY seq",
        (session_id, *_ASKED),
    )
    return [position for (position,) in rows]


def load_prompts(db: sqlite3.Connection, session_id: int, positions: Sequence[int]) -> list[Prompt]:
    """The texts of prompts at these positions."""
    bodies = BodyReader(db)
    wanted = "t.kind IN (?, ?, ?) AND t.seq IN (SELECT value FROM json_each(?))"
    values = (*_ASKED, json.dumps(list(positions)))
    items = items_of(db, "messages", session_id, wanted, values)
    return [Prompt(item.seq, bodies.read(item.spot, Message).text) for item in items]
