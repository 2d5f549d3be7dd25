"""How a session looks in the list: when, which agent, which project, its title."""

from __future__ import annotations

import time

from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.plain import one_line
from agent_journal.text.width import cut_at_word, cut_to_width, pad_to_width
from agent_journal.tui.lines import Line, Piece
from agent_journal.tui.words import AGENT

_TIME = 7
_LONGEST_AGENT = 11
_LONGEST_PROJECT = 11
_NARROW = 52  # columns under which a title needs the room of the project
_HOUR = 3600
_DAY = 86400


def session_line(row: SessionRow, width: int, now: float) -> Line:
    """Return the line of a session, cut to a width."""
    when = pad_to_width(short_time(row.ended_at or row.started_at, now), _TIME)
    agent = _cell(row.agent, _LONGEST_AGENT)
    pieces = [Piece(when, "dim"), Piece(agent, AGENT + row.agent), Piece(" ")]
    room = width - _TIME - _LONGEST_AGENT - 1
    if width >= _NARROW:
        pieces.append(Piece(_cell(project_name(row), _LONGEST_PROJECT) + " "))
        room -= _LONGEST_PROJECT + 1
    if row.starred_at is not None:
        pieces.append(Piece("★ ", "star"))
        room -= 2
    title = one_line(row.title, 400) or "(no title)"
    pieces.append(Piece(cut_at_word(title, max(8, room))))
    return tuple(pieces)


def project_name(row: SessionRow) -> str:
    """Return the last part of the folder of a session."""
    path = (row.project_path or row.project_dir or "").replace("\\", "/").rstrip("/")
    return one_line(path.rpartition("/")[2], 60)


def short_time(micros: int | None, now: float) -> str:
    """Return when something was, in six columns."""
    if micros is None:
        return "?"
    seconds = micros / 1_000_000
    ago = now - seconds
    if 0 <= ago < _HOUR:
        return f"{int(ago // 60)} min"
    if 0 <= ago < _DAY:
        return f"{int(ago // _HOUR)} h"
    try:
        local = time.localtime(seconds)
    except (ValueError, OverflowError, OSError):
        return "?"
    if 0 <= ago < 7 * _DAY:
        return time.strftime("%a", local)
    if 0 <= ago < 300 * _DAY:
        return time.strftime("%d %b", local)
    return time.strftime("%b’%y", local)  # with a sign, because "Dec 25" is a day


def _cell(text: str, width: int) -> str:
    return pad_to_width(cut_to_width(text, width), width)
