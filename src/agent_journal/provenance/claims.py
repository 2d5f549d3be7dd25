"""What an edit wrote once stands in a file once: the first commit with it has it from the edit.

A later commit with the same line has a copy, which somebody made.
"""

from __future__ import annotations

from agent_journal.provenance.candidates import Asked, Candidate
from agent_journal.provenance.history import Blamed

_MOST = 50  # places where a line was written: of those that stand everywhere nobody asks
_Place = tuple[int, int]  # an edit, and a place in it


def without_later_copies(file: Blamed, asked: list[Asked]) -> list[Asked]:
    """The lines of a file; those of later commits without the candidates of the first one."""
    first: dict[_Place, int] = {}
    for one in asked:
        if _is_looked_at(one):
            time = file.commits[one.line.commit].committed
            for candidate in one.candidates:
                place = _place(candidate)
                first[place] = min(time, first.get(place, time))
    return [_first_only(file, one, first) if _is_looked_at(one) else one for one in asked]


def _is_looked_at(one: Asked) -> bool:
    return 0 < len(one.candidates) <= _MOST


def _first_only(file: Blamed, one: Asked, first: dict[_Place, int]) -> Asked:
    time = file.commits[one.line.commit].committed
    kept = [
        candidate
        for candidate in one.candidates
        if not candidate.is_same_file or first[_place(candidate)] == time
    ]
    if len(kept) == len(one.candidates):
        return one
    return one._replace(candidates=kept)


def _place(candidate: Candidate) -> _Place:
    return candidate.writing.id, candidate.place
