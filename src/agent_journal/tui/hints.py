"""The keys that the last row of a screen names."""

from __future__ import annotations

from collections.abc import Sequence

from agent_journal.tui.lines import Line, Piece, line_width

Hint = tuple[str, str]  # a key, and what it does
HELP: Hint = ("F1", "help")


def key_hints(*hints: Hint) -> Line:
    """Return keys and what they do as a line."""
    pieces: list[Piece] = []
    for key, meaning in hints:
        space = "  " if pieces else ""
        pieces += [Piece(space + key, "key"), Piece(f" {meaning}", "dim")]
    return tuple(pieces)


def hints_that_fit(hints: Sequence[Hint], width: int) -> Line:
    """Return the first of some keys, as many as there is room for, and always that of the help."""
    count = len(hints)
    while count and line_width(key_hints(*hints[:count], HELP)) > width:
        count -= 1
    return key_hints(*hints[:count], HELP)


FINDER: tuple[Hint, ...] = (
    ("Enter", "read"),
    ("^G", "resume"),
    ("^Y", "copy"),
    ("^E", "export"),
    ("^R", "scope"),
    ("Tab", "complete"),
)
READER: tuple[Hint, ...] = (
    ("J K", "prompts"),
    ("Enter", "fold"),
    ("d", "depth"),
    ("/", "find"),
    ("c", "changes"),
    ("u", "usage"),
    ("r", "resume"),
    ("y", "copy"),
    ("s", "star"),
    ("o", "web page"),
)
PANE: tuple[Hint, ...] = (
    ("↑↓", "scroll"),
    ("c", "changes"),
    ("u", "usage"),
    ("Esc", "back"),
)
