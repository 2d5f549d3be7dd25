"""Every kind of secret in every context and format, with values made by chance."""

from __future__ import annotations

import json
import random
import re
import sys
from collections.abc import Callable, Iterator
from typing import NamedTuple

from agent_journal.text.redaction.redact import redact
from tests.support import secret_contexts as contexts
from tests.support import secret_contexts_hostile as hostile
from tests.support import secret_contexts_talk as talk
from tests.support import secret_contexts_terminal as terminal
from tests.support import secret_contexts_tester as tester
from tests.support import secret_contexts_tools as tools
from tests.support.secret_contexts_data import DATA
from tests.support.secret_kinds import Kind, all_kinds, make_value

_PIECE = 8  # characters of a secret that may not be left
_LABEL = re.compile(r"\[redacted [a-z0-9-]+\]")


class Cell(NamedTuple):
    """A secret in a text."""

    kind: Kind
    context: str
    format: str
    text: str
    secret: str  # as it is written there

    def is_leaked(self, redacted: str) -> bool:
        """Whether eight characters in a row of the secret are left, other than its name's."""
        left = _LABEL.sub("\0", redacted)
        # Eight characters in a row have four in them that begin at a multiple of four.
        quarters = range(0, len(self.secret) - 3, 4)
        if not any(self.secret[at : at + 4] in left for at in quarters):
            return False
        others = self.text.replace(self.secret, "\0")
        size = min(_PIECE, len(self.secret))
        pieces = (self.secret[at : at + size] for at in range(len(self.secret) - size + 1))
        return any(piece in left and piece not in others for piece in pieces)


def cells(
    seed: int, formats_of_each: int = len(contexts.FORMATS), every: int = 1
) -> Iterator[Cell]:
    """Yield the cells of the matrix; of each kind and context so many formats, in turn.

    With `every`, only one in so many pairs of kind and context, each context with other kinds.
    """
    rng = random.Random(seed)
    turn = 0
    pairs = (
        (kind, context)
        for row, kind in enumerate(all_kinds())
        for column, context in enumerate(_contexts_of(kind))
        if (row + column) % every == 0
    )
    for kind, context in pairs:
        for _ in range(formats_of_each):
            form, change = contexts.FORMATS[turn % len(contexts.FORMATS)]
            turn += 1
            yield _cell(kind, context, form, change, rng)


def plain_cells(seed: int, label: str) -> list[Cell]:
    """Return a cell of each kind that has a context, as plain text."""
    rng = random.Random(seed)
    form, change = contexts.FORMATS[0]
    return [
        _cell(kind, context, form, change, rng)
        for kind in all_kinds()
        for context in _contexts_of(kind)
        if context.label == label
    ]


def _contexts_of(kind: Kind) -> tuple[contexts.Context, ...]:
    named = (*contexts.NAMED, *DATA, *talk.TALK, *tester.NAMED, *terminal.NAMED, *hostile.NAMED)
    if kind.is_free:
        return (*named, *contexts.FREE)
    if kind.is_password:
        passwords = (*talk.PASSWORDS, *tester.PASSWORDS, *terminal.PASSWORDS)
        return (*named, *contexts.PASSWORDS, *passwords, *hostile.PASSWORDS, *tools.PASSWORDS)
    return named


def _cell(
    kind: Kind,
    context: contexts.Context,
    form: str,
    change: Callable[[str], str],
    rng: random.Random,
) -> Cell:
    text, secret = contexts.write(context, kind.name, make_value(kind, rng, context.signs))
    for _ in range(contexts.IN_JSON.get(form, 0)):
        secret = json.dumps(secret)[1:-1]
    return Cell(kind, context.label, form, change(text), secret)


def _main() -> None:
    """Say how many cells of the whole matrix leak, and which."""
    count = 0
    leaks = []
    for cell in cells(int(sys.argv[1])):
        count += 1
        if cell.is_leaked(redact(cell.text)):
            leaks.append(f"{cell.kind.name} {cell.kind.form} as {cell.context} in {cell.format}")
    leaks.append(f"{len(leaks)} of {count:,}: {100 * len(leaks) / count:.2f} %")
    sys.stdout.write("\n".join(leaks) + "\n")


if __name__ == "__main__":
    _main()
