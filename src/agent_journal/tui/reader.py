"""A session on the whole screen: read, fold, find, and see it grow.

Only a part of a long session is loaded: what is on the screen, and some messages before and after.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.widgets import Input

from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.plain import one_line
from agent_journal.tui.acting import Acting, Copyable
from agent_journal.tui.asked import following
from agent_journal.tui.bar import Bar
from agent_journal.tui.finding import Entry
from agent_journal.tui.hints import PANE, READER, hints_that_fit
from agent_journal.tui.lines import Piece
from agent_journal.tui.panes import changes_lines, usage_lines
from agent_journal.tui.session_line import project_name
from agent_journal.tui.session_part import (
    LAST,
    Part,
    Place,
    find_from,
    load_again,
    load_at,
    load_beside,
    next_position,
)
from agent_journal.tui.talk import Talk
from agent_journal.tui.words import DEPTHS, STORY

if TYPE_CHECKING:
    from agent_journal.journal import Journal
    from agent_journal.search.marks import Marker

_NEAR = 30  # lines from the end of what is loaded at which more is loaded


class Reader(Acting):
    """One session."""

    help_first = "A session"
    CSS = """
    Reader { background: ansi_default; }
    #talk { height: 1fr; }
    #find { border: none; height: 1; padding: 0; }
    """
    BINDINGS: ClassVar = [
        Binding("escape,q", "back"),
        Binding("j", "block(1)"),
        Binding("k", "block(-1)"),
        Binding("J", "prompt(1)"),
        Binding("K", "prompt(-1)"),
        Binding("g", "beginning"),
        Binding("G", "end"),
        Binding("enter,f", "fold"),
        Binding("d", "depth"),
        Binding("slash", "find", priority=True),  # what is typed after it is for the line
        Binding("n", "again(1)"),
        Binding("N", "again(-1)"),
        Binding("c", "pane('changes')"),
        Binding("u", "pane('usage')"),
        Binding("y,ctrl+y", "copy"),
        Binding("r,ctrl+g", "resume"),
        Binding("e,ctrl+e", "export"),
        Binding("s,ctrl+s", "star"),
        Binding("t,ctrl+t", "tag"),
        Binding("o,ctrl+b", "page_in_browser"),
        Binding("f1,question_mark", "help"),
        Binding("f5", "sync"),
    ]

    def __init__(self, entry: Entry, marker: Marker | None) -> None:
        super().__init__()
        self._entry = entry
        self._marker = marker  # of the search that led here
        self._words: tuple[str, ...] = ()  # that are looked for
        self._part: Part | None = None
        self._depth = STORY
        self.is_loading_more = False  # nothing else is asked for until it is there
        self._new = 0  # messages that came since, and are not shown

    def compose(self) -> ComposeResult:
        """Arrange the screen."""
        yield Bar(id="head")
        yield Talk(self._marker, id="talk")
        yield Input(id="find", placeholder="find in this session", compact=True)
        yield Bar(id="hints")

    def on_mount(self) -> None:
        """Load what was found, or the beginning."""
        self.show_keys()
        self.query_one("#find", Input).display = False
        self._talk.focus()
        self._head()
        self._load(None, self._go_to_found)

    def on_resize(self) -> None:
        """Break the lines elsewhere."""
        self.show_keys()
        self.call_after_refresh(self._talk.lay_out_again)

    @property
    def _talk(self) -> Talk:
        return self.query_one(Talk)

    @property
    def chosen(self) -> Entry | None:
        """The session that keys act on."""
        return self._entry

    @property
    def row(self) -> SessionRow:
        """The session."""
        return self._entry.row

    def say(self, text: str, look: str = "note") -> None:
        """Say something in the last row."""
        self.query_one("#hints", Bar).say((Piece(text, look),))

    def show_keys(self) -> None:
        """Name the keys in the last row."""
        hints = PANE if self._talk.pane else READER
        self.query_one("#hints", Bar).say(hints_that_fit(hints, self.app.size.width))

    # -- loading ---------------------------------------------------------------------------------

    def _load(self, position: int | None, then: Callable[[Part], None]) -> None:
        """Load the messages around a position, or around what was found."""
        entry, depth = self._entry, self._depth
        self.is_loading_more = True  # what is loaded for the scroll bar must not replace this

        def done(part: Part | None) -> None:
            self.is_loading_more = False
            if part is None:
                self.say("this session is gone", "error")
                return
            self._show_part(part)
            then(part)
            self._head()

        self.journal_app.reading.ask(
            lambda journal, search: load_at(journal, entry, position, depth), done
        )

    def _go_to_found(self, part: Part) -> None:
        if part.found is not None:
            self._talk.go_to_position(part.found, is_hit=True)

    def _load_position(self, position: int, *, is_hit: bool = False) -> None:
        """Show the message at a position, which may not be loaded yet."""
        part = self._part
        if part is not None and part.first <= position <= part.last:
            self._talk.go_to_position(position, is_hit=is_hit)
            return
        self._load(position, lambda part: self._talk.go_to_position(position, is_hit=is_hit))

    def _show_part(self, part: Part) -> None:
        self.is_loading_more = False
        self._part = part
        self._entry = self._entry._replace(row=part.row)
        self._new = 0
        self._talk.lay_out(part.blocks)

    def on_talk_scrolled(self) -> None:
        """Load more messages where what is loaded ends."""
        part = self._part
        if part is None or self.is_loading_more:
            return
        talk = self._talk
        top = talk.scroll_offset.y
        if top < _NEAR and part.has_before:
            self._load_beside(part, -1)
        elif top + talk.size.height > len(talk.page.lines) - _NEAR and part.has_after:
            self._load_beside(part, 1)
        self._head()

    def _load_beside(self, part: Part, direction: int) -> None:
        self.is_loading_more = True
        depth = self._depth

        def done(more: Part) -> None:
            anchor = self._talk.top_block()
            self._show_part(more)
            self._talk.return_to(anchor)

        self.journal_app.reading.ask(
            lambda journal, search: load_beside(journal, part, direction, depth), done
        )

    def refresh_list(self) -> None:
        """Show what has come, where the end is on the screen; else say how much it is."""
        part = self._part
        if part is None:
            return
        if self.is_loading_more:
            return  # it loads what the journal has now
        is_at_end = self._talk.is_at_end() and not part.has_after
        entry, depth = self._entry, self._depth
        self.is_loading_more = True

        def done(newer: Part | None) -> None:
            self.is_loading_more = False
            if newer is None:
                return
            came = newer.total - part.total
            if came > 0 and not is_at_end:
                self._new = came
                self._head()
                return
            anchor = self._talk.top_block()
            self._show_part(newer)
            self._talk.return_to(anchor)
            if is_at_end and (came > 0 or not self._talk.is_at_end()):
                self._talk.go_to_end()
            self._head()

        def load(journal: Journal, search: object) -> Part | None:
            if is_at_end:
                return load_at(journal, entry, LAST, depth)
            return load_again(journal, part, depth)

        self.journal_app.reading.ask(load, done)

    def _head(self) -> None:
        row, part = self.row, self._part
        right = [self._depth]
        if part is not None and part.total:
            position = self._talk.position()
            is_end = self._talk.is_at_end() and not part.has_after
            if position is None or is_end:
                position = part.last
            right.insert(0, f"{part.number_of(position):,}/{part.total:,}")
        pieces = [Piece(" " + (one_line(row.title, 200) or "(no title)"), "bold")]
        pieces.append(Piece(f"  {row.agent}  {project_name(row)}", "dim"))
        ending = [Piece(f"  {' · '.join(right)} ", "dim")]
        if self._new:
            ending.insert(0, Piece(f"  ● {self._new:,} new ↓", "live"))
        self.query_one("#head", Bar).say(tuple(pieces), tuple(ending))

    # -- keys ------------------------------------------------------------------------------------

    def action_back(self) -> None:
        """Go back: from a pane to the conversation, from there to the list."""
        if not self._talk.pane:
            self.app.pop_screen()
            return
        self._talk.close_pane()
        self.show_keys()

    def action_block(self, by: int) -> None:
        """Go to the next or the previous block."""
        self._talk.choose_next(by)

    def action_prompt(self, by: int) -> None:
        """Go to the next or the previous thing that the person wrote."""
        block = self._talk.choose_in_sight()
        if self._part is None or block is None:
            return
        position = next_position(self._part.prompts, block.position, by)
        if position is not None:
            self._load_position(position)

    def action_beginning(self) -> None:
        """Go to the first message."""
        if self._talk.pane:
            self._talk.go_to(0)
        elif self._part is not None and self._part.total:
            self._load_position(self._part.positions[0])

    def action_end(self) -> None:
        """Go to the last message, and stay at the end."""
        if self._talk.pane:
            self._talk.go_to(len(self._talk.lines))
            return
        self._load(LAST, lambda part: self._talk.go_to_end())

    def action_fold(self) -> None:
        """Open or fold the block."""
        self._talk.toggle()

    def on_talk_followed(self, event: Talk.Followed) -> None:
        """Read a sub-agent."""
        if event.block.child is not None:
            self.is_loading_more = False  # the other one asks the same thread
            self.journal_app.read(Entry(event.block.child), self._marker)

    def action_depth(self) -> None:
        """Show more, or less again."""
        self._depth = following(DEPTHS, self._depth)
        block = self._talk.choose_in_sight()
        self._talk.unfold_as_depth_says()
        position = 0
        if block is not None:
            position = block.position
        self._load(position, lambda part: self._talk.go_to_position(position, is_hit=False))

    def copyable(self) -> list[Copyable]:
        """The message or call that is chosen, and its command."""
        block = self._talk.choose_in_sight()
        if block is None:
            return []
        things = (("message", block.text), ("command", block.command))
        return [Copyable(name, text) for name, text in things if text]

    # -- finding ---------------------------------------------------------------------------------

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Let a slash be typed where one is looking for it, and keep a pane in its place."""
        if action in ("depth", "find", "again") and self._talk.pane:
            return False
        return action != "find" or not self.query_one("#find", Input).has_focus

    def action_find(self) -> None:
        """Ask what is to be found."""
        find = self.query_one("#find", Input)
        find.display = True
        find.value = " ".join(self._words)
        self.set_focus(find)  # at once: the next key is for it

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Find what was typed."""
        from agent_journal.search.marks import Marker, folded

        event.stop()
        self._close_find()
        self._words = tuple(folded(event.value).split())
        self._talk.marker = Marker(self._words)
        self._talk.lay_out_again()
        self._look(1, is_first=True)

    def on_key(self, event: events.Key) -> None:
        """Leave the line for finding with Esc."""
        find = self.query_one("#find", Input)
        if event.key == "escape" and find.has_focus:
            event.stop()
            event.prevent_default()
            self._close_find()

    def _close_find(self) -> None:
        self.query_one("#find", Input).display = False
        self.set_focus(self._talk)

    def action_again(self, direction: int) -> None:
        """Go to the next or the previous message with the words."""
        self._look(direction)

    def _look(self, direction: int, *, is_first: bool = False) -> None:
        """Look for the words; first also in the message that is chosen."""
        words = self._words
        if not words and self._marker is not None:
            words = tuple(self._marker.words)
        block = self._talk.choose_in_sight()
        if not words or self._part is None or block is None:
            self.say("/ finds words in this session", "dim")
            return
        entry, here = self._entry, block.position
        if is_first:
            here -= 1
        self.say("looking …", "dim")
        self.is_loading_more = True
        self.journal_app.reading.ask(
            lambda journal, search: find_from(journal, search, entry.row, words, here, direction),
            partial(self._found, " ".join(words)),
        )

    def _found(self, words: str, place: Place | None) -> None:
        self.is_loading_more = False
        if place is None:
            self.say(f"no message of this session has {words}", "dim")
            return
        self.show_keys()
        if place.is_round:
            self.say("that was the last place; on from the other end", "dim")
        self._load_position(place.position, is_hit=True)

    # -- panes -----------------------------------------------------------------------------------

    def action_pane(self, name: str) -> None:
        """Show what changed or what was used; the same key leads back."""
        if self._talk.pane == name:
            self.action_back()
            return
        self._talk.open_pane(name)
        self.show_keys()
        row, width = self.row, self._talk.columns
        make = changes_lines if name == "changes" else usage_lines
        # In another thread than the conversation, which may still be loading
        self.journal_app.previewing.ask(
            lambda journal, search: make(journal, row, width),
            partial(self._talk.show_pane, name),
        )
