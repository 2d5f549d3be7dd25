"""`provenance`: how many lines of a repository each agent, model, session or folder has."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TypedDict

from agent_journal.answers.answer import Answer, whole_answer
from agent_journal.answers.line_index import line_index
from agent_journal.journal import Journal
from agent_journal.provenance.candidates import Finder
from agent_journal.provenance.git import open_repository
from agent_journal.provenance.history import find_commit
from agent_journal.provenance.repository_shares import (
    Group,
    Grouping,
    RepositoryShares,
    repository_shares,
)
from agent_journal.provenance.verdicts import NONE


class ProvenanceItem(TypedDict):
    """The lines of one agent, model, session or folder; `key` is null for those of no session."""

    key: str | None
    title: str | None
    lines: int
    share: float
    lines_of_sessions: int
    classes: dict[str, int]
    files: int


class ProvenanceExtra(TypedDict):
    """What was added up."""

    root: str
    commit: str | None
    by: str
    lines: int
    lines_of_sessions: int
    files: int
    skipped: list[str]


def find_provenance(
    journal: Journal,
    folder: str,
    by: Grouping,
    since: int | None = None,
    tell: Callable[[int, int], None] | None = None,
) -> RepositoryShares:
    """Add up who wrote the lines of the repository that a folder is in."""

    def find() -> RepositoryShares:
        repository = open_repository(os.path.abspath(folder))
        index = line_index(journal)
        finder = Finder(journal.db, index, repository)
        head = None
        if repository.has_commits:
            head = find_commit(repository, "HEAD")
        return repository_shares(finder, head, by, since, tell)

    return journal.with_indexes(find)


def provenance_answer(found: RepositoryShares, by: Grouping) -> Answer:
    """Return the groups of a repository, the largest first; lines of no session come last."""
    return whole_answer(
        "provenance",
        [_item(found, group) for group in found.groups],
        root=found.root,
        commit=found.head.sha if found.head else None,
        by=by,
        lines=found.lines,
        lines_of_sessions=sum(map(_of_sessions, found.groups)),
        files=found.files,
        skipped=found.skipped,
    )


def _item(found: RepositoryShares, group: Group) -> ProvenanceItem:
    title = None
    if group.session is not None:
        title = found.finder.sessions.row(group.session).title
    return ProvenanceItem(
        key=group.key,
        title=title,
        lines=group.lines,
        share=round(group.lines / max(1, found.lines), 4),
        lines_of_sessions=_of_sessions(group),
        classes=dict(group.classes.most_common()),
        files=len(group.files),
    )


def _of_sessions(group: Group) -> int:
    """The lines that one session wrote: those of one of several are of none of them."""
    return group.lines - group.classes[NONE] - group.classes["several"]
