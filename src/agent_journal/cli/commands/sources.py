"""`aj sources`: where the agents' files are."""

from __future__ import annotations

from collections.abc import Sequence

import click

from agent_journal.cli.options import json_option, one_agent_option, plain_option
from agent_journal.cli.output import agent_colour, echo, note, print_json, style, use_colour
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.cli.views.flow import print_text
from agent_journal.cli.views.folders import no_files_in, where_scattered
from agent_journal.health.sources import AgentSource, find_sources
from agent_journal.journal import Journal
from agent_journal.store.catalog.sources import KeptFile
from agent_journal.text.human import human_size, plural, short_path
from agent_journal.text.plain import safe

_FILE_COLUMNS = (
    Column("", least=20, is_path=True),
    Column("", leaves=1),
    Column("", is_number=True),
    Column("", least=10),
)


@click.command()
@one_agent_option
@click.option("--files", "list_files", is_flag=True, help="List every file, not only the folders.")
@json_option
@plain_option
def sources(agent: str | None, list_files: bool, as_json: bool, plain: bool) -> None:
    """Show where each agent's files are and what is kept of them.

    With --plain, the columns are agent and folder; with --files, agent, path, kind, size in bytes
    and remarks.

    \b
    Examples:
      aj sources
      aj sources --agent copilot-cli --files
    """
    with Journal.open() as journal:
        found = find_sources(journal.find_db(), journal.config, journal.env, agent)
    if as_json:
        from agent_journal.answers.sources import sources_answer

        print_json(sources_answer(found, with_files=list_files))
        return
    if plain:
        _plain_table(found, list_files).print(plain=True)
        return
    shown = _worth_showing(found)
    for source in shown:
        _print_source(source)
        if list_files:
            _file_table(source.files).print()
    left_out = [source for source in found if source.roots and source not in shown]
    if left_out:
        others = plural(len(left_out), "other agent")
        note(f"nothing of {others} is here; 'aj sources --agent NAME' shows where aj looks")
    if not list_files:
        note("--files lists every file; docs/config.md explains how to add folders")


def _worth_showing(found: list[AgentSource]) -> list[AgentSource]:
    """Return the agents that are on this machine; all when none is, to show where aj looks."""
    here = [source for source in found if source.is_here]
    return here or [source for source in found if source.roots or len(found) == 1]


def _print_source(source: AgentSource) -> None:
    colour = use_colour()
    agent = style(source.agent, agent_colour(source.agent), on=colour)
    echo(style(source.title, "bold", on=colour) + f" ({agent})")
    if source.error:
        print_text(safe(source.error), "  ")
    for root in source.roots:
        if root.path in source.empty_roots:
            continue
        line = short_path(root.path)
        if not root.exists:
            line += "  missing"
        print_text(line, "  ")
    if source.empty_roots:
        print_text(no_files_in(source.empty_roots), "  ")
    if source.is_scattered:
        print_text(where_scattered(source.agent), "  ")
    kept = [file for file in source.files if not file.is_lost]
    size = human_size(sum(file.size for file in kept))
    gone = sum(file.vanished_at is not None for file in kept)
    line = f"{plural(len(kept), 'file')} kept, {size}"
    if gone:
        line += f", {gone:,} of them deleted by the agent"
    if len(kept) < len(source.files):
        line += f"; the archive has lost bytes of {len(source.files) - len(kept):,} more"
    print_text(line, "  ")


def _plain_table(found: list[AgentSource], list_files: bool) -> Table:
    """Return a row for each folder, or for each file."""
    table = Table(())
    for source in found:
        if list_files:
            for file in source.files:
                remarks = ", ".join(_remarks(file))
                table.add(source.agent, file.path, file.role, str(file.size), remarks)
        else:
            for root in source.roots:
                table.add(source.agent, root.path)
    return table


def _file_table(files: Sequence[KeptFile]) -> Table:
    table = Table(_FILE_COLUMNS, indent="    ")
    for file in files:
        remarks = Cell(", ".join(_remarks(file)), ("dim",))
        table.add(short_path(file.path), file.role, human_size(file.size), remarks)
    return table


def _remarks(file: KeptFile) -> list[str]:
    facts = []
    if file.versions > 1:
        facts.append(f"{file.versions} versions")
    if file.vanished_at is not None:
        facts.append("deleted by the agent")
    if file.is_lost:
        facts.append("the archive has lost bytes of it")
    if file.status != "read":
        facts.append(file.status)
    return facts
