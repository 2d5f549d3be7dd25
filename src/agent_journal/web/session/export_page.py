"""Downloads with what is taken out of them, and the commands that continue a session."""

from __future__ import annotations

import os
from collections.abc import Iterator

from starlette.requests import Request
from starlette.responses import Response

from agent_journal.answers.conversion import (
    Continuation,
    continuations,
    resume_command,
    with_losses,
)
from agent_journal.export.family import load_family
from agent_journal.export.html.figures import counted
from agent_journal.export.html.parts import code_box, escaped
from agent_journal.export.prose import in_tag
from agent_journal.export.redaction_preview import (
    RedactedLine,
    RedactionPreview,
    redaction_preview,
)
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.web.addresses import download_address, link, session_address, session_path
from agent_journal.web.context import context_of
from agent_journal.web.frame import page, respond
from agent_journal.web.session.head import EXPORT, head, page_title, row_of

_LINES = 200  # with secrets that are shown
_SHORT = 2_000  # messages: in a longer session, secrets and losses are looked for when asked for
_FORMS = (("html", "HTML page"), ("md", "Markdown"), ("json", "JSON"))


def export_page(request: Request) -> Response:
    """What a download leaves out, and how to go on with the session."""
    with context_of(request).journal() as journal:
        row = row_of(request, journal)
        wanted = request.query_params.get("to", "")
        preview = None
        if row.message_count <= _SHORT or "preview" in request.query_params:
            family = load_family(journal.db, journal.archive, row)
            preview = redaction_preview(family, os.path.expanduser("~"), _LINES)
        main = [
            *head(journal, row, EXPORT),
            *_downloads(row, preview),
            *_continuing(journal, row, wanted),
        ]
        return respond(page(page_title(row, EXPORT), main))


# -- downloads -----------------------------------------------------------------------------------


def _downloads(row: SessionRow, preview: RedactionPreview | None) -> Iterator[str]:
    yield '<section><h2 id="download">Download</h2>\n<p class="downloads">'
    for form, name in _FORMS:
        yield f'<a class="chip" href="{download_address(row, form)}" download>{name}</a> '
    yield "</p>\n"
    yield '<p class="meta">With all sub-agents; to print a session, print its HTML page.</p>\n'
    yield "<h3>What is taken out</h3>\n"
    if preview is None:
        address = link(f"{session_path(row)}/export", preview=1)
        yield f'<p><a href="{address}">Look for secrets</a>, which takes a while: '
        yield f"the session has {row.message_count:,} messages.</p>\n"
    else:
        yield from _taken_out(row, preview)
    yield "</section>\n"


def _taken_out(row: SessionRow, preview: RedactionPreview) -> Iterator[str]:
    yield "<ul>"
    for kind, count in preview.kinds.most_common():
        yield f"<li><b>{count:,}</b> {in_tag(kind, 80)}</li>"
    if not preview.kinds:
        yield "<li>No secret was found.</li>"
    if preview.homes:
        yield f"<li>Home folders become ~ in {counted(preview.homes, 'text')}.</li>"
    yield "</ul>\n"
    yield '<p class="meta">Pictures are not redacted.</p>\n'
    if preview.lines:
        yield from _lines(row, preview)


def _lines(row: SessionRow, preview: RedactionPreview) -> Iterator[str]:
    yield '<details open><summary>The lines as they will be</summary><ol class="redacted">'
    for line in preview.lines:
        yield f"<li>{_where(row, line)} <code>{in_tag(line.line, 400)}</code></li>"
    yield "</ol>"
    if len(preview.lines) == _LINES:
        yield f'<p class="meta">The first {_LINES} lines are shown.</p>'
    yield "</details>\n"


def _where(row: SessionRow, line: RedactedLine) -> str:
    place = in_tag(line.place.replace("_", " "), 80)
    if line.position is None or line.session_id != row.id:
        return f'<span class="meta">{place}</span>'
    address = session_address(row, line.position)
    return f'<a class="meta" href="{address}">message {line.position} · {place}</a>'


# -- going on ------------------------------------------------------------------------------------


def _continuing(journal: Journal, row: SessionRow, wanted: str) -> Iterator[str]:
    yield '<section><h2 id="continue">Continue</h2>\n'
    own = resume_command(row)
    if own is None:
        yield f'<p class="meta">{in_tag(row.agent)} has no command that resumes this session.</p>\n'
    else:
        yield f"<h3>In {in_tag(row.agent)}, where it ran</h3>\n"
        yield _command(own)
    is_short = row.message_count <= _SHORT
    for way in continuations(row):
        if is_short or way.target == wanted:
            way = with_losses(journal, row, way)
        yield from _way(row, way)
    yield "</section>\n"


def _way(row: SessionRow, way: Continuation) -> Iterator[str]:
    yield f'<h3 id="to-{way.target}">In {in_tag(way.title)}</h3>\n'
    if way.refusal:
        yield f'<p class="missing">It cannot be converted: {in_tag(way.refusal, 300)}</p>\n'
        return
    yield _command(way.command)
    if way.losses is None:
        address = link(f"{session_path(row)}/export", to=way.target)
        yield f'<p><a href="{address}#to-{way.target}">What would be lost</a></p>\n'
        return
    if not way.losses:
        yield '<p class="meta">Nothing is lost.</p>\n'
        return
    values = sum(loss.count for loss in way.losses)
    yield f"<details><summary>{counted(values, 'value')} would be lost</summary><ul>"
    for loss in way.losses:
        yield f"<li><b>{loss.count:,}</b> {in_tag(loss.field, 80)}: {in_tag(loss.why, 200)}</li>"
    yield "</ul></details>\n"


def _command(text: str) -> str:
    return code_box(escaped(text), "wrap")
