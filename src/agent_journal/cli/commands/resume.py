"""`aj resume`: resume a session in its agent, or in another one."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click

from agent_journal import __version__
from agent_journal.cli.commands.convert import ask, convert_row
from agent_journal.cli.options import check_agents, json_option, session_argument
from agent_journal.cli.output import echo, note, print_json
from agent_journal.connectors.hooks import ResumeMethod
from agent_journal.convert.resuming import Command, command, find_method, get_method
from agent_journal.convert.targets import TARGETS
from agent_journal.errors import JournalError, UsageError
from agent_journal.journal import Journal
from agent_journal.text.human import plural, short_path
from agent_journal.text.plain import safe

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
    help="Resume in another agent; the session is converted into its folder first.",
)
@click.option(
    "--print", "is_printed", is_flag=True, help="Print the command instead of running it."
)
@click.option("--yes", is_flag=True, help="Do not ask before writing into an agent's folder.")
@json_option
def resume(session_id: str, other: str | None, is_printed: bool, yes: bool, as_json: bool) -> None:
    """Resume a session: run the agent's own command in the folder of the session.

    If the agent has deleted the files of the session, they are restored first, after asking.
    With the session's own agent, --with converts nothing: an imported session has to be installed
    first, with 'aj convert ID --to AGENT --install'.

    \b
    Examples:
      aj resume last
      aj resume 4f2a9c --print
      aj resume 4f2a9c --with claude-code
    """
    is_dry = is_printed or as_json
    with Journal.open() as journal:
        row = journal.row(session_id)
        if other is None or other == row.agent:
            agent = row.agent
            found = _in_own_agent(journal, row, is_dry, yes)
        else:
            agent = other
            found = _in_other_agent(journal, row, other, is_dry, yes)
    if as_json:
        from agent_journal.answers.resume import resume_answer

        print_json(resume_answer(agent, row.id, found.argv, found.folder))
    elif is_printed:
        text = str(found)
        if safe(text) != text:
            raise UsageError(
                "the name of the session's folder cannot be printed", "--json prints it escaped"
            )
        echo(text)
    else:
        _run(found)


# -- in its own agent --------------------------------------------------------------------------


def _in_own_agent(journal: Journal, row: SessionRow, is_dry: bool, yes: bool) -> Command:
    method = find_method(row.agent)
    if method is None or not method.argv:
        title = row.agent
        if method is not None:
            title = method.title
        raise UsageError(f"{title} has no command that resumes a session", _instead(row, method))
    if "/" in row.id:
        parent = safe(row.parent_id or "")
        raise UsageError(
            f"{row.agent}:{safe(row.id)} is a sub-agent",
            f"'aj resume {parent}' resumes the session it belongs to",
        )
    found = command(row.agent, row.id, row.project_path)
    if found is None:
        raise UsageError(
            f"{method.title} cannot resume the id {safe(row.id)!r}", _instead(row, method)
        )
    _ensure_files(journal, row, method, is_dry, yes)
    if not is_dry:
        _check(found, method)
    return found


def _instead(row: SessionRow, method: ResumeMethod | None) -> str:
    """Return what else can be done."""
    name = f"{row.agent}:{safe(row.id)}"
    lines = []
    if method is not None and method.instead:
        lines.append(method.instead)
    if row.agent in TARGETS:
        lines.append(f"'aj convert {name} --to {row.agent} --install' makes one that it can resume")
    else:
        first = next(target for target, entry in TARGETS.items() if entry.agent)
        lines.append(f"'aj resume {name} --with {first}' resumes it in another agent")
    return "\n".join(lines)


def _ensure_files(
    journal: Journal, row: SessionRow, method: ResumeMethod, is_dry: bool, yes: bool
) -> None:
    """Check that the agent has the session, and restore its files where they were deleted."""
    from agent_journal.connectors import get_connector
    from agent_journal.connectors.base import TRANSCRIPTS

    own = _own_files(journal, row)
    names = [file.name for file in own]
    obstacle = get_connector(row.agent).why_not_resumable(row.id, names)
    if obstacle:
        raise UsageError(obstacle, _instead(row, method))
    transcripts = [file for file in own if file.role in TRANSCRIPTS]
    if not transcripts:
        raise UsageError(
            f"{method.title} does not have this session: it was imported from elsewhere",
            _instead(row, method),
        )
    if all(os.path.exists(file.path) for file in transcripts):
        return
    if is_dry:
        note(
            f"aj: {method.title} has deleted this session; "
            "without --print, 'aj resume' restores its files"
        )
        return
    missing = [file for file in own if not os.path.exists(file.path)]
    _restore(journal, missing, method, yes)


def _own_files(journal: Journal, row: SessionRow) -> list[FileRow]:
    """Return the kept files of a session that are from the agent's own folders."""
    from agent_journal.connectors import get_connector
    from agent_journal.store.restore import files_of
    from agent_journal.sync.discovery import roots_of

    roots = roots_of(get_connector(row.agent), journal.config, journal.env)
    own = []
    for file in files_of(journal.db, row):
        if file.role != "export" and file.version_id is not None and file.root in roots:
            own.append(file)
    return own


def _restore(journal: Journal, missing: Sequence[FileRow], method: ResumeMethod, yes: bool) -> None:
    from agent_journal.store.restore import put_back

    if not yes:
        deleted = f"{method.title} has deleted this session"
        files = plural(len(missing), "file")
        ask(
            f"{deleted}. Restore {files} in {short_path(missing[0].root)}?",
            f"{deleted}; its files can be restored",
        )
    restored = list(put_back(journal.db, journal.archive, missing))
    for file in restored:
        if file.reason:
            raise JournalError(
                f"{file.path} could not be restored: {file.reason}",
                "'aj restore ID -o DIR' writes it to another folder",
            )


# -- in another agent --------------------------------------------------------------------------


def _in_other_agent(
    journal: Journal, row: SessionRow, agent: str, is_dry: bool, yes: bool
) -> Command:
    from agent_journal.convert.job import Job

    targets = {entry.agent: name for name, entry in TARGETS.items() if entry.agent}
    target = targets.get(agent)
    if target is None:
        raise UsageError(
            f"sessions cannot be converted for {agent}",
            f"they can be for: {', '.join(targets.values())}",
        )
    if is_dry:
        note("aj: convert the session first; this prints the resume command:")
        name = f"{row.agent}:{row.id}"
        return Command(("aj", "convert", name, "--to", target, "--install"), None)
    job = Job(journal.config, journal.env, target, False, f"agent-journal {__version__}")
    folder = job.agent_folder()
    made = convert_row(journal, row, job)
    found = made.command()
    assert found is not None
    method = get_method(agent)
    _check(found, method, f"aj resume {safe(row.id)} --with {agent}; nothing was written")
    dropped = sum(loss.fate == "dropped" for loss in made.converted.losses.entries())
    note(f"{plural(dropped, 'field')} would be lost ('aj convert' lists them)")
    if not yes:
        ask(
            f"Write it into {short_path(folder)} and continue with {method.title}?",
            f"this writes into {folder}",
        )
    made.write(folder, force=False, is_installed=True)
    return found


# -- running -----------------------------------------------------------------------------------


def _check(found: Command, method: ResumeMethod, retry: str | None = None) -> None:
    """Refuse what could not run, before anything is written."""
    program = found.argv[0]
    if shutil.which(program) is None:
        retry = retry or safe(str(found))
        raise UsageError(f"{program} is not on PATH", f"install {method.title}, then: {retry}")
    if found.folder is None:
        if method.needs_folder:
            note("aj: the session does not record its folder; using the current one")
        return
    if not os.path.isdir(found.folder):
        hint = f"create it first: mkdir -p {shlex.quote(found.folder)}"
        if not method.needs_folder:
            hint += f", or run in any folder: {shlex.join(found.argv)}"
        raise UsageError(f"the folder of the session is gone: {found.folder}", safe(hint))


def _run(found: Command) -> None:
    """Replace this process by the agent."""
    program = shutil.which(found.argv[0])
    assert program is not None
    # PATH may have folders relative to the current one, which is about to change.
    program = os.path.abspath(program)
    note(safe(str(found)))
    if found.folder is not None:
        os.chdir(found.folder)
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os.execv(program, found.argv)
