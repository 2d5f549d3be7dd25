"""`aj sources`: where the files are."""

from __future__ import annotations

import os
from typing import Any

import click

from agent_journal import connectors
from agent_journal.answers.items import iso
from agent_journal.cli.options import json_option, one_agent_option
from agent_journal.cli.output import (
    NOT_INSTALLED,
    echo,
    human_size,
    no_files_in,
    note,
    plural,
    print_json,
    safe,
    short_path,
    style,
    use_colour,
    where_scattered,
)
from agent_journal.connectors import get_connector
from agent_journal.connectors.base import folder_of, is_scattered
from agent_journal.errors import JournalError
from agent_journal.health.examine import uninstalled
from agent_journal.journal import Journal
from agent_journal.sync.discovery import roots_of, with_projects

_FILES = (
    "SELECT f.path, f.role, f.session, f.status, coalesce(v.size, 0), f.vanished_at, "
    "(SELECT count(*) FROM versions x WHERE x.file_id = f.id), v.captured_at "
    "FROM files f LEFT JOIN versions v ON v.id = f.version_id WHERE f.agent = ? AND f.role <> 'rows' ORDER BY f.path"
)


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
    with Journal.open() as journal:
        removed = uninstalled(journal.db) if journal.exists else []
        items = [
            _examine(journal, name)
            for name in (*connectors.NAMES, *removed)
            if agent in (None, name)
        ]
    if as_json:
        for item in items:
            del item["empty"], item["is_spread"]
        if not list_files:
            for item in items:
                del item["files"]
        print_json("sources", items)
        return
    colour = use_colour()
    for item in items:
        if not item["roots"] and not item["files"] and not item["error"] and agent is None:
            continue
        echo(style(item["title"], "bold", on=colour) + f" ({item['agent']})")
        if item["error"]:
            echo(f"  {safe(item['error'])}")
        for root in item["roots"]:
            if root["path"] in item["empty"]:
                continue
            echo(f"  {short_path(root['path'])}" + ("" if root["exists"] else "  not there"))
        if item["empty"]:
            echo(f"  {no_files_in(item['empty'])}")
        if item["is_spread"]:
            echo(f"  {where_scattered(item['agent'])}")
        gone = sum(1 for file in item["files"] if file["vanished_at"])
        size = sum(file["size"] for file in item["files"])
        echo(
            f"  {plural(len(item['files']), 'file')} kept, {human_size(size)}, {gone:,} of them gone from disk"
        )
        for file in item["files"] if list_files else ():
            marks = [file["role"], human_size(file["size"])]
            marks += [f"{file['versions']} versions"] if file["versions"] > 1 else []
            marks += ["gone from disk"] if file["vanished_at"] else []
            marks += [file["status"]] if file["status"] != "read" else []
            echo(f"    {safe(short_path(file['path']))}  {', '.join(marks)}")
    if not list_files:
        note(
            "--files lists every file; docs/config.md tells how to name other folders (storage.sources)"
        )


def _examine(journal: Journal, name: str) -> dict[str, Any]:
    title, roots, empty, error, is_spread = name, [], [], None, False
    try:
        connector = get_connector(name)
        title, roots = (
            connector.title,
            roots_of(connector, journal.config, with_projects(journal.env, journal.find_db())),
        )
        if is_scattered(connector) and journal.config.sources(name) is None:
            is_spread = True
            empty = [root for root in roots if not any(connector.discover(root))]
    except JournalError as failure:
        error = failure.message
    except KeyError:
        error = NOT_INSTALLED
    names = ("path", "role", "session", "status", "size", "vanished_at", "versions", "captured_at")
    rows = journal.db.execute(_FILES, (name,)).fetchall() if journal.exists else []
    files = [dict(zip(names, row, strict=True)) for row in rows]
    for file in files:
        file["vanished_at"], file["captured_at"] = (
            iso(file["vanished_at"]),
            iso(file["captured_at"]),
        )
    return {
        "agent": name,
        "title": title,
        "error": error,
        "roots": [{"path": root, "exists": os.path.exists(folder_of(root))} for root in roots],
        "files": files,
        "empty": empty,
        "is_spread": is_spread,
    }
