"""`aj doctor --secrets`: where secrets are in sessions."""

from __future__ import annotations

from itertools import groupby

from agent_journal.cli.output import ProgressBar, echo, note, print_json, style, use_colour
from agent_journal.health.secrets import Leak, find_leaks
from agent_journal.journal import Journal
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line, safe

_SHOWN = 5


def print_leaks(show_all: bool, as_json: bool) -> int:
    """List the secrets in the journal by session, masked; return 1 when there are any."""
    leaks = _find_leaks()
    if as_json:
        from agent_journal.answers.secrets import secrets_answer

        print_json(secrets_answer(leaks))
    else:
        for _, group in groupby(leaks, key=lambda leak: leak.row.row_id):
            _print_session(list(group), show_all)
        _print_total(leaks)
    return int(bool(leaks))


def _print_session(leaks: list[Leak], show_all: bool) -> None:
    row = leaks[0].row
    name = style(f"{row.agent}:{safe(row.id)}", "cyan", on=use_colour())
    echo(f"{name}  {one_line(leaks[0].title, 60) or '(no title)'}")
    shown = leaks
    if not show_all:
        shown = leaks[:_SHOWN]
    for leak in shown:
        line = f"  {leak.kind} {leak.masked} in {one_line(leak.place, 100)}"
        if leak.position is not None:
            line += f" at {leak.position}"
        if leak.times > 1:
            line += f", {leak.times:,} times"
        echo(line)
    if len(leaks) > len(shown):
        echo(f"  … and {len(leaks) - len(shown)} more (aj doctor --secrets --all)")


def _print_total(leaks: list[Leak]) -> None:
    if not leaks:
        note("no secrets found")
        return
    sessions = len({leak.row.row_id for leak in leaks})
    secrets = plural(len(leaks), "secret")
    note(f"{secrets} in {plural(sessions, 'session')}: revoke those that are still valid")


def _find_leaks() -> list[Leak]:
    bar = ProgressBar("searching")

    def show(done: int, total: int) -> None:
        bar.show(done, total, f"{done:,} of {total:,} sessions")

    with Journal.open() as journal:
        try:
            return list(find_leaks(journal.db, journal.archive, show))
        finally:
            bar.done()
