"""`aj title`: call a session what one likes."""

from __future__ import annotations

import click

from agent_journal.cli.marked import change_and_print, meant_sessions, print_marked
from agent_journal.cli.options import complete_sessions, json_option, plain_option
from agent_journal.cli.output import note
from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.store import marking
from agent_journal.store.catalog.session_row import SessionRow


@click.command()
@click.argument("ids", metavar="[ID]", required=False, shell_complete=complete_sessions)
@click.argument("words", metavar="[TEXT]", nargs=-1)
@click.option("--reset", is_flag=True, help="Bring the agent's title back; ID may be ID,ID.")
@json_option
@plain_option
def title(ids: str | None, words: tuple[str, ...], reset: bool, as_json: bool, plain: bool) -> None:
    """Give a session a title of your own; without a TEXT, show it.

    Without an ID, lists the sessions with such a title. It is shown everywhere instead of the
    agent's title, which is kept. The next 'aj sync' makes its words searchable.

    \b
    Examples:
      aj title last Retries: clock and jitter
      aj title 4f2a9c --reset
      aj title
    """
    if reset and (ids is None or words):
        raise UsageError("--reset needs the ID of a session, and no title")
    with Journal.open() as journal:
        if ids is None:
            _print_titles(journal, as_json, plain)
        elif reset:
            rows = meant_sessions(journal, [ids])
            change_and_print(journal, rows, marking.reset_titles, as_json=as_json, plain=plain)
        elif not words:
            print_marked(journal, [journal.row(ids)], as_json=as_json, plain=plain)
        else:
            _give(journal, journal.row(ids), " ".join(words), as_json, plain)


def _give(journal: Journal, row: SessionRow, text: str, as_json: bool, plain: bool) -> None:
    def change(path: str, rows: list[SessionRow]) -> None:
        marking.give_title(path, rows[0], text)

    change_and_print(journal, [row], change, as_json=as_json, plain=plain)


def _print_titles(journal: Journal, as_json: bool, plain: bool) -> None:
    from agent_journal.store.catalog.marks import sessions_with_own_title

    rows = []
    if journal.exists:
        rows = sessions_with_own_title(journal.db)
    print_marked(journal, rows, as_json=as_json, plain=plain)
    if not rows and not as_json:
        note("no session has a title of yours; 'aj title ID TEXT' gives it one")
