"""The keys that the last row of a screen names."""

from __future__ import annotations

from agent_journal.tui.lines import Line, Piece


def key_hints(*hints: tuple[str, str]) -> Line:
    """Return keys and what they do as a line."""
    pieces = []
    for key, meaning in hints:
        pieces += [Piece(key, "key"), Piece(f" {meaning}  ", "dim")]
    return tuple(pieces)


FINDER = key_hints(
    ("Enter", "read"),
    ("^G", "resume"),
    ("^Y", "copy"),
    ("^E", "export"),
    ("^R", "scope"),
    ("Tab", "complete"),
    ("F1", "help"),
)
READER = key_hints(
    ("↑↓", "scroll"),
    ("J K", "prompts"),
    ("Enter", "fold"),
    ("d", "depth"),
    ("/", "find"),
    ("c", "changes"),
    ("u", "usage"),
    ("y", "copy"),
    ("r", "resume"),
    ("F1", "help"),
)
