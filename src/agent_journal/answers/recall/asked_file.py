"""The file that an agent asks about: of the repository it works in, or one sessions changed."""

from __future__ import annotations

import os
from collections.abc import Iterator

from agent_journal.answers.committed_files import CommittedFile, committed_file, edited_file
from agent_journal.answers.recall.moment import Moment, excluded_projects
from agent_journal.errors import UsageError
from agent_journal.provenance.git import Repository, projects_of
from agent_journal.store.catalog.edited_files import edited_files
from agent_journal.store.catalog.line_rows import writing_sessions
from agent_journal.store.catalog.project_filters import folder_meant
from agent_journal.store.repositories import project_of

_MOST_FILES = 200  # with the same part in their paths


def asked_file(moment: Moment, name: str) -> CommittedFile:
    """Find the file that a path means, as that of a session or from the agent's folder."""
    for path in _places(moment, name):
        file = _file_at(moment, path)
        if file is not None:
            return file
    found: dict[tuple[str, str], CommittedFile] = {}
    for path in _paths_ending(moment, name):
        file = _file_at(moment, path)
        if file is not None:
            found[(file.repository.root, file.path)] = file
    if len(found) > 1:
        raise UsageError("several files end like that", "give the whole path")
    if not found:
        raise UsageError(
            "no such file is committed in a repository of this folder or of a session",
            "'aj blame' also knows what is not committed",
        )
    return next(iter(found.values()))


def _places(moment: Moment, name: str) -> Iterator[str]:
    """The absolute paths that a name may mean."""
    if name.startswith(("~/", "~\\")):  # as the other tools write them
        yield os.path.join(moment.cleaning.home, name[2:])
    elif os.path.isabs(name):
        yield name
    elif moment.folder:
        yield os.path.join(moment.folder, name)


def _paths_ending(moment: Moment, name: str) -> Iterator[str]:
    """The paths of files that sessions changed and that end like a name."""
    end = "/" + os.path.normpath(name).replace("\\", "/").lstrip("/")
    query = moment.query(limit=_MOST_FILES)
    for file in edited_files(moment.journal.db, query, end[1:]):
        if file.path.replace("\\", "/").endswith(end):
            yield file.path


def _file_at(moment: Moment, path: str) -> CommittedFile | None:
    """The file at a path, where it may be asked about."""
    try:
        file = committed_file(path)
    except UsageError:
        return None
    if _is_excluded(moment, file.repository):
        return None
    if _is_own(moment, file.repository) or _is_edited(moment, path):
        return file
    return None


def _is_own(moment: Moment, repository: Repository) -> bool:
    """Whether the agent works in a repository, or in a folder of it."""
    if not moment.folder:
        return False
    folder = os.path.realpath(moment.folder)
    return any(_is_below(folder, root) for root in repository.roots)


def _is_edited(moment: Moment, path: str) -> bool:
    try:
        edited_file(moment.journal, path, moment.query())
    except UsageError:
        return False
    return True


def _is_excluded(moment: Moment, repository: Repository) -> bool:
    """Whether a repository is one of a project that the settings exclude."""
    texts = excluded_projects(moment.journal)
    if not texts:
        return False
    projects = projects_of(repository)
    if any(_means(text, repository, projects) for text in texts):
        return True
    sessions = writing_sessions(moment.journal.db, moment.of_excluded_projects).values()
    return any(
        session.project in projects or _is_here(session.project_path, repository)
        for session in sessions
    )


def _means(text: str, repository: Repository, projects: set[str]) -> bool:
    """Whether a project that the settings name is that of a repository."""
    folder = folder_meant(text)
    if folder is None:
        return any(text.lower() in name.lower() for name in (*repository.roots, *projects))
    if project_of(folder) in projects:
        return True
    places = (folder, os.path.realpath(folder))
    return any(_is_below(root, place) for root in repository.roots for place in places)


def _is_here(folder: str | None, repository: Repository) -> bool:
    if not folder:
        return False
    return any(_is_below(folder, root) for root in repository.roots)


def _is_below(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)
