"""`aj blame` as it was asked for, and how it is run.

Imports no click: editors ask who wrote a line while somebody waits.
"""

from __future__ import annotations

import gc
import os
import re
from typing import TYPE_CHECKING

from agent_journal.cli.output import print_json
from agent_journal.errors import UsageError
from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.answers.blame import BlameWishes
    from agent_journal.provenance.blame import Range

_FIRST_COLLECTION = 200_000  # objects: those of a line have no cycles, and stay to the end
_RANGE = r"(.+):([0-9]{1,9})(?:-([0-9]{1,9}))?"
_EXAMPLE = "as in 'aj blame a.py:118-121'"


def parse_file(args: list[str]) -> str | None:
    """Return the file of `FILE --json`, without click; None where something else is asked for."""
    names = [word for word in args if word != "--json"]
    if len(names) != 1 or len(args) != 2 or names[0].startswith("-"):
        return None
    return names[0]


def blame_and_print(
    file: str, wishes: BlameWishes | None, *, as_json: bool, plain: bool = False
) -> int:
    """Find out who wrote the lines, print them, and return the exit code."""
    from agent_journal.answers.blame import blame_answer, find_blame

    gc.set_threshold(_FIRST_COLLECTION)
    path, lines = split_range(file)
    with Journal.open() as journal:
        answer = blame_answer(find_blame(journal, path, lines), wishes)
    if as_json:
        print_json(answer, is_long=True)
        return 0
    from agent_journal.cli.views.blame import print_blame

    print_blame(answer, plain=plain)
    return 0


def split_range(text: str) -> tuple[str, Range | None]:
    """Return the file and the lines that `FILE:LINES` means."""
    from agent_journal.provenance.blame import Range

    if not text:
        raise UsageError("no file is named", _EXAMPLE)
    if os.path.lexists(text):
        return text, None
    found = re.fullmatch(_RANGE, text, re.DOTALL)
    if found is None:
        file, _, rest = text.rpartition(":")
        if os.path.isfile(file):
            raise UsageError(f"'{rest}' is not a range of lines", _EXAMPLE)
        return text, None
    first = int(found[2])
    last = int(found[3] or first)
    if first < 1:
        raise UsageError("lines are counted from 1", _EXAMPLE)
    if last < first:
        raise UsageError(f"line {last} is before line {first}", _EXAMPLE)
    return found[1], Range(first, last)
