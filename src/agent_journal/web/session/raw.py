"""The tab Raw: the original records of a session, each with its place in its file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.export.html.figures import counted
from agent_journal.export.html.parts import block
from agent_journal.export.prose import in_tag
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.store.catalog.windows import Span, load_window
from agent_journal.store.record_pages import RawRecord, RecordPage, RecordPlace, read_page
from agent_journal.store.records import RecordSource, record_sources
from agent_journal.text.plain import shell_word
from agent_journal.web.addresses import link, session_path
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.session.head import RAW, TABS, head, page_title, row_of
from agent_journal.web.session.parameters import number_parameter

_RECORDS = 40  # on a page
_MOST_BYTES = 20_000  # of a record that are shown


def raw_page(request: Request) -> Response:
    """Some of the records: from the beginning, from a place on, or from a message on."""
    with context_of(request).journal() as journal:
        row = row_of(request, journal)
        sources = list(record_sources(journal.db, journal.archive, row))
        place = _place(request, journal, row, sources)
        found = read_page(sources, place, _RECORDS, _MOST_BYTES)
        main = [*head(journal, row, RAW), *_records(row, found)]
        return respond(page(page_title(row, RAW), main))


def _place(
    request: Request, journal: Journal, row: SessionRow, sources: Sequence[RecordSource]
) -> RecordPlace:
    if "at" in request.query_params:
        position = number_parameter(request, "at", 0)
        return _place_of(journal, row, sources, position)
    source = number_parameter(request, "source", 0)
    return RecordPlace(source, number_parameter(request, "offset", 0))


def _place_of(
    journal: Journal, row: SessionRow, sources: Sequence[RecordSource], position: int
) -> RecordPlace:
    """Where the record of a message is; the beginning where that is not known."""
    session = load_window(journal.db, row, journal.quotes(), Span(position, position))
    for message in session.messages:
        for number, source in enumerate(sources):
            if message.offset is not None and source.content.row.path == message.file:
                return RecordPlace(number, message.offset)
    return RecordPlace(0, 0)


def _records(row: SessionRow, found: RecordPage) -> Iterator[str]:
    command = f"aj show {shell_word(f'{row.agent}:{row.id}')} --raw"
    yield '<p class="meta">What the agent wrote, unchanged; secrets are not removed. '
    yield f"All of it: <code>{in_tag(command, 300)}</code></p>\n"
    if not found.records:
        yield '<p class="remark">No record is kept of this session, or it ends before here.</p>\n'
    yield from _turning(row, found, "Pages")
    path = None
    for record in found.records:
        if record.path != path:
            path = record.path
            yield f'<h2 class="path-title"><code dir="auto">{in_tag(path, 600)}</code></h2>\n'
        yield _record(record)
    yield from _turning(row, found, "Pages, again")


def _record(record: RawRecord) -> str:
    offset = record.place.offset
    text = record.data.decode("utf-8", "replace")
    more = ""
    if len(record.data) < record.size:
        rest = counted(record.size - len(record.data), "more byte")
        more = f'<p class="missing">{rest} of this record not shown.</p>\n'
    return (
        f'<section class="record"><h3 class="meta" id="r{record.place.source}-{offset}">'
        f"byte {offset:,} · {counted(record.size, 'byte')}</h3>\n"
        f"{block(text, 'wrap')}{more}</section>\n"
    )


def _turning(row: SessionRow, found: RecordPage, label: str) -> Iterator[str]:
    if found.before is None and found.after is None:
        return
    yield f'<nav class="turning" aria-label="{label}">'
    if found.before is not None:
        yield f'<a href="{_address(row, RecordPlace(0, 0))}">first records</a> '
        yield f'<a rel="prev" href="{_address(row, found.before)}">← before</a> '
    if found.after is not None:
        yield f'<a rel="next" href="{_address(row, found.after)}">after →</a>'
    yield "</nav>\n"


def _address(row: SessionRow, place: RecordPlace) -> str:
    path = session_path(row) + TABS[RAW]
    return link(path, source=place.source or None, offset=place.offset or None)
