"""Bare `aj`: what the journal holds and what to do next."""

from __future__ import annotations

import os

from agent_journal import connectors
from agent_journal.cli.output import (
    echo,
    human_size,
    human_time,
    note,
    plural,
    short_path,
    style,
    table,
    use_colour,
)
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import folder_of, is_scattered
from agent_journal.errors import JournalError
from agent_journal.journal import Journal, is_lost
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.listing import overview
from agent_journal.store.catalog.store import last_sync
from agent_journal.sync.discovery import roots_of


def print_overview() -> None:
    """Prints agents, sessions, sizes, times, the last sync, and the next step."""
    with Journal.open() as journal:
        print_journal(journal)


def print_journal(journal: Journal) -> None:
    """Prints what a journal holds."""
    for warning in journal.config.warnings:
        note(f"aj: {warning}")
    colour = use_colour()
    db = journal.find_db()
    agents = overview(db) if db is not None else []
    # Others only have files beside those of sessions
    with_sessions = [agent for agent in agents if agent.sessions]
    if not with_sessions or db is None:
        _print_first_run(journal, is_missing=not agents and is_lost(journal.config))
        return
    rows = [("agent", "sessions", "messages", "files", "size", "oldest", "newest")]
    for agent in with_sessions:
        newest = agent.newest or _last_start(db, agent.agent)
        rows.append(
            (
                agent.agent,
                f"{agent.sessions:,}",
                f"{agent.messages:,}",
                f"{agent.files:,}",
                human_size(agent.source_bytes),
                human_time(agent.oldest),
                human_time(newest),
            )
        )
    lines = table(rows, "lrrrrll")
    echo(style(lines[0], "bold", on=colour))
    for line in lines[1:]:
        echo(line)
    sources = sum(agent.source_bytes for agent in agents)
    gone = sum(agent.vanished for agent in agents)
    echo()
    used, place = folder_size(journal.config.home), short_path(journal.config.home)
    # A handful of sessions is smaller than empty tables
    size = f" in {human_size(used)}" if used < sources else ""
    when = human_time(last_sync(journal.config.index_path))
    echo(f"{human_size(sources)} of sessions kept{size} at {place}; last sync {when}")
    (problems,) = db.execute("SELECT count(*) FROM problems").fetchone()
    if problems:
        echo(f"{plural(problems, 'place')} in the agents' files could not be read (aj doctor)")
    if gone:
        echo(f"{gone:,} files are gone from the agents' folders and safe here")
    echo()
    echo("Next: aj sync · aj search WORDS · aj ls · aj show last · aj doctor · aj --help")


def _last_start(db: Connection, agent: str) -> int | None:
    """When the newest session began, for agents that do not write down when one ended."""
    query = "SELECT max(started_at) FROM sessions WHERE agent = ? AND message_count > 0"
    when: int | None = db.execute(query, (agent,)).fetchone()[0]
    return when


def _print_first_run(journal: Journal, is_missing: bool) -> None:
    if is_missing:
        echo(
            f"The index is missing ({short_path(journal.config.index_path)}), the archive is there."
        )
        echo()
        echo("Next: aj sync makes the index anew from the archive")
        return
    rows, searched = [], []
    for name in connectors.NAMES:
        try:
            connector = get_connector(name)
            roots = roots_of(connector, journal.config, journal.env)
        except JournalError as error:  # a connector of another package
            note(f"aj: {error.message}")
            continue
        searched += [connector.title] if roots else []
        for root in roots:
            if os.path.isdir(folder_of(root)) and (
                not is_scattered(connector) or any(connector.discover(root))
            ):
                rows.append((connector.title, short_path(root)))
    if not rows:
        echo("The journal is empty, and no agent's folder was found on this machine.")
        echo("Looked for: " + ", ".join(searched))
        echo()
        echo("Next: aj demo · aj sources · aj config set storage.sources.AGENT PATH")
        return
    echo("The journal is empty. Found on this machine:")
    for line in table(rows):
        echo(f"  {line}")
    echo()
    echo("Next: aj sync")


def folder_size(folder: str) -> int:
    """The bytes of all files under a folder."""
    total = 0
    for base, _, names in os.walk(folder):
        for name in names:
            try:
                total += os.lstat(os.path.join(base, name)).st_size
            except OSError:
                continue
    return total
