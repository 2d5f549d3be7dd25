"""`aj hooks`: agents start a sync when a session ends."""

from __future__ import annotations

import json

import click

from agent_journal.answers.installed import InstalledItem, installed_answer, installed_item
from agent_journal.cli.options import AgentChoice, json_option
from agent_journal.cli.output import echo, note, print_json
from agent_journal.cli.views.installed import print_installed
from agent_journal.connectors.base import Env
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
@json_option
def status(agent: str | None, as_json: bool) -> None:
    """Show which agents have the hooks installed."""
    agents = list(CLIENTS)
    if agent is not None:
        agents = [agent]
    with Journal.open() as journal:
        items = [_found(name, journal.env) for name in agents]
    if as_json:
        print_json(installed_answer(items))
    else:
        print_installed(items)


def _found(agent: str, env: Env) -> InstalledItem:
    path = hooks_path(agent, env)
    try:
        is_there = are_installed(agent, env)
    except ConfigError as error:
        return installed_item(agent, "unknown", path, error.message)
    if is_there:
        return installed_item(agent, "installed", path)
    return installed_item(agent, "absent", path)


def _snippet(agent: str) -> str:
    return json.dumps(hook_values(agent), indent=2)
