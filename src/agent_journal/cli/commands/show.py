"""`aj show`: read a session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import click

from agent_journal.cli.options import json_option, session_argument
from agent_journal.cli.output import use_colour
from agent_journal.errors import UsageError
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import SessionRow, children_of, get_session

if TYPE_CHECKING:
    from agent_journal.model import Message, Session

DEPTHS = ("user", "assistant", "tool", "all")


@click.command()
@session_argument
@click.option(
    "--depth",
    type=click.Choice(DEPTHS),
    help="user: what the person wrote. assistant: and the answers. tool: and tool calls, results shortened; "
    "this is the default. all: everything, with reasoning, injected text, events and whole results.",
)
@click.option(
    "--version",
    "version",
    type=click.IntRange(min=1),
    metavar="N",
    help="As an earlier version of its log has it.",
)
@click.option("--raw", is_flag=True, help="Print the original records, byte for byte.")
@click.option("--find", metavar="TEXT", help="Only messages with these words, wherever in them.")
@click.option(
    "--message",
    type=click.IntRange(min=0),
    metavar="N",
    help="Only what was said around place N of a hit.",
)
@click.option("--edits", is_flag=True, help="Show what each request did to which files, as diffs.")
@click.option(
    "--file",
    "path",
    metavar="PATH",
    help="Print a file the session changed; the end of its path will do.",
)
@click.option(
    "--at",
    type=click.IntRange(min=0),
    metavar="N",
    help="With --file: as it stood after request N of --edits.",
)
@json_option
def show(
    session_id: str,
    depth: str | None,
    version: int | None,
    raw: bool,
    find: str | None,
    message: int | None,
    edits: bool,
    path: str | None,
    at: int | None,
    as_json: bool,
) -> None:
    """Read a session. ID is any unique prefix, agent:id, or last.

    \b
    Examples:
      aj show last
      aj show 4f2a9c --depth user
      aj show 4f2a9c --version 1
      aj show claude-code:4f2a9c --raw | head -1
      aj show last --find "connection limit"
      aj show 4f2a9c --message 12
      aj show last --edits
      aj show last --file src/app.py --at 2 > app.py
    """
    _check(raw=raw, edits=edits, file=path is not None, json=as_json and not edits)
    if at is not None and path is None:
        raise UsageError("--at says when, and --file says which file", "add --file PATH")
    with Journal.open() as journal, ExitStack() as stack:
        row = journal.row(session_id)
        if raw:
            _print_raw(journal, row, version)
            return
        if version is None:
            session = journal.session(f"{row.agent}:{row.id}")
        else:
            row, session = _earlier(journal, row, version, stack)
        if find is not None:
            session = _with_words(session, find)
        if message is not None:
            session = _around(session, message)
        is_part = find is not None or message is not None  # then the rest is what one has come for
        depth = depth or ("all" if is_part else "tool")
        if edits or path is not None:
            _print_edits(session, path, at, as_json)
        elif as_json:
            _print_json(session)
        else:
            _print_text(journal, row, session, depth)


def _with_words(session: Session, text: str) -> Session:
    """The session with only those messages that have all the words, in themselves or in their tool
    calls.
    """
    from msgspec.structs import replace

    from agent_journal.search.texts import folded

    words = folded(text).split()

    def has_them(message: Message) -> bool:
        calls = (
            part
            for call in message.tool_calls
            for part in (call.name, call.arguments, call.result, call.display)
        )
        whole = folded("\n".join(filter(None, (message.text, message.reasoning, *calls))))
        return all(word in whole for word in words)

    found = tuple(message for message in session.messages if has_them(message))
    if not found:
        raise UsageError(
            f"no message of this session has {text!r}", "'aj search' looks through all sessions"
        )
    return replace(session, messages=found, events=())


def _around(session: Session, place: int) -> Session:
    """The message at a place, with two before and two after it."""
    from msgspec.structs import replace

    before = [
        number for number, message in enumerate(session.messages) if (message.seq or 0) <= place
    ]
    if not before:
        raise UsageError(
            f"nothing was said at {place} in this session", "'aj show ID' shows all of it"
        )
    return replace(
        session, messages=session.messages[max(0, before[-1] - 2) : before[-1] + 3], events=()
    )


def _check(**given: bool) -> None:
    """Refuses two options that each say what to print."""
    names = [f"--{name}" for name, is_given in given.items() if is_given]
    if len(names) > 1:
        raise UsageError(f"give {names[0]} or {names[1]}, not both")


def _print_edits(session: Session, path: str | None, at: int | None, as_json: bool) -> None:
    from agent_journal.cli.views.edits import edit_lines, print_edits_json, print_file

    if path is not None:
        print_file(session, path, at)
    elif as_json:
        print_edits_json(session)
    else:
        _print_lines(edit_lines(session, use_colour()))


def _print_text(journal: Journal, row: SessionRow, session: Session, depth: str) -> None:
    from agent_journal.cli.views.transcript import Context, transcript
    from agent_journal.store.records import count_versions, remarks

    children = children_of(journal.db, row.agent, row.id)
    context = Context(children, count_versions(journal.db, row), remarks(journal.db, row))
    _print_lines(
        transcript(
            session, row, depth, use_colour(), lambda name: _document(journal, row, name), context
        )
    )


def _print_lines(lines: Iterator[str]) -> None:
    if sys.stdout.isatty():
        # -F: a short session needs no pager; -R: our own colours pass, session text has lost its escape sequences.
        os.environ.setdefault("LESS", "-FIRX")
        click.echo_via_pager(f"{line}\n" for line in lines)
    else:
        for line in lines:
            click.echo(line)


def _earlier(
    journal: Journal, row: SessionRow, version: int, stack: ExitStack
) -> tuple[SessionRow, Session]:
    """The session as an earlier version of its log has it, read anew from the archive."""
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


def _document(journal: Journal, row: SessionRow, name: str) -> str | None:
    from agent_journal.store.records import document_text

    return document_text(journal.db, journal.archive, row, name)


def _print_json(session: Session) -> None:
    import msgspec

    head = b'{"schema":1,"kind":"session","items":['
    tail = b'],"page":{"state":"complete","total":1,"limit":null},"problems":0}\n'
    _write(iter((head, msgspec.json.encode(session), tail)))


def _print_raw(journal: Journal, row: SessionRow, version: int | None) -> None:
    from agent_journal.store.content import KeptContent
    from agent_journal.store.records import log_version, raw_records

    if version is None:
        _write(raw_records(journal.db, journal.archive, row))
    else:
        files, file = log_version(journal.db, row, version)
        _write(KeptContent(files, journal.archive, file).chunks())


def _write(parts: Iterator[bytes]) -> None:
    out = sys.stdout.buffer
    for part in parts:
        out.write(part)
    out.flush()
