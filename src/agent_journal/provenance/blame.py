"""`aj blame`: each line of a file as it is now, and which session wrote it."""

from __future__ import annotations

import os
import time
from collections import Counter
from typing import NamedTuple

from agent_journal.errors import UsageError
from agent_journal.provenance.attribution import Attribution, attribute
from agent_journal.provenance.candidates import Asked, Finder
from agent_journal.provenance.git import Repository, folder_of, open_repository
from agent_journal.provenance.history import UNCOMMITTED, Blamed, Commit, blame
from agent_journal.provenance.prompts import Prompts
from agent_journal.provenance.verdicts import NONE, Verdict
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.lines.lines import Lines

_MOSTLY = 0.5  # of the lines of a commit, for a hint
_MICROS = 1_000


class Hint(NamedTuple):
    """What is known of a line of no recorded session. It is no attribution, and never counted."""

    text: str
    session: int | None = None


class Range(NamedTuple):
    """Lines of a file, from the first to the last."""

    first: int
    last: int


class FileBlame(NamedTuple):
    """The lines of a file that were asked for, with what answers need."""

    repository: Repository
    file: Blamed
    asked: list[Asked]
    verdicts: list[Verdict]
    hints: dict[str, Hint]  # by commit
    finder: Finder
    prompts: Prompts


def blame_file(
    db: Connection,
    index: Lines,
    path: str,
    lines: Range | None = None,
    *,
    may_be_gone: bool = False,
) -> FileBlame:
    """Find out who wrote the lines of a file; the path is from the working folder."""
    if not path:
        raise UsageError("no file is named")
    whole = os.path.abspath(path)
    if os.path.isdir(whole):
        raise UsageError(f"{path} is a folder", "name a file; 'aj provenance' is for folders")
    repository = open_repository(folder_of(os.path.dirname(whole)))
    finder = Finder(db, index, repository)
    return blame_in(finder, repository.relative(whole), lines, may_be_gone=may_be_gone)


def blame_in(
    finder: Finder, path: str, lines: Range | None = None, *, may_be_gone: bool = False
) -> FileBlame:
    """The same for a path as git has it."""
    repository = finder.repository
    file = blame(repository, path, now(), may_be_gone=may_be_gone)
    if lines is not None and lines.first > len(file.lines):
        raise UsageError(f"{path} has {len(file.lines)} lines")
    made = attribute(finder, [file])
    done = made.files[0]
    chosen = slice(None)
    if lines is not None:
        chosen = slice(lines.first - 1, lines.last)
    return FileBlame(
        repository,
        file,
        done.asked[chosen],
        done.verdicts[chosen],
        hints_of(finder, file, made),
        finder,
        Prompts(finder.db, finder.sessions, finder.bodies),
    )


def now() -> int:
    """The present in microseconds."""
    return time.time_ns() // _MICROS


def hints_of(finder: Finder, file: Blamed, made: Attribution) -> dict[str, Hint]:
    """What is known of lines without a session, by their commits."""
    verdicts: dict[str, list[Verdict]] = {sha: [] for sha in file.commits}
    for done in made.files:
        for verdict in done.verdicts:
            verdicts[verdict.line.commit].append(verdict)
    hints = {}
    for sha, commit in file.commits.items():
        hint = _hint(finder, commit, verdicts[sha])
        if hint is not None:
            hints[sha] = hint
    return hints


def _hint(finder: Finder, commit: Commit, verdicts: list[Verdict]) -> Hint | None:
    """What a commit says of the lines in it that no session wrote."""
    if all(verdict.line_class != NONE for verdict in verdicts):
        return None
    counts = Counter(verdict.session for verdict in verdicts if verdict.session is not None)
    if counts:
        session, count = counts.most_common(1)[0]
        if count > len(verdicts) * _MOSTLY:
            name = commit.sha[:7] or "what is not committed"
            return Hint(f"most of {name} is of", session)
    first = first_session(finder)
    if commit.sha != UNCOMMITTED and first is not None and commit.committed < first:
        return Hint("before the first session")
    return None


def first_session(finder: Finder) -> int | None:
    """When the first session that the journal has of a repository began."""
    return finder.places.first_session(finder.db)
