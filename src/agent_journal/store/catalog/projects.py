"""The project of each folder that sessions were held in."""

from __future__ import annotations

import json
from sqlite3 import Connection
from typing import NamedTuple

from agent_journal.store.catalog.session_rows import renew_revisions


class Unplaced(NamedTuple):
    """A folder whose project is not known yet; a repository in its place where there is none."""

    path: str
    repository: str | None


def folders_without_project(db: Connection) -> list[Unplaced]:
    """The folders that sessions name and whose project is not known yet."""
    rows = db.execute(
        "SELECT coalesce(project_path, repository), max(repository) FROM sessions "
        "WHERE coalesce(project_path, repository) IS NOT NULL "
        "AND coalesce(project_path, repository) NOT IN (SELECT path FROM projects) GROUP BY 1"
    )
    return [Unplaced(path, repository) for path, repository in rows]


def other_folders(db: Connection, folder: str) -> list[str]:
    """The other folders of the project that a folder belongs to, the most recently used first."""
    rows = db.execute(
        "SELECT other.path FROM projects own JOIN projects other ON other.project = own.project "
        "LEFT JOIN sessions s ON s.project_path = other.path "
        "WHERE own.path = ? AND other.path <> own.path "
        "GROUP BY other.path ORDER BY max(s.ended_at) DESC",
        (folder,),
    )
    return [path for (path,) in rows]


def save_projects(db: Connection, projects: dict[str, str]) -> None:
    """Record the projects of folders; their sessions have changed with that."""
    db.executemany(
        "INSERT OR REPLACE INTO projects (path, project) VALUES (?, ?)", list(projects.items())
    )
    rows = db.execute(
        "SELECT id FROM sessions "
        "WHERE coalesce(project_path, repository) IN (SELECT value FROM json_each(?))",
        (json.dumps(list(projects)),),
    )
    renew_revisions(db, {session_id for (session_id,) in rows})


def all_projects(db: Connection) -> dict[str, str]:
    """The projects of all folders."""
    return dict(db.execute("SELECT path, project FROM projects"))


def add_projects(db: Connection, projects: dict[str, str]) -> None:
    """Record the projects of folders that are not known yet."""
    db.executemany(
        "INSERT OR IGNORE INTO projects (path, project) VALUES (?, ?)", list(projects.items())
    )
