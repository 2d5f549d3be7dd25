"""How `aj blame` shows lines and who wrote them."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from agent_journal.answers.answer import Answer
from agent_journal.cli.output import Screen, agent_colour, current_screen, echo, note, style
from agent_journal.cli.table import Table
from agent_journal.text.dates import parse_time, to_micros
from agent_journal.text.human import plural, short_ids
from agent_journal.text.plain import one_line, safe
from agent_journal.text.width import cut_at_word, cut_to_width, display_width

_CLASS_WIDTH = 7
_MOST_TOLD = 64  # columns for the session and its prompt, on a terminal
_LEAST_TEXT = 20  # columns for the line itself
_LONGEST = 40  # letters of a prompt
_MOST_WORDS = 300  # letters of what the agent said
_MOST_NAMED = 5  # sessions of one line: the JSON has more of them
_GAP = "  "


def print_blame(answer: Answer, *, plain: bool) -> None:
    """Print each line with its class, its session and its prompt."""
    items = answer.items
    names = short_names(items)
    if plain:
        _plain_table(items).print(plain=True)
        return
    screen = current_screen()
    tellings = _Tellings(names)
    told = [tellings.of(item) for item in items]
    layout = _layout(items, told, screen.width)
    column = _ToldColumn(layout.told, screen)
    edit = None
    for item, text in zip(items, told, strict=True):
        echo(_line(item, column.of(text, _colour(item)), layout))
        if item["words"] and item["edit"] != edit:
            echo("      " + one_line(item["words"], _MOST_WORDS))
        if item["others"] and item["class"] != "several":
            echo("      or " + _all_named(item["others"], names))
        edit = item["edit"]
    _note_shares(items)


class _Layout(NamedTuple):
    """How wide the columns are; None: the text of a line is not cut."""

    number: int
    told: int
    text: int | None


def _layout(items: Sequence[Mapping[str, Any]], told: list[str], width: int | None) -> _Layout:
    number = max((len(str(item["line"])) for item in items), default=1)
    widest = max(map(display_width, set(told)), default=0)
    if width is None:
        return _Layout(number, widest, None)
    left = width - number - _CLASS_WIDTH - 3 * len(_GAP)
    widest = max(_LEAST_TEXT, min(widest, _MOST_TOLD, left // 2))
    return _Layout(number, widest, max(_LEAST_TEXT, left - widest))


class _Tellings:
    """What is said of each line: many lines are of one edit, of which it is worked out once."""

    def __init__(self, names: Mapping[str, str]) -> None:
        self._names = names
        self._of_edits: dict[int, str] = {}

    def of(self, item: Mapping[str, Any]) -> str:
        """The session and its prompt, or why there is none."""
        if item["class"] == "several" or item["session"] is None:
            return _told(item, self._names)
        edit = item["edit"]
        if edit not in self._of_edits:
            self._of_edits[edit] = _told(item, self._names)
        return self._of_edits[edit]


class _ToldColumn:
    """The column with what is said of a line, cut and filled; each text once."""

    def __init__(self, width: int, screen: Screen) -> None:
        self._width = width
        self._screen = screen
        self._known: dict[tuple[str, tuple[str, ...]], str] = {}

    def of(self, told: str, colour: tuple[str, ...]) -> str:
        """A text as it stands in the column."""
        key = (told, colour)
        if key not in self._known:
            cut = cut_at_word(told, self._width)
            filling = " " * (self._width - display_width(cut))
            self._known[key] = style(cut, *colour, on=self._screen.colour) + filling
        return self._known[key]


def _line(item: Mapping[str, Any], told: str, layout: _Layout) -> str:
    """One line of the file; its own white space stays."""
    text = _text(item["text"])
    if layout.text is not None and display_width(text) > layout.text:
        text = cut_to_width(text, layout.text)
    number = str(item["line"]).rjust(layout.number)
    return _GAP.join((number, item["class"].ljust(_CLASS_WIDTH), told, text)).rstrip()


def short_names(items: Sequence[Mapping[str, Any]]) -> dict[str, str]:
    """Return how each session is called: as many letters of its id as tell them apart."""
    ids: dict[str | None, None] = {}
    for item in items:
        ids[item["session"]] = None
        ids[item.get("hint_session")] = None
        for other in item.get("others", ()):
            ids[other["session"]] = None
    named = [uid for uid in ids if uid]
    return dict(zip(named, short_ids(named), strict=True))


def short_day(timestamp: str | None) -> str:
    """Return a day as people write it: `12 May`, and the year of another one."""
    micros = to_micros(parse_time(timestamp))
    if micros is None:
        return "?"
    local = time.localtime(micros / 1_000_000)
    day = f"{local.tm_mday} {time.strftime('%b', local)}"
    if local.tm_year != time.localtime().tm_year:
        day += f" {local.tm_year}"
    return day


def _told(item: Mapping[str, Any], names: Mapping[str, str]) -> str:
    if item["class"] == "several":
        return _all_named(item["others"], names)
    if item["session"] is None:
        return no_session(item, names)
    words = [_named(item, names), short_day(item["timestamp"])]
    if item["prompt"] is not None:
        words.append(f"“{one_line(item['prompt']['text'], _LONGEST)}”")
    return " ".join(words)


def no_session(item: Mapping[str, Any], names: Mapping[str, str]) -> str:
    """Return what is said of a line that no session wrote, with the hint, which is no answer."""
    told = "no recorded session"
    if item["hint"]:
        told += f"; {item['hint']}"
    if item["hint_session"]:
        told += f" {names[item['hint_session']]}"
    return told


def _all_named(others: Sequence[Mapping[str, Any]], names: Mapping[str, str]) -> str:
    """The newest sessions of a line, and whether there are more."""
    told = ", ".join(_named(other, names) for other in others[:_MOST_NAMED])
    if len(others) > _MOST_NAMED:
        told += " and others"
    return told


def _named(item: Mapping[str, Any], names: Mapping[str, str]) -> str:
    return f"{safe(item['agent'])} {names[item['session']]}"


def _text(text: str) -> str:
    return safe(text.rstrip()).expandtabs(4)


def _colour(item: Mapping[str, Any]) -> tuple[str, ...]:
    if item["agent"] is None:
        return ("dim",)
    return (agent_colour(item["agent"]),)


def _note_shares(items: Sequence[Mapping[str, Any]]) -> None:
    """Print how many lines sessions wrote, beside those that nobody can be named for."""
    known = sum(item["session"] is not None for item in items)
    text = f"{known:,} of {plural(len(items), 'line')} written by recorded sessions"
    unclear = sum(item["class"] == "several" for item in items)
    if unclear:
        text += f", and {unclear:,} by one of several"
    note(text)


def _plain_table(items: Sequence[Mapping[str, Any]]) -> Table:
    table = Table(())
    for item in items:
        prompt = item["prompt"] or {"text": ""}
        table.add(
            str(item["line"]),
            item["class"],
            item["agent"] or "",
            item["session"] or "",
            item["timestamp"] or "",
            prompt["text"],
            safe(item["text"]),
        )
    return table
