"""`aj sources`: where the agents' files are."""

from __future__ import annotations

import click

from agent_journal import connectors
from agent_journal.cli.options import json_option, one_agent_option
from agent_journal.cli.output import echo, note, print_json, style, use_colour
from agent_journal.cli.views.folders import no_files_in, where_scattered
from agent_journal.health.examine import uninstalled
from agent_journal.health.sources import AgentSource, agent_source
from agent_journal.journal import Journal
from agent_journal.store.catalog.sources import KeptFile
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import safe


@click.command()
@one_agent_option
@click.option("--files", "list_files", is_flag=True, help="List every file, not only the folders.")
@json_option
def sources(agent: str | None, list_files: bool, as_json: bool) -> None:
    """Show where each agent's files are and what is kept of them.

    \b
    Examples:
      aj sources
      aj sources --agent copilot-cli --files
    """
    found = _find_sources(agent)
    if as_json:
        from agent_journal.answers.sources import sources_answer

        print_json(sources_answer(found, with_files=list_files))
        return
    for source in found:
        if agent is not None or source.roots or source.files or source.error:
            _print_source(source)
            if list_files:
                for file in source.files:
                    echo(f"    {_file_line(file)}")
    if not list_files:
        note("--files lists every file; docs/config.md explains how to add folders")


def _find_sources(agent: str | None) -> list[AgentSource]:
    with Journal.open() as journal:
        db = journal.find_db()
        names = list(connectors.NAMES)
        if db is not None:
            names += uninstalled(db)
        if agent is not None:
            names = [agent]
        return [agent_source(db, journal.config, journal.env, name) for name in names]


def _print_source(source: AgentSource) -> None:
    echo(style(source.title, "bold", on=use_colour()) + f" ({source.agent})")
    if source.error:
        echo(f"  {safe(source.error)}")
    for root in source.roots:
        if root.path in source.empty_roots:
            continue
        line = f"  {short_path(root.path)}"
        if not root.exists:
            line += "  missing"
        echo(line)
    if source.empty_roots:
        echo(f"  {no_files_in(source.empty_roots)}")
    if source.is_scattered:
        echo(f"  {where_scattered(source.agent)}")
    kept = [file for file in source.files if not file.is_lost]
    size = human_size(sum(file.size for file in kept))
    gone = sum(file.vanished_at is not None for file in kept)
    line = f"  {plural(len(kept), 'file')} kept, {size}"
    if gone:
        line += f", {gone:,} of them deleted by the agent"
    if len(kept) < len(source.files):
        line += f"; the archive has lost bytes of {len(source.files) - len(kept):,} more"
    echo(line)


def _file_line(file: KeptFile) -> str:
    facts = [file.role, human_size(file.size)]
    if file.versions > 1:
        facts.append(f"{file.versions} versions")
    if file.vanished_at is not None:
        facts.append("deleted by the agent")
    if file.is_lost:
        facts.append("the archive has lost bytes of it")
    if file.status != "read":
        facts.append(file.status)
    return f"{safe(short_path(file.path))}  {', '.join(facts)}"
