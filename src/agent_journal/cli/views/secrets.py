"""`aj doctor --secrets`: where secrets lie."""

from __future__ import annotations

from itertools import groupby

from agent_journal.cli.output import (
    ProgressBar,
    echo,
    note,
    one_line,
    plural,
    print_json,
    safe,
    style,
    use_colour,
)
from agent_journal.health.secrets import Leak, find_leaks
from agent_journal.journal import Journal


def print_leaks(show_all: bool, as_json: bool) -> int:
    """Lists the secrets in the journal by session, masked; 1 when there are any."""
    leaks = _leaks()
    if as_json:
        print_json("secrets", [_as_item(leak) for leak in leaks], problems=len(leaks))
        return 1 if leaks else 0
    colour = use_colour()
    for _, group in groupby(leaks, key=lambda leak: leak.row.row_id):
        mine = list(group)
        row = mine[0].row
        echo(
            style(f"{row.agent}:{safe(row.id)}", "cyan", on=colour)
            + f"  {one_line(mine[0].title, 60) or '(no title)'}"
        )
        for leak in mine if show_all else mine[:5]:
            times = f", {leak.times:,} times" if leak.times > 1 else ""
            at = "" if leak.position is None else f" at {leak.position}"
            echo(f"  {leak.kind} {leak.masked} in {one_line(leak.place, 100)}{at}{times}")
        if len(mine) > 5 and not show_all:
            echo(f"  … and {len(mine) - 5} more (aj doctor --secrets --all)")
    if leaks:
        sessions = len({leak.row.row_id for leak in leaks})
        note(
            f"{plural(len(leaks), 'secret')} in {plural(sessions, 'session')}: change those that are still in force"
        )
    else:
        note("no secret was recognised")
    return 1 if leaks else 0


def _leaks() -> list[Leak]:
    bar = ProgressBar("looking")
    with Journal.open() as journal:
        try:
            told = find_leaks(
                journal.db,
                journal.archive,
                lambda done, total: bar.show(done, total, f"{done:,} of {total:,} sessions"),
            )
            return list(told)
        finally:
            bar.done()


def _as_item(leak: Leak) -> dict[str, object]:
    item: dict[str, object] = {"agent": leak.row.agent, "session": leak.row.id}
    return item | {
        name: getattr(leak, name)
        for name in ("title", "place", "position", "kind", "masked", "times")
    }
