"""Lines that follow each other in a file as they do in an edit: what one of them says, all say.

Everybody writes `if err != nil {` and `return nil, err` after it. So a run counts by the letters of
the lines that no other session wrote.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal.provenance.candidates import Asked, Candidate

_FAR = 12  # lines that are looked at in each direction
_NEAR = 6  # lines between a line and another one of the same edit


class _Writers(NamedTuple):
    """Who wrote a line: the places in each edit, the sessions, and those that wrote it here."""

    places: dict[int, set[int]]
    sessions: set[int]
    here: set[int]


class Runs:
    """The runs of one file."""

    def __init__(self, asked: list[Asked]) -> None:
        self._asked = asked
        # What stands everywhere has many candidates: they are looked at once for each commit.
        self._known: dict[tuple[int | None, str, str], _Writers] = {}

    def own_letters(self, one: Asked) -> int:
        """How many letters a line has that only one session wrote; 0 for any other line."""
        if len(self._writers(one).sessions) != 1:
            return 0
        return len(one.line.text.strip())

    def has_writer(self, one: Asked, session: int | None) -> bool:
        """Whether a session wrote a line into this file."""
        return session in self._writers(one).here

    def strength(self, at: int, candidate: Candidate) -> int:
        """How many letters the lines of its run have that no other session wrote."""
        letters = self.own_letters(self._asked[at])
        for step in (-1, 1):
            letters += sum(self.own_letters(one) for one in self._follow(at, step, candidate))
        return letters

    def has_neighbour(self, at: int, candidate: Candidate) -> bool:
        """Whether the same edit wrote a line near it, on the same side as in the file."""
        return any(
            step * (place - candidate.place) in range(1, _NEAR + 1)
            for step in (-1, 1)
            for one in self._around(at, step, _NEAR)
            if not one.is_everywhere
            for place in self._writers(one).places.get(candidate.edit, ())
        )

    def _follow(self, at: int, step: int, candidate: Candidate) -> Iterator[Asked]:
        """The lines before or after a line, as long as they follow each other in the edit, too."""
        distance = 0
        for one in self._around(at, step, _FAR):
            distance += 1
            if one.hash is None or one.is_everywhere:
                continue
            places = self._writers(one).places.get(candidate.edit, ())
            if candidate.place + step * distance not in places:
                return
            yield one

    def _around(self, at: int, step: int, count: int) -> Iterator[Asked]:
        """The lines before or after a line that are next to it in the same commit."""
        commit = self._asked[at].line.commit
        for near in range(at + step, at + step * (count + 1), step):
            if not 0 <= near < len(self._asked) or self._asked[near].line.commit != commit:
                return
            yield self._asked[near]

    def _writers(self, one: Asked) -> _Writers:
        key = (one.hash, one.line.commit, one.line.path)
        if key not in self._known:
            self._known[key] = _writers_of(one)
        return self._known[key]


def _writers_of(one: Asked) -> _Writers:
    writers = _Writers({}, set(), set())
    for candidate in one.candidates:
        writers.places.setdefault(candidate.edit, set()).add(candidate.place)
        writers.sessions.add(candidate.session)
        if candidate.is_same_file:
            writers.here.add(candidate.session)
    return writers
