"""`aj import`: take files into the journal by name."""

from __future__ import annotations

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import echo, note, plural, print_json, safe, short_path
from agent_journal.config import load
from agent_journal.importing import Imported, import_files

_WORDS = {"new": "taken in", "known": "nothing new", "copy": "kept as a copy"}


@click.command("import")
@click.argument("paths", metavar="FILE|DIR...", nargs=-1, required=True, type=click.Path(exists=True))
@json_option
def import_command(paths: tuple[str, ...], as_json: bool) -> int:
    """Take session files into the journal, wherever they lie.

    Exported VS Code chats (chat.json) and the session files of every agent are recognised by what is in them. A folder
    is looked through; what is no session in it is passed over. The files stay where they are, untouched.

    \b
    Examples:
      aj import ~/Downloads/chat.json
      aj import old-laptop/.claude old-laptop/User
    """
    found = import_files(load(), paths)
    refused = [item for item in found if item.status == "refused"]
    if as_json:
        print_json("imported", [item._asdict() for item in found], problems=len(refused))
        return 1 if refused else 0
    for item in found:
        _print(item)
    taken = [item for item in found if item.status == "new"]
    if not found:
        note("no session file was found there")
        return 1
    note(f"{plural(len(taken), 'file')} taken in; 'aj show ID' reads a session")
    return 1 if refused else 0


def _print(item: Imported) -> None:
    path = safe(short_path(item.path))
    if item.status == "refused":
        note(f"{path}: {safe(item.reason or '')}")
    else:
        echo(f"{path}: {_WORDS[item.status]}, {item.agent}:{safe(item.session or 'no session')}")
