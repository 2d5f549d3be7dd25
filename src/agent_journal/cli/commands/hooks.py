"""`aj hooks`: agents start a sync when a session ends."""

from __future__ import annotations

import json

import click

from agent_journal.cli.options import AgentChoice
from agent_journal.cli.output import echo, note
from agent_journal.convert.hook_entries import (
    CLIENTS,
    are_installed,
    hook_values,
    hooks_path,
    install_hooks,
    remove_hooks,
)
from agent_journal.errors import ConfigError
from agent_journal.journal import Journal
from agent_journal.text.human import short_path
from agent_journal.text.plain import one_line

_agent = click.argument("agent", type=AgentChoice(list(CLIENTS)), metavar="AGENT")


@click.group()
def hooks() -> None:
    """Have agents start 'aj sync --detach' when a session ends or is compacted.

    The hooks print nothing and return at once, so nothing enters a prompt and nobody waits.
    AGENT is claude-code, copilot-cli, codex or gemini; other agents have no documented hook.

    \b
    Examples:
      aj hooks install claude-code
      aj hooks install codex --print
      aj hooks status
      aj hooks remove claude-code
    """


@hooks.command()
@_agent
@click.option("--print", "only_print", is_flag=True, help="Print the hooks and write nothing.")
def install(agent: str, only_print: bool) -> None:
    """Write the hooks into the settings of AGENT.

    A copy of the file as it was is kept beside it. A file with comments that would be lost is left
    alone, and the hooks are printed.
    """
    from agent_journal.cli.settings_snippets import printing_on_failure

    if only_print:
        echo(_snippet(agent))
        return
    with Journal.open() as journal, printing_on_failure(lambda: _snippet(agent)):
        is_changed = install_hooks(agent, journal.env)
        path = short_path(hooks_path(agent, journal.env))
    if not is_changed:
        note(f"already installed in {path}")
        return
    note(f"installed in {path}; start {CLIENTS[agent].title} again")
    if CLIENTS[agent].remark:
        note(CLIENTS[agent].remark)


@hooks.command()
@_agent
def remove(agent: str) -> None:
    """Remove the hooks from the settings of AGENT."""
    with Journal.open() as journal:
        path = short_path(hooks_path(agent, journal.env))
        is_changed = remove_hooks(agent, journal.env)
    if is_changed:
        note(f"removed from {path}")
    else:
        note(f"not installed in {path}")


@hooks.command()
@click.argument("agent", type=AgentChoice(list(CLIENTS)), metavar="[AGENT]", required=False)
def status(agent: str | None) -> None:
    """Show which agents have the hooks installed."""
    agents = list(CLIENTS)
    if agent is not None:
        agents = [agent]
    with Journal.open() as journal:
        for name in agents:
            try:
                state = "installed" if are_installed(name, journal.env) else "not installed"
            except ConfigError as error:
                state = f"unknown: {one_line(error.message, 200)}"
            echo(f"{name}: {state} ({short_path(hooks_path(name, journal.env))})")


def _snippet(agent: str) -> str:
    return json.dumps(hook_values(agent), indent=2)
