"""Who wrote the lines of files: all steps, from what git says to a verdict for each line."""

from __future__ import annotations

from typing import NamedTuple

from agent_journal.provenance.candidates import Asked, Finder
from agent_journal.provenance.claims import without_later_copies
from agent_journal.provenance.deciding import Decider
from agent_journal.provenance.history import Blamed
from agent_journal.provenance.loose import Loose
from agent_journal.provenance.standing import Standing
from agent_journal.provenance.verdicts import Verdict
from agent_journal.provenance.votes import Ties, find_ties


class Attributed(NamedTuple):
    """A file with a verdict for each line."""

    file: Blamed
    asked: list[Asked]
    verdicts: list[Verdict]


class Attribution(NamedTuple):
    """Files with their verdicts, and the sessions that their commits are tied to."""

    files: list[Attributed]
    ties: Ties


def attribute(
    finder: Finder, files: list[Blamed], named: dict[str, set[int]] | None = None
) -> Attribution:
    """Find out who wrote the lines of some files; `named`: sessions that commits name."""
    asked = [without_later_copies(file, finder.find(file)) for file in files]
    ties = find_ties(finder, asked, named or {})
    loose = Loose(finder)
    standing = Standing(finder.repository.root, finder.places)
    done = []
    for file, lines in zip(files, asked, strict=True):
        decider = Decider(lines, ties, standing)
        decider.decide_rare()
        decider.decide_common()
        loose.decide(file, lines, ties, decider.verdicts)
        decider.decide_common()
        decider.decide_left()
        done.append(Attributed(file, lines, decider.verdicts))
    return Attribution(done, ties)
