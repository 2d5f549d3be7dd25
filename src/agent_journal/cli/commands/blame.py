"""`aj blame`: which session wrote each line of a file."""

from __future__ import annotations

import click

from agent_journal.cli.blame_request import blame_and_print
from agent_journal.cli.options import json_option, plain_option

# Copied from provenance.verdicts, which takes time to import
_CLASSES = ("written", "beside", "likely", "moved", "several")


@click.command()
@click.argument("file", metavar="FILE[:LINES]")
@click.option("--why", "with_words", is_flag=True, help="Show what the agent said before the edit.")
@click.option(
    "--all", "with_all", is_flag=True, help="Name every session that could have written a line."
)
@click.option(
    "--min",
    "least",
    type=click.Choice(_CLASSES),
    default="several",
    help="The weakest class that counts as a session's.  [default: several]",
)
@json_option
@plain_option
def blame(
    file: str, with_words: bool, with_all: bool, least: str, as_json: bool, plain: bool
) -> None:
    """Show which session wrote each line of a file, and for which prompt.

    FILE is in a git repository; LINES is 118 or 118-121. Git says which commit a line is from, and
    lines that are not committed yet count, too. The journal has what agents wrote; both are joined
    by their text. What the classes say is in docs/provenance.md.

    With --plain, the columns are line, class, agent, session, time, prompt and text.

    \b
    Examples:
      aj blame src/cart.py
      aj blame src/cart.py:118-121 --why
      aj blame src/cart.py --min written --json
    """
    from agent_journal.answers.blame import BlameWishes
    from agent_journal.provenance.verdicts import CLASSES

    (weakest,) = [name for name in CLASSES if name == least]
    wishes = BlameWishes(weakest, with_words, with_all)
    blame_and_print(file, wishes, as_json=as_json, plain=plain)
