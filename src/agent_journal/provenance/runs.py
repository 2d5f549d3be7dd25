"""Lines that follow each other in a file as they do in an edit: what one of them says, all say.

Everybody writes `if err != nil {` and `return nil, err` after it. So a run counts by the letters of
the lines that no other session wrote.
"""

from __future__ import annotations

from collections.abc import Iterator

from agent_journal.provenance.candidates import Asked, Candidate

_FAR = 12  # lines that are looked at in each direction
_GAP = 6  # lines that say too little, between two of a run


class Runs:
    """The runs of one file."""

    def __init__(self, asked: list[Asked]) -> None:
        self._asked = asked

    def strength(self, at: int, candidate: Candidate) -> int:
        """How many letters the lines of its run have that no other session wrote."""
        letters = own_letters(self._asked[at])
        for step in (-1, 1):
            letters += sum(own_letters(one) for one in self._follow(at, step, candidate))
        return letters

    def has_neighbour(self, at: int, candidate: Candidate) -> bool:
        """Whether the same edit wrote a line near it, on the same side as in the file."""
        return any(self._is_near(at, step, candidate) for step in (-1, 1))

    def _is_near(self, at: int, step: int, candidate: Candidate) -> bool:
        commit = self._asked[at].line.commit
        end = at + step * (_GAP + 1)
        for near in range(at + step, end, step):
            if not 0 <= near < len(self._asked):
                return False
            one = self._asked[near]
            if one.is_everywhere or one.line.commit != commit:
                continue
            if any(
                c.edit == candidate.edit and 0 < step * (c.place - candidate.place) <= _GAP
                for c in one.candidates
            ):
                return True
        return False

    def _follow(self, at: int, step: int, candidate: Candidate) -> Iterator[Asked]:
        """The lines before or after a line, as long as the edit and the commit have them, too."""
        commit = self._asked[at].line.commit
        gap = 0
        for distance in range(1, _FAR + 1):
            near = at + step * distance
            if not 0 <= near < len(self._asked) or gap > _GAP:
                return
            one = self._asked[near]
            if one.hash is None or one.is_everywhere:
                gap += 1
                continue
            gap = 0
            place = candidate.place + step * distance
            is_next = any(c.edit == candidate.edit and c.place == place for c in one.candidates)
            if not is_next or one.line.commit != commit:
                return
            yield one


def own_letters(one: Asked) -> int:
    """How many letters a line has that only one session wrote; 0 for any other line."""
    if len({candidate.session for candidate in one.candidates}) != 1:
        return 0
    return len(one.line.text.strip())
