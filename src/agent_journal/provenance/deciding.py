"""Decides who wrote each line of a file: rare lines first, then what stands beside them."""

from __future__ import annotations

from collections.abc import Iterable

from agent_journal.provenance.candidates import Asked, Candidate
from agent_journal.provenance.runs import Runs
from agent_journal.provenance.standing import Standing
from agent_journal.provenance.verdicts import LineClass, Tie, Verdict
from agent_journal.provenance.votes import Rare, Ties, best_of

_NEAR = 6  # lines that common lines may be away from one that is decided
_MOST_NAMED = 20  # sessions of one line
# Letters that are enough for a session that is not tied to the commit
_LETTERS_OF_LINE = 24
_LETTERS_OF_RUN = 40
_LETTERS_OF_MOVED = 80


class Decider:
    """Decides the lines of one file."""

    def __init__(self, asked: list[Asked], ties: Ties, standing: Standing) -> None:
        self._standing = standing
        self._asked = asked
        self._ties = ties
        self._rare = Rare(asked)
        self._runs = Runs(asked)
        self._homes = self._find_homes()
        self._followers: set[int] = set()  # lines that follow others: none follows them
        self.verdicts = [Verdict(one.line) for one in asked]

    def decide_rare(self) -> None:
        """Decide the lines that say who wrote them."""
        for at, one in enumerate(self._asked):
            if self._rare.is_rare(one):
                self.verdicts[at] = self._decide(at, one)

    def decide_common(self) -> None:
        """Decide the lines that stand everywhere: they follow decided lines of the same commit."""
        decided = [
            at
            for at, verdict in enumerate(self.verdicts)
            if verdict.session is not None and at not in self._followers
        ]
        left = {at for at, verdict in enumerate(self.verdicts) if verdict.session is None}
        nearest: dict[int, tuple[int, int]] = {}  # of a line: how far, and from which line
        for at in decided:
            for step in (1, -1):
                if at + step not in left:  # most lines stand between two that are decided
                    continue
                for near in self._run(at, step):
                    distance = abs(near - at)
                    if near not in nearest or distance < nearest[near][0]:
                        nearest[near] = (distance, at)
        self._followers.update(nearest)
        for near, (_, at) in nearest.items():
            self.verdicts[near] = self._beside(near, self.verdicts[at])

    def decide_left(self) -> None:
        """Name the sessions of common lines that stand beside nothing."""
        for at, one in enumerate(self._asked):
            verdict = self.verdicts[at]
            if verdict.line_class != "-" or one.hash is None or one.is_everywhere:
                continue
            newest = _newest_by_session(c for c in best_of(one) if c.is_same_file)
            if len(newest) == 1:
                (candidate,) = newest.values()
                if self._is_of_tied(at, one, candidate):
                    self.verdicts[at] = _found(verdict, "likely", candidate)
            elif newest:
                self.verdicts[at] = _several(verdict, newest)

    def _is_of_tied(self, at: int, one: Asked, candidate: Candidate) -> bool:
        """Whether a common line is of the only session that wrote it into this file."""
        tie = self._tied(one).get(candidate.session)
        if tie is None:
            return False
        if tie.is_alone and self._runs.own_letters(one) >= _LETTERS_OF_LINE:
            return True
        return self._runs.has_neighbour(at, candidate)

    # -- rare lines ------------------------------------------------------------------------------

    def _decide(self, at: int, one: Asked) -> Verdict:
        verdict = self.verdicts[at]
        candidates = best_of(one)
        if not candidates[0].is_same_file:
            return self._moved(at, one, candidates)
        newest = _newest_by_session(c for c in candidates if self._is_likely(at, one, c))
        if len(newest) > 1:
            newest = self._narrowed(at, one, newest)
        if len(newest) == 1:
            (candidate,) = newest.values()
            return _found(verdict, "written", candidate)
        if newest:
            return _several(verdict, newest)
        return verdict

    def _is_likely(self, at: int, one: Asked, candidate: Candidate) -> bool:
        """Whether an edit of this file is not only by chance one with such a line."""
        if self._runs.own_letters(one) >= _LETTERS_OF_LINE and self._can_be_home(one, candidate):
            return True
        tie = self._tied(one).get(candidate.session)
        if tie is not None:
            return tie.is_alone or self._runs.has_neighbour(at, candidate)
        return self._can_be_home(one, candidate) and (
            self._runs.strength(at, candidate) >= _LETTERS_OF_RUN
        )

    def _can_be_home(self, one: Asked, candidate: Candidate) -> bool:
        """Whether an edit may be in the commit of a line: it is in no other one."""
        homes = self._homes.get(candidate.edit, set())
        return not homes or one.line.commit in homes

    def _find_homes(self) -> dict[int, set[str]]:
        """The commits that edits went into: those that their sessions are tied to."""
        homes: dict[int, set[str]] = {}
        seen = set()  # what stands everywhere has many candidates, the same in each place
        for one in self._asked:
            key = (one.hash, one.line.commit, one.line.path)
            if key in seen:
                continue
            seen.add(key)
            tied = self._tied(one)
            for candidate in one.candidates:
                if candidate.session in tied and candidate.is_same_file:
                    homes.setdefault(candidate.edit, set()).add(one.line.commit)
        return homes

    def _narrowed(self, at: int, one: Asked, newest: dict[int, Candidate]) -> dict[int, Candidate]:
        """The one session of several that also wrote the lines around, or is tied."""
        in_run = _newest_by_session(c for c in best_of(one) if self._runs.has_neighbour(at, c))
        tied = {session: c for session, c in newest.items() if session in self._tied(one)}
        for chosen in (in_run, tied):
            if len(chosen) == 1:
                return chosen
        return newest

    def _moved(self, at: int, one: Asked, candidates: list[Candidate]) -> Verdict:
        verdict = self.verdicts[at]
        likely = _newest_by_session(
            c
            for c in candidates
            if self._runs.strength(at, c) >= _LETTERS_OF_MOVED
            and not self._standing.has_line(c.writing, one.hash or 0)
        )
        if len(likely) == 1:
            (candidate,) = likely.values()
            return _found(verdict, "moved", candidate)
        if likely:
            return _several(verdict, likely)
        return verdict

    def _tied(self, one: Asked) -> dict[int, Tie]:
        return self._ties.get(one.line.commit, {})

    # -- common lines ----------------------------------------------------------------------------

    def _run(self, at: int, step: int) -> Iterable[int]:
        """The common lines that follow a decided one, up or down, until a foreign line."""
        verdict = self.verdicts[at]
        end = at + step * (_NEAR + 1)
        for near in range(at + step, end, step):
            if not 0 <= near < len(self._asked):
                return
            one = self._asked[near]
            if one.line.commit != verdict.line.commit:
                return
            if self.verdicts[near].session is not None:
                return  # from there on that line is the nearest
            if not self._fits(one, verdict):
                return
            yield near

    def _fits(self, one: Asked, verdict: Verdict) -> bool:
        """Whether a line can be of the session of a decided one beside it."""
        is_common = one.hash is None or one.is_everywhere
        return is_common or self._runs.has_writer(one, verdict.session)

    def _beside(self, near: int, verdict: Verdict) -> Verdict:
        line_class = verdict.line_class
        if line_class == "written":
            line_class = "beside"
        return Verdict(self._asked[near].line, line_class, verdict.session, verdict.candidate)


def _newest_by_session(candidates: Iterable[Candidate]) -> dict[int, Candidate]:
    """The last edit of each session: what it left."""
    newest: dict[int, Candidate] = {}
    for candidate in candidates:
        other = newest.get(candidate.session)
        if other is None or (candidate.time, candidate.edit) > (other.time, other.edit):
            newest[candidate.session] = candidate
    return newest


def _found(verdict: Verdict, line_class: LineClass, candidate: Candidate) -> Verdict:
    return Verdict(verdict.line, line_class, candidate.session, candidate, verdict.others)


def _several(verdict: Verdict, newest: dict[int, Candidate]) -> Verdict:
    others = sorted(newest.values(), key=lambda c: (c.time, c.edit), reverse=True)
    return verdict._replace(line_class="several", others=tuple(others[:_MOST_NAMED]))
