"""`aj export`: sessions as files."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from agent_journal import __version__
from agent_journal.cli.options import (
    agent_option,
    complete_sessions,
    json_option,
    parse_bound_option,
)
from agent_journal.cli.output import ProgressBar, human_size, note, plural, print_json, short_path
from agent_journal.errors import UsageError
from agent_journal.export.formats import (
    BY_SUFFIX,
    FORMATS,
    REDACTED,
    SETTING_NAMES,
    ExportOptions,
    Extras,
    Format,
)
from agent_journal.journal import Journal, no_journal
from agent_journal.query.tree import Query

if TYPE_CHECKING:
    from agent_journal.export.family import Member
    from agent_journal.store.catalog.listing import SessionRow

_INDEX = "index.html"
_NAMES = {"html": "HTML", "md": "Markdown", "json": "JSON", "jsonl": "JSON lines"}


@click.command()
@click.argument("words", metavar="[ID]... | [QUERY]...", nargs=-1, shell_complete=complete_sessions)
@click.option(
    "--all", "everything", is_flag=True, help="Every session, or every one that the QUERY finds."
)
@agent_option
@click.option(
    "--project", metavar="TEXT", help="With --all: whose folder or repository contains TEXT."
)
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="With --all: active since: 2d, 2026-01 …",
)
@click.option(
    "--until", metavar="TIME", callback=parse_bound_option, help="With --all: started until."
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="Else by the name of FILE, or as set.",
)
@click.option(
    "-o", "--output", metavar="FILE|DIR|-", help="Where to write; - is the standard output."
)
@click.option(
    "--redact/--no-redact",
    "redact",
    default=None,
    help="Take out secrets and home folders: all but json do.",
)
@click.option(
    "--split",
    metavar="N",
    type=click.IntRange(1),
    help="HTML: a new page after N messages or more.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@json_option
def export(
    words: tuple[str, ...],
    everything: bool,
    agent: tuple[str, ...],
    project: str | None,
    since: datetime | None,
    until: datetime | None,
    form: Format | None,
    output: str | None,
    redact: bool | None,
    split: int | None,
    force: bool,
    as_json: bool,
) -> None:
    """Write sessions to files: HTML or Markdown to read and share, or complete JSON that 'aj
    import' takes in again.

    A session goes with its sub-agents. Several go into a folder, each into a file of its own, which
    is private (0600); HTML has an index.html to them. HTML and Markdown have no secrets in them and
    home folders as ~, as far as they are recognised (docs/export.md).

    \b
    Examples:
      aj export last
      aj export 4f2a9c -o talk.md
      aj export 4f2a9c -o talk.html --split 500
      aj export 4f2a9c -f json -o - | jq .sessions[0].title
      aj export --all -f jsonl -o backup
      aj export --all project:relay is:edited -o relay/
    """
    if not everything and (agent or project or since or until):
        raise UsageError(
            "--agent, --project, --since and --until choose among all sessions", "add --all"
        )
    with Journal.open() as journal:
        rows = _chosen(journal, words, everything, Query(agent or None, project, since, until))
        form = form or _form(journal, output, len(rows))
        wishes = ExportOptions(
            form,
            redact if redact is not None else form in REDACTED,
            bool(journal.config.get("export.include_tool_calls")),
            f"agent-journal {__version__}",
            journal.env.home,
            str(journal.config.get("export.html_theme")),
            split,
            _INDEX if form == "html" and len(rows) > 1 else None,
            _asked(words, agent, project, since, until) if everything else "",
        )
        if split and (form != "html" or output == "-"):
            raise UsageError(
                "--split makes several files of HTML",
                "add -f html, and name a file or folder with -o",
            )
        if as_json and output == "-":
            raise UsageError(
                "--json prints what was written, -o - prints the session", "leave one of them out"
            )
        items = _export(journal, rows, wishes, output, force)
    if as_json:
        print_json("exported", items)
    elif items:
        _tell(items, wishes)


def _chosen(
    journal: Journal, words: tuple[str, ...], everything: bool, query: Query
) -> list[SessionRow]:
    if not journal.exists:
        raise no_journal(journal.config)
    if not everything:
        if not words:
            raise UsageError(
                "say which sessions to export: one or more ids, or --all", "'aj ls' lists the ids"
            )
        return list({(row.agent, row.id): row for row in map(journal.row, words)}.values())
    from agent_journal.cli.commands.ls import find_rows

    rows, _ = find_rows(journal, query, " ".join(words))
    if not rows:
        raise _no_match(journal, words)
    return rows


def _no_match(journal: Journal, words: tuple[str, ...]) -> UsageError:
    from agent_journal.query.lexer import FIELDS
    from agent_journal.store.catalog.listing import count_sessions

    hint = f"the journal holds {count_sessions(journal.db, Query()):,}; 'aj ls' lists them"
    # A filter that is not known is a word like any other, which nobody means who types one.
    names = [
        found[1]
        for word in words
        if (found := re.match(r"-?([a-z_]+):", word)) and found[1] not in FIELDS
    ]
    if names:
        hint = f"{names[0]}: is no filter and was looked for as a word; the filters are {', '.join(FIELDS)}"
    return UsageError("no session matches", hint)


def _asked(
    words: tuple[str, ...],
    agent: tuple[str, ...],
    project: str | None,
    since: datetime | None,
    until: datetime | None,
) -> str:
    """What chose the sessions, as one query."""
    options = [*(f"agent:{one}" for one in agent), *([f"project:{project}"] if project else [])]
    options += [
        f"{name}:{when:%Y-%m-%d}" for name, when in (("since", since), ("until", until)) if when
    ]
    return " ".join((*words, *options))


def _form(journal: Journal, output: str | None, count: int) -> Format:
    """The format that the name of the file tells, or the setting."""
    suffix = os.path.splitext(output or "")[1].lower()
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if (
        count == 1
        and suffix
        and output
        and not output.endswith(("/", os.sep))
        and not os.path.isdir(output)
    ):
        known = ", ".join(BY_SUFFIX)
        raise UsageError(
            f"{suffix} is the suffix of no format",
            f"name a file with {known}, or say the format with -f",
        )
    return SETTING_NAMES[str(journal.config.get("export.default_format"))]


def _export(
    journal: Journal,
    rows: Sequence[SessionRow],
    wishes: ExportOptions,
    output: str | None,
    force: bool,
) -> list[dict[str, Any]]:
    import gc

    # Pages are made of many small objects and few circles: a fifth of the time was looking
    gc.set_threshold(50_000)
    bar = ProgressBar("exporting")
    desk = _Desk(journal, wishes, force)
    try:
        if output == "-":
            if len(rows) > 1:
                raise UsageError(
                    "-o - takes one session", "several go into a folder: name one with -o"
                )
            desk.print(rows[0])
            return []
        items = []
        paths = _paths(rows, wishes.form, output, force)
        for row, path in zip(rows, paths, strict=True):
            items.append(desk.write(row, path))
            bar.show(len(items), len(rows), f"{len(items):,} of {plural(len(rows), 'session')}")
        if wishes.index_name:
            desk.write_index(rows, paths)
        return items
    finally:
        bar.done()


class _Desk:
    """Writes sessions one after the other."""

    def __init__(self, journal: Journal, wishes: ExportOptions, force: bool) -> None:
        self.db = journal.db
        self.archive = journal.archive
        self.wishes = wishes
        self.force = force
        self.book: Any = None
        self.used: list[Any] = []  # by each session with its sub-agents: what its page says
        if wishes.form == "html":
            from agent_journal.usage.prices import Book

            self.book = Book(journal.config.index_path, journal.config.prices)

    def print(self, row: SessionRow) -> None:
        """A session to the standard output."""
        out = sys.stdout.buffer
        for _, parts in self._files(row, "-"):
            out.writelines(parts)
        out.flush()

    def write(self, row: SessionRow, path: str) -> dict[str, Any]:
        """A session to its file, or its files where it is split; what was written."""
        from agent_journal.export.files import write_file

        files = list(self._files(row, path))
        _refuse_those_there([name for name, _ in files] if not self.force else [])
        sizes = [write_file(name, parts, self.force) for name, parts in files]
        told = {
            "agent": row.agent,
            "session": row.id,
            "path": path,
            "size": sum(sizes),
            "format": self.wishes.form,
        }
        return told if len(sizes) == 1 else {**told, "pages": len(sizes)}

    def write_index(self, rows: Sequence[SessionRow], paths: Sequence[str]) -> None:
        """The page that leads to all of them."""
        from agent_journal.export.files import write_file
        from agent_journal.export.formats import look_of
        from agent_journal.export.html.index import Entry, index_page

        names = map(os.path.basename, paths)
        entries = [Entry(*one) for one in zip(rows, names, self.used, strict=True)]
        parts = index_page(entries, look_of(self.wishes), self.wishes.home, self.wishes.query)
        encoded = (part.encode("utf-8", "replace") for part in parts)
        write_file(os.path.join(os.path.dirname(paths[0]), _INDEX), encoded, self.force)

    def _files(self, row: SessionRow, path: str) -> Iterator[tuple[str, Iterator[bytes]]]:
        from agent_journal.export.family import load_family
        from agent_journal.export.formats import written

        family = load_family(self.db, self.archive, row)
        extras = self._extras(family)
        if self.wishes.index_name:
            from agent_journal.export.html.page import family_total

            self.used.append(family_total(family, extras.cost))
        return written(family, self.wishes, extras, path)

    def _extras(self, family: list[Member]) -> Extras:
        if self.book is None:
            return Extras()
        from functools import partial

        from agent_journal.export.pictures import find_pictures
        from agent_journal.usage.responses import cost_of, learn_prices

        learn_prices(self.book, (one for member in family for one in member.session.usage))
        pictures = find_pictures(self.db, self.archive, family)
        return Extras(pictures, partial(cost_of, self.book))


def _paths(rows: Sequence[SessionRow], form: Format, output: str | None, force: bool) -> list[str]:
    """A file for each session; none of them is there, unless it may be written over."""
    from agent_journal.export.files import make_folder
    from agent_journal.export.names import file_name
    from agent_journal.text.redaction.redact import redact

    is_folder = output is not None and (os.path.isdir(output) or output.endswith(("/", os.sep)))
    if len(rows) == 1 and output and not is_folder:
        return [output]
    if len(rows) > 1:
        if not output:
            raise UsageError(f"{len(rows):,} sessions go into a folder", "name one with -o")
        if not is_folder and os.path.splitext(output)[1].lower() in BY_SUFFIX:
            raise UsageError(
                f"{len(rows):,} sessions go into a folder, and {output} names a file",
                "name a folder",
            )
    folder = output or "."
    make_folder(folder)
    index = [os.path.join(folder, _INDEX)] if form == "html" and len(rows) > 1 else []
    taken = {_INDEX}
    paths = [
        os.path.join(folder, file_name(redact(row.title or ""), row.id, f".{form}", taken))
        for row in rows
    ]
    _refuse_those_there([] if force else [*index, *paths])
    return paths


def _refuse_those_there(paths: list[str]) -> None:
    there = [path for path in paths if os.path.lexists(path)]
    if there:
        which = there[0] if len(there) == 1 else f"{there[0]} and {len(there) - 1:,} more"
        raise UsageError(
            f"{which} {'is' if len(there) == 1 else 'are'} there already", "--force writes over it"
        )


def _tell(items: list[dict[str, Any]], wishes: ExportOptions) -> None:
    size = human_size(sum(item["size"] for item in items))
    out = ["secrets and home folders"] if wishes.is_redacted else []
    out += [] if wishes.has_calls else ["tool calls"]
    kept = f"{' and '.join(out) if out else 'nothing'} taken out"
    first = items[0]["path"]
    where = first if len(items) == 1 else os.path.dirname(first)
    what = "" if len(items) == 1 else f"{plural(len(items), 'session')} in "
    pages = f", {items[0]['pages']:,} pages" if len(items) == 1 and "pages" in items[0] else ""
    note(f"{what}{short_path(where)}: {_NAMES[wishes.form]}{pages}, {size}, {kept}")
