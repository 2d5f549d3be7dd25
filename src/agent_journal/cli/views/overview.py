"""`aj` without a command: what the journal holds and what to do next."""

from __future__ import annotations

import os

from agent_journal.cli.output import agent_colour, echo, note
from agent_journal.cli.table import Cell, Column, Table
from agent_journal.cli.views.folders import kept_here
from agent_journal.journal import Journal
from agent_journal.store.catalog.listing import AgentOverview, overview
from agent_journal.store.catalog.lost_bytes import count_lost, lost_paths, sizes_of
from agent_journal.store.catalog.sources import count_problems, find_last_start
from agent_journal.store.catalog.store import last_sync
from agent_journal.text.human import human_size, human_time, plural, short_path

_COLUMNS = (
    Column("agent", least=6),
    Column("sessions", is_number=True),
    Column("messages", is_number=True, leaves=1),
    Column("files", is_number=True, leaves=3),
    Column("size", is_number=True, leaves=2),
    Column("oldest", leaves=4),
    Column("newest"),
)


def print_overview() -> None:
    """Print agents, sessions, sizes, times, the last sync, and the next step."""
    with Journal.open() as journal:
        print_journal(journal)


def print_journal(journal: Journal) -> None:
    """Print what a journal holds."""
    for warning in journal.config.warnings:
        note(f"aj: {warning}")
    if journal.is_lost:
        _print_missing_index(journal)
        return
    agents: list[AgentOverview] = []
    if journal.exists:
        agents = overview(journal.db)
    if any(agent.sessions for agent in agents):
        _print_agents(journal, agents)
        _print_totals(journal, agents)
    else:
        from agent_journal.cli.views.first_run import print_first_run

        print_first_run(journal)


def _print_agents(journal: Journal, agents: list[AgentOverview]) -> None:
    table = Table(_COLUMNS)
    for agent in agents:
        if not agent.sessions:
            continue  # it only has files such as a prompt history
        newest = agent.newest or find_last_start(journal.db, agent.agent)
        table.add(
            Cell(agent.agent, (agent_colour(agent.agent),)),
            f"{agent.sessions:,}",
            f"{agent.messages:,}",
            f"{agent.files:,}",
            human_size(agent.source_bytes),
            human_time(agent.oldest),
            human_time(newest),
        )
    table.print()


def _print_totals(journal: Journal, agents: list[AgentOverview]) -> None:
    echo()
    lost = lost_paths(journal.db, journal.config)
    source_bytes = sum(agent.source_bytes for agent in agents) - sizes_of(journal.db, lost)
    kept = f"{human_size(source_bytes)} of sessions kept"
    used = folder_size(journal.config.home)
    if used < source_bytes:  # a handful of sessions is smaller than empty tables
        kept += f" in {human_size(used)}"
    echo(f"{kept} at {short_path(journal.config.home)}; {_last_sync(journal)}")
    problems = count_problems(journal.db)
    if problems:
        places = plural(problems, "place")
        echo(f"{places} in the agents' files could not be read (aj doctor)")
    vanished = sum(agent.vanished for agent in agents)
    if vanished:
        files = plural(vanished, "file")
        kept = kept_here(vanished, count_lost(journal.db, lost))
        echo(f"{files} deleted from the agents' folders{kept}")
    echo()
    echo("Next: aj sync · aj search WORDS · aj ls · aj show last · aj doctor · aj --help")


def _last_sync(journal: Journal) -> str:
    when = last_sync(journal.config.index_path)
    if when is None:  # as after a restore
        return "not synced on this machine yet"
    return f"last sync {human_time(when)}"


def _print_missing_index(journal: Journal) -> None:
    place = short_path(journal.config.index_path)
    echo(f"The index is missing ({place}), but not what was kept.")
    echo()
    echo("Next: aj sync rebuilds the index from the archive")


def folder_size(folder: str) -> int:
    """Return the bytes of all files under a folder."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(base, name)).st_size
            except OSError:
                continue
    return total
