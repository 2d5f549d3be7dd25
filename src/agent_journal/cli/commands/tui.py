"""`aj tui`: find, read and resume sessions on the whole terminal."""

from __future__ import annotations

import click

from agent_journal.cli.terminal_ui import SCOPES, show_terminal_ui


@click.command()
@click.argument("query", nargs=-1)
@click.option(
    "--print",
    "is_printed",
    is_flag=True,
    help="Print the id of the session that is chosen with Enter, for use in scripts.",
)
@click.option(
    "--scope",
    type=click.Choice(SCOPES),
    default="everything",
    show_default=True,
    help="Where to look first; ^R changes it.",
)
def tui(query: tuple[str, ...], is_printed: bool, scope: str) -> int:
    """Find, read and resume sessions on the whole terminal.

    Type to search, Enter reads a session, F1 shows all keys. 'aj' without a command opens the same,
    unless NO_TUI is set or the setting tui.default is false.

    \b
    Examples:
      aj tui
      aj tui flaky retry agent:codex
      aj tui --scope project
      aj show "$(aj tui --print)"
    """
    return show_terminal_ui(" ".join(query), scope, is_printed=is_printed)
