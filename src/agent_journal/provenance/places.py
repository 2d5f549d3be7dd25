"""Whether an edit is of a file of a repository: by its folder, its project, and the file's path.

Sessions name folders that may be gone, on another machine, or in another clone or working tree.
"""

from __future__ import annotations

import os

from agent_journal.provenance.git import (
    FIRST_COMMIT,
    Repository,
    first_commits,
    projects_of,
)
from agent_journal.provenance.sessions import Sessions
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.line_rows import (
    Writing,
    WritingSession,
    folders_of_sessions,
)


class Places:
    """Compares paths of edits with paths in one repository."""

    def __init__(self, repository: Repository, sessions: Sessions) -> None:
        self._sessions = sessions
        self._repository = repository
        self._projects = projects_of(repository)
        self._first_commits: set[str] | None = None
        self._roots = sorted(map(_plain, repository.roots), key=len, reverse=True)
        self._name = _plain(repository.root).rpartition("/")[2].lower()
        self._is_here: dict[int, bool | None] = {}
        self._first: tuple[int | None] | None = None
        self._known: dict[tuple[str | None, int, str], bool | None] = {}

    def match(self, writing: Writing, path: str) -> bool | None:
        """Whether an edit is of the file at a path (true) or of another one here (false).

        None when it is of another project. The file of a command is not known: it may be any.
        """
        key = (writing.path, writing.session, path)
        if key not in self._known:
            self._known[key] = self._match(writing, path)
        return self._known[key]

    def relative(self, writing: Writing) -> str | None:
        """The path of the file of an edit in this repository; None of a command's."""
        if writing.path is None:
            return None
        whole = _plain(writing.path)
        for root in self._roots:
            if whole.startswith(root + "/"):
                return whole[len(root) + 1 :]
        return self._below_folder(writing, whole)

    def is_here(self, row_id: int) -> bool | None:
        """Whether a session was held in this repository; None when nothing says so."""
        if row_id not in self._is_here:
            self._is_here[row_id] = self._find_out(self._sessions.row(row_id))
        return self._is_here[row_id]

    def first_session(self, db: Connection) -> int | None:
        """When the first session in this repository began; None when there is none."""
        if self._first is None:
            starts = [
                start
                for folder, project, start in folders_of_sessions(db)
                if self._is_ours(folder, project)
            ]
            self._first = (min(starts, default=None),)
        return self._first[0]

    def _match(self, writing: Writing, path: str) -> bool | None:
        is_here = self.is_here(writing.session)
        if writing.path is None:
            return True if is_here else None
        whole = _plain(writing.path)
        for root in self._roots:
            if whole.startswith(root + "/"):
                return _is_in_root(whole[len(root) + 1 :], path)
        if is_here is False:
            return None
        is_same = _is_same(self._below_folder(writing, whole), path)
        if is_here:
            return is_same
        # Nothing but the path speaks for it, so it has to say something
        if is_same and ("/" in path or self._has_our_name(writing)):
            return True
        return None

    def _below_folder(self, writing: Writing, whole: str) -> str:
        folder = _plain(self._sessions.row(writing.session).project_path or "")
        if folder and whole.startswith(folder + "/"):
            return whole[len(folder) + 1 :]
        return whole.lstrip("/")

    def _has_our_name(self, writing: Writing) -> bool:
        folder = _plain(self._sessions.row(writing.session).project_path or "")
        names = {*folder.lower().split("/"), *_plain(writing.path or "").lower().split("/")}
        return self._name in names

    def _find_out(self, session: WritingSession) -> bool | None:
        is_ours = self._is_ours(session.project_path, session.project)
        if is_ours is None and session.parent_uid is not None:
            main = self._sessions.main_of(session.row_id)
            if main != session.row_id:
                return self.is_here(main)
        return is_ours

    def _is_ours(self, path: str | None, project: str | None) -> bool | None:
        folder = _plain(path or "")
        if os.path.isdir(folder):  # it may be named by a link
            folder = _plain(os.path.realpath(folder))
        if any(folder == root or folder.startswith(root + "/") for root in self._roots):
            return True
        if project is None or self._may_be(project, folder):
            return None
        return project in self._projects or self._began_with(project)

    def _may_be(self, project: str, folder: str) -> bool:
        """Whether a project of another machine may be this repository, which has no remote."""
        has_our_name = project.rpartition("/")[2] == self._name
        has_remote = any(not name.startswith(FIRST_COMMIT) for name in self._projects)
        return has_our_name and not has_remote and not os.path.isdir(folder)

    def _began_with(self, project: str) -> bool:
        """Whether a project is named by a commit that the repository began with."""
        if not project.startswith(FIRST_COMMIT):
            return False
        if self._first_commits is None:
            self._first_commits = first_commits(self._repository)
        return project in self._first_commits


def _is_in_root(below: str, path: str) -> bool:
    """Whether a path below a working tree is that of a file, perhaps in a tree that is gone."""
    if below == path:
        return True
    return below.endswith("/" + path) and "worktree" in below.removesuffix(path)


def _is_same(whole: str, path: str) -> bool:
    """Whether one path is the end of the other."""
    return f"/{whole}".endswith(f"/{path}") or f"/{path}".endswith(f"/{whole}")


def _plain(path: str) -> str:
    """A path with slashes, whatever system it is from, without the one at its end."""
    plain = path.replace("\\", "/")
    if os.sep == "/" and path.startswith("/"):
        plain = os.path.normpath(path)
    return plain.removeprefix("./").rstrip("/")
