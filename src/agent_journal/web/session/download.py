"""A session as a file: redacted, as `aj export` writes it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from functools import partial

from starlette.requests import Request
from starlette.responses import Response

from agent_journal import __version__
from agent_journal.errors import UsageError
from agent_journal.export.family import load_family
from agent_journal.export.formats import BY_SUFFIX, ExportOptions, Extras, Format, written
from agent_journal.export.names import file_name
from agent_journal.export.pictures import find_pictures
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.redaction.redact import redact
from agent_journal.usage.responses import cost_of, learn_prices
from agent_journal.web.context import context_of

_TYPES: dict[Format, str] = {
    "html": "text/html; charset=utf-8",
    "md": "text/markdown; charset=utf-8",
    "json": "application/json",
}


def download(request: Request) -> Response:
    """The file of a session; its address ends in the format."""
    session_id, suffix = os.path.splitext(request.path_params["name"])
    form = BY_SUFFIX.get(suffix)
    if form not in _TYPES:
        raise UsageError(f"a download ends in .{', .'.join(_TYPES)}")
    with context_of(request).journal() as journal:
        row = journal.row(f"{request.path_params['agent']}:{session_id}")
        content = b"".join(_content(journal, row, form))
    name = file_name(redact(row.title or ""), row.id, f".{form}", set())
    headers = {"content-disposition": f'attachment; filename="{name}"'}
    return Response(content, media_type=_TYPES[form], headers=headers)


def _content(journal: Journal, row: SessionRow, form: Format) -> Iterator[bytes]:
    family = load_family(journal.db, journal.archive, row)
    extras = Extras()
    if form == "html":
        book = journal.prices()
        learn_prices(book, (usage for member in family for usage in member.session.usage))
        pictures = find_pictures(journal.db, journal.archive, family)
        extras = Extras(pictures, partial(cost_of, book))
    options = ExportOptions(
        form=form,
        is_redacted=True,
        has_calls=True,
        made_by=f"agent-journal {__version__}",
        home=os.path.expanduser("~"),
    )
    for _, parts in written(family, options, extras, f"session.{form}"):
        yield from parts
