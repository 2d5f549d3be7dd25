"""Which sessions a commit has to do with: its rare lines vote, and sessions print commits."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from agent_journal.model.written_lines import commit_hash
from agent_journal.provenance.candidates import Asked, Candidate, Finder
from agent_journal.provenance.history import UNCOMMITTED
from agent_journal.provenance.printed import prints_commit
from agent_journal.provenance.verdicts import Tie

_MOST_IN_FILE = 2  # times that a rare line stands in a file
_MOST_SESSIONS = 2  # that wrote it into the file
_MOST_ANYWHERE = 4  # that wrote it into any file
_VOTES = 3
_SHARE = 0.2  # of the rare lines of a commit, with that many votes
_LARGE_SHARE = 0.5  # with any number of votes
_NEARLY_ALL = 0.8
Ties = dict[str, dict[int, Tie]]  # by commit and session


class Rare:
    """Which lines of a file are rare: they say who wrote them."""

    def __init__(self, asked: list[Asked]) -> None:
        self._times = Counter(one.hash for one in asked if one.hash is not None)

    def could_be(self, one: Asked) -> bool:
        """Whether a line stands in the file so seldom that somebody's having written it says so."""
        if one.hash is None or one.is_everywhere:
            return False
        return self._times[one.hash] <= _MOST_IN_FILE

    def is_rare(self, one: Asked) -> bool:
        """Whether also few sessions wrote it, and one did."""
        if not self.could_be(one):
            return False
        if _has_more_sessions(one.candidates, _MOST_ANYWHERE):
            return False
        best = best_of(one)
        return bool(best) and not _has_more_sessions(best, _MOST_SESSIONS)


def _has_more_sessions(candidates: Sequence[Candidate], most: int) -> bool:
    """Whether candidates are of more sessions; a few of them cannot be, which need no count."""
    if len(candidates) <= most:
        return False
    return len({candidate.session for candidate in candidates}) > most


def best_of(one: Asked) -> list[Candidate]:
    """The candidates that count: edits of this file, or else of others; commands do not."""
    edits = [candidate for candidate in one.candidates if candidate.writing.source == "edit"]
    if len(edits) < 2:
        return edits
    same = [candidate for candidate in edits if candidate.is_same_file]
    return same or edits


def find_ties(finder: Finder, files: Iterable[list[Asked]], named: dict[str, set[int]]) -> Ties:
    """The sessions that each commit is tied to, from the lines of one file or of several.

    Sessions that a commit names itself are tied to it, too.
    """
    votes: dict[str, Counter[int]] = {}
    rare_lines: Counter[str] = Counter()
    for asked in files:
        rare = Rare(asked)
        for one in asked:
            commit = one.line.commit
            own = votes.setdefault(commit, Counter())
            if not rare.could_be(one):
                continue
            rare_lines[commit] += 1
            sessions = {c.session for c in best_of(one) if c.is_same_file}
            if len(sessions) == 1:
                own[sessions.pop()] += 1
    printed = printed_by(finder, [commit for commit in votes if commit != UNCOMMITTED])
    ties: Ties = {}
    for commit, own in votes.items():
        makers = printed.get(commit, set())
        sure = makers | named.get(commit, set())
        ties[commit] = {
            session: Tie(
                session,
                own[session],
                session in makers,
                own[session] >= rare_lines[commit] * _NEARLY_ALL,
            )
            for session in {*own, *sure}
            if session in sure or _is_tied(own[session], rare_lines[commit])
        }
    return ties


def _is_tied(votes: int, rare_lines: int) -> bool:
    if votes >= rare_lines * _LARGE_SHARE:
        return True
    return votes >= _VOTES and votes >= rare_lines * _SHARE


def printed_by(finder: Finder, commits: list[str]) -> dict[str, set[int]]:
    """The main sessions in which a tool said that it made a commit."""
    hashes = {commit: commit_hash(commit) for commit in commits}
    found = finder.commits_printed(hashes.values())
    printed: dict[str, set[int]] = {}
    for commit, number in hashes.items():
        for writing in found.get(number, []):
            if prints_commit(finder.bodies, writing, commit):
                session = finder.sessions.main_of(writing.session)
                printed.setdefault(commit, set()).add(session)
    return printed
