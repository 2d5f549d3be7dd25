"""`aj commit`: which sessions wrote the lines of a commit."""

from __future__ import annotations

import click

from agent_journal.cli.options import json_option
from agent_journal.cli.output import echo, print_json
from agent_journal.errors import UsageError
from agent_journal.journal import Journal


@click.command()
@click.argument("revision", metavar="[REV]", required=False)
@click.option(
    "--repo",
    "folder",
    metavar="FOLDER",
    default=".",
    help="The repository, or a folder in it.  [default: .]",
)
@click.option(
    "--trailer",
    "as_trailer",
    is_flag=True,
    help="Print trailers that name the sessions, for a message; without REV, of staged lines.",
)
@click.option(
    "--note",
    "as_note",
    is_flag=True,
    help="Print a note with sessions, classes and lines, as 'git notes' takes it.",
)
@click.option(
    "--agent-trace",
    "as_trace",
    is_flag=True,
    help="Print a record of Agent Trace 0.1, as JSON for other tools.",
)
@json_option
def commit(
    revision: str | None,
    folder: str,
    as_trailer: bool,
    as_note: bool,
    as_trace: bool,
    as_json: bool,
) -> None:
    """Show which sessions wrote the lines that a commit added.

    REV is anything that git knows; without it, the last commit. Nothing is written: --trailer and
    --note print what you may add to a commit yourself. Lines that differ only in white space from
    those before are not new, and a merge adds none.

    \b
    Examples:
      aj commit
      aj commit 8f3c2a1
      aj commit --trailer
      aj commit --note HEAD | git notes --ref=agent-journal add -F - HEAD
    """
    from agent_journal.answers.commit import commit_answer, find_commit_shares

    if as_trailer + as_note + as_trace + as_json > 1:
        raise UsageError(
            "--trailer, --note, --agent-trace and --json are different texts", "give one of them"
        )
    if revision is None and not as_trailer:
        revision = "HEAD"
    with Journal.open() as journal:
        found = find_commit_shares(journal, revision, folder)
        answer = commit_answer(found)
        if as_trace:
            import json

            from agent_journal.answers.agent_trace import agent_trace

            echo(json.dumps(agent_trace(found)))
            return
    if as_json:
        print_json(answer)
        return
    from agent_journal.cli.views import commit as view

    if as_trailer:
        for line in view.trailers(answer):
            echo(line)
    elif as_note:
        for line in view.note_lines(answer, found.shares):
            echo(line)
    else:
        view.print_commit(answer)
