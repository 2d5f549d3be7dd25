"""What can be done with a session, the same in the list and in the reader."""

from __future__ import annotations

import os
from functools import partial
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from textual.screen import Screen

from agent_journal.journal import Journal
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.plain import one_line, safe, shell_word
from agent_journal.tui.dialogs import Ask, Choice
from agent_journal.tui.finding import Entry
from agent_journal.tui.lines import Line, Piece, Style, line_width, text_lines

if TYPE_CHECKING:
    from agent_journal.answers.conversion import Continuation
    from agent_journal.tui.app import JournalApp
    from agent_journal.tui.doors import Page

_FORMATS = ("html", "md", "json")
_MOST_FIELDS = 3  # with the same reason that are named


class Copyable(NamedTuple):
    """Something that can be copied, and what it is called."""

    name: str
    text: str


class Acting(Screen[None]):
    """A screen with a chosen session that keys act on."""

    help_first = "The list"  # which keys the help screen begins with
    is_loading_more = False  # nothing else is asked for until it is there
    _seen: object = None  # the state of the journal that it shows

    @property
    def journal_app(self) -> JournalApp:
        """The program."""
        return cast("JournalApp", self.app)

    @property
    def chosen(self) -> Entry | None:
        """The session that keys act on."""
        raise NotImplementedError

    def say(self, text: str, look: str = "note") -> None:
        """Say something to the person."""
        raise NotImplementedError

    def failed(self, text: str) -> None:
        """Say why something did not come; it may be asked for again."""
        self.is_loading_more = False
        self.say(text, "error")

    def show_keys(self) -> None:
        """Name the keys where something was said."""
        raise NotImplementedError

    def refresh_list(self) -> None:
        """Show what the journal has now."""
        raise NotImplementedError

    def look_again(self) -> None:
        """Show what the journal has now, and remember that."""
        self._seen = self.journal_app.state
        self.refresh_list()

    def on_screen_resume(self) -> None:
        """Look again where the journal has changed while another screen was in front."""
        if self._seen is None:
            self._seen = self.journal_app.state
        elif self._seen != self.journal_app.state:
            self.look_again()

    def copyable(self) -> list[Copyable]:
        """What of this screen can be copied, apart from names of the session."""
        return []

    def _row(self) -> SessionRow | None:
        entry = self.chosen
        if entry is None:
            self.say("no session is chosen", "dim")
            return None
        return entry.row

    def action_help(self) -> None:
        """Show all keys."""
        from agent_journal.tui.help import Help

        self.app.push_screen(Help(self.help_first))

    def action_sync(self) -> None:
        """Read new sessions, in a process of its own."""
        self.journal_app.doors.sync()
        self.say("reading new sessions …", "dim")

    # -- copying ---------------------------------------------------------------------------------

    def action_copy(self) -> None:
        """Ask what is to be copied."""
        row = self._row()
        if row is None:
            return
        things = [*self.copyable(), *_names_of(row)]
        choices: list[Line] = [
            (Piece(f"{thing.name:<16}"), Piece(one_line(thing.text, 200), "dim"))
            for thing in things
        ]
        self.app.push_screen(Choice("Copy", choices), partial(self._copied, things))

    def _copied(self, things: list[Copyable], place: int | None) -> None:
        if place is None:
            return
        self.app.copy_to_clipboard(things[place].text)
        self.say(f"copied: {one_line(things[place].text, 120)}")

    # -- resuming --------------------------------------------------------------------------------

    def action_resume(self) -> None:
        """Ask in which agent the session is to be resumed."""
        row = self._row()
        if row is not None:
            self.journal_app.working.ask(
                lambda journal, search: _ways(row), partial(self._choose_way, row)
            )

    def _choose_way(self, row: SessionRow, ways: list[Continuation]) -> None:
        choices: list[Line] = [
            (Piece(f"{way.title:<20}"), Piece(_way_note(row, way), "dim")) for way in ways
        ]
        if not choices:
            self.say("no agent can resume this session", "error")
            return
        done = partial(self._take_way, row, ways)
        self.app.push_screen(Choice("Resume in", choices), done)

    def _take_way(self, row: SessionRow, ways: list[Continuation], place: int | None) -> None:
        if place is None:
            return
        way = ways[place]
        if way.target == row.agent:
            self._leave_for(row, way)
            return
        self.say(f"looking at what {way.title} would lose …", "dim")
        self.journal_app.working.ask(
            lambda journal, search: _with_losses(journal, row, way),
            partial(self._confirm, row),
        )

    def _confirm(self, row: SessionRow, way: Continuation) -> None:
        """Show what would be lost before anything is written."""
        self.show_keys()
        if way.refusal:
            self.say(way.refusal, "error")
            return
        choices: list[Line] = [
            (Piece(f"Write it into the folder of {way.title}, and continue there"),),
            (Piece("Back"),),
        ]

        def confirmed(place: int | None) -> None:
            if place == 0:
                self._leave_for(row, way)

        self.app.push_screen(
            Choice("Resume in another agent", choices, partial(_loss_lines, way)), confirmed
        )

    def _leave_for(self, row: SessionRow, way: Continuation) -> None:
        """Resume the session; without the agent's program, stay and say so."""
        program = _missing_program(way)
        if program:
            self.say(f"{program} is not on PATH: {way.title} is not installed", "error")
            return
        target = None
        if way.target != row.agent:
            target = way.target
        self.journal_app.resume(row, target)

    # -- marks, files, pages ---------------------------------------------------------------------

    def action_star(self) -> None:
        """Star the session, or take its star away."""
        row = self._row()
        if row is not None:
            self.journal_app.writing.ask(
                lambda journal, search: _toggle_star(journal, row), self._marked
            )

    def action_tag(self) -> None:
        """Ask for tags."""
        row = self._row()
        if row is None:
            return
        hint = "words; one that you delete, or write as -word, is taken away"
        tags = "".join(f"{tag} " for tag in row.own_tag_names())
        ask = Ask("Tags", tags, hint)
        self.app.push_screen(ask, partial(self._tagged, row))

    def _tagged(self, row: SessionRow, text: str | None) -> None:
        if text is not None:
            self.journal_app.writing.ask(
                lambda journal, search: _change_tags(journal, row, text.split()), self._marked
            )

    def _marked(self, remark: str) -> None:
        self.journal_app.changed()
        self.say(remark)

    def action_export(self) -> None:
        """Ask for a format, and write the session into the working folder."""
        row = self._row()
        if row is None:
            return
        choices: list[Line] = [
            (Piece("HTML      "), Piece("one page, with pictures; secrets removed", "dim")),
            (Piece("Markdown  "), Piece("text; secrets removed", "dim")),
            (Piece("JSON      "), Piece("everything; secrets removed", "dim")),
        ]
        title = "Export into this folder"
        self.app.push_screen(Choice(title, choices), partial(self._export, row))

    def _export(self, row: SessionRow, place: int | None) -> None:
        if place is None:
            return
        form = _FORMATS[place]
        self.say("exporting …", "dim")
        self.journal_app.writing.ask(
            lambda journal, search: _write_file(journal, row, form), self.say
        )

    def action_page_in_browser(self) -> None:
        """Open the web page of the session."""
        row = self._row()
        if row is not None:
            doors = self.journal_app.doors
            self.say("opening the web page …", "dim")
            self.journal_app.working.ask(lambda journal, search: doors.open_page(row), self._paged)

    def _paged(self, page: Page) -> None:
        """Say that a page was opened; else show its address, which is too long for a row."""
        self.say(page.remark)
        if page.address:
            title = "No browser could be opened here; open this within a minute:"
            ask = Choice(title, [(Piece("Copy the address"),)], partial(_address_lines, page))
            address = Copyable("address", page.address)
            self.app.push_screen(ask, partial(self._copied, [address]))


def _address_lines(page: Page, width: int) -> list[Line]:
    return [*text_lines(page.address, Style(width)), ()]


def _names_of(row: SessionRow) -> list[Copyable]:
    """Return what a session is called, and the commands that continue it."""
    from agent_journal.convert.resuming import command

    name = f"{row.agent}:{row.id}"
    found = [Copyable("id", name), Copyable("resume line", f"aj resume {shell_word(name)}")]
    own = command(row.agent, row.id, row.project_path)
    if own is not None and safe(str(own)) == str(own):
        found.append(Copyable("own command", str(own)))
    found.append(Copyable("show", f"aj show {shell_word(name)}"))
    return found


def _way_note(row: SessionRow, way: Continuation) -> str:
    if _missing_program(way):
        return "not installed"
    if way.target == row.agent:
        return "goes on where it ended, in its folder"
    return "a copy of the session; its losses are shown"


def _missing_program(way: Continuation) -> str:
    """Return the program that runs an agent, where it is not on PATH."""
    import shutil

    from agent_journal.convert.resuming import find_method

    method = find_method(way.target)
    if method is None or not method.argv or shutil.which(method.argv[0]):
        return ""
    return method.argv[0]


def _ways(row: SessionRow) -> list[Continuation]:
    """Return the agents that can continue a session: its own, then others."""
    from agent_journal.answers.conversion import Continuation, continuations, resume_command
    from agent_journal.convert.resuming import find_method
    from agent_journal.convert.targets import TARGETS

    ways = []
    own = resume_command(row)
    method = find_method(row.agent)
    if own is not None and method is not None:
        ways.append(Continuation(row.agent, method.title, own))
    ways += [way for way in continuations(row) if TARGETS[way.target].agent is not None]
    return ways


def _with_losses(journal: Journal, row: SessionRow, way: Continuation) -> Continuation:
    from agent_journal.answers.conversion import with_losses

    return with_losses(journal, row, way)


def _loss_lines(way: Continuation, width: int) -> list[Line]:
    """Return what would be lost, fields of a kind with the same reason together."""
    if not way.losses:
        return [(Piece("Nothing is lost.", "added"),), ()]
    reasons: dict[tuple[str, str], list[str]] = {}
    for loss in way.losses:
        group, _, field = loss.field.partition(".")
        reasons.setdefault((group, loss.why), []).append(field)
    lines: list[Line] = [(Piece(f"Lost in {way.title}:", "bold"),)]
    for (group, why), fields in reasons.items():
        what = ", ".join(filter(None, fields))
        if len(fields) > _MOST_FIELDS:
            what = f"{len(fields)} fields"
        named = Piece(one_line(f"  {group}: {what}", 60), "removed")
        why = one_line(why, 200)
        if line_width((named,)) + len(why) + 2 <= width:
            lines.append((named, Piece(f"  {why}", "dim")))
        else:
            lines += [(named,), *text_lines(why, Style(width, "      ", "dim"))]
    return [*lines, ()]


def _toggle_star(journal: Journal, shown: SessionRow) -> str:
    from agent_journal.store import marking

    row = _at_present(journal, shown)
    if row.starred_at is None:
        marking.star(journal.config.marks_path, [row])
        return "starred"
    marking.unstar(journal.config.marks_path, [row])
    return "the star is gone"


def _at_present(journal: Journal, shown: SessionRow) -> SessionRow:
    """The session as it is now: the screen may not yet show the marks given a moment ago."""
    return journal.row(f"{shown.agent}:{shown.id}")


def _change_tags(journal: Journal, shown: SessionRow, words: list[str]) -> str:
    from agent_journal.store import marking

    row = _at_present(journal, shown)
    unwanted = [word[1:] for word in words if word.startswith("-") and len(word) > 1]
    typed = [word.removeprefix("#") for word in words if not word.startswith("-")]
    wanted = [word for word in dict.fromkeys(typed) if word not in unwanted]
    unwanted += [tag for tag in shown.own_tag_names() if tag not in wanted]  # deleted in the line
    path = journal.config.marks_path
    marking.untag(path, [row], unwanted)
    marking.tag(path, [row], wanted)
    gone = {word.casefold() for word in unwanted}
    names = {tag for tag in row.own_tag_names() if tag.casefold() not in gone}.union(wanted)
    return "tags: " + (" ".join(f"#{tag}" for tag in sorted(names, key=str.casefold)) or "none")


def _write_file(journal: Journal, row: SessionRow, form: Any) -> str:
    """Write a session into the working folder, and say where; nothing is overwritten."""
    from agent_journal.answers.session_file import session_file, session_file_name
    from agent_journal.errors import UsageError
    from agent_journal.export.files import write_file

    name = session_file_name(row, form)
    if os.path.lexists(name):  # said here, because a row cuts the end of a long name
        raise UsageError(f"already exists: {safe(name)}", "remove it first")
    write_file(name, session_file(journal, row, form), False)
    return f"written: {safe(name)}"
