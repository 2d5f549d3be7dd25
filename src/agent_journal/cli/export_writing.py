"""Writes exported sessions: to files, to a folder with an index, or to standard output."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from agent_journal.answers.exported import ExportedItem
from agent_journal.cli.output import print_bytes
from agent_journal.errors import UsageError
from agent_journal.export.formats import BY_SUFFIX, ExportOptions, Extras, Format
from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.export.family import Member
    from agent_journal.export.html.figures import Total
    from agent_journal.store.catalog.listing import SessionRow
    from agent_journal.usage.prices import Book

INDEX_NAME = "index.html"


class SessionWriter:
    """Writes sessions one after the other."""

    def __init__(self, journal: Journal, options: ExportOptions, force: bool) -> None:
        self._db = journal.db
        self._archive = journal.archive
        self._options = options
        self._force = force
        self._book: Book | None = None
        if options.form in ("html", "md"):  # which show what a session cost
            self._book = journal.prices()
        self.unreadable_results = 0  # of all sessions so far
        self._totals: list[Total] = []  # what each session used with its sub-agents, for the index

    def print(self, row: SessionRow) -> None:
        """Write a session to standard output."""
        is_json = self._options.form in ("json", "jsonl")
        for _, parts in self._files(row, "-"):
            print_bytes(parts, is_json)

    def write(self, row: SessionRow, path: str) -> ExportedItem:
        """Write a session to its file, or to several files where it is split."""
        from agent_journal.export.files import write_file

        files = list(self._files(row, path))
        if not self._force:
            refuse_existing([name for name, _ in files])
        sizes = [write_file(name, parts, self._force) for name, parts in files]
        item = ExportedItem(
            agent=row.agent,
            session=row.id,
            path=path,
            size=sum(sizes),
            format=self._options.form,
        )
        if len(sizes) > 1:
            item["pages"] = len(sizes)
        return item

    def write_index(self, rows: Sequence[SessionRow], paths: Sequence[str]) -> None:
        """Write the page that links to all sessions."""
        from agent_journal.export.files import write_file
        from agent_journal.export.formats import page_options
        from agent_journal.export.html.index import IndexedSession, index_page

        names = [os.path.basename(path) for path in paths]
        entries = [
            IndexedSession(row, name, total)
            for row, name, total in zip(rows, names, self._totals, strict=True)
        ]
        options = self._options
        parts = index_page(entries, page_options(options), options.home, options.query)
        encoded = (part.encode("utf-8", "replace") for part in parts)
        folder = os.path.dirname(paths[0])
        write_file(os.path.join(folder, INDEX_NAME), encoded, self._force)

    def _files(self, row: SessionRow, path: str) -> Iterator[tuple[str, Iterator[bytes]]]:
        from agent_journal.export.family import load_family, unreadable_results
        from agent_journal.export.formats import written

        family = load_family(self._db, self._archive, row)
        if self._options.has_calls:
            self.unreadable_results += unreadable_results(family)
        extras = self._extras(family)
        if self._options.index_name:
            from agent_journal.export.html.page import family_total

            self._totals.append(family_total(family, extras.cost))
        return written(family, self._options, extras, path)

    def _extras(self, family: list[Member]) -> Extras:
        if self._book is None:
            return Extras()
        from functools import partial

        from agent_journal.export.pictures import find_pictures
        from agent_journal.usage.responses import cost_of, learn_prices

        learn_prices(self._book, (usage for member in family for usage in member.session.usage))
        pictures: Mapping[str, bytes] = {}
        if self._options.form == "html":
            pictures = find_pictures(self._db, self._archive, family)
        return Extras(pictures, partial(cost_of, self._book))


def choose_paths(
    rows: Sequence[SessionRow], form: Format, output: str | None, force: bool, in_folder: bool
) -> list[str]:
    """Return a file for each session; raise when one exists, unless it may be overwritten.

    `in_folder` says that `output` names a folder, whether it exists or not.
    """
    if not in_folder and output and not is_folder(output):
        return [output]
    if in_folder:
        _check_folder(len(rows), output)
    from agent_journal.export.files import make_folder
    from agent_journal.export.names import file_name
    from agent_journal.text.redaction.redact import redact

    folder = output or "."
    make_folder(folder)
    taken = {INDEX_NAME}
    paths = []
    for row in rows:
        name = file_name(redact(row.title or ""), row.id, f".{form}", taken)
        paths.append(os.path.join(folder, name))
    if not force:
        index = []
        if form == "html" and in_folder:
            index = [os.path.join(folder, INDEX_NAME)]
        refuse_existing([*index, *paths])
    return paths


def is_folder(output: str) -> bool:
    """Whether a path names a folder: one that exists, or one that ends with a slash."""
    return output.endswith(("/", os.sep)) or os.path.isdir(output)


def _check_folder(count: int, output: str | None) -> None:
    if not output:
        raise UsageError(f"exporting {count:,} sessions needs a folder", "give one with -o DIR")
    if not is_folder(output) and os.path.splitext(output)[1].lower() in BY_SUFFIX:
        problem = f"{count:,} sessions cannot be written to one file: {output}"
        if count == 1:
            problem = f"--all writes to a folder, not to one file: {output}"
        raise UsageError(problem, "name a folder")


def refuse_existing(paths: Sequence[str]) -> None:
    """Raise when one of these files exists."""
    existing = [path for path in paths if os.path.lexists(path)]
    if not existing:
        return
    hint = "--force overwrites"
    if len(existing) == 1:
        raise UsageError(f"{existing[0]} already exists", hint)
    raise UsageError(f"{existing[0]} and {len(existing) - 1:,} more already exist", hint)
