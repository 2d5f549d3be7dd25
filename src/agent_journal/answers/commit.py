"""`commit`: the sessions that wrote the lines of a commit."""

from __future__ import annotations

import os
from collections import Counter
from typing import TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer
from agent_journal.answers.attributed_line import PromptItem, prompt_item
from agent_journal.answers.line_index import line_index
from agent_journal.journal import Journal
from agent_journal.provenance.candidates import Finder
from agent_journal.provenance.commits import CommitShares, commit_shares, staged_shares
from agent_journal.provenance.git import open_repository
from agent_journal.provenance.prompts import Prompts
from agent_journal.provenance.shares import Share


class FileLines(TypedDict):
    """How many lines these are in one file."""

    path: str
    lines: int


class CommitItem(TypedDict):
    """The lines of one session; `session` is null for those of none, and of one of several."""

    session: str | None
    agent: str | None
    title: str | None
    lines: int
    classes: dict[str, int]
    has_printed: bool
    is_tied: bool
    prompts: list[PromptItem]
    files: list[FileLines]


class EvidenceItem(TypedDict):
    """A trailer or a note of the commit that speaks of an agent."""

    kind: str
    name: str
    value: str
    session: str | None


class CommitExtra(TypedDict):
    """Which commit it is."""

    commit: str | None
    subject: str
    author: str
    timestamp: str | None
    lines: int
    evidence: list[EvidenceItem]


def find_commit_shares(journal: Journal, revision: str | None, folder: str = ".") -> CommitShares:
    """Find out who wrote the lines of a commit; None means the lines that are staged."""

    def find() -> CommitShares:
        repository = open_repository(os.path.abspath(folder))
        index = line_index(journal)
        finder = Finder(journal.db, index, repository)
        if revision is None:
            return staged_shares(finder)
        return commit_shares(finder, revision)

    return journal.with_indexes(find)


def commit_answer(found: CommitShares) -> Answer:
    """Return the sessions of a commit with their lines."""
    commit = found.commit
    shares = list(found.shares)
    seen = {share.session for share in shares}
    for session, tie in found.ties.items():
        if session not in seen and tie.has_printed:  # it made the commit and wrote nothing of it
            shares.insert(0, Share(session, Counter(), Counter(), [], []))
    evidence = [
        EvidenceItem(
            kind=one.kind,
            name=one.name,
            value=one.value,
            session=None if one.session is None else found.finder.sessions.row(one.session).uid,
        )
        for one in found.evidence
    ]
    return whole_answer(
        "commit",
        [_item(found, share) for share in shares],
        commit=commit.sha or None,
        subject=commit.subject,
        author=commit.author,
        timestamp=iso_time(commit.authored),
        lines=found.lines,
        evidence=evidence,
    )


def _item(found: CommitShares, share: Share) -> CommitItem:
    agent = uid = title = None
    tie = None
    if share.session is not None:
        row = found.finder.sessions.row(share.session)
        agent, uid, title = row.agent, row.uid, row.title
        tie = found.ties.get(share.session)
    return CommitItem(
        session=uid,
        agent=agent,
        title=title,
        lines=share.lines,
        classes=dict(share.classes.most_common()),
        has_printed=tie is not None and tie.has_printed,
        is_tied=tie is not None,
        prompts=prompts_of(found.prompts, share),
        files=[FileLines(path=path, lines=lines) for path, lines in share.files.most_common()],
    )


def prompts_of(prompts: Prompts, share: Share) -> list[PromptItem]:
    """Return the prompts that the edits of a share were made for, each once."""
    found: dict[int, PromptItem] = {}
    for candidate in share.edits:
        prompt = prompts.prompt_of(candidate.writing)
        item = prompt_item(prompt)
        if item is not None:
            found.setdefault(item["position"], item)
    return list(found.values())
