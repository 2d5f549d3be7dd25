"""The usage of turns: sums in the places VS Code has for them, the rows in the metadata."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from agent_journal.convert.vscode.turns import Turn
from agent_journal.model import Message, Session, Usage


def by_turn(session: Session, turns: list[Turn]) -> list[list[Usage]]:
    """The usage of a session, turn by turn: by its message, else by its time, else the last."""
    numbers: dict[str, int] = {}
    for number, turn in enumerate(turns):
        for message in turn.messages:
            for name in (message.id, *message.record_ids):
                numbers.setdefault(name, number)
    found: list[list[Usage]] = [[] for _ in turns]
    if not turns:
        return found
    for usage in rows_of(session):
        known = numbers.get(usage.message_id or "")
        if known is None:
            known = _at(usage, turns)
        found[known].append(usage)
    return found


def rows_of(session: Session) -> Iterable[Usage]:
    """All usage of a session, each key once."""
    rows = {usage.key: usage for usage in session.usage}
    for message in session.messages:
        if message.usage is not None:
            rows.setdefault(message.usage.key, message.usage)
    return rows.values()


def _at(usage: Usage, turns: list[Turn]) -> int:
    if usage.timestamp is None:
        return len(turns) - 1
    begun = [
        number
        for number, turn in enumerate(turns)
        if turn.times and min(turn.times) <= usage.timestamp
    ]
    return max(begun, default=0)


def totals(rows: list[Usage]) -> dict[str, Any]:
    """The fields of a request for its tokens."""
    fields: dict[str, Any] = {}
    sums: dict[str, list[Usage]] = {}
    for row in rows:
        sums.setdefault(row.model or "unknown", []).append(row)
    known = {model: found for model, found in sums.items() if all(map(_is_whole, found))}
    if known:
        fields["modelTotals"] = [
            {
                "model": model,
                "inputTokens": sum(map(_prompt, found)),
                "cachedTokens": sum(row.cache_read_tokens or 0 for row in found),
                "outputTokens": sum(row.output_tokens or 0 for row in found),
            }
            for model, found in known.items()
        ]
    made = [row.output_tokens for row in rows if row.output_tokens is not None]
    last = next((row for row in reversed(rows) if row.input_tokens is not None), None)
    if made:
        fields["completionTokens"] = sum(made)
    if last is not None:
        fields["promptTokens"] = _prompt(last)  # as VS Code does: the context of the last call
    return fields


def details(rows: list[Usage], model: str | None) -> str | None:
    """The line below an answer: model and premium requests."""
    premium = [row.premium_requests for row in rows if row.premium_requests is not None]
    if not premium:
        return None
    return f"{model or 'unknown model'} • {round(sum(premium), 4):g}x"


def model_of(messages: Iterable[Message]) -> str | None:
    """The model of a turn: the first that spoke."""
    return next((message.model for message in messages if message.model), None)


def _is_whole(row: Usage) -> bool:
    return row.input_tokens is not None and row.output_tokens is not None


def _prompt(row: Usage) -> int:
    return (row.input_tokens or 0) + (row.cache_read_tokens or 0) + (row.cache_write_tokens or 0)
