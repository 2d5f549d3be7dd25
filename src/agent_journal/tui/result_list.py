"""The list of sessions; one of them is chosen."""

from __future__ import annotations

import time
from collections.abc import Sequence

from textual import events
from textual.geometry import Size
from textual.message import Message
from textual.strip import Strip

from agent_journal.tui.finding import Entry
from agent_journal.tui.lines import Piece
from agent_journal.tui.lines_view import LinesView, strip_of
from agent_journal.tui.session_line import session_line


class ResultList(LinesView, can_focus=False):
    """Draws the sessions that are on the screen."""

    class Chosen(Message):
        """Another session is chosen."""

    class Opened(Message):
        """The chosen session is to be opened."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.entries: Sequence[Entry] = ()
        self.place = 0

    @property
    def chosen(self) -> Entry | None:
        """The session that is chosen; None when there is none."""
        if self.place < len(self.entries):
            return self.entries[self.place]
        return None

    def fill(self, entries: Sequence[Entry], *, is_kept: bool) -> None:
        """Show other sessions; where `is_kept`, the chosen one stays chosen if it is there."""
        before = self.chosen
        self.entries = entries
        self.place = 0
        if is_kept and before is not None:
            keys = [entry.key for entry in entries]
            if before.key in keys:
                self.place = keys.index(before.key)
        self.virtual_size = Size(self.columns, len(entries))
        self.refresh()
        self._follow()
        self.post_message(self.Chosen())

    def move(self, by: int) -> None:
        """Choose another session, so many lines below."""
        self.choose(self.place + by)

    def choose(self, place: int) -> None:
        """Choose the session at a place, or the nearest one."""
        place = max(0, min(place, len(self.entries) - 1))
        if place == self.place:
            return
        self.place = place
        self.refresh()
        self._follow()
        self.post_message(self.Chosen())

    def page(self, direction: int) -> None:
        """Choose the session one screen further."""
        self.move(direction * max(1, self.size.height - 1))

    def render_line(self, y: int) -> Strip:
        """Draw one session."""
        width = self.size.width
        place = self.line_at(y)
        if place >= len(self.entries):
            return Strip.blank(width)
        is_chosen = place == self.place
        bar = "▌" if is_chosen else " "
        line = session_line(self.entries[place].row, width - 2, time.time())
        look = "key" if is_chosen else ""
        whole = (Piece(bar, look), *line)
        if is_chosen:
            whole = tuple(Piece(piece.text, _bold(piece.look)) for piece in whole)
        return strip_of(whole, width)

    def on_click(self, event: events.Click) -> None:
        """Choose what was clicked; a second click opens it."""
        place = self.line_at(event.y)
        if place >= len(self.entries):
            return
        is_again = place == self.place and event.chain > 1
        self.choose(place)
        if is_again:
            self.post_message(self.Opened())

    def _follow(self) -> None:
        """Scroll so that the chosen session is on the screen."""
        top = self.scroll_offset.y
        height = max(1, self.size.height)
        if self.place < top:
            self.go_to(self.place)
        elif self.place >= top + height:
            self.go_to(self.place - height + 1)


def _bold(look: str) -> str:
    """Return the look of the chosen line: what has none is bold."""
    return look or "bold"
