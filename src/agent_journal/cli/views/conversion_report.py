"""The report of a conversion, for people: what was dropped, what was adapted, what is as it was."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from agent_journal.cli.output import echo, style, table, use_colour

if TYPE_CHECKING:
    from agent_journal.convert.losses import Losses

_MANY = 6  # fields with one reason, from which on they are counted: --json names them
_LOOKS = {"dropped": "red", "adapted": "yellow", "mapped": "green"}


def print_losses(reports: Sequence[Losses], is_whole: bool) -> None:
    """One table for all the sessions, the worst first; fields of one kind with the same reason
    share a row.

    Unless it `is_whole`, what is there in one form or another is only counted.
    """
    found: dict[tuple[str, str, str], dict[str, int]] = {}
    for losses in reports:
        for loss in losses.entries():
            group, _, field = loss.field.partition(".")
            counts = found.setdefault((loss.fate, group, loss.why), {})
            counts[field] = counts.get(field, 0) + loss.count
    colour = use_colour()
    for fate, look in _LOOKS.items():
        rows = [
            (
                group,
                f"{max(counts.values()):,}",
                ": ".join(filter(None, (_fields(fate, counts), why))),
            )
            for (one, group, why), counts in sorted(found.items())
            if one == fate
        ]
        if rows and (is_whole or fate == "dropped"):
            echo(style(fate, look, "bold", on=colour))
            for line in table(rows, align="lr"):
                echo(f"  {line}")
    if not is_whole:
        counts = {
            fate: sum(sum(one.values()) for key, one in found.items() if key[0] == fate)
            for fate in _LOOKS
        }
        if not counts["dropped"]:
            echo("nothing is left behind")
        echo(
            f"{counts['mapped']:,} values are as they were, {counts['adapted']:,} in another form (-v lists them)"
        )


def _fields(fate: str, counts: dict[str, int]) -> str:
    names = sorted(filter(None, counts))
    return f"{len(names)} fields" if len(names) >= _MANY and fate != "mapped" else ", ".join(names)
