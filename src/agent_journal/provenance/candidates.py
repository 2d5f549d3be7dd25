"""Who may have written a line: the edits in the journal with its text, at the time and place."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_journal.model.origins import COPIED_EDIT
from agent_journal.model.written_lines import hash_of
from agent_journal.provenance.git import Repository
from agent_journal.provenance.history import Blamed, Commit, Line
from agent_journal.provenance.places import Places
from agent_journal.provenance.sessions import Sessions
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_rows import Writing, writings_by_id
from agent_journal.store.lines.lines import Lines
from agent_journal.store.lines.segments import Place

_SECOND = 1_000_000
_AFTER = 15 * 60 * _SECOND  # clocks differ, and tools note the time before they are done
_AFTER_LOCAL = 14 * 3600 * _SECOND  # the zone farthest to the east
_BEFORE = 45 * 86_400 * _SECOND
_HELD_BYTES = 64 * 2**20


class Candidate(NamedTuple):
    """An edit that wrote a line with that text; `session` is the row of the main session."""

    writing: Writing
    place: int
    session: int
    is_same_file: bool

    @property
    def edit(self) -> int:
        """The id of the edit."""
        return self.writing.id

    @property
    def time(self) -> int:
        """When it was made."""
        return self.writing.time or 0


class Asked(NamedTuple):
    """A line of a file, its hash (None: it says too little) and who may have written it."""

    line: Line
    hash: int | None
    candidates: list[Candidate]
    is_everywhere: bool = False  # in so many edits that they say nothing


class _Known(NamedTuple):
    """What decides whether an edit is a candidate; `session` is the row of the main session."""

    writing: Writing
    session: int
    time: int
    after: int  # how long after a commit it may seem to have been made
    may_be_copy: bool


class Finder:
    """Finds candidates for the lines of files of one repository."""

    def __init__(self, db: Connection, lines: Lines, repository: Repository) -> None:
        self.db = db
        self.bodies = BodyReader(db, _HELD_BYTES)
        self.repository = repository
        self.sessions = Sessions(db)
        self.places = Places(repository, self.sessions)
        self._lines = lines
        self._known: dict[int, _Known] = {}  # by edit
        # By edit, place in it, and path of the file that it may be of
        self._made: dict[tuple[int, int, str], Candidate | None] = {}

    def find(self, file: Blamed) -> list[Asked]:
        """The lines of a file with their candidates."""
        hashes = [hash_of(line.text) for line in file.lines]
        found = self._lines.find(number for number in hashes if number is not None)
        self._load(place.edit for places in found.values() for place in places)
        known: dict[tuple[int, str, str], list[Candidate]] = {}
        asked = []
        for line, number in zip(file.lines, hashes, strict=True):
            places = []
            candidates = []
            if number is not None and number in found:
                places = found[number]
                key = (number, line.commit, line.path)
                if key not in known:  # what stands everywhere stands in one commit often
                    known[key] = self._candidates(line, file.commits[line.commit], places)
                candidates = known[key]
            is_everywhere = self._lines.is_everywhere(places)
            asked.append(Asked(line, number, candidates, is_everywhere))
        return asked

    def _candidates(self, line: Line, commit: Commit, places: list[Place]) -> list[Candidate]:
        found = []
        has_copies = False
        first = commit.authored - _BEFORE
        for place in places:
            known = self._known.get(place.edit)
            if known is None or not first <= known.time <= commit.committed + known.after:
                continue
            key = (place.edit, place.place, line.path)
            if key not in self._made:
                self._made[key] = self._candidate(known, place, line.path)
            candidate = self._made[key]
            if candidate is not None:
                found.append(candidate)
                has_copies = has_copies or known.may_be_copy
        if not has_copies:
            return found
        return without_copies(self.sessions, found)

    def _candidate(self, known: _Known, place: Place, path: str) -> Candidate | None:
        match = self.places.match(known.writing, path)
        if match is None:
            return None
        return Candidate(known.writing, place.place, known.session, match)

    def commits_printed(self, hashes: Iterable[int]) -> dict[int, list[Writing]]:
        """The calls that may have printed commits, by the commits' hashes."""
        found = self._lines.find(hashes)
        self._load(place.edit for places in found.values() for place in places)
        return {
            number: [self._known[p.edit].writing for p in places if p.edit in self._known]
            for number, places in found.items()
        }

    def _load(self, ids: Iterable[int]) -> None:
        missing = set(ids) - self._known.keys()
        if not missing:
            return
        writings = writings_by_id(self.db, missing)
        self.sessions.load(writing.session for writing in writings.values())
        for edit, writing in writings.items():
            if writing.time is not None:
                self._known[edit] = self._facts(writing, writing.time)

    def _facts(self, writing: Writing, time: int) -> _Known:
        session = self.sessions.main_of(writing.session)
        may_be_copy = writing.origin == COPIED_EDIT or self.sessions.is_fork(session)
        after = allowance(self.sessions, writing.session)
        return _Known(writing, session, time, after, may_be_copy)


def allowance(sessions: Sessions, session: int) -> int:
    """How long after a commit an edit of a session may seem to have been made."""
    if sessions.has_local_clock(session):
        return _AFTER_LOCAL
    return _AFTER


def in_time(sessions: Sessions, writing: Writing, commit: Commit) -> bool:
    """Whether an edit is neither after a commit nor long before it."""
    if writing.time is None:
        return False
    last = commit.committed + allowance(sessions, writing.session)
    return commit.authored - _BEFORE <= writing.time <= last


def without_copies(sessions: Sessions, candidates: Sequence[Candidate]) -> list[Candidate]:
    """The candidates without those that a resumed or forked session has from an earlier one."""
    if len(candidates) < 2:
        return list(candidates)
    own = [one for one in candidates if one.writing.origin != COPIED_EDIT] or candidates
    known = {_moment(one) for one in own if not sessions.is_fork(one.session)}
    return [one for one in own if not sessions.is_fork(one.session) or _moment(one) not in known]


def _moment(candidate: Candidate) -> tuple[int, str | None, int]:
    return candidate.time, candidate.writing.path, candidate.place
