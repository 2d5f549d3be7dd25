"""Questions in front of a screen: choose one of several things, or type something."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import Input

from agent_journal.text.width import cut_to_width
from agent_journal.tui.bar import Bar
from agent_journal.tui.hints import key_hints
from agent_journal.tui.lines import Line, Piece, line_width
from agent_journal.tui.lines_view import LinesView

_WIDEST = 100
_MOST_NUMBERED = 9  # answers: each of them has one digit as its key
Explanation = Callable[[int], list[Line]]  # for so many columns
_CSS = """
#box {
    width: 90%; max-width: 100; /* _WIDEST */ height: auto; max-height: 90%;
    border: round ansi_bright_black; background: ansi_default; padding: 0 1;
}
#lines { height: auto; max-height: 70vh; }
#typed { border: none; height: 1; padding: 0; }
"""


class Choice(ModalScreen[int | None]):
    """Asks for one of several things; what it gives is the number of it, or None."""

    CSS = "Choice { align: center middle; background: ansi_default 0%; }" + _CSS
    BINDINGS: ClassVar = [
        Binding("escape,q,ctrl+c", "dismiss(None)", "back"),
        Binding("up,k,ctrl+p", "move(-1)", "up", priority=True),
        Binding("down,j,ctrl+n", "move(1)", "down", priority=True),
        Binding("enter", "take", "choose"),
    ]

    def __init__(
        self, title: str, choices: Sequence[Line], explain: Explanation | None = None
    ) -> None:
        super().__init__()
        self._title = title
        self._choices = choices
        self._explain = explain
        self._above: list[Line] = []
        self._place = 0

    def compose(self) -> ComposeResult:
        """Put the question and its answers into a box."""
        with Vertical(id="box"):
            yield Bar(id="question")
            yield _Menu(id="lines")
            yield Bar(id="hints")

    def on_mount(self) -> None:
        """Show the choices."""
        self.query_one("#question", Bar).say((Piece(self._title, "bold"),))
        hints = [("↑↓", "move"), ("Enter", "choose"), ("Esc", "back")]
        if self._explain is not None:
            self._above = self._explain(self._columns)
        if len(self._above) + len(self._choices) > self._most_rows:
            hints.append(("PgUp PgDn", "scroll"))
        self.query_one("#hints", Bar).say(key_hints(*hints))
        self._show()
        self.query_one(_Menu).focus()

    def action_move(self, by: int) -> None:
        """Choose another answer."""
        self._place = (self._place + by) % len(self._choices)
        self._show()

    def action_take(self) -> None:
        """Give the chosen answer."""
        self.dismiss(self._place)

    def on_key(self, event: events.Key) -> None:
        """Take a number for an answer."""
        character = event.character or ""
        if character.isdecimal() and 0 < int(character) <= len(self._choices):
            self.dismiss(int(character) - 1)

    def take_line(self, line: int) -> None:
        """Give the answer at a line that was clicked."""
        place = line - len(self._above)
        if 0 <= place < len(self._choices):
            self.dismiss(place)

    def _show(self) -> None:
        lines: list[Line] = [*self._above]
        for number, choice in enumerate(self._choices):
            is_chosen = number == self._place
            key = str(number + 1) if number < _MOST_NUMBERED else " "
            sign = f"▌{key} " if is_chosen else f" {key} "
            lines.append(_cut((Piece(sign, "key"), *choice), self._columns))
        menu = self.query_one(_Menu)
        menu.chosen = len(self._above) + self._place
        menu.styles.height = min(len(lines), self._most_rows)
        menu.show(lines)
        menu.go_to(menu.chosen - self._most_rows + 1)

    @property
    def _columns(self) -> int:
        """The columns of a line in the box."""
        return min(_WIDEST, self.app.size.width * 9 // 10) - 5

    @property
    def _most_rows(self) -> int:
        return max(3, self.app.size.height - 8)


def _cut(line: Line, width: int) -> Line:
    """Cut the last piece of a line, so that the line has a width."""
    room = width - line_width(line[:-1])
    return (*line[:-1], Piece(cut_to_width(line[-1].text, max(1, room)), line[-1].look))


class _Menu(LinesView):
    """The answers of a question."""

    chosen = 0

    def on_click(self, event: events.Click) -> None:
        screen = self.screen
        assert isinstance(screen, Choice)
        screen.take_line(self.line_at(event.y))


class Ask(ModalScreen[str | None]):
    """Asks for a line of text."""

    CSS = "Ask { align: center middle; background: ansi_default 0%; }" + _CSS
    BINDINGS: ClassVar = [Binding("escape,ctrl+c", "dismiss(None)", "back", priority=True)]

    def __init__(self, title: str, text: str = "", hint: str = "") -> None:
        super().__init__()
        self._title = title
        self._text = text
        self._hint = hint

    def compose(self) -> ComposeResult:
        """Put a line to type into a box."""
        with Vertical(id="box"):
            yield Bar(id="question")
            yield Input(self._text, id="typed", compact=True, select_on_focus=False)
            yield Bar(id="hints")

    def on_mount(self) -> None:
        """Show the question."""
        self.query_one("#question", Bar).say((Piece(self._title, "bold"),))
        self.query_one("#hints", Bar).say((Piece(self._hint, "dim"),))
        self.query_one(Input).focus()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Give what was typed."""
        self.dismiss(event.value)
