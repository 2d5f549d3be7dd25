"""`aj resume`: go on with a session in its agent, or in another one."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from typing import TYPE_CHECKING

import click

from agent_journal import __version__
from agent_journal.cli.commands.convert import ask, made_of
from agent_journal.cli.options import check_agents, json_option, session_argument
from agent_journal.cli.output import echo, note, plural, print_json, safe, short_path
from agent_journal.connectors.hooks import ResumeMethod
from agent_journal.convert.resuming import Command, command, find_method, get_method
from agent_journal.convert.targets import TARGETS
from agent_journal.errors import JournalError, UsageError
from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.store.catalog.files import FileRow
    from agent_journal.store.catalog.listing import SessionRow


def _complete_with(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in TARGETS if name.startswith(incomplete)]


@click.command()
@session_argument
@click.option(
    "--with",
    "other",
    metavar="AGENT",
    callback=check_agents,
    shell_complete=_complete_with,
    help="Go on in this agent: the session is converted into its folder first.",
)
@click.option(
    "--print", "is_printed", is_flag=True, help="Print the command instead of running it."
)
@click.option(
    "--yes", is_flag=True, help="Do not ask before something is written into an agent's folder."
)
@json_option
def resume(session_id: str, other: str | None, is_printed: bool, yes: bool, as_json: bool) -> None:
    """Run the agent's own resume command in the folder of the session.

    Where the agent has deleted its files, they are put back first, after asking.

    \b
    Examples:
      aj resume last
      aj resume 4f2a9c --print
      aj resume 4f2a9c --with claude-code
    """
    with Journal.open() as journal:
        row = journal.row(session_id)
        is_shown = is_printed or as_json
        if other is None or other == row.agent:
            found = _own(journal, row, is_shown, yes)
        else:
            found = _carried(journal, row, other, is_shown, yes)
    if as_json:
        item = {
            "agent": other or row.agent,
            "session": row.id,
            "argv": list(found.argv),
            "cwd": found.folder,
        }
        print_json("resume", [item])
    elif is_printed:
        if safe(str(found)) != str(found):
            raise UsageError(
                "the folder of the session has a name that cannot be shown",
                "--json gives it as it is",
            )
        echo(str(found))
    else:
        _run(found)


# -- in its own agent --------------------------------------------------------------------------


def _own(journal: Journal, row: SessionRow, is_shown: bool, yes: bool) -> Command:
    way = find_method(row.agent)
    name = f"{row.agent}:{safe(row.id)}"
    if way is None or not way.argv:
        title = row.agent if way is None else way.title
        raise UsageError(f"{title} has no command that resumes a session", _instead(row, way))
    if "/" in row.id:
        raise UsageError(
            f"{name} is a sub-agent",
            f"'aj resume {safe(row.parent_id or '')}' goes on with its session",
        )
    found = command(row.agent, row.id, row.project_path)
    if found is None:
        raise UsageError(
            f"{safe(row.id)!r} is no id that {way.title} resumes by", _instead(row, way)
        )
    _find(journal, row, way, is_shown, yes)
    if not is_shown:
        _check(found, way)
    return found


def _instead(row: SessionRow, way: ResumeMethod | None) -> str:
    told = [way.instead] if way is not None and way.instead else []
    known = TARGETS.get(row.agent)
    if known is not None:
        told.append(
            f"'aj convert {row.agent}:{safe(row.id)} --to {row.agent} --install' makes one that it does"
        )
    else:
        first = next(name for name, entry in TARGETS.items() if entry.agent)
        told.append(
            f"'aj resume {row.agent}:{safe(row.id)} --with {first}' goes on in another agent"
        )
    return "\n".join(told)


def _find(journal: Journal, row: SessionRow, way: ResumeMethod, is_shown: bool, yes: bool) -> None:
    """Sees to it that the agent has the session."""
    from agent_journal.connectors import get_connector
    from agent_journal.connectors.base import TRANSCRIPTS
    from agent_journal.store.restore import files_of
    from agent_journal.sync.discovery import roots_of

    connector = get_connector(row.agent)
    roots = roots_of(connector, journal.config, journal.env)
    files = [file for file in files_of(journal.db, row) if file.role != "export"]
    own = [file for file in files if file.root in roots and file.version_id is not None]
    obstacle = connector.why_not_resumable(row.id, [file.name for file in own])
    if obstacle:
        raise UsageError(obstacle, _instead(row, way))
    if not any(file.role in TRANSCRIPTS for file in own):
        raise UsageError(
            f"{way.title} does not have this session: it was imported from elsewhere",
            _instead(row, way),
        )
    if all(os.path.exists(file.path) for file in own if file.role in TRANSCRIPTS):
        return
    if is_shown:
        note(
            f"aj: {way.title} has deleted this session; without --print 'aj resume' puts its files back"
        )
        return
    _put_back(journal, own, way, yes)


def _put_back(journal: Journal, own: list[FileRow], way: ResumeMethod, yes: bool) -> None:
    from agent_journal.store.restore import put_back

    gone = [file for file in own if not os.path.exists(file.path)]
    if not yes:
        what = f"{way.title} has deleted this session"
        back = f"Put {plural(len(gone), 'file')} back into {short_path(gone[0].root)}?"
        ask(f"{what}. {back}", f"{what}; its files can be put back")
    told = list(put_back(journal.db, journal.archive, gone))
    failed = next((one for one in told if one.reason), None)
    if failed is not None:
        cure = "'aj restore ID -o DIR' writes it to another place"
        raise JournalError(f"{failed.path} could not be put back: {failed.reason}", cure)


# -- in another agent --------------------------------------------------------------------------


def _carried(journal: Journal, row: SessionRow, other: str, is_shown: bool, yes: bool) -> Command:
    from agent_journal.convert.job import Job

    target = next((name for name, entry in TARGETS.items() if entry.agent == other), None)
    if target is None:
        names = ", ".join(name for name, entry in TARGETS.items() if entry.agent)
        raise UsageError(
            f"sessions cannot be converted into the folder of {other}", f"they can for: {names}"
        )
    if is_shown:
        note("aj: its id is known when it is converted, by:")
        return Command(
            ("aj", "convert", f"{row.agent}:{row.id}", "--to", target, "--install"), None
        )
    job = Job(journal.config, journal.env, target, False, f"agent-journal {__version__}")
    where = job.agent_folder()
    made = made_of(journal, row, job)
    found = made.command()
    assert found is not None
    _check(
        found, get_method(other), f"aj resume {safe(row.id)} --with {other}; nothing was written"
    )
    dropped = sum(loss.fate == "dropped" for loss in made.converted.losses.entries())
    note(
        f"of the session {plural(dropped, 'field')} would be left behind ('aj convert' tells which)"
    )
    if not yes:
        ask(
            f"Write it into {short_path(where)} and go on with {get_method(other).title}?",
            f"this writes into {where}",
        )
    made.write(where, force=False, is_installed=True)
    return found


# -- running -----------------------------------------------------------------------------------


def _check(found: Command, way: ResumeMethod, again: str | None = None) -> None:
    """Refuses what could not run, before anything is written."""
    if shutil.which(found.argv[0]) is None:
        raise UsageError(
            f"{found.argv[0]} is not on PATH",
            f"install {way.title}, then: {again or safe(str(found))}",
        )
    if found.folder is None:
        if way.needs_folder:
            note(
                "aj: the session does not say in which folder it was held; trying the one you are in"
            )
    elif not os.path.isdir(found.folder):
        again = f"mkdir -p {shlex.quote(found.folder)}"
        cure = (
            f"make it again: {again}"
            if way.needs_folder
            else f"{again}, or from any folder: {shlex.join(found.argv)}"
        )
        raise UsageError(f"the folder of the session is gone: {found.folder}", safe(cure))


def _run(found: Command) -> None:
    """The agent takes the place of this process."""
    program = shutil.which(found.argv[0])
    assert program is not None
    # PATH may name folders from here, not from the folder of the session
    program = os.path.abspath(program)
    note(safe(str(found)))
    if found.folder is not None:
        os.chdir(found.folder)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.execv(program, found.argv)
