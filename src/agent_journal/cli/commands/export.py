"""`aj export`: sessions as files."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

import click

from agent_journal import __version__
from agent_journal.answers.exported import ExportedItem, exported_answer
from agent_journal.answers.session_list import find_sessions
from agent_journal.cli.exclusions import note_exclusions
from agent_journal.cli.export_writing import (
    INDEX_NAME,
    SessionWriter,
    choose_paths,
    is_folder,
)
from agent_journal.cli.options import (
    Number,
    agent_option,
    complete_sessions,
    json_option,
    parse_bound_option,
)
from agent_journal.cli.output import ProgressBar, note, print_json
from agent_journal.cli.query_command import QueryCommand
from agent_journal.errors import UsageError
from agent_journal.export.formats import (
    BY_SUFFIX,
    FORMATS,
    REDACTED,
    SETTING_NAMES,
    ExportOptions,
    Format,
)
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.text.human import human_size, plural, short_path

if TYPE_CHECKING:
    from agent_journal.store.catalog.listing import SessionRow

_TITLES = {"html": "HTML", "md": "Markdown", "json": "JSON", "jsonl": "JSON lines"}


@click.command(cls=QueryCommand)
@click.argument("words", metavar="[ID]... | [QUERY]...", nargs=-1, shell_complete=complete_sessions)
@click.option(
    "--all", "everything", is_flag=True, help="Export all sessions, or all that QUERY finds."
)
@agent_option
@click.option(
    "--project",
    metavar="TEXT",
    help="With --all: only sessions of projects whose folder or repository contains TEXT.",
)
@click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="With --all: only sessions active since TIME: 2d, 2026-01.",
)
@click.option(
    "--until",
    metavar="TIME",
    callback=parse_bound_option,
    help="With --all: only sessions started until TIME.",
)
@click.option(
    "-f",
    "--format",
    "form",
    type=click.Choice(FORMATS),
    help="The format.  [default: by the name of FILE, or export.default_format]",
)
@click.option("-o", "--output", metavar="FILE|DIR|-", help="Where to write; - is standard output.")
@click.option(
    "--redact/--no-redact",
    "redact",
    default=None,
    help="Remove secrets and home folders.  [default: on for html and md]",
)
@click.option(
    "--split",
    metavar="N",
    type=Number(1),
    help="HTML: start a new page after N messages or more.",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
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
) -> int:
    """Export sessions as HTML or Markdown to read and share, or as complete JSON.

    A session is exported with its sub-agents. Several sessions, and those of --all, are written to
    a folder, one private file (0600) each; HTML gets an index.html that links to them. 'aj import'
    reads the JSON back.
    In HTML and Markdown, secrets are removed and home folders written as ~, as far as they are
    recognised (docs/export.md). Exits with 1 if the archive has lost results of tool calls.

    \b
    Examples:
      aj export last
      aj export 4f2a9c -o talk.md
      aj export 4f2a9c -o talk.html --split 500
      aj export 4f2a9c -f json -o - | jq .sessions[0].title
      aj export --all -f jsonl -o backup
      aj export --all project:relay is:edited -o relay/
    """
    query = Query(agent or None, project, since, until)
    if not everything and query != Query():
        raise UsageError(
            "--agent, --project, --since and --until choose among all sessions", "add --all"
        )
    with Journal.open() as journal:
        if everything:
            rows = _matching(journal, words, query)
            asked = _as_query(words, query)
        else:
            rows = _named(journal, words)
            asked = ""
        in_folder = len(rows) > 1 or (everything and output not in (None, "-"))
        if form is None:
            form = _choose_format(journal, output, in_folder)
        if redact is None:
            redact = form in REDACTED
        _check_output(form, output, split, as_json, len(rows))
        options = _options(journal, form, redact, split)._replace(query=asked)
        if form == "html" and in_folder:
            options = options._replace(index_name=INDEX_NAME)
        writer = SessionWriter(journal, options, force)
        items = _export(writer, rows, options, output, force, in_folder)
    unreadable = writer.unreadable_results
    if as_json:
        print_json(exported_answer(items, unreadable))
    elif items:
        _print_summary(items, options)
    return _report_unreadable(unreadable)


def _report_unreadable(count: int) -> int:
    """Say how many results could not be read, and return the exit code."""
    if not count:
        return 0
    results = plural(count, "result")
    note(f"aj: {results} could not be read: the archive is damaged (aj verify)")
    return 1


def _options(journal: Journal, form: Format, is_redacted: bool, split: int | None) -> ExportOptions:
    return ExportOptions(
        form=form,
        is_redacted=is_redacted,
        has_calls=bool(journal.config.get("export.include_tool_calls")),
        made_by=f"agent-journal {__version__}",
        home=journal.env.home,
        theme=str(journal.config.get("export.html_theme")),
        split=split,
    )


def _named(journal: Journal, ids: Sequence[str]) -> list[SessionRow]:
    """Return the sessions of some ids, each once."""
    if not ids:
        raise UsageError("no session given", "name one or more ids, or --all; 'aj ls' lists them")
    found = {(row.agent, row.id): row for row in map(journal.row, ids)}
    return list(found.values())


def _matching(journal: Journal, words: Sequence[str], query: Query) -> list[SessionRow]:
    """Return the sessions that meet a query."""
    rows = find_sessions(journal, query, " ".join(words)).rows
    if words:
        from agent_journal.query.parser import parse

        note_exclusions(parse(" ".join(words)))
    if rows:
        return rows
    from agent_journal.query.lexer import FIELDS
    from agent_journal.store.catalog.listing import count_sessions

    hint = f"the journal holds {count_sessions(journal.db, Query()):,}; 'aj ls' lists them"
    # A mistyped filter is taken as a word, which is hardly what was meant.
    for word in words:
        filter_name = re.match(r"-?([a-z_]+):", word)
        if filter_name is not None and filter_name[1] not in FIELDS:
            filters = ", ".join(FIELDS)
            hint = f"{filter_name[1]}: is not a filter; the filters are {filters}"
            break
    raise UsageError("no session matches", hint)


def _as_query(words: Sequence[str], query: Query) -> str:
    """Return the words and options that chose the sessions, as one query."""
    parts = [*words]
    parts += [f"agent:{name}" for name in query.agent or ()]
    if query.project:
        parts.append(f"project:{query.project}")
    if query.since:
        parts.append(f"since:{query.since:%Y-%m-%d}")
    if query.until:
        parts.append(f"until:{query.until:%Y-%m-%d}")
    return " ".join(parts)


def _choose_format(journal: Journal, output: str | None, in_folder: bool) -> Format:
    """Return the format that the name of the file implies, or the configured one."""
    suffix = os.path.splitext(output or "")[1].lower()
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if output and suffix and not in_folder and not is_folder(output):
        raise UsageError(
            f"no format has the suffix {suffix}",
            f"name a file with {', '.join(BY_SUFFIX)}, or give the format with -f",
        )
    return SETTING_NAMES[str(journal.config.get("export.default_format"))]


def _check_output(
    form: Format, output: str | None, split: int | None, as_json: bool, count: int
) -> None:
    if split and (form != "html" or output == "-"):
        raise UsageError(
            "--split writes several HTML files", "add -f html, and name a file or folder with -o"
        )
    if output == "-" and as_json:
        raise UsageError(
            "--json prints what was written, -o - prints the session", "leave out one of them"
        )
    if output == "-" and count > 1:
        raise UsageError("-o - takes one session", "name a folder with -o for several")


def _export(
    writer: SessionWriter,
    rows: Sequence[SessionRow],
    options: ExportOptions,
    output: str | None,
    force: bool,
    in_folder: bool,
) -> list[ExportedItem]:
    import gc

    # A page consists of many small objects without cycles: collecting took a fifth of the time.
    gc.set_threshold(50_000)
    if output == "-":
        writer.print(rows[0])
        return []
    items = []
    paths = choose_paths(rows, options.form, output, force, in_folder)
    bar = ProgressBar("exporting")
    try:
        for row, path in zip(rows, paths, strict=True):
            items.append(writer.write(row, path))
            bar.show(len(items), len(rows), f"{len(items):,} of {plural(len(rows), 'session')}")
        if options.index_name:
            writer.write_index(rows, paths)
    finally:
        bar.done()
    return items


def _print_summary(items: Sequence[ExportedItem], options: ExportOptions) -> None:
    first = items[0]
    facts = [_TITLES[options.form]]
    if len(items) == 1:
        where = short_path(first["path"])
        if "pages" in first:
            facts.append(f"{first['pages']:,} pages")
    else:
        folder = short_path(os.path.dirname(first["path"]))
        where = f"{plural(len(items), 'session')} in {folder}"
    facts.append(human_size(sum(item["size"] for item in items)))
    facts.append(f"{_removed(options)} removed")
    note(f"{where}: {', '.join(facts)}")


def _removed(options: ExportOptions) -> str:
    removed = []
    if options.is_redacted:
        removed.append("secrets and home folders")
    if not options.has_calls:
        removed.append("tool calls")
    return " and ".join(removed) or "nothing"
