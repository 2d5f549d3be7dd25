"""`aj show`: read a session."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator

import click

from agent_journal.catalog.listing import SessionRow
from agent_journal.cli.options import json_option, session_argument
from agent_journal.cli.output import use_colour
from agent_journal.journal import Journal

DEPTHS = ("user", "assistant", "tool", "all")


@click.command()
@session_argument
@click.option(
    "--depth", type=click.Choice(DEPTHS), default="tool", show_default=True,
    help="user: what the person wrote. assistant: and the answers. tool: and tool calls, results shortened. "
    "all: everything, with reasoning, injected text, events and whole results.",
)  # fmt: skip
@click.option("--raw", is_flag=True, help="Print the original records, byte for byte.")
@json_option
def show(session_id: str, depth: str, raw: bool, as_json: bool) -> None:
    """Read a session. ID is any unique prefix, agent:id, or last.

    \b
    Examples:
      aj show last
      aj show 4f2a9c --depth user
      aj show claude-code:4f2a9c --raw | head -1
    """
    with Journal.open() as journal:
        if raw:
            _print_raw(journal, session_id)
        elif as_json:
            _print_json(journal, session_id)
        else:
            _print_text(journal, session_id, depth)


def _print_text(journal: Journal, session_id: str, depth: str) -> None:
    from agent_journal.cli.transcript import transcript

    row = journal.row(session_id)
    session = journal.session(f"{row.agent}:{row.id}")
    lines = transcript(session, row, depth, use_colour(), lambda name: _document(journal, row, name))
    if sys.stdout.isatty():
        # -F: a short session needs no pager; -R: our own colours pass, session text has lost its escape sequences.
        os.environ.setdefault("LESS", "-FIRX")
        click.echo_via_pager(f"{line}\n" for line in lines)
    else:
        for line in lines:
            click.echo(line)


def _document(journal: Journal, row: SessionRow, name: str) -> str | None:
    from agent_journal.archive import Archive
    from agent_journal.cli.records import document_text

    assert journal.db is not None
    archive = Archive(journal.config.archive_path)
    try:
        return document_text(journal.db, archive, row, name)
    finally:
        archive.close()


def _print_json(journal: Journal, session_id: str) -> None:
    import msgspec

    session = journal.session(session_id)
    head = b'{"schema":1,"kind":"session","items":['
    tail = b'],"page":{"state":"complete","total":1,"limit":null},"problems":0}\n'
    _write(iter((head, msgspec.json.encode(session), tail)))


def _print_raw(journal: Journal, session_id: str) -> None:
    from agent_journal.archive import Archive
    from agent_journal.cli.records import raw_records

    row = journal.row(session_id)
    assert journal.db is not None
    archive = Archive(journal.config.archive_path)
    try:
        _write(raw_records(journal.db, archive, row))
    finally:
        archive.close()


def _write(parts: Iterator[bytes]) -> None:
    out = sys.stdout.buffer
    for part in parts:
        out.write(part)
    out.flush()
