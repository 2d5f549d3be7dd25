"""Where the lines of a file are from: a gutter by session; a click shows prompt and diff."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import NamedTuple

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.committed_files import blame_committed, edited_file
from agent_journal.answers.turns import Turns
from agent_journal.errors import UsageError
from agent_journal.export.changes import Changes
from agent_journal.export.html.calls import edit_box
from agent_journal.export.html.figures import counted, day_and_time
from agent_journal.export.html.parts import escaped
from agent_journal.export.prose import in_tag
from agent_journal.model import FileEdit, Session
from agent_journal.provenance.blame import FileBlame
from agent_journal.provenance.candidates import Candidate
from agent_journal.provenance.verdicts import NONE, Verdict
from agent_journal.store.catalog.bodies import BodyReader
from agent_journal.store.catalog.line_rows import WritingSession
from agent_journal.text.dates import from_micros
from agent_journal.web.addresses import link, session_link
from agent_journal.web.context import context_of
from agent_journal.web.files.page import path_name, turning
from agent_journal.web.frame import page, respond
from agent_journal.web.listing.asked import read_number
from agent_journal.web.narrowed import read_narrowed

PATH = "/file/lines"
_PAGE = 1_000  # lines
_MOST_OFFSET = 10_000_000
_LONGEST_LINE = 2_000  # letters
_MOST_PROMPT = 2_000
_MOST_DIFF = 40_000
_MOST_DIFFS = 1_000_000  # of a page
_COLOURS = 7
_TURNS = Turns(2, "files")


class _Origin(NamedTuple):
    """What is the same for all lines of a piece."""

    line_class: str
    candidate: Candidate | None
    others: tuple[Candidate, ...]
    commit: str


def lines_page(request: Request) -> Response:
    """The lines of a file that sessions changed, with who wrote each of them."""
    asked = read_narrowed(PATH, request.query_params)
    path = request.query_params.get("path", "")
    if not path:
        raise UsageError("path is the path of a file, as a session has it")
    offset = read_number(request.query_params.get("offset", "0"), _MOST_OFFSET)
    with _TURNS.take(), context_of(request).journal() as journal:
        file = edited_file(journal, path, asked.query)
        found = journal.with_indexes(lambda: blame_committed(journal, file))
        shown = _Lines(found, offset)
        parameters = {**asked.parameters, "path": path}
        back = link("/file", path=path, project=asked.project)
        name = in_tag(path.replace("\\", "/").rpartition("/")[2], 120)
        main = [
            f'<div class="place"><p class="back"><a href="{back}">Its sessions</a></p>\n',
            f'<h1 class="path" dir="auto">{path_name(path)}</h1>\n',
            *shown.html(),
            *turning(PATH, parameters, offset, _PAGE, len(found.verdicts)),
            "</div>\n",
        ]
        return respond(page(f"{name} · aj", main, place="/files"))


class _Lines:
    """A part of a file, in pieces with the same origin."""

    def __init__(self, found: FileBlame, offset: int) -> None:
        self._found = found
        self._pieces = [
            (origin, list(verdicts))
            for origin, verdicts in groupby(found.verdicts[offset : offset + _PAGE], _origin)
        ]
        self._bodies = BodyReader(found.finder.db)
        self._colours: dict[int, int] = {}
        self._diffs: dict[int, int] = {}  # the piece that has the diff of an edit
        self._letters = 0

    def html(self) -> Iterator[str]:
        """The lines, and what is shown of each piece when it is chosen."""
        verdicts = self._found.verdicts
        own = sum(verdict.session is not None for verdict in verdicts)
        lines = counted(len(verdicts), "line")
        yield f'<p class="meta">{own:,} of {lines} written by recorded sessions. '
        yield "Choose a line to see its prompt. Lines without a colour are of no recorded "
        yield "session, which may be anybody.</p>\n"
        # All lines are one text, so that a secret in several of them is seen when it is masked
        yield '<pre class="blame" tabindex="0" role="group" aria-label="Lines">'
        for number, (origin, verdicts) in enumerate(self._pieces):
            yield from self._lines(number, origin, verdicts)
        yield "</pre>\n"
        for number, (origin, verdicts) in enumerate(self._pieces):
            yield from self._box(number, origin, verdicts)

    def _lines(self, number: int, origin: _Origin, verdicts: Sequence[Verdict]) -> Iterator[str]:
        says = in_tag(f"{origin.line_class} {self._who(origin)}", 200)
        yield f'<a class="{self._colour(origin)}" id="l{number}" href="#o{number}" title="{says}">'
        for verdict in verdicts:
            text = escaped(verdict.line.text[:_LONGEST_LINE])
            yield f'<span data-n="{verdict.line.number}">{text}</span>\n'
        yield "</a>"

    def _colour(self, origin: _Origin) -> str:
        if origin.candidate is None:
            return "none"
        session = origin.candidate.session
        return f"s{self._colours.setdefault(session, len(self._colours)) % _COLOURS}"

    def _who(self, origin: _Origin) -> str:
        if origin.candidate is not None:
            row = self._session(origin.candidate)
            return f"{row.agent} {row.title or row.uid}"
        if origin.others:
            return ", ".join(f"{self._session(one).agent}" for one in origin.others)
        return "no recorded session"

    def _session(self, candidate: Candidate) -> WritingSession:
        return self._found.finder.sessions.row(candidate.session)

    def _box(self, number: int, origin: _Origin, verdicts: Sequence[Verdict]) -> Iterator[str]:
        first, last = verdicts[0].line.number, verdicts[-1].line.number
        lines = f"Line {first}"
        if last != first:
            lines = f"Lines {first}–{last}"
        yield f'<section class="origin" id="o{number}" aria-label="{lines}">'
        yield f'<p class="meta"><a href="#l{number}" aria-label="Close">×</a> {lines} · '
        if origin.line_class != NONE:  # its own sentence is below
            yield f"<b>{in_tag(origin.line_class)}</b> · "
        yield f"{self._commit(origin)}</p>\n"
        if origin.candidate is not None:
            yield from self._written(number, origin.candidate)
        elif origin.others:
            names = ", ".join(_link(self._session(one)) for one in origin.others)
            yield f"<p>One of {names}</p>\n"
        else:
            yield "<p>No recorded session wrote this.</p>\n"
        yield "</section>\n"

    def _commit(self, origin: _Origin) -> str:
        commit = self._found.file.commits[origin.commit]
        if not commit.sha:
            return "not committed yet"
        when = day_and_time(from_micros(commit.authored))
        return f"<code>{commit.sha[:10]}</code> {when} {in_tag(commit.subject, 200)}"

    def _written(self, number: int, candidate: Candidate) -> Iterator[str]:
        writing = candidate.writing
        row = self._session(candidate)
        prompt = self._found.prompts.prompt_of(writing)
        when = day_and_time(from_micros(writing.time))
        yield f'<p class="meta">{_link(row, prompt.position if prompt else None)} · {when}</p>\n'
        if prompt is not None:
            text = escaped(prompt.text[:_MOST_PROMPT])
            more = "…" if len(prompt.text) > _MOST_PROMPT else ""
            yield f'<blockquote dir="auto">{text}{more}</blockquote>\n'
        if writing.source == "edit":
            yield from self._diff(number, candidate)

    def _diff(self, number: int, candidate: Candidate) -> Iterator[str]:
        writing = candidate.writing
        writer = self._found.finder.sessions.row(writing.session)
        address = f"{session_link(writer.agent, writer.uid)}/edits"
        changes = link("", file=writing.path)
        yield f'<p class="meta"><a href="{address}{changes}">All its edits of the file</a></p>\n'
        if candidate.edit in self._diffs:
            yield f'<p><a href="#o{self._diffs[candidate.edit]}">The edit</a></p>\n'
            return
        edit = self._bodies.read(writing.spot, FileEdit)
        changes_of = Changes(Session(agent=writer.agent, id=writer.uid))
        length = len(changes_of.diff(edit) or "")
        if length > _MOST_DIFF or self._letters + length > _MOST_DIFFS:
            yield f'<p class="meta">a diff of {length:,} characters is not shown here</p>\n'
            return
        self._letters += length
        self._diffs[candidate.edit] = number
        yield edit_box(edit, changes_of)


def _origin(verdict: Verdict) -> _Origin:
    """Where a line is from; its place in an edit makes no difference."""
    candidate = verdict.candidate
    if candidate is not None:
        candidate = candidate._replace(place=0)
    others = tuple(one._replace(place=0) for one in verdict.others)
    return _Origin(verdict.line_class, candidate, others, verdict.line.commit)


def _link(row: WritingSession, position: int | None = None) -> str:
    address = session_link(row.agent, row.uid) + link("", at=position)
    title = in_tag(row.title or row.uid, 160)
    return f'<span class="agent">{in_tag(row.agent)}</span> <a href="{address}">{title}</a>'
