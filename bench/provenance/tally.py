"""Counts how often the answers are right, and prints the table."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from bench.provenance.asking import Answer
from bench.provenance.lines import Files, Line

NAMED = ("written", "beside", "likely", "moved")  # the classes that name one session
SEVERAL = "several"
NONE = "-"


class Bound(NamedTuple):
    """What a figure must reach, or must not go beyond."""

    value: float
    is_least: bool

    def holds(self, share: float | None) -> bool:
        """Whether a share keeps it; a share of nothing does."""
        if share is None:
            return True
        return share >= self.value if self.is_least else share <= self.value


BOUNDS = {
    "written": Bound(0.97, is_least=True),
    "beside": Bound(0.95, is_least=True),
    "taken out": Bound(0.015, is_least=False),
}


class Row(NamedTuple):
    """A line of the table: so many of so many, and the bound for the share."""

    name: str
    count: int
    of: int
    bound: Bound | None = None

    @property
    def share(self) -> float | None:
        """The share, or None of nothing."""
        return self.count / self.of if self.of else None

    @property
    def holds(self) -> bool:
        """Whether the bound is kept."""
        return self.bound is None or self.bound.holds(self.share)

    def text(self) -> str:
        """Return the row as Markdown."""
        share = "-" if self.share is None else f"{self.share:.1%}"
        bound = ""
        if self.bound:
            bound = f"{'at least' if self.bound.is_least else 'at most'} {self.bound.value:.1%}"
            if not self.holds:
                bound = f"**{bound}: missed**"
        return f"| {self.name} | {self.count:,} | {self.of:,} | {share} | {bound} |"


class Tally:
    """What was found in all repositories."""

    def __init__(self) -> None:
        self.given: Counter[str] = Counter()  # answers by class
        self.right: Counter[str] = Counter()
        self.lines: Counter[str] = Counter()  # lines by who wrote them
        self.covered = 0
        self.taken_out = 0
        self.went_elsewhere: Counter[str] = Counter()  # by class
        self.wrong: list[str] = []

    def add(self, files: Files, answers: Sequence[Answer], seed: int) -> None:
        """Compare the answers about a repository with the truth."""
        for answer, line in _with_truth(files, answers):
            owner = "session" if line.owner else "nobody"
            self.lines[owner] += 1
            self.given[answer.kind] += 1
            if is_right(answer, line):
                self.right[answer.kind] += 1
                self.covered += answer.kind in NAMED and line.owner is not None
            elif answer.kind in NAMED:
                place = f"{answer.path}:{answer.line}"
                told = f"{answer.kind} {answer.session}, is {line.owner}: {line.text.strip()}"
                self.wrong.append(f"seed {seed} {place} {told}")

    def add_without(self, session: str, files: Files, answers: Sequence[Answer]) -> None:
        """Count where the lines of a session went that is not in the journal."""
        for answer, line in _with_truth(files, answers):
            if line.owner != session:
                continue
            self.taken_out += 1
            if answer.kind != NONE and answer.session != line.origin:
                self.went_elsewhere[answer.kind] += 1

    def rows(self) -> list[Row]:
        """Return the table."""
        own = self.lines["session"]
        rows = [Row("lines that sessions wrote, attributed to the right one", self.covered, own)]
        for kind in (*NAMED, SEVERAL, NONE):
            name = f"`{kind}` is right"
            rows.append(Row(name, self.right[kind], self.given[kind], BOUNDS.get(kind)))
        elsewhere = sum(self.went_elsewhere[kind] for kind in NAMED)
        name = "lines of a session taken out, given to another"
        rows.append(Row(name, elsewhere, self.taken_out, BOUNDS["taken out"]))
        several = self.went_elsewhere[SEVERAL]
        rows.append(Row("the same, `several`: none is given them", several, self.taken_out))
        return rows


def _with_truth(files: Files, answers: Sequence[Answer]) -> list[tuple[Answer, Line]]:
    """Return the answers about lines that are not blank, with the truth about each."""
    found = [(answer, files[answer.path][answer.line - 1]) for answer in answers]
    return [(answer, line) for answer, line in found if line.text.strip()]


def is_right(answer: Answer, line: Line) -> bool:
    """Whether an answer is true.

    `likely` and `moved` say whose line it was before it was changed a little or moved.
    """
    if answer.kind == NONE:
        return line.owner is None
    if answer.kind == SEVERAL:
        return line.owner in answer.others or line.owner == answer.session
    if answer.kind in ("likely", "moved"):
        return answer.session in (line.owner, line.origin)
    return answer.session == line.owner


def print_table(rows: Sequence[Row]) -> bool:
    """Print the table; return whether all bounds hold."""
    print("\n| | lines | of | share | bound |\n|---|---:|---:|---:|---|")
    for row in rows:
        print(row.text())
    return all(row.holds for row in rows)
