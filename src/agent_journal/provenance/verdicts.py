"""What is said of a line: its class, and the edit that it follows from."""

from __future__ import annotations

from typing import Literal, NamedTuple

from agent_journal.provenance.candidates import Candidate
from agent_journal.provenance.history import Line

LineClass = Literal["written", "beside", "likely", "moved", "several", "-"]
CLASSES: tuple[LineClass, ...] = ("written", "beside", "likely", "moved", "several", "-")
NONE: LineClass = "-"


class Verdict(NamedTuple):
    """A line and who wrote it; `session` is the row of the main session.

    Where several sessions could have written it, `others` has an edit of each.
    """

    line: Line
    line_class: LineClass = NONE
    session: int | None = None
    candidate: Candidate | None = None
    others: tuple[Candidate, ...] = ()


class Tie(NamedTuple):
    """A session that a commit has to do with: by its lines, or because it printed the commit."""

    session: int
    votes: int
    has_printed: bool
    is_alone: bool = False  # nearly all rare lines of the commit are of it
