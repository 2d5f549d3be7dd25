"""`aj commit`: the sessions that wrote the lines of a commit."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.provenance.attribution import attribute
from agent_journal.provenance.blame import now
from agent_journal.provenance.candidates import Finder
from agent_journal.provenance.evidence import Evidence, evidence_of
from agent_journal.provenance.history import (
    UNCOMMITTED,
    Blamed,
    Commit,
    added_by,
    find_commit,
    staged,
)
from agent_journal.provenance.prompts import Prompts
from agent_journal.provenance.shares import Share, share_out
from agent_journal.provenance.verdicts import Tie
from agent_journal.provenance.votes import printed_by


class CommitShares(NamedTuple):
    """A commit, the shares of sessions in it, and what else it has to do with them."""

    commit: Commit
    shares: list[Share]
    ties: dict[int, Tie]
    evidence: list[Evidence]
    finder: Finder
    prompts: Prompts

    @property
    def lines(self) -> int:
        """How many lines were added."""
        return sum(share.lines for share in self.shares)


def commit_shares(finder: Finder, revision: str) -> CommitShares:
    """The sessions that wrote the lines which a commit added."""
    commit = find_commit(finder.repository, revision)
    evidence = evidence_of(finder.db, finder.sessions, finder.repository, commit.sha)
    return _shares(finder, commit, added_by(finder.repository, commit), evidence)


def staged_shares(finder: Finder) -> CommitShares:
    """The same of the lines that are staged, which the next commit adds."""
    moment = now()
    files = staged(finder.repository, moment)
    commit = Commit(UNCOMMITTED, moment, moment, "staged lines")
    return _shares(finder, commit, files, [])


def _shares(
    finder: Finder, commit: Commit, files: list[Blamed], evidence: list[Evidence]
) -> CommitShares:
    named = {found.session for found in evidence if found.session is not None}
    made = attribute(finder, files, {commit.sha: named})
    shares = share_out((done.file.path, done.verdicts) for done in made.files)
    ties = made.ties.get(commit.sha, {})
    if not files and commit.sha != UNCOMMITTED:  # a merge, or one that only removes
        printed = printed_by(finder, [commit.sha]).get(commit.sha, set())
        ties = {session: Tie(session, 0, True) for session in printed}
    return CommitShares(
        commit, shares, ties, evidence, finder, Prompts(finder.db, finder.sessions, finder.bodies)
    )
