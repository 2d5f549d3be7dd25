"""`aj mcp`: agents ask the journal; and its entry in the settings of each."""

from __future__ import annotations

from typing import Any

import click

from agent_journal.answers.installed import (
    InstalledItem,
    installed_answer,
    installed_item,
)
from agent_journal.cli.options import AgentChoice, json_option
from agent_journal.cli.output import echo, note, print_json
from agent_journal.cli.views.installed import print_installed
from agent_journal.convert.mcp_entries import CLIENTS, mcp_entry
from agent_journal.convert.settings_entries import (
    Entry,
    find_entry,
    is_ours,
    put_entry,
    remove_entry,
    with_additions,
)
from agent_journal.errors import ConfigError
from agent_journal.journal import Journal
from agent_journal.text.human import short_path

_agent = click.argument("agent", type=AgentChoice(list(CLIENTS)), metavar="AGENT")
_project = click.option(
    "--project", is_flag=True, help="In the file of the project in this folder, not in your own."
)


@click.group(invoke_without_command=True)
@click.option(
    "--no-redact", is_flag=True, help="Do not replace secrets in answers; no call can ask for that."
)
@click.pass_context
def mcp(ctx: click.Context, no_redact: bool) -> None:
    """Answer the questions of agents about earlier sessions (Model Context Protocol).

    Agents start this command and talk to it over its streams; 'aj mcp install AGENT' writes it into
    the settings of one. All tools only read (docs/mcp.md). Secrets are replaced, and projects in
    the setting mcp.exclude are never shown.

    \b
    Examples:
      aj mcp install claude-code
      aj mcp install codex --print
      aj mcp install vscode --project
      aj mcp status claude-code
      aj mcp remove claude-code
    """
    if ctx.invoked_subcommand is None:
        from agent_journal.mcp.stdio import serve

        serve(is_redacting=not no_redact)


@mcp.command()
@_agent
@_project
@click.option("--print", "only_print", is_flag=True, help="Print the entry and write nothing.")
def install(agent: str, project: bool, only_print: bool) -> None:
    """Write the server into the settings of AGENT.

    AGENT is claude-code, vscode, copilot-cli, cursor, codex or gemini. A copy of the file as it was
    is kept beside it. A file with comments that would be lost is left alone, and the entry is
    printed.
    """
    from agent_journal.cli.settings_snippets import printing_on_failure

    entry = _entry(agent, project)
    if only_print:
        echo(entry.snippet())
        return
    with printing_on_failure(entry.snippet):
        is_changed = put_entry(entry)
    if is_changed:
        note(f"installed in {short_path(entry.path)}; start {CLIENTS[agent].title} again")
    else:
        note(f"already installed in {short_path(entry.path)}")


@mcp.command()
@_agent
@_project
def remove(agent: str, project: bool) -> None:
    """Remove the server from the settings of AGENT."""
    entry = _entry(agent, project)
    if remove_entry(entry):
        note(f"removed from {short_path(entry.path)}")
    else:
        note(f"not installed in {short_path(entry.path)}")


@mcp.command()
@click.argument("agent", type=AgentChoice(list(CLIENTS)), metavar="[AGENT]", required=False)
@_project
@json_option
def status(agent: str | None, project: bool, as_json: bool) -> None:
    """Show which agents have the server installed."""
    agents = list(CLIENTS)
    if agent is not None:
        agents = [agent]
    items = [_found(name, _entry(name, project)) for name in agents]
    if as_json:
        print_json(installed_answer(items))
    else:
        print_installed(items, "another server has the name")


def _found(agent: str, entry: Entry) -> InstalledItem:
    try:
        found = find_entry(entry)
    except ConfigError as error:
        return installed_item(agent, "unknown", entry.path, error.message)
    return installed_item(agent, _state(entry, found), entry.path)


def _state(entry: Entry, found: Any) -> str:
    if found is None:
        return "absent"
    if not is_ours(found):
        return "other"
    if found != with_additions(entry.value, found):
        return "changed"
    return "installed"


def _entry(agent: str, of_project: bool) -> Entry:
    with Journal.open() as journal:
        return mcp_entry(agent, journal.env, of_project=of_project)
