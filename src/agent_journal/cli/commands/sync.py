"""`aj sync`: read new sessions."""

from __future__ import annotations

import click

from agent_journal.cli.options import installed_agent_option, json_option
from agent_journal.errors import UsageError


@click.command()
@installed_agent_option
@click.option(
    "--full",
    is_flag=True,
    help="Compare every file with its kept bytes, instead of its size and time only.",
)
@click.option("--strict", is_flag=True, help="Exit with 3 if anything could not be read.")
@click.option(
    "--no-wait", is_flag=True, help="Fail if another sync is running, instead of waiting."
)
@click.option("--no-index", is_flag=True, help="Do not update the search index this time.")
@click.option(
    "--rebuild",
    is_flag=True,
    help="Rebuild the catalog and the search index from the archive.",
)
@click.option(
    "--embed",
    is_flag=True,
    help="Make all missing vectors now; with a slow model, a sync makes only a few.",
)
@click.option(
    "--detach",
    is_flag=True,
    help="Return at once and sync in the background, for hooks of agents. A sync that is running "
    "comes to its end first; at most one waits for it.",
)
@json_option
def sync(
    agent: tuple[str, ...],
    full: bool,
    strict: bool,
    no_wait: bool,
    no_index: bool,
    rebuild: bool,
    embed: bool,
    detach: bool,
    as_json: bool,
) -> int:
    """Read new sessions from the agents' folders into the journal.

    Nothing is ever deleted from the journal, and nothing is written to the agents' folders.

    \b
    Examples:
      aj sync
      aj sync --agent claude-code
      aj sync --full --json
      aj sync --rebuild
      aj sync --embed
      aj sync --detach
    """
    if detach:
        from agent_journal.cli import detached

        # One that waits stands for all: it must do what each of them was asked for
        if any((agent, full, strict, no_wait, no_index, rebuild, embed, as_json)):
            raise UsageError("--detach takes no other options")
        return detached.detach()
    from agent_journal.cli.views.sync_report import sync_and_report

    return sync_and_report(
        agent,
        full=full,
        is_strict=strict,
        is_waiting=not no_wait,
        as_json=as_json,
        index=not no_index,
        rebuild=rebuild,
        embed=embed,
    )
