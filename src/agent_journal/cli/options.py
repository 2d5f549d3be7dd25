"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from agent_journal import connectors
from agent_journal.text.suggestions import did_you_mean


def check_agents(ctx: click.Context, param: click.Parameter, values: Any) -> Any:
    """Refuses an agent that cannot be read, naming the nearest."""
    return _checked(ctx, param, values, tuple)


def check_kept_agents(ctx: click.Context, param: click.Parameter, values: Any) -> Any:
    """Refuses an agent that neither can be read nor has anything in the journal, naming the
    nearest.
    """
    return _checked(ctx, param, values, _kept_agents)


def _kept_agents() -> tuple[str, ...]:
    """The agents in the journal whose connectors are not installed any more."""
    from agent_journal.health.examine import uninstalled
    from agent_journal.journal import Journal

    with Journal.open() as journal:
        return tuple(uninstalled(journal.db)) if journal.exists else ()


def _checked(
    ctx: click.Context, param: click.Parameter, values: Any, others: Callable[[], tuple[str, ...]]
) -> Any:
    for value in values if isinstance(values, tuple) else [values]:
        if value is not None and not connectors.is_agent(value):
            names = (*connectors.NAMES, *others())
            if value in names:
                continue
            hint = did_you_mean(value, names, cutoff=0.3)
            message = f"no agent '{value}'; there are: {', '.join(names)}"
            if hint:
                message = f"no agent '{value}'; {hint} There are: {', '.join(names)}"
            raise click.BadParameter(message, ctx, param)
    return values


def parse_bound_option(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """A time a person typed, as a datetime."""
    if value is None:
        return None
    from agent_journal.text.dates import parse_bound

    try:
        return parse_bound(value, end=param.name == "until")
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def complete_agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Names of agents for the shell's completion."""
    return [name for name in connectors.NAMES if name.startswith(incomplete)]


_AGENT_HELP = "Only this agent; can be given several times."
agent_option = click.option(
    "--agent",
    multiple=True,
    metavar="AGENT",
    callback=check_kept_agents,
    shell_complete=complete_agents,
    help=_AGENT_HELP,
)
installed_agent_option = click.option(
    "--agent",
    multiple=True,
    metavar="AGENT",
    callback=check_agents,
    shell_complete=complete_agents,
    help=_AGENT_HELP,
)
one_agent_option = click.option(
    "--agent",
    metavar="AGENT",
    callback=check_kept_agents,
    shell_complete=complete_agents,
    help="Only this agent.",
)
json_option = click.option(
    "--json", "as_json", is_flag=True, help="Print one JSON object (docs/json.md)."
)


def complete_sessions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Session ids for the shell's completion, with their titles."""
    from click.shell_completion import CompletionItem

    from agent_journal.journal import Journal
    from agent_journal.query.tree import Query

    try:
        with Journal.open() as journal:
            rows = journal.rows(Query(limit=50))
    except Exception:  # completion must never disturb the shell
        return []
    items = [CompletionItem("last", help="the newest session")]
    items += [CompletionItem(row.id, help=row.title) for row in rows]
    return [item for item in items if item.value.startswith(incomplete)]


session_argument = click.argument("session_id", metavar="ID", shell_complete=complete_sessions)
