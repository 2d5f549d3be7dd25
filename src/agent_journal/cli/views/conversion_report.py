"""The report of a conversion: what was dropped, what was adapted, what is unchanged."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.cli.output import echo, style, use_colour
from agent_journal.cli.table import Column, Table

if TYPE_CHECKING:
    from agent_journal.convert.losses import Losses

_MOST_NAMED = 5  # fields with the same reason; more are counted, and --json names them
_COLOURS = {"dropped": "red", "adapted": "yellow", "mapped": "green"}


class _Reason(NamedTuple):
    """What became of the fields of one group, and why."""

    fate: str
    group: str
    why: str


def print_losses(reports: Sequence[Losses], is_whole: bool) -> None:
    """Print one table for all sessions, the losses first.

    Fields of a group with the same reason share a row. Unless `is_whole`, what was adapted and what
    is unchanged is only counted.
    """
    counts = _count_fields(reports)
    colour = use_colour()
    for fate, name in _COLOURS.items():
        if fate != "dropped" and not is_whole:
            continue
        table = Table((Column(""), Column("", is_number=True), Column("", wraps=True)), "  ")
        for reason in sorted(counts):
            if reason.fate == fate:
                table.add(*_row(reason, counts[reason]))
        if table.rows:
            echo(style(fate, name, "bold", on=colour))
        table.print()
    if not is_whole:
        _print_totals(counts)


def _count_fields(reports: Sequence[Losses]) -> dict[_Reason, dict[str, int]]:
    """Return how often each field met each reason."""
    counts: dict[_Reason, dict[str, int]] = {}
    for losses in reports:
        for loss in losses.entries():
            group, _, field = loss.field.partition(".")
            fields = counts.setdefault(_Reason(loss.fate, group, loss.why), {})
            fields[field] = fields.get(field, 0) + loss.count
    return counts


def _row(reason: _Reason, fields: dict[str, int]) -> tuple[str, str, str]:
    names = sorted(filter(None, fields))
    what = ", ".join(names)
    if len(names) > _MOST_NAMED and reason.fate != "mapped":
        what = f"{len(names)} fields"
    text = ": ".join(filter(None, (what, reason.why)))
    return (reason.group, f"{max(fields.values()):,}", text)


def _print_totals(counts: dict[_Reason, dict[str, int]]) -> None:
    totals = dict.fromkeys(_COLOURS, 0)
    for reason, fields in counts.items():
        totals[reason.fate] += sum(fields.values())
    if not totals["dropped"]:
        echo("nothing is lost")
    echo(
        f"{totals['mapped']:,} values are unchanged, "
        f"{totals['adapted']:,} in another form (-v lists them)"
    )
