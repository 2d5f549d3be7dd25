"""The shortest names of many sessions at once by which `get_session` finds each."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence

from agent_journal.store.catalog.listing import SessionRow

_LEAST = 8  # letters, so that a name stays the same when sessions are added


def compact_ids(db: sqlite3.Connection, rows: Sequence[SessionRow]) -> list[str]:
    """Return for each session the beginning of its id that no other session has."""
    known = db.execute("SELECT uid, parent_uid IS NULL FROM sessions WHERE is_known = 1")
    main: list[str] = []
    others: list[str] = []
    for uid, is_main in known:
        if is_main:
            main.append(uid)
        else:
            others.append(uid)
    main_names = _Names(main)
    all_names = main_names
    if any(row.parent_id is not None for row in rows):
        all_names = _Names([*main, *others, *_ends_of(others)])
    names = []
    for row in rows:
        if row.parent_id is None:
            name = main_names.unique_beginning(row.id)
        else:
            last = row.id.rpartition("/")[2]
            name = all_names.unique_beginning(last) or all_names.unique_beginning(row.id)
        names.append(name or _name_in_full(row, main, others))
    return names


def _ends_of(ids: list[str]) -> list[str]:
    """Return what follows each slash of an id: the name of a sub-agent below others."""
    ends = []
    for uid in ids:
        place = uid.find("/")
        while place >= 0:
            ends.append(uid[place + 1 :])
            place = uid.find("/", place + 1)
    return ends


class _Names:
    """Names in their order, so that the two beside a name are those that share most with it."""

    def __init__(self, names: list[str]) -> None:
        self._names = sorted(names)
        self._places = {name: place for place, name in enumerate(self._names)}

    def unique_beginning(self, name: str) -> str:
        """Return the beginning that only this one has; nothing where there is none."""
        place = self._places.get(name)
        if place is None:
            return ""
        beside = self._names[max(0, place - 1) : place] + self._names[place + 1 : place + 2]
        beginning = name[:_LEAST]
        rivals = [other for other in beside if other.startswith(beginning)]
        if not rivals:
            return beginning
        shared = max(_shared_letters(name, other) for other in rivals)
        if shared >= len(name):
            return ""
        return name[: max(_LEAST, shared + 1)]


def _shared_letters(one: str, other: str) -> int:
    for place, (left, right) in enumerate(zip(one, other, strict=False)):
        if left != right:
            return place
    return min(len(one), len(other))


def _name_in_full(row: SessionRow, main: list[str], others: list[str]) -> str:
    """Return the whole id, after the agent where several agents have a session of that id."""
    if main.count(row.id) + others.count(row.id) > 1:
        return f"{row.agent}:{row.id}"
    return row.id
