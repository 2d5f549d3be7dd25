"""`aj resume`: resume a session in its agent, or in another one."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from agent_journal import __version__
from agent_journal.answers.conversion import convert_row
from agent_journal.cli.commands.convert import ask
from agent_journal.cli.options import check_agents, json_option, session_argument
from agent_journal.cli.output import echo, note, print_json
from agent_journal.cli.views.conversion_report import print_losses
from agent_journal.connectors.hooks import ResumeMethod
from agent_journal.convert.resuming import Command, command, find_method, get_method
from agent_journal.convert.targets import ALIASES, TARGETS
from agent_journal.errors import JournalError, UsageError
from agent_journal.journal import Journal
from agent_journal.text.human import plural, short_path
from agent_journal.text.plain import safe

if TYPE_CHECKING:
    from agent_journal.store.catalog.files import FileRow
    from agent_journal.store.catalog.listing import SessionRow


_WITH_AGENT = {entry.agent: name for name, entry in TARGETS.items() if entry.agent}


def _complete_with(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    return [name for name in _WITH_AGENT if name.startswith(incomplete)]


def _check_other(ctx: click.Context, param: click.Parameter, value: str | None) -> str | None:
    """Prefer the agents that a session can be converted for."""
    if value:
        names = [name for name in _WITH_AGENT if name.startswith(value)]
        if len(names) == 1:
            return names[0]
    checked: str | None = check_agents(ctx, param, value)
    return checked


@click.command()
@session_argument
@click.option(
    "--with",
    "other",
    metavar="AGENT",
    callback=_check_other,
    shell_complete=_complete_with,
    help="Resume in another agent; the session is converted into its folder first.",
)
@click.option(
    "--in",
    "folder",
    metavar="DIR",
    type=click.Path(exists=True, file_okay=False, resolve_path=True),
    help="Resume in this folder, for example when that of the session is gone.",
)
@click.option(
    "--print", "is_printed", is_flag=True, help="Print the command instead of running it."
)
@click.option("--yes", is_flag=True, help="Do not ask before writing into an agent's folder.")
@click.option(
    "--force", is_flag=True, help="With --with: convert even if the agent is not installed."
)
@json_option
def resume(
    session_id: str,
    other: str | None,
    folder: str | None,
    is_printed: bool,
    yes: bool,
    force: bool,
    as_json: bool,
) -> None:
    """Resume a session: run the agent's own command in the folder of the session.

    If the agent has deleted the files of the session, they are restored first, after asking.
    With the session's own agent, --with converts nothing: an imported session has to be installed
    first, with 'aj convert ID --to AGENT --install'.

    An agent that finds sessions by their folder (Claude Code, Gemini CLI) gets a copy of the
    session for the folder given with --in.

    \b
    Examples:
      aj resume last
      aj resume 4f2a9c --print
      aj resume 4f2a9c --with claude
      aj resume 4f2a9c --in ~/work/moved
    """
    is_dry = is_printed or as_json
    wanted = Wanted(folder, is_dry, yes, force)
    with Journal.open() as journal:
        journal.remove_unfinished()
        row = journal.row(session_id)
        agent = other or row.agent
        if agent != row.agent or _needs_copy(row.agent, folder):
            found = _in_other_agent(journal, row, agent, wanted)
        else:
            found = _in_own_agent(journal, row, wanted)
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
    elif force and shutil.which(found.argv[0]) is None:
        note(f"resume it with: {safe(str(found))}")
    else:
        _run(found)


class Wanted(NamedTuple):
    """How a session is to be resumed."""

    folder: str | None  # another one than that of the session
    is_dry: bool
    yes: bool
    force: bool


def _needs_copy(agent: str, folder: str | None) -> bool:
    """Whether the agent looks for sessions in the folder, where this one is not."""
    method = find_method(agent)
    return bool(folder and method and method.needs_folder and agent in _WITH_AGENT)


# -- in its own agent --------------------------------------------------------------------------


def _in_own_agent(journal: Journal, row: SessionRow, wanted: Wanted) -> Command:
    method = find_method(row.agent)
    if method is None or not method.argv:
        title = row.agent
        if method is not None:
            title = method.title
        raise UsageError(f"{title} has no command that resumes a session", _instead(row, method))
    if "/" in row.id:
        raise _about_sub_agent(row)
    found = command(row.agent, row.id, wanted.folder or row.project_path)
    if found is None and row.parent_id:
        raise _about_sub_agent(row)
    if found is None:
        raise UsageError(
            f"{method.title} cannot resume the id {safe(row.id)!r}", _instead(row, method)
        )
    _ensure_files(journal, row, method, wanted.is_dry, wanted.yes)
    if not wanted.is_dry:
        _check_program(found, method)
        _check_folder(journal, row, found, row.agent)
    return found


def _about_sub_agent(row: SessionRow) -> UsageError:
    return UsageError(
        f"{row.agent}:{safe(row.id)} is a sub-agent",
        f"'aj resume {safe(row.parent_id or '')}' resumes the session it belongs to",
    )


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
    from agent_journal.connectors.base import ROWS_MARK, TRANSCRIPTS

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
    # The rows of its sub-agents alone are not enough
    rows = [
        file for file in transcripts if ROWS_MARK in file.path and file.session in (None, row.id)
    ]
    if any(map(_is_in_database, rows)):
        return
    if rows:
        raise UsageError(
            f"this session is no longer in its database, and {method.title} reads no other file",
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


def _is_in_database(file: FileRow) -> bool:
    """Whether rows are in their database, as far as the last sync saw it."""
    from agent_journal.connectors.base import ROWS_MARK

    return file.vanished_at is None and os.path.exists(file.path.partition(ROWS_MARK)[0])


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


def _in_other_agent(journal: Journal, row: SessionRow, agent: str, wanted: Wanted) -> Command:
    from agent_journal.convert.job import Job

    name = f"{row.agent}:{row.id}"
    target = _WITH_AGENT.get(agent)
    if target is None:
        raise _not_resumable(agent, name)
    if wanted.is_dry and wanted.folder is None:
        note("aj: convert the session first; this prints the resume command:")
        return Command(("aj", "convert", name, "--to", target, "--install"), None)
    if wanted.is_dry:
        note("aj: this resumes it; the session is converted for the folder first:")
        argv = ("aj", "resume", name, "--with", agent, "--in", wanted.folder or "")
        return Command(argv, None)
    job = Job(journal.config, journal.env, target, False, f"agent-journal {__version__}")
    place = job.agent_folder()
    made = convert_row(journal, row, job, wanted.folder)
    found = made.command()
    assert found is not None
    method = get_method(agent)
    if not wanted.force:
        retry = f"'aj resume {safe(row.id)} --with {agent}' (nothing was written)"
        _check_program(found, method, retry)
    _check_folder(journal, row, found, agent)
    note(f"{agent}:{made.converted.session_id}")
    print_losses([made.converted.losses], is_whole=False)
    if not wanted.yes:
        ask(
            f"Write it into {short_path(place)} and continue with {method.title}?",
            f"this writes into {place}",
        )
    made.installed(place).write(place, force=False, is_installed=True)
    return found


def _not_resumable(agent: str, name: str) -> UsageError:
    """Say what else can be done for an agent that resumes no converted session."""
    target = ALIASES.get(agent)
    if target is not None:
        return UsageError(
            f"{agent} has no command that resumes a session",
            f"'aj convert {safe(name)} --to {target}' writes a chat that VS Code imports",
        )
    return UsageError(
        f"sessions cannot be converted for {agent}",
        f"they can be for: {', '.join(_WITH_AGENT.values())}",
    )


# -- running -----------------------------------------------------------------------------------


def _check_program(found: Command, method: ResumeMethod, retry: str | None = None) -> None:
    """Refuse an agent that is not installed, before anything is written."""
    program = found.argv[0]
    if shutil.which(program) is None:
        retry = retry or safe(str(found))
        raise UsageError(f"{program} is not on PATH", f"install {method.title}, then: {retry}")


def _check_folder(journal: Journal, row: SessionRow, found: Command, agent: str) -> None:
    """Refuse a folder that is gone, and say where its repository is now."""
    if found.folder is None:
        if get_method(agent).needs_folder:
            note("aj: the session does not record its folder; using the current one")
        return
    if os.path.isdir(found.folder):
        return
    from agent_journal.store.catalog.projects import other_folders

    others = [path for path in other_folders(journal.db, found.folder) if os.path.isdir(path)]
    again = f"aj resume {row.agent}:{safe(row.id)}"
    if agent != row.agent:
        again += f" --with {agent}"
    if others:
        hint = f"its repository is also in {safe(others[0])}:\n"
        hint += _as_one_word(f"{again} --in {shlex.quote(others[0])}")
    else:
        hint = f"'{again} --in DIR' resumes it in another folder"
        hint += "\nor create it with "
        hint += _as_one_word(f"mkdir -p {shlex.quote(found.folder)}")
    raise UsageError(f"the folder of the session is gone: {found.folder}", hint)


def _as_one_word(line: str) -> str:
    """Return a command in quotation marks, which no line breaks; as it is where it has its own."""
    line = safe(line)
    if "'" in line:
        return line
    return f"'{line}'"


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
