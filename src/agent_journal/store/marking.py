"""Starring, tagging and naming sessions: what may be said, and writing it down."""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.errors import UsageError
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.store.marks_file import STAR, TAG, TITLE, Mark, add_marks, next_time
from agent_journal.text.plain import one_line, safe

_LONGEST_TAG = 64
_LONGEST_TITLE = 500
_NOT_IN_TAGS = frozenset("\"'`,()*")  # they mean something in a query or in a list


def star(path: str, rows: Iterable[SessionRow]) -> None:
    """Star sessions."""
    _write(path, [_mark(row, STAR, "") for row in rows if row.starred_at is None])


def unstar(path: str, rows: Iterable[SessionRow]) -> None:
    """Take the stars of sessions away."""
    _write(path, [_mark(row, STAR, "", is_set=False) for row in rows if row.starred_at is not None])


def tag(path: str, rows: Iterable[SessionRow], words: Iterable[str]) -> None:
    """Give sessions tags; UsageError for one that cannot be a tag."""
    tags = [checked_tag(word) for word in words]
    new = [
        _mark(row, TAG, word) for row in rows for word in tags if word not in row.own_tag_names()
    ]
    _write(path, new)


def untag(path: str, rows: Iterable[SessionRow], words: Iterable[str]) -> None:
    """Take tags of sessions away."""
    unwanted = {word.removeprefix("#").casefold() for word in words}
    removed = [
        _mark(row, TAG, word, is_set=False)
        for row in rows
        for word in row.own_tag_names()
        if word.casefold() in unwanted
    ]
    _write(path, removed)


def give_title(path: str, row: SessionRow, text: str) -> None:
    """Give a session a title; UsageError where there is nothing to see in it, or too much."""
    title = checked_title(text)
    if row.title_source != "own" or row.title != title:
        _write(path, [_mark(row, TITLE, title)])


def reset_titles(path: str, rows: Iterable[SessionRow]) -> None:
    """Have sessions called as their agents call them."""
    own = [row for row in rows if row.title_source == "own"]
    _write(path, [_mark(row, TITLE, "", is_set=False) for row in own])


def checked_tag(text: str) -> str:
    """A tag as it is kept: one word that a query can name. A # before it is not part of it."""
    word = text.strip().removeprefix("#")
    is_word = word.isprintable() and not any(map(str.isspace, word))
    if not word or not is_word or word.startswith("-") or _NOT_IN_TAGS.intersection(word):
        raise UsageError(
            f"'{one_line(word, _LONGEST_TAG)}' cannot be a tag",
            "a tag is one word without quotes, commas, parentheses, stars and control characters",
        )
    if len(word) > _LONGEST_TAG:
        message = f"a tag has at most {_LONGEST_TAG} characters, this one has {len(word):,}"
        raise UsageError(message)
    return word


def checked_title(text: str) -> str:
    """A title as it is kept: one line, without anything that could control a terminal."""
    readable = text.encode("utf-8", "replace").decode()
    title = " ".join(safe(readable).split())
    if not title:
        raise UsageError("the title is empty", "--reset brings back the agent's title")
    if len(title) > _LONGEST_TITLE:
        message = f"a title has at most {_LONGEST_TITLE} characters, this one has {len(title):,}"
        raise UsageError(message)
    return title


def _mark(row: SessionRow, kind: str, value: str, *, is_set: bool = True) -> Mark:
    return Mark(0, row.agent, row.id, kind, value, is_set)


def _write(path: str, marks: list[Mark]) -> None:
    if not marks:
        return

    def at_present(known: list[Mark]) -> list[Mark]:
        now = next_time(known)
        return [mark._replace(at=now) for mark in marks]

    add_marks(path, at_present)
