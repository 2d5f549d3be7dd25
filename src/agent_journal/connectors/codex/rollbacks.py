"""Turns that the person took back: `{"type":"thread_rolled_back","num_turns":2}`.

Their records stay in the file; the model is not sent them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_journal.connectors.codex.notices import describe
from agent_journal.connectors.codex.records import (
    MAX_TURN_MESSAGES,
    MAX_TURNS,
    Item,
    Record,
    RolloutState,
    payload_of,
)
from agent_journal.connectors.values import integer
from agent_journal.model import Message, Piece

if TYPE_CHECKING:
    from agent_journal.connectors.codex.rollout import RolloutReader


def note_turn(state: RolloutState) -> None:
    """Note that a turn begins: what the person adds while it runs is part of it."""
    state.is_in_turn = True
    state.has_turn_prompt = False


def note_prompt(state: RolloutState, text: str) -> None:
    """Begin a turn with a prompt, unless it was typed while one runs."""
    if not (state.is_in_turn and state.has_turn_prompt):
        state.turns = [*state.turns, []][-MAX_TURNS:]
    state.has_turn_prompt = True
    if not state.spoken.is_telling:
        state.spoken.note_prompt(text)
        state.title_turn = len(state.turns)


def note_message(state: RolloutState, session_id: str, message_id: str) -> None:
    """Remember a message of the current turn."""
    if state.turns and len(state.turns[-1]) < MAX_TURN_MESSAGES:
        state.turns[-1].append(message_id.removeprefix(session_id))


def rolled_back(reader: RolloutReader, record: Record, item: Item) -> Iterable[Piece]:
    """Hide the messages of the turns that were taken back."""
    reader.end_answer()
    state = reader.state
    payload = payload_of(reader.line)
    count = integer(payload.get("num_turns")) or 0
    kept = max(0, len(state.turns) - max(0, count))
    taken_back = state.turns[kept:]
    state.turns = state.turns[:kept]
    if kept < state.title_turn:
        state.spoken.is_telling = False  # a later prompt gives a better title
    event = reader.event(describe("thread_rolled_back", payload))
    return (event, *(_hidden(reader, name) for turn in taken_back for name in turn))


def _hidden(reader: RolloutReader, name: str) -> Message:
    message_id = reader.id + name if name.startswith("@") else name
    # The kind and the role are those of the message that is hidden
    return Message(
        session_id=reader.id, id=message_id, role="system", kind="notice", state="hidden"
    )
