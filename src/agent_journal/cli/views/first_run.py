"""`aj` before there is a session in the journal: what is on this machine, and the next step."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from agent_journal import connectors
from agent_journal.cli.output import echo, note
from agent_journal.cli.table import Column, Table
from agent_journal.cli.views.flow import print_text
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import TRANSCRIPTS, Connector, Unlisted
from agent_journal.errors import JournalError
from agent_journal.health.expiring import is_due
from agent_journal.journal import Journal
from agent_journal.sync.discovery import found_files, roots_of
from agent_journal.text.human import human_size, human_time, plural, short_path

_COLUMNS = (
    Column("agent"),
    Column("files", is_number=True),
    Column("size", is_number=True, leaves=1),
    Column("oldest"),
    Column("folder", least=12, is_path=True),
)


class FoundFolder(NamedTuple):
    """A folder of an agent with files in it."""

    title: str
    path: str
    files: int
    size: int
    oldest: int | None  # microseconds
    retention_days: int | None
    due_files: int  # which the agent deletes within a week


def print_first_run(journal: Journal) -> None:
    """Print the folders of agents with their files, and what to do next."""
    found: list[FoundFolder] = []
    searched: list[str] = []
    for name in connectors.NAMES:
        try:
            connector = get_connector(name)
            roots = roots_of(connector, journal.config, journal.env)
            if roots:
                searched.append(connector.title)
            found += _folders(connector, roots)
        except JournalError as error:  # a connector of another package
            note(f"aj: {error.message}")
    if found:
        _print_found(journal, found)
        return
    echo("The journal is empty, and no files of an agent were found on this machine.")
    print_text("Looked for: " + ", ".join(searched))
    echo()
    echo("Next: aj demo   shows how it works, on invented sessions")
    others = "'aj sources' says where aj looks; 'aj import FILE' reads a file from anywhere"
    print_text(others, "      ")


def _folders(connector: Connector, roots: list[str]) -> Iterator[FoundFolder]:
    for root in roots:
        folder = _look_into(connector, root)
        if folder.files:
            yield folder


def _look_into(connector: Connector, root: str) -> FoundFolder:
    retention = connector.retention_days(root)
    files = size = due = 0
    times = []
    for found in found_files(connector, root):
        if isinstance(found, Unlisted):
            continue
        files += 1
        size += found.size
        due += is_due(found, retention)
        if found.role in TRANSCRIPTS:
            times.append(found.mtime_ns // 1000)
    oldest = min(times, default=None)
    return FoundFolder(connector.title, root, files, size, oldest, retention, due)


def _print_found(journal: Journal, found: list[FoundFolder]) -> None:
    echo("The journal is empty. Found on this machine:")
    table = Table(_COLUMNS, indent="  ")
    for folder in found:
        table.add(
            folder.title,
            f"{folder.files:,}",
            human_size(folder.size),
            human_time(folder.oldest),
            short_path(folder.path),
        )
    table.print()
    echo()
    for folder in found:
        if folder.due_files:
            sessions = plural(folder.due_files, "session")
            after = plural(folder.retention_days or 0, "day")
            echo(f"{folder.title} deletes sessions after {after}: {sessions} within a week.")
    echo(
        f"Next: aj sync   keeps them in {short_path(journal.config.home)}; nothing is sent anywhere"
    )
