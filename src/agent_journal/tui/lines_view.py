"""A widget that shows lines, of which it draws only those that are on the screen."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from rich.segment import Segment
from rich.style import Style
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.strip import Strip

from agent_journal.tui.lines import Line
from agent_journal.tui.looks import style_of

_CHOSEN = Style(reverse=True)
# What joins emoji to one, colours them, or asks for a sign as an emoji. Terminals disagree on how
# wide that is, and where one draws less than was thought, the end of a row is not drawn over
_EMOJI = "[\ufe0f\u2190-\u2bff\U0001f000-\U0001faff]"
_UNSURE = re.compile(f"\ufe0f|(?<={_EMOJI})[\u200d\U0001f3fb-\U0001f3ff]")


def strip_of(line: Line, width: int, over: Style | None = None) -> Strip:
    """Return a line as Textual draws it, exactly so many columns wide."""
    segments = []
    for piece in line:
        style = style_of(piece.look)
        if over is not None:
            style += over
        segments.append(Segment(_UNSURE.sub("", piece.text), style))
    return Strip(segments).adjust_cell_length(width, over or Style.null())


class LinesView(ScrollView, can_focus=True):
    """Lines that can be scrolled; the width of each is up to who makes them."""

    DEFAULT_CSS = """
    LinesView {
        background: ansi_default;
        color: ansi_default;
        scrollbar-size-vertical: 1;
        scrollbar-size-horizontal: 0;
        overflow-x: hidden;
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.lines: Sequence[Line] = ()

    @property
    def columns(self) -> int:
        """The columns that a line may take."""
        return max(10, self.size.width - 1)

    def show(self, lines: Sequence[Line]) -> None:
        """Show other lines, at the same place."""
        self.lines = lines
        self.virtual_size = Size(self.columns, len(lines))
        self.refresh()

    def go_to(self, line: int) -> None:
        """Scroll so that a line is at the top."""
        # Forced, because lines that were shown just now may not have a scroll bar yet
        self.scroll_to(y=max(0, line), animate=False, force=True, immediate=True)
        self.call_after_refresh(self._place_scroll_bar)

    def _place_scroll_bar(self) -> None:
        if self.show_vertical_scrollbar:
            self.vertical_scrollbar.position = self.scroll_y

    def scroll_to(self, x: float | None = None, y: float | None = None, **options: Any) -> None:
        """Scroll at once.

        A movement in steps would be sent step by step over ssh. Where more is loaded meanwhile, it
        would also go on to a line that is elsewhere by then.
        """
        super().scroll_to(x, y, **{**options, "animate": False})

    def line_at(self, y: int) -> int:
        """Return the number of the line that is drawn at a row of the widget."""
        return y + self.scroll_offset.y

    def is_chosen(self, number: int) -> bool:
        """Whether a line is drawn as the chosen one."""
        return False

    def render_line(self, y: int) -> Strip:
        """Draw one row of the widget."""
        width = self.size.width
        number = self.line_at(y)
        if not 0 <= number < len(self.lines):
            return Strip.blank(width)
        over = None
        if self.is_chosen(number):
            over = _CHOSEN
        return strip_of(self.lines[number], width, over)
