"""`aj doctor`: what needs attention."""

from __future__ import annotations

from collections.abc import Sequence

import click

from agent_journal.answers.agent_state import Detail, has_folder, is_present
from agent_journal.answers.examination import examine_journal, losses_of
from agent_journal.answers.schedule import schedule_words
from agent_journal.answers.watching import freshness
from agent_journal.cli.options import json_option
from agent_journal.cli.output import current_screen, echo, print_json, style, use_colour
from agent_journal.cli.views.agent_health import print_agent
from agent_journal.cli.views.flow import Flow
from agent_journal.errors import UsageError
from agent_journal.health.examine import AgentHealth
from agent_journal.journal import Journal
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import short_path


@click.command()
@click.option(
    "--all",
    "show_all",
    is_flag=True,
    help="List every problem, not only the first few, and compare all earlier versions of files.",
)
@click.option(
    "-v",
    "--verbose",
    is_flag=True,
    help="Also show what needs no action: records, empty folders, counts.",
)
@click.option(
    "--expiring", is_flag=True, help="List the sessions that their agents will delete instead."
)
@click.option(
    "--secrets", is_flag=True, help="List secrets found in sessions instead; they are masked."
)
@json_option
def doctor(show_all: bool, verbose: bool, expiring: bool, secrets: bool, as_json: bool) -> int:
    """Report what needs attention, and how to cure it.

    The first lines say what to do, or that nothing needs attention. Then, for each agent: its
    folders, whether every file is kept, when the agent deletes sessions, and what could not be
    read. A file counts as kept when the journal has every byte of it. Exits with 1 when there is
    something to do.

    With --expiring: which sessions their agents will delete, when, and whether each is kept,
    soonest first. Exits with 1 when one that is deleted within a week is not kept.

    \b
    Examples:
      aj doctor
      aj doctor --expiring
      aj doctor --all -v
      aj doctor --json
      aj doctor --secrets
    """
    if expiring and secrets:
        raise UsageError("give --expiring or --secrets, not both")
    if secrets:
        from agent_journal.cli.views.secrets import print_leaks

        return print_leaks(show_all, as_json)
    if expiring:
        from agent_journal.cli.views.expiring import print_expiring

        return print_expiring(show_all, as_json)
    with Journal.open() as journal:
        found = examine_journal(journal, is_thorough=show_all)
        config = journal.config
    if as_json:
        print_json(found.answer())
    else:
        _print_verdict(found.agents, found.advice)
        detail = Detail(show_all, verbose)
        for health in found.agents:
            if is_present(health, detail):
                print_agent(health, detail)
        echo()
        echo(f"journal: {short_path(config.home)}")
        scheduled = schedule_words(found.schedule)
        echo(freshness(found.holder, scheduled, last_sync(config.index_path)))
    return int(bool(found.advice))


def _print_verdict(agents: Sequence[AgentHealth], advice: Sequence[str]) -> None:
    colour = use_colour()
    for line in advice:
        _print_marked(style("→ ", "yellow", on=colour), line)
    if not advice:
        echo(style("nothing needs attention", "green", on=colour))
    if not any(has_folder(health) for health in agents):
        echo("no agent's folder was found on this machine")
    for line in losses_of(agents):
        _print_marked(style("· ", "dim", on=colour), line)


def _print_marked(mark: str, text: str) -> None:
    """Print a sentence after a mark of two columns; what follows its first line is indented."""
    first, *rest = Flow(current_screen()).line(text, "  ")
    echo(mark + first[2:])
    for line in rest:
        echo(line)
