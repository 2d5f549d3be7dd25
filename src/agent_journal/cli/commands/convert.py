"""`aj convert`: a session of one agent as files that another one opens."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, NamedTuple

import click

from agent_journal import __version__
from agent_journal.answers.conversion import convert_row
from agent_journal.cli.options import AgentChoice, complete_sessions, json_option
from agent_journal.cli.output import ProgressBar, note, print_json
from agent_journal.cli.views.conversion_report import print_losses
from agent_journal.convert.targets import ALIASES, TARGETS, next_step
from agent_journal.errors import Declined, UsageError
from agent_journal.journal import Journal
from agent_journal.text.human import plural, short_path
from agent_journal.text.plain import safe

if TYPE_CHECKING:
    from agent_journal.convert.job import Job, Made
    from agent_journal.store.catalog.listing import SessionRow

_SHORTEST_LIST = 25  # chats that versions of VS Code up to 1.108 list


class Destination(NamedTuple):
    """Where converted sessions are written: an agent's own folder, a workspace, or any folder."""

    folder: str
    is_installed: bool = False  # the target agent's own folder
    is_workspace: bool = False  # a workspace of VS Code

    @property
    def is_agents_own(self) -> bool:
        """Whether an agent's own files are changed, which is not done without asking."""
        return self.is_installed or self.is_workspace

    def title(self) -> str:
        """Return how a question names it."""
        if self.is_workspace:
            return f"VS Code's workspace of {short_path(self.folder)}"
        return short_path(self.folder)


class Written(NamedTuple):
    """A converted session, without its bytes, and the path it was written to."""

    made: Made
    path: str


@click.command()
@click.argument(
    "session_ids", metavar="ID...", nargs=-1, required=True, shell_complete=complete_sessions
)
@click.option(
    "--to",
    "target",
    required=True,
    type=AgentChoice(list(TARGETS), ALIASES),
    help="The agent to convert for.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR|FILE",
    help="Where to write.  [default: a folder named after the agent; for vscode, a file here]",
)
@click.option("--install", is_flag=True, help="Write into the agent's own folder, after asking.")
@click.option(
    "--into",
    metavar="FOLDER",
    help="vscode: add the chat to the VS Code workspace for FOLDER, after asking.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option("--strict", is_flag=True, help="Write nothing if anything would be lost.")
@click.option(
    "--redact/--no-redact",
    "redact",
    default=None,
    help="Remove secrets and home folders.  [default: on, but off with --install and --into]",
)
@click.option("--force", is_flag=True, help="Overwrite existing files.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Report everything, also what was adapted and what is unchanged.",
)
@json_option
def convert(
    session_ids: tuple[str, ...],
    target: str,
    output: str | None,
    install: bool,
    into: str | None,
    yes: bool,
    strict: bool,
    redact: bool | None,
    force: bool,
    verbose: bool,
    as_json: bool,
) -> int:
    """Convert sessions into files that another agent opens or resumes.

    A session is converted with its sub-agents. The converted session gets a new id. A session that
    is already in the target's format keeps its id and its original records. Existing sessions are
    never changed. A report says for every field whether it was mapped, adapted or dropped.

    \b
    Examples:
      aj convert last --to claude-code --install
      aj convert 4f2a9c --to vscode -o chat.json
      aj convert 4f2a9c --to vscode --into ~/work/relay
      aj convert 4f2a9c --to copilot-cli -o out/
      aj convert 4f2a9c --to codex --install
      aj convert 4f2a9c --to claude-code --strict --json
    """
    from agent_journal.convert.job import Job

    _check_options(target, output, into, is_agents_own=install or bool(into), force=force)
    with Journal.open() as journal:
        journal.remove_unfinished()
        rows = _find_rows(journal, session_ids, output)
        if redact is None:
            redact = not (install or into)
        job = Job(journal.config, journal.env, target, redact, f"agent-journal {__version__}")
        destination = _destination(job, output, install, into)
        if strict:
            lossy = _lossy(journal, rows, job)
            if lossy:
                return _refuse(lossy, as_json)
        if destination.is_agents_own and not yes:
            place = destination.title()
            sessions = plural(len(rows), "session")
            ask(f"Write {sessions} into {place}?", f"this writes into {place}")
        failed: list[UsageError] = []
        written = _write(journal, rows, job, destination, force, failed)
    if as_json:
        from agent_journal.answers.converted import converted_answer

        print_json(converted_answer(written, problems=len(failed)))
    else:
        print_losses([made.converted.losses for made, _ in written], is_whole=verbose)
        for made, path in written:
            _print_written(made, path, destination, job)
        for error in failed:
            note(f"aj: {safe(error.message)}")
    return int(bool(failed))


def ask(question: str, effect: str) -> None:
    """Ask before something is written; refuse when the answer is no, or nobody can be asked."""
    import sys

    if not sys.stdin.isatty():
        raise UsageError(
            f"{effect}, and there is no terminal to ask on", "--yes does it without asking"
        )
    is_wanted = click.confirm(question, err=True)
    if not is_wanted:
        raise Declined("nothing was written")


def _check_options(
    target: str, output: str | None, into: str | None, *, is_agents_own: bool, force: bool
) -> None:
    if is_agents_own and (output or force):
        raise UsageError(
            "--install and --into write into the agent's own folder and never overwrite",
            "leave out -o and --force",
        )
    if output == "-":
        raise UsageError(
            "-o takes a file or a folder", "several files may be written: name a folder"
        )
    if into and target != "vscode":
        raise UsageError("--into is for VS Code only", "use --install for other agents")


def _find_rows(
    journal: Journal, session_ids: Sequence[str], output: str | None
) -> list[SessionRow]:
    found = {(row.agent, row.id): row for row in map(journal.row, session_ids)}
    rows = list(found.values())
    if len(rows) > 1 and output and os.path.splitext(output)[1]:
        raise UsageError(
            f"{len(rows):,} sessions cannot be written to one file: {output}", "name a folder"
        )
    return rows


def _destination(job: Job, output: str | None, install: bool, into: str | None) -> Destination:
    if install:
        return Destination(job.agent_folder(), is_installed=True)
    if into:
        return Destination(into, is_workspace=True)
    if output:
        return Destination(output)
    if job.agent:
        return Destination(job.name)
    return Destination(".")


def _write(
    journal: Journal,
    rows: Sequence[SessionRow],
    job: Job,
    destination: Destination,
    force: bool,
    failed: list[UsageError],
) -> list[Written]:
    written = []
    listed = 0
    for made in _convert_all(journal, rows, job, failed):
        if destination.is_workspace:
            placed = job.place(made, destination.folder)
            path = placed.path
            listed = placed.listed
        else:
            if destination.is_installed:
                made = made.installed(destination.folder)
            path = made.write(destination.folder, force, destination.is_installed)
        written.append(Written(made.without_content(), path))
    if listed > _SHORTEST_LIST:
        note(
            f"the workspace now has {listed} chats; VS Code lists the newest 25 (up to 1.108), "
            "50 (up to 1.116) or 400: the files of the others stay, but leave its list"
        )
    return written


def _lossy(journal: Journal, rows: Sequence[SessionRow], job: Job) -> list[Made]:
    """Return the sessions that would lose something."""
    made = [made.without_content() for made in _convert_all(journal, rows, job, failed=[])]
    return [session for session in made if session.converted.losses.is_lossy]


def _convert_all(
    journal: Journal, rows: Sequence[SessionRow], job: Job, failed: list[UsageError]
) -> Iterator[Made]:
    """Convert sessions one after the other; one of several that fails does not stop the others."""
    bar = ProgressBar("converting")
    try:
        for number, row in enumerate(rows, 1):
            bar.show(number, len(rows), f"{number:,} of {plural(len(rows), 'session')}")
            try:
                made = convert_row(journal, row, job)
            except UsageError as error:
                if len(rows) == 1:
                    raise
                failed.append(error)
                continue
            yield made
    finally:
        bar.done()


def _refuse(refused: Sequence[Made], as_json: bool) -> int:
    if as_json:
        from agent_journal.answers.converted import converted_answer

        print_json(converted_answer([(made, None) for made in refused], problems=len(refused)))
        return 1
    print_losses([made.converted.losses for made in refused], is_whole=False)
    names = ", ".join(f"{made.row.agent}:{safe(made.row.id)}" for made in refused[:3])
    note(f"aj: nothing was written: {names} would lose what is listed as dropped")
    note("    leave out --strict to write it anyway; 'aj export -f json' keeps everything")
    return 1


def _print_written(made: Made, path: str, destination: Destination, job: Job) -> None:
    """Say where a session was written, and what to do next."""
    line = f"{made.row.agent}:{safe(made.row.id)} written to {safe(short_path(path))}"
    remarks = []
    if made.is_original:
        remarks.append("the original records")
    if job.is_redacted:
        remarks.append("secrets and home folders removed")
    if remarks:
        line += f" ({', '.join(remarks)})"
    note(line)
    for step in _next_steps(made, path, destination, job):
        note(f"    {safe(step)}")
    if made.has_no_folder:
        note("    the session does not record its folder; it was assigned to the current one")


def _next_steps(made: Made, path: str, destination: Destination, job: Job) -> list[str]:
    command = made.command()
    if command is None and destination.is_agents_own:
        return [
            "the chat is in the history of that workspace; "
            "VS Code's previous list is backed up beside it"
        ]
    step = next_step(job.name, path)
    if step is not None:
        return [step]
    if command is None:
        return []
    if destination.is_agents_own:
        return [str(command)]
    root = made.root(path)
    home = job.usual_folder()
    if os.path.lexists(os.path.join(home, os.path.relpath(path, root))):
        return [f"{short_path(home)} already has this session: do not copy it there"]
    return [
        f"copy the contents of {short_path(root)} into {short_path(home)}, then run",
        str(command),
    ]
