"""A session as a file: redacted, as `aj export` writes it."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import partial

from agent_journal import __version__
from agent_journal.export.family import load_family
from agent_journal.export.formats import ExportOptions, Extras, Format, written
from agent_journal.export.names import file_name
from agent_journal.export.pictures import find_pictures
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow
from agent_journal.text.redaction.redact import redact
from agent_journal.usage.responses import cost_of, learn_prices


def session_file_name(row: SessionRow, form: Format) -> str:
    """The name of the file of a session."""
    return file_name(redact(row.title or ""), row.id, f".{form}", set())


def session_file(journal: Journal, row: SessionRow, form: Format) -> Iterator[bytes]:
    """Yield the contents of the file of a session, with its sub-agents."""
    family = load_family(journal.db, journal.archive, row)
    extras = Extras()
    if form in ("html", "md"):
        book = journal.prices()
        learn_prices(book, (usage for member in family for usage in member.session.usage))
        pictures: Mapping[str, bytes] = {}
        if form == "html":
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
