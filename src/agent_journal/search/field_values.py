"""Values of fields that nothing in the journal has, with the nearest that there is."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple, get_args

from agent_journal import connectors
from agent_journal.model.structs import MessageKind
from agent_journal.query.tree import Field, Node, Value, fields_of
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.session_filters import sessions_with_value, values_in_use
from agent_journal.text.suggestions import near_words

KINDS = (
    *get_args(MessageKind),
    "reasoning",
    "attachment",
    "tool",
    "edit",
    "plan",
    "todo",
    "history",
    "event",
    "document",
    "session",
)
_CHECKED = ("agent", "tool", "kind", "branch", "model", "project", "repo", "tag")
_OF_SESSIONS = ("agent", "branch", "model", "project", "repo", "tag")


class UnknownValue(NamedTuple):
    """A value of a field that nothing has; `near` is spelt almost like it."""

    field: str
    text: str
    near: str | None


def unknown_values(db: Connection, tree: Node | None) -> list[UnknownValue]:
    """Return the values in a query that match nothing in the journal."""
    unknown = []
    for field in fields_of(tree):
        if field.name in _CHECKED:
            unknown += _unknown_of_field(db, field)
    return list(dict.fromkeys(unknown))


def _unknown_of_field(db: Connection, field: Field) -> list[UnknownValue]:
    known = _known(db, field.name)
    unknown = []
    for value in field.values:
        if field.name == "tool":
            value = value._replace(text=value.text.partition("(")[0])
        if not _is_in_use(db, field.name, value, known):
            unknown.append(UnknownValue(field.name, value.text, _nearest(value.text, known)))
    return unknown


def _known(db: Connection, field: str) -> list[str]:
    if field == "kind":
        return list(KINDS)
    if field == "agent":
        return sorted({*values_in_use(db, field), *connectors.NAMES})
    return values_in_use(db, field)


def _is_in_use(db: Connection, field: str, value: Value, known: Iterable[str]) -> bool:
    if field == "agent" and any(name.startswith(value.text.lower()) for name in known):
        return True  # there may be no session of it yet
    if field in _OF_SESSIONS:
        return bool(sessions_with_value(db, field, value.text, is_prefix=value.is_prefix))
    text = value.text.lower()
    if value.is_prefix:
        return any(name.lower().startswith(text) for name in known)
    return any(name.lower() == text for name in known)


def _nearest(text: str, known: Iterable[str]) -> str | None:
    """Return the name most like a text: a whole one, or the last part of a path."""
    names: dict[str, str] = {}
    for name in known:
        last = name.rstrip("/").rpartition("/")[2]
        names.setdefault(name.lower(), name)
        names.setdefault(last.lower(), last)
    near = near_words(text.lower(), names)
    if not near:
        return None
    return names[near[0]]
