"""A row of the screen with text at its left and its right."""

from __future__ import annotations

from textual.strip import Strip
from textual.widget import Widget

from agent_journal.text.width import cut_to_width
from agent_journal.tui.lines import Line, Piece, line_width
from agent_journal.tui.lines_view import strip_of


class Bar(Widget):
    """One row; its right side stays when there is no room for both."""

    DEFAULT_CSS = """
    Bar { height: 1; background: ansi_default; color: ansi_default; }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._left: Line = ()
        self._right: Line = ()

    @property
    def text(self) -> str:
        """Everything that it says."""
        return "".join(piece.text for piece in (*self._left, *self._right))

    def say(self, left: Line, right: Line = ()) -> None:
        """Show something else."""
        self._left = left
        self._right = right
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """Draw the row."""
        width = self.size.width
        room = width - line_width(self._right)
        pieces: list[Piece] = []
        for piece in self._left:
            if room <= 0:
                break
            text = cut_to_width(piece.text, room)
            pieces.append(Piece(text, piece.look))
            room -= line_width((pieces[-1],))
            if text != piece.text:
                break
        pieces.append(Piece(" " * max(0, room)))
        return strip_of((*pieces, *self._right), width)
