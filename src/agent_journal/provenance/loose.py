"""Lines that a formatter has changed since: sought without spaces and quotes, then by similarity.

Only in the session of a line beside them, and only in its edits of the same file.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from functools import cached_property
from typing import TYPE_CHECKING

from agent_journal.model import FileEdit
from agent_journal.model.written_lines import (
    LEAST_LETTERS,
    WrittenLine,
    collapsed,
    says_enough,
    written_lines,
)
from agent_journal.provenance.candidates import Asked, Candidate, Finder, in_time
from agent_journal.provenance.history import Blamed
from agent_journal.provenance.runs import Runs
from agent_journal.provenance.verdicts import Verdict
from agent_journal.provenance.votes import Ties
from agent_journal.store.catalog.line_rows import Writing, edits_of_sessions

if TYPE_CHECKING:
    from difflib import SequenceMatcher

_SIMILAR = 0.8
_NEAR = 4  # lines that say too little, between a line and the next one
_MOST_COMPARED = 200  # lines that one line is compared with
_DROPPED = str.maketrans("", "", " \t\r\f\v\"'`,;")
_WORD = re.compile(r"\w+")


class _Likely:
    """A line that others may be like, and the words in it."""

    def __init__(self, text: str) -> None:
        self.text = text

    @cached_property
    def words(self) -> frozenset[str]:
        """The words: few lines are so much alike that somebody asks for them."""
        return _words(self.text)


class _Text:
    """What an edit wrote: its blocks without spaces and quotes, and its lines when asked for."""

    def __init__(self, writing: Writing, session: int, written: list[WrittenLine]) -> None:
        self.writing = writing
        self.session = session
        self.blocks = _blocks_of(written)
        self._written = written

    @cached_property
    def lines(self) -> list[_Likely]:
        """The lines that say enough."""
        whole = [collapsed(line.text) for line in self._written]
        return [_Likely(line) for line in whole if says_enough(line)]


def _blocks_of(written: list[WrittenLine]) -> list[str]:
    """The lines that follow each other, joined without spaces and quotes."""
    blocks: list[list[str]] = []
    last: int | None = None
    for line in written:
        if last is None or line.place != last + 1:
            blocks.append([])
        blocks[-1].append(line.text)
        last = line.place
    return [_squeezed("".join(block)) for block in blocks]


class Loose:
    """Finds lines in the edits of the sessions of their neighbours."""

    def __init__(self, finder: Finder) -> None:
        self._finder = finder
        self._bodies = finder.bodies
        self._edits: dict[tuple[int, str], list[Writing]] = {}  # by main session and name
        self._texts: dict[int, _Text] = {}
        # Of the file that is being decided, by commit, path there and session
        self._known: dict[tuple[str, str, int], list[_Text]] = {}

    def decide(self, file: Blamed, asked: list[Asked], ties: Ties, verdicts: list[Verdict]) -> None:
        """Decide the lines that are left, where they are nearly what a session wrote.

        They must stand beside a line of that session: everybody writes lines that are nearly alike.
        If it is not tied to the commit, it must have written both lines, one after the other, and
        this one not as it is now: that is what a formatter leaves in a commit of its own.
        """
        self._known = {}
        runs = Runs(asked)
        for order in (range(len(asked)), range(len(asked) - 1, -1, -1)):
            for at in order:
                one = asked[at]
                if verdicts[at].line_class != "-" or one.hash is None:
                    continue
                tied = ties.get(one.line.commit, {}).keys()
                found = _by_command(at, one, tied, runs)
                for near in _lines_beside(at, asked):
                    session = verdicts[near].session
                    if found is not None or session is None:
                        continue
                    texts = self._texts_before(file, one, session)
                    if session in tied:
                        found = _found_in(one, texts)
                    elif not _has_line(one, texts):
                        found = _with_block(_joined(asked, at, near), texts)
                if found is not None:
                    verdicts[at] = verdicts[at]._replace(
                        line_class="likely", session=found.session, candidate=found
                    )

    def _texts_before(self, file: Blamed, one: Asked, session: int) -> list[_Text]:
        key = (one.line.commit, one.line.path, session)
        if key not in self._known:
            self._known[key] = self._texts_of(file, one, session)
        return self._known[key]

    def _texts_of(self, file: Blamed, one: Asked, session: int) -> list[_Text]:
        """What a session wrote into a file before a commit."""
        commit = file.commits[one.line.commit]
        found = []
        for writing in self._edits_of(session, one.line.path):
            is_same = self._finder.places.match(writing, one.line.path)
            if is_same and in_time(self._finder.sessions, writing, commit):
                found.append(self._text(writing, session))
        found.sort(key=lambda text: (text.writing.time or 0, text.writing.id), reverse=True)
        return found

    def _edits_of(self, session: int, path: str) -> list[Writing]:
        """What a session did to files with the name of one."""
        key = (session, path.rpartition("/")[2])
        if key not in self._edits:
            rows = self._finder.sessions.with_sub_agents(session)
            self._edits[key] = edits_of_sessions(self._finder.db, rows, key[1])
        return self._edits[key]

    def _text(self, writing: Writing, session: int) -> _Text:
        if writing.id not in self._texts:
            written = written_lines(self._bodies.read(writing.spot, FileEdit))
            self._texts[writing.id] = _Text(writing, session, written)
        return self._texts[writing.id]


def _by_command(at: int, one: Asked, tied: Collection[int], runs: Runs) -> Candidate | None:
    """A command of a tied session that wrote the line and its neighbours into some file."""
    found = [
        candidate
        for candidate in one.candidates
        if candidate.writing.source == "call"
        and candidate.session in tied
        and runs.has_neighbour(at, candidate)
    ]
    return max(found, key=lambda c: (c.time, c.edit), default=None)


def _found_in(one: Asked, texts: list[_Text]) -> Candidate | None:
    """The first text with a line, but for spaces and quotes, or else with one like it."""
    wanted = _squeezed(one.line.text)
    found = _with_block(wanted, texts) if len(wanted) >= LEAST_LETTERS else None
    if found is not None:
        return found
    likeness = _Likeness(collapsed(one.line.text))
    for text in texts:
        if likeness.is_in(text.lines):
            return Candidate(text.writing, 0, text.session, True)
    return None


def _with_block(wanted: str, texts: list[_Text]) -> Candidate | None:
    for text in texts:
        if any(wanted in block for block in text.blocks):
            return Candidate(text.writing, 0, text.session, True)
    return None


def _has_line(one: Asked, texts: list[_Text]) -> bool:
    """Whether a line was written as it is now, but for white space."""
    line = collapsed(one.line.text)
    return any(line == other.text for text in texts for other in text.lines)


def _joined(asked: list[Asked], at: int, near: int) -> str:
    """The lines from one to another, without spaces and quotes."""
    first, last = sorted((at, near))
    return "".join(_squeezed(one.line.text) for one in asked[first : last + 1])


def _lines_beside(at: int, asked: list[Asked]) -> Iterator[int]:
    """The next lines before and after a line, of those that say enough."""
    for step in (-1, 1):
        for near in range(at + step, at + step * (_NEAR + 1), step):
            if not 0 <= near < len(asked):
                break
            if asked[near].hash is not None:
                yield near
                break


def _squeezed(text: str) -> str:
    return text.translate(_DROPPED)


class _Likeness:
    """Compares a line with others: those with half of its words and most of its letters."""

    def __init__(self, line: str) -> None:
        self._line = line
        self._words = _words(line)
        self._letters = Counter(line)
        self._matcher: SequenceMatcher[str] | None = None

    def is_in(self, others: list[_Likely]) -> bool:
        """Whether the line is nearly one of others."""
        compared = 0
        for other in others:
            if not self._may_be(other):
                continue
            compared += 1
            if compared > _MOST_COMPARED:
                break
            if self._ratio(other.text) >= _SIMILAR:
                return True
        return False

    def _may_be(self, other: _Likely) -> bool:
        size = len(self._line)
        other_size = len(other.text)
        least = _SIMILAR * (size + other_size) / 2
        if size < least or other_size < least:
            return False
        fewer_words = min(len(self._words), len(other.words))
        if 2 * len(self._words & other.words) < fewer_words:
            return False
        return (self._letters & Counter(other.text)).total() >= least

    def _ratio(self, other: str) -> float:
        if self._matcher is None:
            from difflib import SequenceMatcher

            self._matcher = SequenceMatcher(None, "", self._line, autojunk=False)
        self._matcher.set_seq1(other)
        return self._matcher.ratio()


def _words(line: str) -> frozenset[str]:
    return frozenset(_WORD.findall(line))
