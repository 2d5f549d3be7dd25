"""Completes the word before the cursor: names of fields, and the values that they have."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.journal import Journal

_BEFORE_FIELDS = "-("  # signs that may be before the name of a field
_MOST = 50


class Completion(NamedTuple):
    """What may be in place of a part of the text."""

    start: int
    end: int
    choices: tuple[str, ...]

    @property
    def shared(self) -> str:
        """How all choices begin."""
        first, last = min(self.choices), max(self.choices)
        length = 0
        while length < len(first) and first[length] == last[length]:
            length += 1
        return first[:length]

    def put(self, text: str, choice: str) -> tuple[str, int]:
        """Return the text with a choice in it, and where the cursor is then."""
        return text[: self.start] + choice + text[self.end :], self.start + len(choice)


def complete(journal: Journal, text: str, cursor: int) -> Completion:
    """Return what the word before the cursor may become."""
    start = text.rfind(" ", 0, cursor) + 1
    while text[start : start + 1] and text[start] in _BEFORE_FIELDS:
        start += 1
    word = text[start:cursor]
    name, colon, value = word.partition(":")
    if not colon:
        return Completion(start, cursor, _fields(word))
    value_start = start + len(name) + 1
    _, comma, last = value.rpartition(",")
    if comma:
        value_start += len(value) - len(last)
    return Completion(value_start, cursor, _values(journal, name, last))


def _fields(word: str) -> tuple[str, ...]:
    from agent_journal.query.lexer import FIELDS

    return tuple(f"{field}:" for field in FIELDS if field.startswith(word.lower()))


def _values(journal: Journal, field: str, beginning: str) -> tuple[str, ...]:
    beginning = beginning.lower().removeprefix('"')
    found = []
    for value in _known_values(journal, field):
        if value.lower().startswith(beginning):
            found.append(_written(value))
    return tuple(found[:_MOST])


def _known_values(journal: Journal, field: str) -> list[str]:
    from agent_journal.query.tree import CONTENTS, FLAGS, ROLES, SORTS

    fixed = {"role": ROLES, "is": FLAGS, "has": CONTENTS, "sort": SORTS}
    if field in fixed:
        return list(fixed[field])
    if field in ("date", "since", "until"):
        return ["today", "yesterday", "7d", "30d", "last-week", "last-month"]
    if field not in ("agent", "project", "repo", "branch", "model", "tool", "tag"):
        return []
    if not journal.exists:
        return []
    from agent_journal.store.catalog.session_filters import values_in_use

    values = values_in_use(journal.db, field)
    if field == "project":  # people know the last part of it
        values = [value.replace("\\", "/").rstrip("/").rpartition("/")[2] for value in values]
    return sorted({value for value in values if value and value.isprintable()}, key=str.lower)


def _written(value: str) -> str:
    """Return a value as it is typed: in quotes where it has a space or a sign."""
    if any(sign.isspace() or sign in '",()' for sign in value):
        return '"' + value.replace('"', "") + '"'
    return value
