"""How many lines each session wrote, of a commit, a file or a repository."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.provenance.candidates import Candidate
from agent_journal.provenance.verdicts import LineClass, Verdict


class LinesOf(NamedTuple):
    """Lines of one class in one file, from the first to the last."""

    path: str
    line_class: LineClass
    first: int
    last: int


class Share(NamedTuple):
    """The lines of one session; without a session, those of none, or of one of several."""

    session: int | None
    classes: Counter[LineClass]
    files: Counter[str]
    ranges: list[LinesOf]
    edits: list[Candidate]  # one for each edit that left lines, in the order of time

    @property
    def lines(self) -> int:
        """How many lines these are."""
        return self.classes.total()


def share_out(files: Iterable[tuple[str, list[Verdict]]]) -> list[Share]:
    """The shares of sessions in files, the largest first; the lines of none come last."""
    found: dict[tuple[int | None, bool], Share] = {}
    edits: dict[tuple[int | None, bool], dict[int, Candidate]] = {}
    for path, verdicts in files:
        for verdict in verdicts:
            key = (verdict.session, verdict.line_class == "several")
            share = found.get(key)
            if share is None:
                share = found[key] = Share(verdict.session, Counter(), Counter(), [], [])
            share.classes[verdict.line_class] += 1
            share.files[path] += 1
            _add_line(share.ranges, path, verdict)
            if verdict.candidate is not None:
                edits.setdefault(key, {})[verdict.candidate.edit] = verdict.candidate
    for key, own in edits.items():
        found[key].edits.extend(sorted(own.values(), key=lambda c: (c.time, c.edit)))
    return sorted(found.values(), key=_order)


def _order(share: Share) -> tuple[bool, bool, int]:
    return share.session is None, "several" not in share.classes, -share.lines


def _add_line(ranges: list[LinesOf], path: str, verdict: Verdict) -> None:
    number = verdict.line.number
    if ranges and ranges[-1] == (path, verdict.line_class, ranges[-1].first, number - 1):
        ranges[-1] = ranges[-1]._replace(last=number)
    else:
        ranges.append(LinesOf(path, verdict.line_class, number, number))
