"""The looks of text: names, and the style that each is on this terminal.

Colours are the sixteen of the terminal, so that they follow the theme that the user has chosen
there. Nothing is said by colour alone, and without colours (NO_COLOR) the looks still differ.
"""

from __future__ import annotations

import os
from functools import cache

from rich.style import Style

from agent_journal.text.agent_colours import agent_colour
from agent_journal.tui.words import AGENT

# look -> style with colours, style without
_LOOKS = {
    "": ("", ""),
    "dim": ("dim", "dim"),
    "bold": ("bold", "bold"),
    "hit": ("black on yellow", "bold reverse"),
    "you": ("bold green", "bold"),
    "speaker": ("bold blue", "bold"),
    "note": ("magenta", ""),
    "step": ("yellow", ""),
    "failed": ("bold red", "bold"),
    "added": ("green", ""),
    "removed": ("red", ""),
    "hunk": ("cyan", "dim"),
    "code": ("cyan", ""),
    "link": ("underline cyan", "underline"),
    "live": ("bold green", "bold"),
    "key": ("bold cyan", "bold"),
    "star": ("yellow", "bold"),
    "error": ("bold red", "bold"),
}


IS_PLAIN = bool(os.environ.get("NO_COLOR"))  # Textual removes the variable when it starts


@cache
def style_of(look: str) -> Style:
    """Return the style of a look; of an agent's name, its colour."""
    if look.startswith(AGENT):
        if IS_PLAIN:
            return Style.null()
        return Style.parse(agent_colour(look.removeprefix(AGENT)))
    coloured, plain = _LOOKS[look]
    return Style.parse(plain if IS_PLAIN else coloured)
