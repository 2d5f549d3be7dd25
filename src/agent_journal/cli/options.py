"""Options that several commands share."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import click

from agent_journal import connectors
from agent_journal.errors import UsageError

_LEAST_SECONDS = 0.1
_MOST_SECONDS = 86_400


def check_agents(ctx: click.Context, param: click.Parameter, values: Any) -> Any:
    """Return the agents that were named, each in full; refuse one that has no connector."""
    return _check_agents(ctx, param, values, tuple)


def check_kept_agents(ctx: click.Context, param: click.Parameter, values: Any) -> Any:
    """Do the same, and accept an agent without a connector that the journal has sessions of."""
    return _check_agents(ctx, param, values, _uninstalled_agents)


def _uninstalled_agents() -> tuple[str, ...]:
    """Return the agents in the journal whose connectors are no longer installed."""
    from agent_journal.health.examine import uninstalled
    from agent_journal.journal import Journal

    with Journal.open() as journal:
        if not journal.exists:
            return ()
        return tuple(uninstalled(journal.db))


def _check_agents(
    ctx: click.Context, param: click.Parameter, values: Any, others: Callable[[], tuple[str, ...]]
) -> Any:
    if values is None:
        return None
    if isinstance(values, tuple):
        return tuple(_check_agent(ctx, param, value, others) for value in values)
    return _check_agent(ctx, param, values, others)


def _check_agent(
    ctx: click.Context, param: click.Parameter, value: str, others: Callable[[], tuple[str, ...]]
) -> str:
    try:
        from agent_journal.answers.agent_names import agent_named

        return agent_named(value, others)
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def parse_bound_option(ctx: click.Context, param: click.Parameter, value: str | None) -> Any:
    """Return a time that a person typed as a datetime."""
    if value is None:
        return None
    from agent_journal.text.dates import parse_bound

    try:
        return parse_bound(value, end=param.name == "until")
    except ValueError as error:
        raise click.BadParameter(str(error), ctx, param) from error


def complete_agents(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[str]:
    """Return names of agents for the completion of the shell."""
    return [name for name in connectors.NAMES if name.startswith(incomplete)]


def complete_sessions(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Return session ids for the completion of the shell, with their titles."""
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


class AgentChoice(click.Choice):  # type: ignore[type-arg]
    """One of some agents, of whose name the beginning is enough."""

    def __init__(self, choices: list[str], aliases: dict[str, str] | None = None) -> None:
        super().__init__(choices)
        self._aliases = aliases or {}

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the name in full."""
        name = str(value)
        try:
            from agent_journal.answers.agent_names import name_in_full

            return name_in_full(self._aliases.get(name, name), tuple(self.choices))
        except ValueError as error:
            self.fail(str(error), param, ctx)


# Older versions of click have no generic ParamType.
class Number(click.ParamType):  # type: ignore[type-arg]
    """A whole number between two bounds, which the help does not repeat."""

    name = "number"

    def __init__(self, minimum: int, maximum: int | None = None) -> None:
        self._minimum = minimum
        self._maximum = maximum

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Return the number; fail when it is none, or out of bounds."""
        try:
            number = int(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        if number < self._minimum:
            self.fail(f"{number:,} is less than {self._minimum:,}", param, ctx)
        if self._maximum is not None and number > self._maximum:
            self.fail(f"{number:,} is more than {self._maximum:,}", param, ctx)
        return number


class Seconds(click.ParamType):  # type: ignore[type-arg]
    """A time in seconds, between a tenth and a day."""

    name = "seconds"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> float:
        """Return the seconds; fail when it is no number, or out of bounds."""
        try:
            seconds = float(value)
        except ValueError:
            self.fail(f"{value!r} is not a number", param, ctx)
        if not _LEAST_SECONDS <= seconds <= _MOST_SECONDS:  # neither is NaN
            self.fail(f"{value!r} is not between 0.1 and 86400 seconds", param, ctx)
        return seconds


def _check_form(ctx: click.Context, param: click.Parameter, value: Any) -> Any:
    """Refuse --json with --plain: the one that is read second finds the other one given."""
    if value and (ctx.params.get("as_json") or ctx.params.get("plain")):
        raise UsageError("give --json or --plain, not both")
    return value


_AGENT_HELP = (
    "Only sessions of this agent; the beginning of its name is enough. May be given more than once."
)
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
    help="Only read this agent; may be given more than once.",
)
one_agent_option = click.option(
    "--agent",
    metavar="AGENT",
    callback=check_kept_agents,
    shell_complete=complete_agents,
    help="Only this agent.",
)
project_option = click.option(
    "--project",
    metavar="TEXT",
    help="Only sessions of projects whose folder or repository contains TEXT; '.' means the "
    "project of the current folder.",
)
since_option = click.option(
    "--since",
    metavar="TIME",
    callback=parse_bound_option,
    help="Only sessions active since TIME: 6h, 2d, yesterday, 'last week', 2026-01-31.",
)
until_option = click.option(
    "--until",
    metavar="TIME",
    callback=parse_bound_option,
    help="Only sessions started until TIME.",
)
timezone_option = click.option(
    "--timezone",
    metavar="ZONE",
    help="Time zone for days and hours, such as Europe/Berlin.  [default: the system's]",
)
json_option = click.option(
    "--json",
    "as_json",
    is_flag=True,
    callback=_check_form,
    help="Print JSON (docs/json.md).",
)
plain_option = click.option(
    "--plain",
    is_flag=True,
    callback=_check_form,
    help="Print rows of tab-separated values, in full and without headings.",
)


def complete_tags(ctx: click.Context, param: click.Parameter, incomplete: str) -> list[Any]:
    """Return the tags in use for the completion of the shell, with how many sessions have them."""
    from click.shell_completion import CompletionItem

    from agent_journal.journal import Journal
    from agent_journal.store.catalog.marks import count_tags
    from agent_journal.text.human import plural

    try:
        with Journal.open() as journal:
            counts = count_tags(journal.db)
    except Exception:  # completion must never disturb the shell
        return []
    return [
        CompletionItem(tag, help=plural(sessions, "session"))
        for tag, sessions in counts
        if tag.casefold().startswith(incomplete.casefold())
    ]


session_argument = click.argument("session_id", metavar="ID", shell_complete=complete_sessions)
