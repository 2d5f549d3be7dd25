"""Records which project each folder that sessions name belongs to."""

from __future__ import annotations

from agent_journal.store.catalog.connection import Connection, transaction
from agent_journal.store.catalog.projects import folders_without_project, save_projects
from agent_journal.store.repositories import project_of
from agent_journal.text.names import repository_name


def remember_projects(db: Connection) -> None:
    """Record the project of each folder that sessions name, while the folder exists.

    A session without a folder may name a repository: it takes the place of the folder.
    """
    found = {}
    for folder in folders_without_project(db):
        project = project_of(folder.path) or _named(folder.repository)
        if project is not None:
            found[folder.path] = project
    if found:
        with transaction(db):
            save_projects(db, found)


def _named(repository: str | None) -> str | None:
    """The repository as an agent wrote it down: an address, or `owner/name` already."""
    if not repository:
        return None
    if "://" in repository or "@" in repository:
        return repository_name(repository)
    return repository.lower().removesuffix(".git")
