"""`aj tag`: file sessions under words of one's own."""

from __future__ import annotations

from functools import partial

import click

from agent_journal.cli.marked import change_and_print, meant_sessions, print_marked
from agent_journal.cli.options import complete_sessions, complete_tags, json_option, plain_option
from agent_journal.cli.output import note, print_json
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.store import marking


@click.command()
@click.argument("ids", metavar="[ID[,ID]...]", required=False, shell_complete=complete_sessions)
@click.argument("words", metavar="[WORD]...", nargs=-1, shell_complete=complete_tags)
@click.option("--remove", is_flag=True, help="Take these tags away; without a WORD, all of them.")
@json_option
@plain_option
def tag(ids: str | None, words: tuple[str, ...], remove: bool, as_json: bool, plain: bool) -> None:
    """Tag sessions; with an ID alone, show their tags; without an ID, list all tags.

    A tag is one word; upper and lower case are the same. 'tag:WORD' in a query finds the sessions,
    'tag:WO*' also by the beginning of a tag, '-tag:WORD' those without it.

    \b
    Examples:
      aj tag last flaky ci
      aj tag 4f2a9c,818f4c release
      aj tag 4f2a9c ci --remove
      aj tag
      aj ls tag:flaky -tag:done
    """
    if remove and ids is None:
        raise UsageError("--remove needs the ID of a session", "'aj tag' lists all tags")
    with Journal.open() as journal:
        if ids is None:
            _print_tags(journal, as_json, plain)
            return
        rows = meant_sessions(journal, [ids])
        if remove:
            unwanted = words or [word for row in rows for word in row.own_tag_names()]
            change = partial(marking.untag, words=unwanted)
        elif words:
            change = partial(marking.tag, words=words)
        else:
            print_marked(journal, rows, as_json=as_json, plain=plain)
            return
        change_and_print(journal, rows, change, as_json=as_json, plain=plain)


def _print_tags(journal: Journal, as_json: bool, plain: bool) -> None:
    from agent_journal.store.catalog.marks import count_tags

    counts = []
    if journal.exists:
        counts = count_tags(journal.db)
    if as_json:
        from agent_journal.answers.marks import tags_answer

        print_json(tags_answer(counts))
        return
    if not counts:
        note("no session has a tag; 'aj tag ID WORD' gives it one")
        return
    table = Table((Column("sessions", is_number=True), Column("tag")), has_piped_head=False)
    for count in counts:
        table.add(Cell(f"{count.sessions:,}", plain=str(count.sessions)), count.tag)
    table.print(plain=plain)
