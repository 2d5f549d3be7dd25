"""`aj convert`: a session of one agent as files that another one opens."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from agent_journal import __version__
from agent_journal.cli.options import complete_sessions, json_option
from agent_journal.cli.output import ProgressBar, note, plural, print_json, safe, short_path
from agent_journal.cli.views.conversion_report import print_losses
from agent_journal.convert.targets import TARGETS, next_step
from agent_journal.errors import UsageError
from agent_journal.journal import Journal

if TYPE_CHECKING:
    from agent_journal.convert.job import Job, Made
    from agent_journal.store.catalog.listing import SessionRow


@click.command()
@click.argument(
    "session_ids", metavar="ID...", nargs=-1, required=True, shell_complete=complete_sessions
)
@click.option(
    "--to",
    "target",
    required=True,
    type=click.Choice(list(TARGETS)),
    help="The agent to convert for.",
)
@click.option(
    "-o",
    "--output",
    metavar="DIR",
    help="Where to write; else a folder named after the agent, a chat here.",
)
@click.option("--install", is_flag=True, help="Write into the agent's own folder, after asking.")
@click.option(
    "--into",
    metavar="FOLDER",
    help="vscode: put the chat into the workspace of a folder, after asking.",
)
@click.option("--yes", is_flag=True, help="Do not ask.")
@click.option(
    "--strict",
    is_flag=True,
    help="Refuse, before anything is written, when something would be left behind.",
)
@click.option(
    "--redact/--no-redact",
    "redact",
    default=None,
    help="Take out secrets and home folders: on, but off with --install and --into.",
)
@click.option("--force", is_flag=True, help="Write over files that are there.")
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="The whole report: also what was adapted and what is as it was.",
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
    """Write sessions as files that another agent opens or resumes, with a report of what that costs
    them.

    A session goes with its sub-agents, and gets a new id. The report says of every field whether it
    was mapped, adapted or dropped. Nothing is written over: with --install the new session stands
    beside those that are there.

    \b
    Examples:
      aj convert last --to claude-code --install
      aj convert 4f2a9c --to vscode -o chat.json
      aj convert 4f2a9c --to vscode --into ~/work/relay
      aj convert 4f2a9c --to copilot-cli -o carried/
      aj convert 4f2a9c --to claude-code --strict --json
    """
    from agent_journal.convert.job import Job

    if (install or into) and (output or force):
        raise UsageError(
            "the agent's own folder is written to, and never over what is there",
            "leave out -o, --force",
        )
    if output == "-":
        raise UsageError(
            "-o takes a file or a folder", "several files may be written: name a folder"
        )
    if into and target != "vscode":
        raise UsageError("--into is for VS Code", "--install writes into the folders of the others")
    with Journal.open() as journal:
        rows = list({(row.agent, row.id): row for row in map(journal.row, session_ids)}.values())
        if len(rows) > 1 and output and os.path.splitext(output)[1]:
            raise UsageError(
                f"{len(rows):,} sessions go into a folder, and {output} names a file",
                "name a folder",
            )
        is_redacted = redact if redact is not None else not (install or into)
        job = Job(journal.config, journal.env, target, is_redacted, f"agent-journal {__version__}")
        where = job.agent_folder() if install else into or output or (target if job.agent else ".")
        if strict:
            refused = [
                made.light()
                for made in _made(journal, rows, job, [])
                if made.converted.losses.is_lossy
            ]
            if refused:
                return _refuse(refused, as_json)
        if (install or into) and not yes:
            whose = f"VS Code's workspace of {short_path(where)}" if into else short_path(where)
            ask(f"Write {plural(len(rows), 'session')} into {whose}?", f"that writes into {whose}")
        failed: list[UsageError] = []
        done = []
        for made in _made(journal, rows, job, failed):
            path = job.place(made, into).path if into else made.write(where, force, install)
            done.append((made.light(), path))
    if as_json:
        print_json("converted", [_item(made, path) for made, path in done], problems=len(failed))
        return 1 if failed else 0
    print_losses([made.converted.losses for made, _ in done], verbose)
    for made, path in done:
        _tell(made, path, bool(install or into), job)
    for error in failed:
        note(f"aj: {safe(error.message)}")
    return 1 if failed else 0


def ask(question: str, what: str) -> None:
    """Asks on a terminal; nobody there is a no."""
    import sys

    if not sys.stdin.isatty():
        raise UsageError(
            f"{what}, and there is no terminal to ask on", "--yes does it without asking"
        )
    if not click.confirm(question, err=True):
        raise click.Abort


def _made(
    journal: Journal, rows: Sequence[SessionRow], job: Job, failed: list[UsageError]
) -> Iterator[Made]:
    """The sessions, one after the other; of several, one that cannot be converted does not stop the
    others.
    """
    bar = ProgressBar("converting")
    try:
        for number, row in enumerate(rows, 1):
            bar.show(number, len(rows), f"{number:,} of {plural(len(rows), 'session')}")
            try:
                made = made_of(journal, row, job)
            except UsageError as error:
                if len(rows) == 1:
                    raise
                failed.append(error)
                continue
            yield made
    finally:
        bar.done()


def made_of(journal: Journal, row: SessionRow, job: Job) -> Made:
    """One converted session, in memory."""
    from agent_journal.store.restore import files_of

    rows = files_of(journal.db, row) if row.agent == job.agent else []
    return job.convert(journal.db, journal.archive, row, rows)


def _item(made: Made, path: str | None) -> dict[str, Any]:
    import msgspec

    losses = made.converted.losses
    told = made.command()
    return {
        "agent": made.row.agent,
        "session": made.row.id,
        "to": made.target,
        "new_session": made.converted.session_id,
        "path": path,
        "size": made.size,
        "files": [file.path for file in made.converted.files],
        "is_original": made.is_original,
        "is_lossy": losses.is_lossy,
        "losses": [msgspec.to_builtins(loss) for loss in losses.entries()],
        "resume": None if told is None else {"argv": list(told.argv), "cwd": told.folder},
    }


def _refuse(refused: Sequence[Made], as_json: bool) -> int:
    if as_json:
        print_json("converted", [_item(made, None) for made in refused], problems=len(refused))
        return 1
    print_losses([made.converted.losses for made in refused], is_whole=False)
    names = ", ".join(f"{made.row.agent}:{safe(made.row.id)}" for made in refused[:3])
    note(f"aj: nothing was written: {names} would lose what the report lists as dropped")
    note("    without --strict it is written all the same; 'aj export -f json' keeps everything")
    return 1


def _tell(made: Made, path: str, is_installed: bool, job: Job) -> None:
    """Where it is, and what to do now."""
    where = safe(short_path(path))
    kept = ["the original records"] if made.is_original else []
    kept += ["secrets and home folders taken out"] if job.is_redacted else []
    note(
        f"{made.row.agent}:{safe(made.row.id)} is in {where}"
        + (f" ({', '.join(kept)})" if kept else "")
    )
    told = made.command()
    step = next_step(job.name, path)
    if told is None and is_installed:
        step = "the chat is in the history of that workspace; a copy of VS Code's list as it was stands beside it"
    if step is not None:
        note(f"    {safe(step)}")
    elif told is not None and is_installed:
        note(f"    {safe(str(told))}")
    elif told is not None:
        root, home = short_path(made.root(path)), short_path(job.usual_folder())
        note(f"    copy what is in {safe(root)} into {safe(home)}, then")
        note(f"    {safe(str(told))}")
    if made.has_no_folder:
        note(
            "    the session does not say in which folder it was held; it is put into the one you are in"
        )
