"""`aj show`: show a session."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from agent_journal.answers.session_part import (
    load_part,
    message_at,
    only_around,
    only_with_words,
)
from agent_journal.cli.options import Number, json_option, session_argument
from agent_journal.cli.output import current_screen, print_bytes, print_json, use_colour
from agent_journal.cli.paging import print_lines
from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow, children_of, get_session, last_position

if TYPE_CHECKING:
    from agent_journal.model import Message, Session

DEPTHS = ("user", "assistant", "tool", "all")


@click.command()
@session_argument
@click.option(
    "--depth",
    type=click.Choice(DEPTHS),
    help="How much to show. user: what the person wrote. assistant: also the answers. tool: also "
    "tool calls, with short results. all: everything, with reasoning, injected text, events and "
    "whole results.  [default: tool]",
)
@click.option(
    "--version",
    "version",
    type=Number(1),
    metavar="N",
    help="Show an earlier version of the log.",
)
@click.option("--raw", is_flag=True, help="Print the original records, byte for byte.")
@click.option(
    "--find",
    metavar="TEXT",
    help="Only show messages that contain these words, and mark the words on a terminal.",
)
@click.option(
    "-m",
    "--message",
    type=Number(0),
    metavar="N",
    help="Show only the messages around position N, as printed by 'aj search'; --find then only "
    "marks words.",
)
@click.option(
    "-C",
    "--context",
    type=Number(0, 1_000),
    metavar="N",
    help="With --message or --find: also show N messages before and after.  [default: 2 with "
    "--message, 0 with --find]",
)
@click.option("--edits", is_flag=True, help="Show what each request did to which files, as diffs.")
@click.option(
    "--file",
    "path",
    metavar="PATH",
    help="Print a file that the session changed; the end of its path is enough.",
)
@click.option(
    "--at",
    type=Number(0),
    metavar="N",
    help="With --file: print the file as it was after request N of --edits.",
)
@click.option(
    "--document",
    metavar="NAME",
    help="Print a file that was kept with the session, as 'aj search' names it.",
)
@json_option
def show(
    session_id: str,
    depth: str | None,
    version: int | None,
    raw: bool,
    find: str | None,
    message: int | None,
    context: int | None,
    edits: bool,
    path: str | None,
    at: int | None,
    document: str | None,
    as_json: bool,
) -> None:
    """Show a session. ID is any unique prefix of an id, agent:id, or last.

    \b
    Examples:
      aj show last
      aj show 4f2a9c --depth user
      aj show 4f2a9c --version 1
      aj show claude-code:4f2a9c --raw | head -1
      aj show last --find "connection limit"
      aj show 4f2a9c -m 12 --find pool -C 5
      aj show last --edits
      aj show last --file src/app.py --at 2 > app.py
      aj show 4f2a9c --document tool-results/b1.txt
    """
    asked = {"file": path is not None, "document": document is not None}
    _check_one(raw=raw, edits=edits, **asked, json=as_json and not edits)
    if at is not None and path is None:
        raise UsageError("--at needs --file", "add --file PATH")
    if context is not None and message is None and find is None:
        raise UsageError("-C needs --message or --find", "add --message N or --find TEXT")
    with Journal.open() as journal, ExitStack() as stack:
        row = journal.row(session_id)
        if raw or document is not None:
            print_bytes(_kept(journal, row, version, document))
            return
        last = last_position(journal.db, row.row_id)
        if version is None:
            session = load_part(journal, row, message, context, as_json or edits or bool(path))
        else:
            row, session = _earlier(journal, row, version, stack)
        asked_for = None
        if message is not None:
            asked_for = message_at(session, message, last)
            session = only_around(session, asked_for, context)
        elif find is not None:
            session = only_with_words(session, find, context or 0)
        if edits or path is not None:
            _print_edits(session, path, at, as_json)
        elif as_json:
            from agent_journal.answers.session import session_json

            print_bytes(session_json(session, row), is_json=True)
        elif _has_only_edits(session):
            _print_edits(session, None, None, as_json=False)
        else:
            _print_text(journal, row, session, depth, find, asked_for)


def _check_one(**given: bool) -> None:
    """Refuse two options that each say what to print."""
    names = [f"--{name}" for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise UsageError(f"give {names[0]} or {names[1]}, not both")


def _has_only_edits(session: Session) -> bool:
    """Whether the conversation is lost, but not what was done to files."""
    if session.messages:
        return False
    return any(edit.kind != "backup" for edit in session.file_edits)


def _print_edits(session: Session, path: str | None, at: int | None, as_json: bool) -> None:
    from agent_journal.cli.views.edits import edit_lines, print_file

    if path is not None:
        print_file(session, path, at)
    elif as_json:
        from agent_journal.answers.edits import edits_answer

        print_json(edits_answer(session))
    else:
        print_lines(edit_lines(session, use_colour()))


def _print_text(
    journal: Journal,
    row: SessionRow,
    session: Session,
    depth: str | None,
    find: str | None,
    asked_for: Message | None,
) -> None:
    from agent_journal.cli.views.transcript import Context, Transcript
    from agent_journal.store.records import count_versions, remarks

    context = Context(
        children=children_of(journal.db, row.agent, row.id),
        versions=count_versions(journal.db, row),
        remarks=remarks(journal.db, row, journal.config),
    )
    if depth is None:
        is_part = find is not None or asked_for is not None
        depth = "all" if is_part else "tool"
    transcript = Transcript(
        session, row, context, depth=depth, screen=current_screen(), asked_for=asked_for
    )
    lines: Iterable[str] = transcript.lines()
    if find is not None and use_colour():
        lines = _with_marks(lines, find)
    print_lines(lines)


def _with_marks(lines: Iterable[str], text: str) -> Iterator[str]:
    """Return lines with the words of a text marked."""
    from agent_journal.cli.views.marking import marked_line
    from agent_journal.search.marks import Marker

    marker = Marker(text.split())
    return (marked_line(line, marker) for line in lines)


def _earlier(
    journal: Journal, row: SessionRow, version: int, stack: ExitStack
) -> tuple[SessionRow, Session]:
    """Read the session again from an earlier version of its log."""
    from agent_journal.store.catalog.files import Files
    from agent_journal.store.catalog.loading import load_session
    from agent_journal.store.quotes import Quotes
    from agent_journal.store.records import beside_log, log_version
    from agent_journal.sync.rederive import derived

    files, file = log_version(journal.db, row, version)
    rows = [*beside_log(files, row, file), file]
    scratch = stack.enter_context(derived(files, journal.archive, rows))
    earlier = get_session(scratch, f"{row.agent}:{row.id}")
    return earlier, load_session(scratch, earlier, Quotes(Files(scratch), journal.archive))


def _kept(
    journal: Journal, row: SessionRow, version: int | None, document: str | None
) -> Iterator[bytes]:
    """Return the bytes of a document, or the records of the session."""
    if document is None:
        return _raw_records(journal, row, version)
    return _document(journal, row, document)


def _raw_records(journal: Journal, row: SessionRow, version: int | None) -> Iterator[bytes]:
    from agent_journal.store.content import KeptContent
    from agent_journal.store.records import log_version, raw_records

    if version is None:
        return raw_records(journal.db, journal.archive, row)
    files, file = log_version(journal.db, row, version)
    return KeptContent(files, journal.archive, file).chunks()


def _document(journal: Journal, row: SessionRow, name: str) -> Iterator[bytes]:
    from agent_journal.store.records import document

    found = document(journal.db, journal.archive, row, name)
    if found is None:
        raise UsageError(
            f"no document {name!r} was kept with this session",
            "'aj show ID --json' lists them as \"documents\"",
        )
    return found
