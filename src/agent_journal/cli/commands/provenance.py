"""`aj provenance`: how much of a repository recorded sessions wrote."""

from __future__ import annotations

from datetime import datetime
from typing import cast

import click

from agent_journal.cli.options import json_option, plain_option, since_option
from agent_journal.cli.output import ProgressBar, print_json
from agent_journal.journal import Journal

_GROUPINGS = ("agent", "model", "session", "folder")


@click.command()
@click.option(
    "--repo",
    "folder",
    metavar="FOLDER",
    default=".",
    help="The repository, or a folder in it.  [default: .]",
)
@since_option
@click.option(
    "--by",
    type=click.Choice(_GROUPINGS),
    default="agent",
    help="What to add up by.  [default: agent]",
)
@json_option
@plain_option
def provenance(folder: str, since: datetime | None, by: str, as_json: bool, plain: bool) -> None:
    """Show how much of a repository recorded sessions wrote.

    Adds up what 'aj blame' says of each line of each file that git knows. The part without a
    recorded session is shown beside the others: it may be a person's, or that of an agent whose
    sessions are not in this journal. With --since, only lines of commits since then count.

    With --plain, the columns are key, lines, lines of sessions and files.

    \b
    Examples:
      aj provenance
      aj provenance --repo ~/work/shop --by session
      aj provenance --since 90d --by folder --json
    """
    from agent_journal.answers.repository_provenance import find_provenance, provenance_answer
    from agent_journal.provenance.repository_shares import Grouping
    from agent_journal.text.dates import to_micros

    grouping = cast(Grouping, by)
    bar = ProgressBar("reading files")
    with Journal.open() as journal:
        found = find_provenance(
            journal,
            folder,
            grouping,
            to_micros(since),
            lambda done, total: bar.show(done, total, ""),
        )
        bar.done()
        answer = provenance_answer(found, grouping)
    if as_json:
        print_json(answer)
        return
    from agent_journal.cli.views.provenance import print_provenance

    print_provenance(answer, plain=plain)
