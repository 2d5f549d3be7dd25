"""`aj sync`: read what is new."""

from __future__ import annotations

import click

from agent_journal.cli.options import installed_agent_option, json_option


@click.command()
@installed_agent_option
@click.option(
    "--full",
    is_flag=True,
    help="Compare every file with its kept bytes, not only its size and time.",
)
@click.option("--strict", is_flag=True, help="Exit with 3 when something could not be read.")
@click.option("--no-wait", is_flag=True, help="Do not wait for another sync that is running.")
@click.option(
    "--no-index", is_flag=True, help="Keep and read only; the next sync or search indexes."
)
@click.option("--rebuild", is_flag=True, help="Make the search index anew.")
@click.option(
    "--embed",
    is_flag=True,
    help="Make all vectors now; a slow model makes only a few at each sync.",
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
    as_json: bool,
) -> int:
    """Read what is new in the agents' folders into the journal.

    Nothing is ever deleted from the journal, and nothing is written into the agents' folders.

    \b
    Examples:
      aj sync
      aj sync --agent claude-code
      aj sync --full --json
      aj index --rebuild
      aj index --embed
    """
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
