"""Which model an answer is from: it says so, or it is the model in force.

    {"type":"session.model_change","data":{"newModel":"gpt-5","previousModel":"auto"},…}

Recordings of the live stream have neither; there the calls that an answer made name the model when
they are complete.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from msgspec.structs import replace

from agent_journal.connectors.copilot_cli.records import MAX_UNNAMED
from agent_journal.connectors.loose import remember
from agent_journal.model import Message, Piece, Usage

if TYPE_CHECKING:
    from agent_journal.connectors.copilot_cli.events import EventsReader

_NOT_MODELS = ("auto", "resumed")


def choose(reader: EventsReader, model: str | None) -> None:
    """Put a model in force for the answers that follow; `auto` stands for one not yet known."""
    if not model:
        return
    thread = reader.thread
    thread.unnamed = {}
    thread.model = None
    if model in _NOT_MODELS:
        return
    thread.model = model
    if model not in thread.models:
        thread.models.append(model)


def of_answer(reader: EventsReader, model: str | None) -> str | None:
    """The model of an answer that may name it."""
    if model and model != reader.thread.model:
        choose(reader, model)
    return reader.thread.model


def note_unnamed(reader: EventsReader, message_id: str, tokens: Usage | None) -> None:
    """Note an answer whose model is not known."""
    remember(reader.thread.unnamed, message_id, tokens, MAX_UNNAMED)


def name_answers(reader: EventsReader, model: str | None) -> Iterator[Piece]:
    """The answers without a model before a call of this model was complete, with that model."""
    if not model or model in _NOT_MODELS:
        return
    unnamed = reader.thread.unnamed
    choose(reader, model)
    for message_id, tokens in unnamed.items():
        yield Message(
            session_id=reader.session_id,
            id=message_id,
            role="assistant",
            kind="answer",
            model=model,
        )
        if tokens is not None:
            yield replace(tokens, model=model)
