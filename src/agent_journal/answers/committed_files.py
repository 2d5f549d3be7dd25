"""The files that a page or a tool may ask git about: those in the last commit of a repository.

Their paths come from sessions and from agents, so nothing here opens one: git is asked in the
repository that a path is in. Links, pipes and what only lies beside the code are no such files.
"""

from __future__ import annotations

import os
import stat
from typing import NamedTuple

from agent_journal.errors import JournalBusy, UsageError
from agent_journal.journal import Journal
from agent_journal.provenance.blame import FileBlame, Range, blame_in
from agent_journal.provenance.candidates import Finder
from agent_journal.provenance.git import GitError, Repository, folder_of, open_repository
from agent_journal.query.filters import Query
from agent_journal.store.catalog.edited_files import sessions_of_file

_LARGEST = 4 * 2**20  # bytes
_LONGEST_PATH = 5_000  # letters
_REGULAR = ("100644", "100755")  # as git calls files that are no links


class CommittedFile(NamedTuple):
    """A file of a repository; the path is as git has it."""

    repository: Repository
    path: str


def committed_file(whole: str) -> CommittedFile:
    """Find a file by its absolute path; UsageError where no repository's last commit has it."""
    if not may_be_asked(whole):
        raise _unknown()
    whole = os.path.normpath(whole)
    repository = open_repository(folder_of(os.path.dirname(whole)))
    path = repository.relative(whole)
    _check_on_disk(os.path.join(repository.root, *path.split("/")))
    _check_in_commit(repository, path)
    return CommittedFile(repository, path)


def edited_file(journal: Journal, path: str, query: Query) -> CommittedFile:
    """The same for a path that a session of the query has changed; UsageError for another one."""
    if not journal.exists or not sessions_of_file(journal.db, path, query):
        raise UsageError("no session changed this file")
    return committed_file(path)


def blame_committed(journal: Journal, file: CommittedFile, lines: Range | None = None) -> FileBlame:
    """Find out who wrote the lines of a file; nothing is synced or indexed for it."""
    from agent_journal.sync.indexes import lines as index_of_lines

    index = index_of_lines(journal.config)
    if not index.reached(journal.db):
        raise JournalBusy("there is no index of lines yet", "run 'aj sync'")
    finder = Finder(journal.db, index, file.repository)
    try:
        return blame_in(finder, file.path, lines)
    except GitError as error:  # what git says may quote any file that the settings name
        raise GitError("git blame fails for this file", "'git blame' says why") from error


def may_be_asked(whole: str) -> bool:
    """Whether a path is below a repository on this machine; git is not asked for that."""
    if not _is_local(whole):
        return False
    folder = folder_of(os.path.dirname(os.path.normpath(whole)))
    if ".git" in folder.lower().split(os.sep):
        return False
    while not os.path.lexists(os.path.join(folder, ".git")):
        above = os.path.dirname(folder)
        if above == folder:
            return False
        folder = above
    return True


def _is_local(whole: str) -> bool:
    """Whether a path is absolute, and on this machine: two slashes in front can be another one."""
    if len(whole) > _LONGEST_PATH or "\0" in whole:
        return False
    return os.path.isabs(whole) and not whole.startswith(("//", "\\\\"))


def _check_on_disk(whole: str) -> None:
    """Refuse what is no plain file; one that was deleted is asked about as it was committed."""
    try:
        status = os.lstat(whole)
    except OSError:
        return
    if not stat.S_ISREG(status.st_mode):
        raise _unknown()
    _check_size(status.st_size)


def _check_in_commit(repository: Repository, path: str) -> None:
    done = repository.git.ask("ls-tree", "-l", "-z", "HEAD", "--", path)
    facts, _, _ = done.output.decode("utf-8", "surrogateescape").partition("\t")
    words = facts.split()  # mode, type, hash and size
    if done.code or len(words) != 4 or words[0] not in _REGULAR:
        raise _unknown()
    if words[3].isdecimal():
        _check_size(int(words[3]))


def _check_size(size: int) -> None:
    if size > _LARGEST:
        raise UsageError("the file is too large to ask about", "'aj blame' has no limit")


def _unknown() -> UsageError:
    return UsageError(
        "no repository on this machine has that file in its last commit",
        "'aj blame' also knows what is not committed",
    )
