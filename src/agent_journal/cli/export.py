"""`aj export`: sessions as files."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import click

from agent_journal import __version__
from agent_journal.cli.options import agent_option, complete_sessions, json_option, parse_bound_option
from agent_journal.cli.output import ProgressBar, human_size, note, plural, print_json, short_path
from agent_journal.errors import UsageError
from agent_journal.export.formats import BY_SUFFIX, FORMATS, SETTING_NAMES, Format, Wishes
from agent_journal.journal import Journal, no_journal
from agent_journal.query import Query

if TYPE_CHECKING:
    from agent_journal.archive import Archive
    from agent_journal.catalog.listing import SessionRow

_NAMES = {"md": "Markdown", "json": "JSON", "jsonl": "JSON lines"}


@click.command()
@click.argument("words", metavar="[ID]... | [QUERY]...", nargs=-1, shell_complete=complete_sessions)
@click.option("--all", "everything", is_flag=True, help="Every session, or every one that the QUERY finds.")
@agent_option
@click.option("--project", metavar="TEXT", help="With --all: whose folder or repository contains TEXT.")
@click.option("--since", metavar="TIME", callback=parse_bound_option, help="With --all: active since: 2d, 2026-01 …")
@click.option("--until", metavar="TIME", callback=parse_bound_option, help="With --all: started until.")
@click.option("-f", "--format", "form", type=click.Choice(FORMATS), help="Else by the name of FILE, or as set.")
@click.option("-o", "--output", metavar="FILE|DIR|-", help="Where to write; - is the standard output.")
@click.option(
    "--redact/--no-redact", "redact", default=None, help="Take out secrets and home folders: md does, json does not."
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@json_option
def export(
    words: tuple[str, ...], everything: bool, agent: tuple[str, ...], project: str | None, since: datetime | None,
    until: datetime | None, form: Format | None, output: str | None, redact: bool | None, force: bool, as_json: bool,
) -> None:  # fmt: skip
    """Write sessions to files: Markdown to read and share, or complete JSON that 'aj import' takes in again.

    A session goes with its sub-agents. Several go into a folder, each into a file of its own, which is private (0600).
    Markdown has no secrets in it and home folders as ~, as far as they are recognised (docs/export.md).

    \b
    Examples:
      aj export last
      aj export 4f2a9c -o talk.md
      aj export 4f2a9c -f json -o - | jq .sessions[0].title
      aj export --all -f jsonl -o backup
      aj export --all project:relay is:edited -o relay/
    """
    if not everything and (agent or project or since or until):
        raise UsageError("--agent, --project, --since and --until choose among all sessions", "add --all")
    with Journal.open() as journal:
        rows = _chosen(journal, words, everything, Query(agent or None, project, since, until))
        form = form or _form(journal, output)
        wishes = Wishes(
            form,
            redact if redact is not None else form == "md",
            bool(journal.config.get("export.include_tool_calls")),
            f"agent-journal {__version__}",
            journal.env.home,
        )
        if as_json and output == "-":
            raise UsageError("--json prints what was written, -o - prints the session", "leave one of them out")
        items = _export(journal, rows, wishes, output, force)
    if as_json:
        print_json("exported", items)
    elif items:
        _tell(items, wishes)


def _chosen(journal: Journal, words: tuple[str, ...], everything: bool, query: Query) -> list[SessionRow]:
    if journal.db is None:
        raise no_journal(journal.config)
    if not everything:
        if not words:
            raise UsageError("say which sessions to export: one or more ids, or --all", "'aj ls' lists the ids")
        return list({(row.agent, row.id): row for row in map(journal.row, words)}.values())
    from agent_journal.cli.ls import find_rows

    rows, _ = find_rows(journal, query, " ".join(words))
    if not rows:
        raise UsageError("no session matches", "'aj ls' lists the sessions")
    return rows


def _form(journal: Journal, output: str | None) -> Format:
    """The format that the name of the file tells, or the setting."""
    suffix = os.path.splitext(output or "")[1].lower()
    if suffix in BY_SUFFIX:
        return BY_SUFFIX[suffix]
    if suffix in (".html", ".htm"):
        raise UsageError("this version writes no HTML", "it writes .md, .json and .jsonl")
    default = str(journal.config.get("export.default_format"))
    if default not in SETTING_NAMES:
        note(f"this version writes no {default} (export.default_format): it is Markdown instead")
    return SETTING_NAMES.get(default, "md")


def _export(
    journal: Journal, rows: Sequence[SessionRow], wishes: Wishes, output: str | None, force: bool
) -> list[dict[str, Any]]:
    from agent_journal.archive import Archive
    from agent_journal.export.family import load_family
    from agent_journal.export.files import write_file
    from agent_journal.export.formats import written

    assert journal.db is not None
    archive = Archive(journal.config.archive_path)
    bar = ProgressBar("exporting")
    try:
        if output == "-":
            _print(journal, archive, rows, wishes)
            return []
        items = []
        for row, path in zip(rows, _paths(rows, wishes.form, output, force), strict=True):
            size = write_file(path, written(load_family(journal.db, archive, row), wishes), force)
            items.append({"agent": row.agent, "session": row.id, "path": path, "size": size, "format": wishes.form})
            bar.show(len(items), len(rows), f"{len(items):,} of {plural(len(rows), 'session')}")
        return items
    finally:
        bar.done()
        archive.close()


def _print(journal: Journal, archive: Archive, rows: Sequence[SessionRow], wishes: Wishes) -> None:
    from agent_journal.export.family import load_family
    from agent_journal.export.formats import written

    if len(rows) > 1:
        raise UsageError("-o - takes one session", "several go into a folder: name one with -o")
    assert journal.db is not None
    out = sys.stdout.buffer
    out.writelines(written(load_family(journal.db, archive, rows[0]), wishes))
    out.flush()


def _paths(rows: Sequence[SessionRow], form: Format, output: str | None, force: bool) -> list[str]:
    """A file for each session; none of them is there, unless it may be written over."""
    from agent_journal.export.files import make_folder
    from agent_journal.export.names import file_name
    from agent_journal.redact import redact

    is_folder = output is not None and (os.path.isdir(output) or output.endswith(("/", os.sep)))
    if len(rows) == 1 and output and not is_folder:
        return [output]
    if len(rows) > 1:
        if not output:
            raise UsageError(f"{len(rows):,} sessions go into a folder", "name one with -o")
        if not is_folder and os.path.splitext(output)[1].lower() in BY_SUFFIX:
            raise UsageError(f"{len(rows):,} sessions go into a folder, and {output} names a file", "name a folder")
    folder = output or "."
    make_folder(folder)
    taken: set[str] = set()
    paths = [os.path.join(folder, file_name(redact(row.title or ""), row.id, f".{form}", taken)) for row in rows]
    there = [] if force else [path for path in paths if os.path.lexists(path)]
    if there:
        which = there[0] if len(there) == 1 else f"{there[0]} and {len(there) - 1:,} more"
        raise UsageError(f"{which} {'is' if len(there) == 1 else 'are'} there already", "--force writes over it")
    return paths


def _tell(items: list[dict[str, Any]], wishes: Wishes) -> None:
    size = human_size(sum(item["size"] for item in items))
    kept = "secrets and home folders taken out" if wishes.is_redacted else "nothing taken out"
    first = items[0]["path"]
    where = first if len(items) == 1 else os.path.dirname(first)
    what = "" if len(items) == 1 else f"{plural(len(items), 'session')} in "
    note(f"{what}{short_path(where)}: {_NAMES[wishes.form]}, {size}, {kept}")
