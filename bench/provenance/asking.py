"""Asks what `aj blame` says about every line of a repository, in this process."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from typing import NamedTuple

from agent_journal.config.loading import load
from agent_journal.journal import Journal
from agent_journal.provenance.blame import blame_in
from agent_journal.provenance.candidates import Finder
from agent_journal.provenance.git import open_repository
from agent_journal.provenance.verdicts import Verdict
from agent_journal.sync.indexes import lines as line_index


class Answer(NamedTuple):
    """What is said about a line. `session` is None where no session is named."""

    path: str
    line: int
    kind: str  # the class: `written`, `beside`, …
    session: str | None
    others: tuple[str, ...]
    commit: str


@contextmanager
def opened(home: str) -> Iterator[Journal]:
    """Open the journal in a home folder."""
    variables = {name: os.environ[name] for name in ("PATH", "TMPDIR") if name in os.environ}
    variables |= {"HOME": home, "AJ_HOME": os.path.join(home, ".agent-journal")}
    with Journal(load(variables), variables) as journal:
        yield journal


def sync(home: str) -> None:
    """Make the journal of a home folder."""
    with opened(home) as journal:
        journal.sync()


def blame(home: str, repository: str, paths: list[str]) -> list[Answer]:
    """Return what is said about each line of these files, each asked for alone."""
    with opened(home) as journal:
        finder = Finder(journal.db, line_index(journal.config), open_repository(repository))
        return [
            _answer(finder, path, verdict)
            for path in paths
            for verdict in blame_in(finder, path).verdicts
        ]


def _answer(finder: Finder, path: str, verdict: Verdict) -> Answer:
    session = None
    if verdict.session is not None:
        session = finder.sessions.row(verdict.session).uid
    return Answer(
        path=path,
        line=verdict.line.number,
        kind=verdict.line_class,
        session=session,
        others=tuple(finder.sessions.row(other.session).uid for other in verdict.others),
        commit=verdict.line.commit,
    )
