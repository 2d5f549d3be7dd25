"""`aj blame`: which session wrote each line of a file."""

from __future__ import annotations

import os
import re
from typing import TYPE_CHECKING

import click

from agent_journal.cli.options import json_option, plain_option
from agent_journal.cli.output import print_json
from agent_journal.errors import UsageError
from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.provenance.blame import Range

# Copied from provenance.verdicts, which takes time to import
_CLASSES = ("written", "beside", "likely", "moved", "several")
_RANGE = r"(.+):(\d+)(?:-(\d+))?"


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
    from agent_journal.answers.blame import BlameWishes, blame_answer, find_blame
    from agent_journal.provenance.verdicts import CLASSES

    path, lines = split_range(file)
    (weakest,) = [name for name in CLASSES if name == least]
    wishes = BlameWishes(weakest, with_words, with_all)
    with Journal.open() as journal:
        answer = blame_answer(find_blame(journal, path, lines), wishes)
    if as_json:
        print_json(answer, is_long=True)
        return
    from agent_journal.cli.views.blame import print_blame

    print_blame(answer, plain=plain)


def split_range(text: str) -> tuple[str, Range | None]:
    """Return the file and the lines that `FILE:LINES` means."""
    from agent_journal.provenance.blame import Range

    found = re.fullmatch(_RANGE, text, re.DOTALL)
    if found is None or os.path.lexists(text):
        return text, None
    first = int(found[2])
    last = int(found[3] or first)
    if first < 1 or last < first:
        raise UsageError(f"{found[2]}-{found[3]} are no lines", "as in 'aj blame a.py:118-121'")
    return found[1], Range(first, last)
