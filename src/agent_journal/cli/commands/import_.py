"""`aj import`: take files into the journal by name."""

from __future__ import annotations

import click

from agent_journal.cli.options import check_agents, complete_agents, json_option
from agent_journal.cli.output import echo, note, plural, print_json, safe, short_path
from agent_journal.config.loading import load
from agent_journal.sync.importing import Imported, import_files

_WORDS = {"new": "taken in", "copy": "kept as a copy"}


@click.command("import")
@click.argument(
    "paths", metavar="FILE|DIR...", nargs=-1, required=True, type=click.Path(exists=True)
)
@click.option(
    "--as",
    "agent",
    metavar="AGENT",
    callback=check_agents,
    shell_complete=complete_agents,
    help="Take them as this agent's, whatever they look like; a folder is then one of the agent's own.",
)
@json_option
def import_command(paths: tuple[str, ...], agent: str | None, as_json: bool) -> int:
    """Take session files into the journal, wherever they lie.

    Exported VS Code chats (chat.json), what 'aj export' wrote as JSON, and the session files of
    every agent are recognised by what is in them. A folder is looked through: an agent's own folder
    in it (.claude, .copilot, User) is taken in whole, of the rest what is a session. The files stay
    where they are, untouched.

    \b
    Examples:
      aj import ~/Downloads/chat.json
      aj import old-laptop/.claude old-laptop/User
      aj import strange.jsonl --as claude-code
    """
    found = import_files(load(), paths, agent=agent)
    refused = [item for item in found if item.status == "refused"]
    if as_json:
        print_json("imported", [item._asdict() for item in found], problems=len(refused))
        return 1 if refused else 0
    for item in found:
        _print(item)
    _print_sum(found)
    return 1 if refused or all(item.status == "passed" for item in found) else 0


def _print_sum(found: list[Imported]) -> None:
    counts = {
        status: sum(item.status == status for item in found)
        for status in ("new", "known", "copy", "passed")
    }
    if not any(counts[status] for status in ("new", "known", "copy")):
        note("no session was taken in")
        return
    told = [f"{plural(counts['new'], 'file')} taken in"]
    told += [f"{counts['copy']:,} kept as copies"] if counts["copy"] else []
    told += [f"{counts['known']:,} known already"] if counts["known"] else []
    told += [f"{counts['passed']:,} others are no sessions"] if counts["passed"] else []
    note(", ".join(told) + ("; 'aj show ID' reads a session" if counts["new"] else ""))


def _print(item: Imported) -> None:
    path = safe(short_path(item.path))
    if item.status == "refused":
        note(f"{path}: {safe(item.reason or '')}")
    elif item.status in ("new", "copy"):
        echo(f"{path}: {_WORDS[item.status]}, {item.agent}:{safe(item.session or 'no session')}")
