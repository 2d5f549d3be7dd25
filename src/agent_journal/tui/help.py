"""The help screen: every key, and what a query may have."""

from __future__ import annotations

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding
from textual.screen import Screen

from agent_journal.text.width import pad_to_width
from agent_journal.tui.bar import Bar
from agent_journal.tui.hints import key_hints
from agent_journal.tui.lines import Line, Piece
from agent_journal.tui.lines_view import LinesView

FINDING = (
    ("type", "search as you type, in the language of docs/query.md"),
    ("↑ ↓  ^P ^N", "choose a session; PgUp and PgDn by a screen"),
    ("Enter", "read the session, at what was found"),
    ("Tab", "complete a field or its value; again for the next one"),
    ("^R", "this folder, this project, everything"),
    ("F2", "order: best, newest, oldest, cost, messages, longest"),
    ("F3", "choose agents"),
    ("^O", "show or hide the preview"),
    ("Shift ↑ ↓", "scroll the preview"),
    ("^G", "resume in its agent or in another one"),
    ("^Y", "copy the id, a command or the resume line"),
    ("^E", "export as HTML, Markdown or JSON"),
    ("^S", "star, or take the star away"),
    ("^T", "tag"),
    ("^B", "open the web page of the session"),
    ("F5", "read new sessions from the agents' folders"),
    ("^Z", "suspend; 'fg' continues"),
    ("Esc", "clear the query, then leave"),
    ("^C", "leave"),
)
READING = (
    ("↑ ↓  PgUp PgDn", "scroll"),
    ("j k", "next and previous block"),
    ("J K", "next and previous prompt"),
    ("g G  Home End", "beginning; end, where new messages are followed"),
    ("Enter f", "open or fold the block; on a sub-agent, read it"),
    ("d", "depth: Story, Steps, Everything"),
    ("/", "find; n and N go on"),
    ("c", "what changed in files"),
    ("u", "tokens and cost"),
    ("y", "copy the message, command, id or resume line"),
    ("r e s t o", "resume, export, star, tag, open the web page"),
    ("q Esc", "back"),
)
QUERY = (
    ("words", 'flaky retry   "exact words"   pre*   -without   a OR b'),
    ("fields", "agent: project: branch: model: tool: file: tag: role: kind:"),
    ("states", "is:prompt is:failed is:starred is:waiting   has:image"),
    ("dates", "date:2d   since:last-monday   date:2026-01..2026-03"),
    ("numbers", "cost:>5   messages:>100"),
)
_KEYS = 18  # columns


class Help(Screen[None]):
    """Everything that a key does."""

    CSS = "Help { background: ansi_default; }"
    BINDINGS: ClassVar = [Binding("escape,q,f1,question_mark,ctrl+c", "dismiss", "back")]

    def __init__(self, first: str = "The list") -> None:
        super().__init__()
        self._first = first

    def compose(self) -> ComposeResult:
        """Show a page of lines."""
        yield Bar(id="head")
        yield LinesView(id="lines")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        """Fill the page."""
        self.query_one("#head", Bar).say((Piece(" Keys", "bold"),))
        self.query_one("#hints", Bar).say(key_hints(("↑↓", "scroll"), ("Esc", "back")))
        view = self.query_one(LinesView)
        view.show(help_lines(self._first))
        view.focus()


def help_lines(first: str = "The list") -> list[Line]:
    """Return all keys as lines, those of the screen that was in front first."""
    lines: list[Line] = []
    parts = [("The list", FINDING), ("A session", READING), ("Queries", QUERY)]
    parts.sort(key=lambda part: part[0] != first)
    for title, rows in parts:
        lines += [(), (Piece(f" {title}", "speaker"),)]
        for key, meaning in rows:
            lines.append((Piece("  " + pad_to_width(key, _KEYS), "key"), Piece(meaning)))
    return lines
