"""Snippets: the part of a hit that has the words of the query, on one line."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from typing import NamedTuple

from agent_journal.search.marks import Mark, Marker, folded
from agent_journal.text.plain import one_line, safe
from agent_journal.text.width import ELLIPSIS, cut_at_word, cut_path, cut_to_width, display_width

WIDTH = 200  # columns, where no terminal says how many there are
_LONG = 100_000  # letters
_MOST_LETTERS = 4  # in a column: a letter and its marks
_LONGEST_NAME = 40
_LONGEST_PATH = 500
_MOST_ADDITIONS = 2
_FEWEST = 12  # columns that are worth filling
_NEARBY = 40  # marks that one window is compared by
_RULES = re.compile(r"([-=*_#~─═.])\1{7,}")  # lines that somebody drew
_LINE_NUMBERS = re.compile(r"^ *\d+→", re.MULTILINE)  # before the lines of files that were read
_SPACES = re.compile(r"[ \t\r\f\v\xa0]+")
# The beginning of a line or of a sentence
_BEGINNING = re.compile(r"\n\s*|[.!?。！？]\s+|· ")


class Part(NamedTuple):
    """One of the texts of a hit, and what is written between it and the one before."""

    text: str
    lead: str = " "


class Snippet(NamedTuple):
    """A piece of a text, with the places of the words in it."""

    text: str
    marks: list[tuple[int, int]]


class _Window(NamedTuple):
    """The marks that are shown together, from the first to the last."""

    first: int
    last: int
    terms: frozenset[int]


class _Rated(NamedTuple):
    """A part, its best window, and how much of the query that has."""

    text: str
    lead: str
    window: _Window | None
    terms: frozenset[int]


def snippet(name: str, parts: Sequence[Part], marker: Marker, width: int = WIDTH) -> Snippet:
    """Return the places of a hit that have the most words of a query, with the words marked.

    The first part says what it is about (a message, a command, a path) and is always there; of the
    others, the one that has most of what the first one lacks.
    """
    head = ""
    if name:
        head = cut_to_width(one_line(name, _LONGEST_NAME), _LONGEST_NAME) + "  "
    room = width - display_width(head)
    main, *others = [_rated(part, marker, width) for part in parts]
    known = main.terms | marker.terms_in(head)
    additions = _additions(others, known, marker)
    if additions:
        text = head + _with_additions(main, additions, room)
    else:
        text = head + _filled(main, others, room)
    text = text.strip()
    return Snippet(text, [(mark.start, mark.end) for mark in marker.marks(text)])


def _additions(others: list[_Rated], known: frozenset[int], marker: Marker) -> list[_Rated]:
    """Return the parts that have words which are not shown yet, in their order.

    Of two that have as much to add, the later one comes first: results say more than options.
    """
    chosen: list[int] = []
    for _ in range(_MOST_ADDITIONS):
        gains = [marker.weight(part.terms - known) for part in others]
        most = max(gains, default=0)
        if not most:
            break
        best = max(number for number, gain in enumerate(gains) if gain == most)
        chosen.append(best)
        known |= others[best].terms
    return [others[number] for number in sorted(chosen)]


def _with_additions(main: _Rated, additions: list[_Rated], room: int) -> str:
    """Return the first part, in at most a third of the room, and the others in the rest."""
    text = _shown(main, room // 3)
    for number, part in enumerate(additions):
        lead = part.lead
        if not text:
            lead = ""
        rest = room - display_width(text) - len(lead)
        share = rest // (len(additions) - number)
        text += lead + _shown(part, share)
    return text


def _filled(main: _Rated, others: list[_Rated], room: int) -> str:
    """Return the first part; where that is short, the beginning of the last one follows."""
    text = _shown(main, room)
    if text.endswith(ELLIPSIS):
        return text
    if not others or not others[-1].text:
        return text
    last = others[-1]
    if not text:
        return _shown(last, room)
    rest = room - display_width(text) - len(last.lead)
    if rest < _FEWEST:
        return text
    return text + last.lead + _shown(last, rest)


# -- one part ----------------------------------------------------------------------------------


def _rated(part: Part, marker: Marker, width: int) -> _Rated:
    text = part.text
    if len(text) > _LONG:
        text = _neighbourhood(text, marker)
    text = _LINE_NUMBERS.sub("", _SPACES.sub(" ", safe(text)))
    text = _RULES.sub(r"\1\1\1", text).strip()
    window = _best_window(marker.marks(text), marker, width * 3 // 4)
    terms: frozenset[int] = frozenset()
    if window is not None:
        terms = window.terms
    return _Rated(text, part.lead, window, terms)


def _neighbourhood(text: str, marker: Marker) -> str:
    """The part of a very long text around the first term; folding all of it would take seconds."""
    first = _first_place(text.lower(), [term.lower() for term in marker.terms])
    if first is None:  # look again without accents
        plain = folded(text[: 20 * _LONG])
        first = _first_place(plain, [folded(term) for term in marker.terms])
    start = max(0, (first or 0) - _LONG // 2)
    return text[start : start + _LONG]


def _first_place(text: str, terms: list[str]) -> int | None:
    places = [text.find(term) for term in terms]
    return min((place for place in places if place >= 0), default=None)


def _best_window(marks: list[Mark], marker: Marker, letters: int) -> _Window | None:
    """Return the marks close together that weigh most; of equal ones the rarest and closest."""
    times = Counter(mark.term for mark in marks)
    if len(times) == 1:
        first = marks[0]
        return _Window(first.start, first.end, frozenset(times))
    most: tuple[float, float, int] | None = None
    best = None
    for number, first in enumerate(marks):
        nearby = [
            mark for mark in marks[number : number + _NEARBY] if mark.end - first.start <= letters
        ]
        terms = frozenset(mark.term for mark in nearby)
        if not nearby:
            continue
        last = _last_needed(nearby)
        rarity = sum(len(marker.terms[term]) / times[term] for term in terms)
        rating = (marker.weight(terms), rarity, first.start - last)
        if most is None or rating > most:
            most = rating
            best = _Window(first.start, last, terms)
    return best


def _last_needed(marks: list[Mark]) -> int:
    """Return where the last of the terms is that were not there before."""
    seen: set[int] = set()
    end = marks[0].end
    for mark in marks:
        if mark.term not in seen:
            seen.add(mark.term)
            end = mark.end
    return end


def _shown(part: _Rated, width: int) -> str:
    """Return the window of a part on one line: from the beginning of a line, cut at words."""
    text = part.text
    if len(text) <= width * _MOST_LETTERS:
        whole = _joined(text)
        if display_width(whole) <= width:
            return whole
    if _is_path(text):
        file_name = cut_path(text, width)
        if part.window is None or part.window.first > len(text) - len(file_name):
            return file_name
    letters = _letters(text, width)
    start = 0
    if part.window is not None:
        start = _start(text, part.window, letters)
    end = start + letters + width  # more than fits, since spaces are left out
    line = _joined(text[start:end])
    if start > 0:
        line = ELLIPSIS + line
    if end < len(text):
        line += ELLIPSIS
    return cut_at_word(line, width)


def _is_path(text: str) -> bool:
    """Whether a text is one word with folders: its end says most."""
    if len(text) > _LONGEST_PATH or any(map(str.isspace, text)):
        return False
    return "/" in text or "\\" in text


def _letters(text: str, width: int) -> int:
    """Return about how many letters of a text fill a width."""
    sample = text[:1000]
    letters = width * len(sample) // max(1, display_width(sample))
    return max(1, min(letters, width * _MOST_LETTERS))


def _start(text: str, window: _Window, letters: int) -> int:
    """Return where to begin so that a window is shown as a whole, if possible with its sentence."""
    margin = letters // 10
    earliest = max(window.first - letters // 2, window.last + margin - letters)
    if len(text) <= earliest + letters:
        earliest = min(earliest, len(text) - letters + 1)
    if earliest <= 0:
        return 0
    earliest = min(earliest, window.first)
    beginnings = [found.end() for found in _BEGINNING.finditer(text, earliest, window.first)]
    if beginnings:
        return beginnings[-1]
    space = text.find(" ", earliest, window.first)
    if space < 0:
        return earliest
    return space + 1


def _joined(text: str) -> str:
    return " ".join(text.split())
