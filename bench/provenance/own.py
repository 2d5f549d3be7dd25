"""Measures a person's own repository with the present journal; nothing is written to either.

What is true is not known here. Two things can be checked: whether the answers agree with the
sessions that the trailers of commits name, and where the lines of a session go when the journal is
read as if it were not there.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Sequence

from bench.provenance.tally import BOUNDS, NAMED, SEVERAL, Row, print_table

from agent_journal.journal import Journal
from agent_journal.provenance.attribution import Attributed, attribute
from agent_journal.provenance.blame import now
from agent_journal.provenance.candidates import Asked, Finder
from agent_journal.provenance.git import Repository, open_repository
from agent_journal.provenance.history import Blamed, blame
from agent_journal.provenance.verdicts import NONE, Verdict
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_rows import Writing
from agent_journal.store.lines.lines import Lines
from agent_journal.sync.indexes import lines as line_index

_MOST_BYTES = 2**20  # of a file
_SURE = ("written", "beside")
_WORD = re.compile(r"[\w-]{8,}")
_LEAST = 8  # characters of an id that is not whole


class Hiding(Finder):
    """Finds candidates as if one session were not in the journal."""

    def __init__(self, db: Connection, lines: Lines, repository: Repository) -> None:
        super().__init__(db, lines, repository)
        self.hidden: int | None = None
        self._asked: dict[str, list[Asked]] = {}

    def find(self, file: Blamed) -> list[Asked]:
        """The lines of a file with the candidates of the other sessions."""
        if file.path not in self._asked:
            self._asked[file.path] = super().find(file)
        return [self._without(one) for one in self._asked[file.path]]

    def commits_printed(self, hashes: Iterable[int]) -> dict[int, list[Writing]]:
        """The same for calls that may have printed commits."""
        return {
            number: [item for item in found if self._main(item) != self.hidden]
            for number, found in super().commits_printed(hashes).items()
        }

    def _without(self, one: Asked) -> Asked:
        kept = [candidate for candidate in one.candidates if candidate.session != self.hidden]
        return one._replace(candidates=kept)

    def _main(self, writing: Writing) -> int:
        return self.sessions.main_of(writing.session)


def measure_own(path: str, most: int) -> int:
    """Print the tables; return 1 if a bound is missed."""
    with Journal.open() as journal:
        repository = open_repository(path)
        finder = Hiding(journal.db, line_index(journal.config), repository)
        files = _blamed(repository)
        found = attribute(finder, files).files
        named = _named_sessions(journal, finder, repository)
        rows = [*_shares(found), *_agreement(found, named), _control(finder, files, found, most)]
    return 0 if print_table(rows) else 1


def _blamed(repository: Repository) -> list[Blamed]:
    """Return all files that hold text."""
    listed = _asked(repository, "ls-files", "--eol", "-z").split("\0")
    paths = []
    for entry in filter(None, listed):
        kinds, _, path = entry.partition("\t")
        is_text = "w/-text" not in kinds and not kinds.startswith("i/-text")
        if is_text and len(repository.git.ask("show", f"HEAD:{path}").output) <= _MOST_BYTES:
            paths.append(path)
    return [blame(repository, path, now()) for path in paths]


def _asked(repository: Repository, *words: str) -> str:
    return repository.git.order(*words).decode("utf-8", "surrogateescape")


def _verdicts(files: Sequence[Attributed]) -> list[Verdict]:
    return [verdict for file in files for verdict in file.verdicts if verdict.line.text.strip()]


def _shares(files: Sequence[Attributed]) -> list[Row]:
    verdicts = _verdicts(files)
    counts = Counter(verdict.line_class for verdict in verdicts)
    return [
        Row(f"lines that are `{kind}`", counts[kind], len(verdicts))
        for kind in (*NAMED, SEVERAL, NONE)
    ]


# -- trailers ------------------------------------------------------------------------------------


def _named_sessions(
    journal: Journal, finder: Finder, repository: Repository
) -> dict[str, set[int]]:
    """Return the sessions that the trailers of each commit name and the journal has."""
    ids = dict(journal.db.execute("SELECT uid, id FROM sessions").fetchall())
    log = _asked(repository, "log", "--format=%x01%H%x00%(trailers:only,unfold)")
    named: dict[str, set[int]] = {}
    for entry in log.split("\1")[1:]:
        sha, _, trailers = entry.partition("\0")
        rows = {_session(ids, word) for word in _WORD.findall(trailers)} - {None}
        if rows:
            named[sha] = {finder.sessions.main_of(row) for row in rows if row is not None}
    return named


def _session(ids: dict[str, int], word: str) -> int | None:
    if word in ids:
        return ids[word]
    matching = [row for uid, row in ids.items() if uid.startswith(word)]
    return matching[0] if len(matching) == 1 and len(word) >= _LEAST else None


def _agreement(files: Sequence[Attributed], named: dict[str, set[int]]) -> list[Row]:
    """Return how often the answers agree with trailers, for lines of commits that have any."""
    told = [verdict for verdict in _verdicts(files) if verdict.line.commit in named]
    rows = []
    for kind in NAMED:
        own = [verdict for verdict in told if verdict.line_class == kind]
        agreeing = sum(verdict.session in named[verdict.line.commit] for verdict in own)
        rows.append(Row(f"`{kind}`, as trailers say", agreeing, len(own)))
    attributed = sum(verdict.line_class in NAMED for verdict in told)
    rows.append(Row("lines of commits with such trailers, attributed", attributed, len(told)))
    return rows


# -- the control ---------------------------------------------------------------------------------


def _control(finder: Hiding, files: list[Blamed], found: Sequence[Attributed], most: int) -> Row:
    """Return where the lines of sessions go, each of which is hidden in turn."""
    before = {_place(file, verdict): verdict for file in found for verdict in file.verdicts}
    sure = Counter(verdict.session for verdict in before.values() if verdict.line_class in _SURE)
    elsewhere = 0
    total = 0
    for session, count in sure.most_common(most):
        finder.hidden = session
        total += count
        for file in attribute(finder, files).files:
            for verdict in file.verdicts:
                known = before[_place(file, verdict)]
                is_own = known.session == session and known.line_class in _SURE
                elsewhere += is_own and verdict.line_class != NONE
    finder.hidden = None
    name = f"lines of {min(most, len(sure))} sessions taken out, given to another"
    return Row(name, elsewhere, total, BOUNDS["taken out"])


def _place(file: Attributed, verdict: Verdict) -> tuple[str, int]:
    return file.file.path, verdict.line.number
