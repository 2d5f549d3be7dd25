"""The first screen: type, and see what is found; a preview shows where."""

from __future__ import annotations

import time
from functools import partial
from typing import ClassVar

from textual import events
from textual.app import ComposeResult
from textual.binding import Binding
from textual.containers import Container, Horizontal
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Input

from agent_journal.tui.acting import Acting
from agent_journal.tui.asked import Asked, why_empty
from agent_journal.tui.bar import Bar
from agent_journal.tui.completion import Completion, complete
from agent_journal.tui.dialogs import Choice
from agent_journal.tui.finding import Entry, Listing, agents_in_use, find
from agent_journal.tui.hints import FINDER, hints_that_fit
from agent_journal.tui.lines import Line, Piece
from agent_journal.tui.lines_view import LinesView
from agent_journal.tui.preview import Preview, head_lines, is_same_place, load_preview
from agent_journal.tui.result_list import ResultList
from agent_journal.tui.words import BESIDE

REST = 0.3  # seconds without a key after which meaning is searched, too


class QueryLine(Input):
    """The line to type; what is pasted into it becomes one line."""

    def _on_paste(self, event: events.Paste) -> None:
        event.stop()
        event.prevent_default()
        self.insert_text_at_cursor(" ".join(event.text.split()))


class Finder(Acting, Screen[None]):
    """A line to type, a list, and a preview."""

    CSS = """
    Finder { background: ansi_default; layers: base; }
    #top { height: 1; }
    #sign { width: 2; }
    #query { width: 1fr; border: none; height: 1; padding: 0; }
    #count { width: auto; min-width: 20; }
    #middle { layout: vertical; height: 1fr; }
    #middle.beside { layout: horizontal; }
    #list { height: 1fr; width: 1fr; }
    #preview { height: 1fr; width: 1fr; border-top: solid ansi_bright_black; }
    #middle.beside #preview { border-top: none; border-left: solid ansi_bright_black; }
    #middle.alone #preview { display: none; }
    """
    BINDINGS: ClassVar = [
        Binding("up,ctrl+p", "move(-1)", priority=True),
        Binding("down,ctrl+n", "move(1)", priority=True),
        Binding("pageup", "page(-1)", priority=True),
        Binding("pagedown", "page(1)", priority=True),
        Binding("shift+up", "scroll_preview(-1)", priority=True),
        Binding("shift+down", "scroll_preview(1)", priority=True),
        Binding("enter,ctrl+j", "read", priority=True),  # ^J: Enter before the program ran
        Binding("tab", "complete", priority=True),
        Binding("ctrl+r", "scope", priority=True),
        Binding("ctrl+o", "preview", priority=True),
        Binding("ctrl+g", "resume", priority=True),
        Binding("ctrl+y", "copy", priority=True),
        Binding("ctrl+e", "export", priority=True),
        Binding("ctrl+s", "star", priority=True),
        Binding("ctrl+t", "tag", priority=True),
        Binding("ctrl+b", "page_in_browser", priority=True),
        Binding("f1", "help", priority=True),
        Binding("f2", "order", priority=True),
        Binding("f3", "agents", priority=True),
        Binding("f5", "sync", priority=True),
        Binding("escape", "back", priority=True),
    ]

    def __init__(self, asked: Asked, first: Listing) -> None:
        super().__init__()
        self._asked = asked
        self._listing = first
        self._preview: Preview | None = None
        self._completion: Completion | None = None
        self._next_choice = 0
        self._rest: Timer | None = None
        self._is_note = False  # whether the last row says what was done
        self._is_read_then = False  # Enter was pressed before the list was the answer
        self.answered: tuple[Asked, str] | None = None  # what the list is the answer to

    def compose(self) -> ComposeResult:
        """Arrange the screen."""
        with Horizontal(id="top"):
            yield Bar(id="sign")
            yield QueryLine(self._asked.text, id="query", compact=True, select_on_focus=False)
            yield Bar(id="count")
        with Container(id="middle"):
            yield ResultList(id="list")
            yield LinesView(id="preview")
        yield Bar(id="hints")

    def on_mount(self) -> None:
        """Show the newest sessions; search when there are words already."""
        self.query_one("#sign", Bar).say((Piece("> ", "key"),))
        self.query_one("#preview", LinesView).can_focus = False
        query = self.query_one(Input)
        query.cursor_blink = False  # nothing moves, and nothing is drawn, while nobody types
        query.focus()
        self._arrange(self.app.size.width)
        self._show(self._listing, is_kept=False)
        if self._asked.text:
            self.call_after_refresh(self._ask)

    def on_resize(self, event: events.Resize) -> None:
        """Put the preview beside the list, or below it."""
        self._arrange(event.size.width)
        self.show_keys()
        self.call_after_refresh(self._draw_preview)

    # -- what is asked ---------------------------------------------------------------------------

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for what is typed."""
        self._ask_for(event.input.value)  # there may be more of it by now

    def _ask_for(self, text: str) -> None:
        if text == self._asked.text:
            return
        self._is_read_then = False
        self._asked = self._asked._replace(text=text)
        self._ask_anew()

    def on_input_submitted(self, event: Input.Submitted) -> None:
        """Read the chosen session."""
        self.action_read()

    def action_scope(self) -> None:
        """Look in this folder, this project, or everywhere."""
        self._asked = self._asked.next_scope()
        self._ask_anew()

    def action_order(self) -> None:
        """Sort by something else."""
        self._asked = self._asked.next_order()
        self._ask_anew()

    def action_agents(self) -> None:
        """Choose agents."""
        self.journal_app.working.ask(
            lambda journal, search: agents_in_use(journal), self._choose_agents
        )

    def _choose_agents(self, names: list[str]) -> None:
        choices: list[Line] = [(Piece("all agents"),)]
        for name in names:
            sign = "[x] " if name in self._asked.agents else "[ ] "
            choices.append((Piece(sign), Piece(name, f"agent:{name}")))
        self.app.push_screen(Choice("Agents", choices), partial(self._toggle_agent, names))

    def _toggle_agent(self, names: list[str], place: int | None) -> None:
        if place is None:
            return
        agents = self._asked.agents
        if place == 0:
            agents = ()
        elif names[place - 1] in agents:
            agents = tuple(name for name in agents if name != names[place - 1])
        else:
            agents = (*agents, names[place - 1])
        self._asked = self._asked._replace(agents=agents)
        self._ask_anew()

    def _ask_anew(self) -> None:
        """Ask for something else; what Tab offered is no longer offered."""
        self._completion = None
        self._ask()

    def _ask(self, *, is_kept: bool = False) -> None:
        """Search by words at once, and by meaning when nobody has typed for a while."""
        if self._rest is not None:
            self._rest.stop()
        asked = self._asked
        done = partial(self._found, asked, "lexical", is_kept)
        self.journal_app.searching.ask(
            lambda journal, search: find(journal, search, asked, "lexical"), done
        )
        if asked.text.strip():
            self._rest = self.set_timer(REST, partial(self._ask_meaning, asked))

    def _ask_meaning(self, asked: Asked) -> None:
        # A slow start may have skipped the answer by words: then nothing was chosen in it
        is_kept = self.answered is not None and self.answered[0] == asked
        done = partial(self._found, asked, "hybrid", is_kept)
        self.journal_app.searching.ask(
            lambda journal, search: find(journal, search, asked, "hybrid"), done
        )

    def _found(self, asked: Asked, mode: str, is_kept: bool, listing: Listing) -> None:
        if asked == self._asked:
            self.answered = (asked, mode)
            self._show(listing, is_kept=is_kept)
            if self._is_read_then:
                self._is_read_then = False
                self._read(asked.text)

    def refresh_list(self) -> None:
        """Ask again, because the journal has changed."""
        self._ask(is_kept=True)

    # -- what is shown ---------------------------------------------------------------------------

    @property
    def chosen(self) -> Entry | None:
        """The session that keys act on."""
        return self.query_one(ResultList).chosen

    def _show(self, listing: Listing, *, is_kept: bool) -> None:
        self._listing = listing
        self.query_one(ResultList).fill(listing.entries, is_kept=is_kept)
        bar = self.query_one("#count", Bar)
        text = self._count()
        bar.styles.width = len(text) + 1
        bar.say((), (Piece(text, "dim"),))
        if not (is_kept and self._is_note):
            self.show_keys()

    def show_keys(self) -> None:
        """Say in the last row what is wrong, what Tab would put, or which keys there are."""
        listing, completion = self._listing, self._completion
        self._is_note = False
        if completion is not None:  # also for a query that cannot be read yet, such as agent:
            self.say("  ".join(completion.choices) or "nothing to complete", "dim")
        elif listing.problem:
            self.say(listing.problem, "error")
        elif listing.remark:
            self.say(listing.remark)
        elif not listing.entries:
            self.say(why_empty(self._asked), "dim")
        else:
            self.query_one("#hints", Bar).say(hints_that_fit(FINDER, self.app.size.width))

    def _count(self) -> str:
        asked = self._asked
        shown = len(self._listing.entries)
        count = f"{shown:,}"
        if self.answered is None and asked.text:
            count = "searching …"
        elif self._listing.total is None:
            count = f"best {shown:,}"
        elif self._listing.total != shown:
            count = f"{shown:,} of {self._listing.total:,}"
        words = [count, asked.scope]
        if asked.order != "best":
            words.append(asked.order)
        words += asked.agents
        return " " + " · ".join(words)

    def on_result_list_chosen(self) -> None:
        """Load the preview of another session."""
        entry = self.chosen
        if entry is None:
            self.journal_app.previewing.forget()
            self._preview = None
            self._draw_preview()
            return
        self.journal_app.previewing.ask(
            lambda journal, search: load_preview(journal, entry), self._previewed
        )

    def on_result_list_opened(self) -> None:
        """Read a session that was clicked twice."""
        self.action_read()

    def _previewed(self, preview: Preview | None) -> None:
        before, self._preview = self._preview, preview
        self._draw_preview(is_same=is_same_place(before, preview))

    def _draw_preview(self, *, is_same: bool = False) -> None:
        """Draw the preview; where it `is_same`, it stays where it was scrolled to."""
        from agent_journal.tui.pages import make_page

        view = self.query_one("#preview", LinesView)
        if self._preview is None:
            view.show([])
            return
        head = head_lines(self._preview.row, time.time(), view.columns)
        page = make_page(self._preview.blocks, view.columns, {}, self._listing.marker)
        view.show([*head, *page.lines])
        if is_same:
            return
        if self._preview.position is None:
            view.go_to(0)
        else:
            line = page.line_of(self._preview.position)
            hit = page.hit_after(line)
            # The line of the speaker stays in sight where there is room for it
            view.go_to(len(head) + max(line, hit - view.size.height // 2))

    def _arrange(self, width: int) -> None:
        self.query_one("#middle").set_class(width >= BESIDE, "beside")

    def say(self, text: str, look: str = "note") -> None:
        """Say something in the last row, until something else is shown."""
        self._is_note = look == "note"
        self.query_one("#hints", Bar).say((Piece(text, look),))

    # -- keys ------------------------------------------------------------------------------------

    def action_move(self, by: int) -> None:
        """Choose another session."""
        self.show_keys()
        self.query_one(ResultList).move(by)

    def action_page(self, direction: int) -> None:
        """Choose a session one screen further."""
        self.query_one(ResultList).page(direction)

    def action_scroll_preview(self, direction: int) -> None:
        """Scroll the preview."""
        view = self.query_one("#preview", LinesView)
        view.go_to(view.scroll_offset.y + direction * max(1, view.size.height // 2))

    def action_preview(self) -> None:
        """Show or hide the preview."""
        self.query_one("#middle").toggle_class("alone")

    def action_back(self) -> None:
        """Clear the query, or leave."""
        query = self.query_one(Input)
        if query.value and not self.journal_app.is_printing:
            query.value = ""
        else:
            self.app.exit(None)

    def action_read(self) -> None:
        """Read the chosen session at what was found, once all keys before this one were typed."""
        query = self.query_one(Input)
        query.call_later(lambda: self.call_later(self._read, query.value))

    def _read(self, text: str) -> None:
        """Read the chosen session, once the list is the answer to a text."""
        self._ask_for(text)
        if self._is_waiting():
            self._is_read_then = True
            return
        entry = self.chosen
        if entry is None:
            return
        if self.journal_app.is_printing:
            self.journal_app.leave_with(entry.row)
            return
        self.journal_app.read(entry, self._listing.marker)

    def _is_waiting(self) -> bool:
        """Whether the list is still the answer to something else."""
        if self.answered is None:
            return bool(self._asked.text)
        return self.answered[0] != self._asked

    def action_complete(self) -> None:
        """Complete the word before the cursor; again, take the next choice."""
        query = self.query_one(Input)
        completion = self._completion
        if completion is not None and len(completion.choices) > 1:
            choice = completion.choices[self._next_choice % len(completion.choices)]
            self._next_choice += 1
            self._put(completion, choice)
            return
        text, cursor = query.value, query.cursor_position
        self.journal_app.working.ask(
            lambda journal, search: complete(journal, text, cursor), self._completed
        )

    def _completed(self, completion: Completion) -> None:
        self._next_choice = 0
        self._completion = completion
        if len(completion.choices) == 1:
            choice = completion.choices[0]
            space = "" if choice.endswith(":") else " "
            self._put(completion, choice + space)
            self._completion = None
        elif completion.choices:
            self._put(completion, completion.shared)
        self.show_keys()

    def _put(self, completion: Completion, choice: str) -> None:
        query = self.query_one(Input)
        text, cursor = completion.put(query.value, choice)
        self._completion = completion._replace(end=cursor)
        self._asked = self._asked._replace(text=text)
        with query.prevent(Input.Changed):
            query.value = text
        query.cursor_position = cursor
        self._ask()
