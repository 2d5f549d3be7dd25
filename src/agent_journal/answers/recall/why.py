"""`why`: which session and prompt wrote a line, what was said before, and what came after."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple, TypedDict

from agent_journal.answers.answer import iso_time, whole_answer
from agent_journal.answers.committed_files import blame_committed
from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.asked_file import asked_file
from agent_journal.answers.recall.lines import day, moment_of, quoted_title
from agent_journal.answers.recall.moment import Moment
from agent_journal.answers.recall.reply import Reply
from agent_journal.errors import UsageError
from agent_journal.provenance.blame import FileBlame, Range
from agent_journal.provenance.candidates import Candidate
from agent_journal.provenance.history import Commit
from agent_journal.provenance.verdicts import NONE, Verdict
from agent_journal.store.catalog.line_rows import edits_of_sessions, sessions_with_file
from agent_journal.store.catalog.search_rows import session_rows
from agent_journal.store.catalog.session_row import SessionRow
from agent_journal.text.human import plural
from agent_journal.text.plain import one_line

_MOST_LINES = 2_000
_MOST_SESSIONS = 5  # that are named beside the one that wrote a line
_LOOKED_AT = 10_000  # letters of a text; the rest says nothing that is shown
_PROMPT = 400  # letters that are shown
_WORDS = 600
_SUBJECT = 120

# `class` is a keyword of Python: this shape has to be made by a call
WhyItem = TypedDict(
    "WhyItem",
    {
        "path": str,
        "first": int,
        "last": int,
        "class": str,
        "commit": str | None,
        "subject": str,
        "committed_at": str | None,
        "session": str | None,
        "title": str | None,
        "message": int | None,
        "timestamp": str | None,
        "prompt": str | None,
        "words": str | None,
        "sub_agent": str | None,
        "others": list[str],
        "later": list[str],
    },
)


class _Origin(NamedTuple):
    """What is the same for all lines of a piece."""

    line_class: str
    candidate: Candidate | None
    others: tuple[int, ...]
    commit: str


def tell_why(moment: Moment, given: Arguments) -> Reply:
    """Find out who wrote some lines of a file."""
    lines = _lines(given)
    file = asked_file(moment, given.text("file") or "")
    found = blame_committed(moment.journal, file, lines)
    teller = _Teller(moment, found)
    pieces = [
        (origin, list(verdicts)) for origin, verdicts in groupby(found.verdicts, teller.origin)
    ]
    items = [teller.item(origin, verdicts) for origin, verdicts in pieces]

    def head(shown: int) -> str:
        count = len(found.verdicts)
        if shown < len(items):
            count = items[shown - 1]["last"] - items[0]["first"] + 1 if shown else 0
        of_all = f"{count} of {plural(len(found.verdicts), 'line')}"
        return f"{of_all}. {moment.synced()}"

    def parts() -> list[str]:
        return [teller.part(origin, item) for (origin, _), item in zip(pieces, items, strict=True)]

    return Reply(whole_answer("why", items), parts, head, _foot(items))


def _foot(items: Sequence[WhyItem]) -> str:
    if all(item["session"] is None for item in items):
        return ""
    return 'read(session="AGENT:ID", at=N) shows more'


def _lines(given: Arguments) -> Range:
    first = given.number("line")
    last = given.known_number("end") or first
    if last < first:
        raise UsageError("end is before line")
    if last - first >= _MOST_LINES:
        raise UsageError(f"at most {_MOST_LINES:,} lines can be asked about at once")
    return Range(first, last)


class _Teller:
    """Says where lines are from, without what may not be shown."""

    def __init__(self, moment: Moment, found: FileBlame) -> None:
        self._moment = moment
        self._found = found
        self._rows: dict[int, SessionRow] = {}
        self._last_edits = _last_edits(found)

    def origin(self, verdict: Verdict) -> _Origin:
        """Where a line is from; one of a session that may not be shown is of no session."""
        commit = verdict.line.commit
        others = tuple(one.session for one in verdict.others if self._is_shown(one))
        if len(others) < len(verdict.others):
            return _Origin(NONE, None, (), commit)
        candidate = verdict.candidate
        if candidate is not None and not self._is_shown(candidate):
            return _Origin(NONE, None, (), commit)
        if candidate is not None:  # its place in an edit makes no difference
            candidate = candidate._replace(place=0)
        return _Origin(verdict.line_class, candidate, others, commit)

    def item(self, origin: _Origin, verdicts: Sequence[Verdict]) -> WhyItem:
        """One piece of the file."""
        commit = self._commit(origin)
        candidate = origin.candidate
        prompt = None
        if candidate is not None:
            prompt = self._found.prompts.prompt_of(candidate.writing)
        return {
            "path": self._clean(self._found.file.path, _PROMPT),
            "first": verdicts[0].line.number,
            "last": verdicts[-1].line.number,
            "class": origin.line_class,
            "commit": commit.sha or None,
            "subject": self._clean(commit.subject, _SUBJECT),
            "committed_at": iso_time(commit.committed) if commit.sha else None,
            "session": self._name(candidate.session) if candidate else None,
            "title": self._title(candidate),
            "message": prompt.position if prompt else None,
            "timestamp": iso_time(candidate.writing.time) if candidate else None,
            "prompt": self._clean(prompt.text, _PROMPT) if prompt else None,
            "words": self._words(candidate),
            "sub_agent": self._sub_agent(candidate),
            "others": [self._name(row) for row in origin.others[:_MOST_SESSIONS]],
            "later": self._later(candidate),
        }

    def part(self, origin: _Origin, item: WhyItem) -> str:
        """The same to read."""
        lines = str(item["first"])
        if item["last"] != item["first"]:
            lines = f"{item['first']}-{item['last']}"
        text = [f"{item['path']}:{lines}  {origin.line_class}  {self._author(origin, item)}"]
        if item["prompt"]:
            text.append(f"  prompt: {item['prompt']}")
        if item["words"]:
            text.append(f"  before the edit: {item['words']}")
        if item["sub_agent"]:
            text.append(f"  by its sub-agent {item['sub_agent']}")
        text.append(f"  {self._commit_words(origin, item)}")
        if item["later"]:
            text.append(f"  later in this file: {', '.join(item['later'])}")
        return "\n".join(text)

    def _author(self, origin: _Origin, item: WhyItem) -> str:
        if origin.candidate is not None:
            at = ""
            if item["message"] is not None:
                at = f" at={item['message']}"
            title = quoted_title(self._moment, self._row(origin.candidate.session))
            return f"{item['session']}{at}  {moment_of(origin.candidate.writing.time)}  {title}"
        if item["others"]:
            return f"one of {', '.join(item['others'])}"
        return "no recorded session"

    def _commit_words(self, origin: _Origin, item: WhyItem) -> str:
        commit = self._commit(origin)
        if not commit.sha:
            return "not committed yet"
        return f"commit {commit.sha[:10]}  {day(commit.committed)}  {item['subject']}"

    def _commit(self, origin: _Origin) -> Commit:
        return self._found.file.commits[origin.commit]

    def _is_shown(self, candidate: Candidate) -> bool:
        hidden = self._moment.excluded
        return candidate.session not in hidden and candidate.writing.session not in hidden

    def _title(self, candidate: Candidate | None) -> str | None:
        if candidate is None:
            return None
        return self._moment.cleaning.title(self._row(candidate.session).title) or None

    def _words(self, candidate: Candidate | None) -> str | None:
        if candidate is None:
            return None
        words = self._found.prompts.words_before(candidate.writing)
        return self._clean(words, _WORDS) or None

    def _sub_agent(self, candidate: Candidate | None) -> str | None:
        if candidate is None or candidate.writing.session == candidate.session:
            return None
        return self._name(candidate.writing.session)

    def _later(self, candidate: Candidate | None) -> list[str]:
        """The other sessions that changed the file after an edit, the first one first."""
        if candidate is None:
            return []
        later = [
            (time, row)
            for row, time in self._last_edits.items()
            if time > candidate.time and row != candidate.session
        ]
        shown = [row for _, row in sorted(later) if row not in self._moment.excluded]
        return [self._name(row) for row in shown[:_MOST_SESSIONS]]

    def _name(self, row_id: int) -> str:
        return self._moment.session_name(self._row(row_id))

    def _row(self, row_id: int) -> SessionRow:
        if row_id not in self._rows:
            self._rows |= session_rows(self._moment.journal.db, [row_id])
        return self._rows[row_id]

    def _clean(self, text: str, width: int) -> str:
        """A text without secrets on one line; they are removed before it is cut."""
        return one_line(self._moment.cleaning.beginning(text, _LOOKED_AT), width)


def _last_edits(found: FileBlame) -> dict[int, int]:
    """When each main session last edited the file, by its row."""
    finder = found.finder
    path = found.file.path
    name = path.rpartition("/")[2]
    rows = sessions_with_file(finder.db, name)
    finder.sessions.load(rows)
    times: dict[int, int] = {}
    for writing in edits_of_sessions(finder.db, rows, name):
        if writing.time is not None and finder.places.match(writing, path):
            session = finder.sessions.main_of(writing.session)
            times[session] = max(writing.time, times.get(session, 0))
    return times
