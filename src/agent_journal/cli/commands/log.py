"""`aj log`: which sessions changed a file."""

from __future__ import annotations

import click

from agent_journal.cli.options import json_option, plain_option
from agent_journal.cli.output import note, print_json
from agent_journal.journal import Journal


@click.command()
@click.argument("file", metavar="FILE")
@json_option
@plain_option
def log(file: str, as_json: bool, plain: bool) -> None:
    """Show which sessions changed a file, and how many of their lines still stand.

    FILE is in a git repository, or was: where the last commit still has a deleted file, the lines
    there count. Lines that were removed have no author; here they are counted. Earlier names of
    the file count, too.

    With --plain, the columns are agent, session, time of the last edit, edits, lines added,
    lines removed, lines left and title.

    \b
    Examples:
      aj log src/cart.py
      aj log src/cart.py --json
    """
    from agent_journal.answers.file_log import file_log_answer, find_file_log

    with Journal.open() as journal:
        answer = file_log_answer(*find_file_log(journal, file))
    if as_json:
        print_json(answer)
        return
    from agent_journal.cli.views.file_log import print_file_log

    print_file_log(answer, plain=plain)
    if not answer.items and not plain:
        note("no recorded session changed this file")
