"""Agents by their names, of which the beginning is enough."""

from __future__ import annotations

from collections.abc import Callable

from agent_journal import connectors
from agent_journal.text.suggestions import near_words


def agent_named(value: str, others: Callable[[], tuple[str, ...]] = tuple) -> str:
    """Return the agent that is meant, one with a connector or one of `others`.

    Raises ValueError with a sentence that names the candidates when there is not exactly one.
    """
    if connectors.is_agent(value):
        return value
    return name_in_full(value, (*connectors.NAMES, *others()))


def name_in_full(value: str, names: tuple[str, ...]) -> str:
    """Return the one of some names that is meant by it or the beginning of it.

    Raises ValueError with a sentence that names the candidates when there is not exactly one.
    """
    if value in names:
        return value
    candidates = [name for name in names if value and name.startswith(value.lower())]
    if len(candidates) == 1:
        return candidates[0]
    if candidates:
        raise ValueError(f"'{value}' is the beginning of several agents: {', '.join(candidates)}")
    near = _near_agent(value.lower(), names)
    if near is not None:
        hint = f"did you mean '{near}'?"
        raise ValueError(f"no agent '{value}'; {hint} There are: {', '.join(names)}")
    raise ValueError(f"no agent '{value}'; there are: {', '.join(names)}")


def _near_agent(value: str, names: tuple[str, ...]) -> str | None:
    """Return the agent whose name, or the first word of it, is spelt like a word."""
    known = {name.partition("-")[0]: name for name in reversed(names)}
    known |= {name: name for name in names}
    near = near_words(value, known)
    if not near:
        return None
    return known[near[0]]
