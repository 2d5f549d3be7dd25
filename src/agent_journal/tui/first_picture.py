"""The list as plain escape sequences, drawn before Textual is imported.

Importing Textual takes longer than everything else until the first picture. Meanwhile, keys are not
echoed and stay in the terminal's buffer; Textual reads them when it starts.
"""

from __future__ import annotations

import os
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

from agent_journal.text.agent_colours import agent_colour
from agent_journal.text.width import cut_to_width
from agent_journal.tui.finding import Listing
from agent_journal.tui.hints import FINDER, hints_that_fit
from agent_journal.tui.lines import Line, Piece, line_width
from agent_journal.tui.session_line import session_line
from agent_journal.tui.words import AGENT, BESIDE

_COLOURS = ("black", "red", "green", "yellow", "blue", "magenta", "cyan", "white")
_LOOKS = {"dim": "2", "bold": "1", "key": "1;36", "star": "33"}
_OPEN, _CLOSE = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J", "\x1b[?1049l\x1b[?25h"


@contextmanager
def first_picture(listing: Listing, text: str, scope: str) -> Iterator[object]:
    """Show the list until Textual takes over; afterwards the terminal is as it was.

    Yields the settings of the terminal as they were, for who suspends the program.
    """
    with _silent_keys() as before:
        try:
            columns, lines = os.get_terminal_size(sys.stderr.fileno())
            sys.stderr.write(_OPEN + picture(listing, text, scope, columns, lines))
            sys.stderr.flush()
            yield before
        except BaseException:
            sys.stderr.write(_CLOSE)
            sys.stderr.flush()
            raise


def picture(listing: Listing, text: str, scope: str, columns: int, lines: int) -> str:
    """Return the rows of the screen as the finder draws them first."""
    width, height = columns, (lines - 2) // 2
    if columns >= BESIDE:
        width, height = columns // 2, lines - 2
    right = f" {len(listing.entries):,} · {scope} "
    top = cut_to_width(f"> {text}", max(2, columns - len(right)))
    rows = [_drawn((Piece(top), Piece(" " * (columns - len(right) - len(top))), Piece(right)))]
    now = time.time()
    for place, entry in enumerate(listing.entries[:height]):
        bar = "▌" if place == 0 else " "
        rows.append(_drawn((Piece(bar, "key"), *session_line(entry.row, width - 2, now))))
    drawn = "\r\n".join(rows)
    hints = hints_that_fit(FINDER, columns)
    if line_width(hints) <= columns:
        drawn += f"\x1b[{lines};1H" + _drawn(hints)
    return drawn


def _drawn(line: Line) -> str:
    return "".join(f"\x1b[{_code(piece.look)}m{piece.text}\x1b[0m" for piece in line)


def _code(look: str) -> str:
    if look.startswith(AGENT) and not os.environ.get("NO_COLOR"):
        colour = agent_colour(look.removeprefix(AGENT))
        base = 30
        if colour.startswith("bright_"):
            base = 90
        return str(base + _COLOURS.index(colour.removeprefix("bright_")))
    code = _LOOKS.get(look, "0")
    if os.environ.get("NO_COLOR"):
        code = code.partition(";")[0]
    return code


@contextmanager
def _silent_keys() -> Iterator[object]:
    """Keep what is typed for whoever reads it next, without showing it."""
    try:
        import termios
    except ImportError:  # Windows
        yield None
        return
    terminal = sys.stdin.fileno()
    before = termios.tcgetattr(terminal)
    silent = termios.tcgetattr(terminal)
    # Enter stays Enter, and ^S a key
    silent[0] &= ~(termios.ICRNL | termios.IXON | termios.IXOFF)
    silent[3] &= ~(termios.ECHO | termios.ICANON | termios.ISIG)
    termios.tcsetattr(terminal, termios.TCSANOW, silent)
    try:
        yield before
    finally:
        termios.tcsetattr(terminal, termios.TCSANOW, before)
