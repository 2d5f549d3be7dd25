"""`aj star`: mark the sessions to come back to."""

from __future__ import annotations

import click

from agent_journal.cli.marked import change_and_print, meant_sessions, print_marked
from agent_journal.cli.options import complete_sessions, json_option, plain_option
from agent_journal.cli.output import note
from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.store import marking


@click.command()
@click.argument("ids", metavar="[ID]...", nargs=-1, shell_complete=complete_sessions)
@click.option("--remove", is_flag=True, help="Take the stars away.")
@json_option
@plain_option
def star(ids: tuple[str, ...], remove: bool, as_json: bool, plain: bool) -> None:
    """Star sessions; without an ID, list those that have a star.

    'aj ls' and 'aj search' show the stars, and 'is:starred' in a query finds them. Stars, tags and
    titles are kept in the journal (marks.jsonl), never in an agent's files.

    \b
    Examples:
      aj star last
      aj star 4f2a9c 818f4c
      aj star 4f2a9c --remove
      aj star
      aj search "connection pool" is:starred
    """
    if remove and not ids:
        raise UsageError("--remove needs the ID of a session", "'aj star' lists those with a star")
    with Journal.open() as journal:
        if not ids:
            _print_starred(journal, as_json, plain)
            return
        change = marking.star
        if remove:
            change = marking.unstar
        change_and_print(
            journal, meant_sessions(journal, ids), change, as_json=as_json, plain=plain
        )


def _print_starred(journal: Journal, as_json: bool, plain: bool) -> None:
    from agent_journal.store.catalog.marks import sessions_with_star

    rows = []
    if journal.exists:
        rows = sessions_with_star(journal.db)
    print_marked(journal, rows, as_json=as_json, plain=plain)
    if not rows and not as_json:
        note("no session has a star; 'aj star ID' gives it one")
