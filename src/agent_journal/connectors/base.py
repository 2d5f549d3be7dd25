"""What a connector is.

A connector lists an agent's files cheaply (`discover`) and makes a reader for each. A reader turns
the kept bytes of one file into pieces of the model; it never sees the journal, and cannot tell disk
from archive.

This module is light on purpose: `aj sync` with nothing to do imports it, and never msgspec.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator, Mapping
from operator import attrgetter
from stat import S_ISLNK, S_ISREG
from typing import TYPE_CHECKING, Literal, NamedTuple, Protocol, TypeGuard

if TYPE_CHECKING:
    from agent_journal.connectors.ledger import Ledger
    from agent_journal.model import Piece, Session

# Roles of files that may be links
_FOLLOWED = frozenset(("log", "replay", "session", "database", "rows"))
_name_of = attrgetter("name")
_LARGEST = 2**63 - 1
FileRole = Literal[
    "log", "replay", "session", "document", "database", "rows", "kept", "companion", "export"
]
# Roles of files that grow by lines: half a line at the end waits for the rest
GROWING = ("log", "replay")
# Roles of files that hold a session, of which there may be copies
TRANSCRIPTS = ("log", "replay", "session", "export")


class Env(NamedTuple):
    """Where the user's files are: the home folder, the environment and the platform."""

    home: str
    variables: Mapping[str, str]
    platform: str  # sys.platform
    folder: str = ""  # the working folder; empty when there is none
    projects: tuple[str, ...] = ()  # folders that sessions in the journal were held in

    def variable(self, name: str) -> str | None:
        """An environment variable, or None when it is unset or empty."""
        return self.variables.get(name) or None

    def path(self, *parts: str) -> str:
        """A path under the home folder."""
        return os.path.join(self.home, *parts)


class FoundFile(NamedTuple):
    """A file that holds sessions, as `discover` saw it: identity and fingerprint, nothing parsed.

    role:
      - `log` grows by lines and can be continued;
      - `replay` grows by lines and is read whole;
      - `session` and `document` are rewritten and read whole;
      - `database` is SQLite, captured with its `-wal`;
      - `rows` is a database that is mostly not ours: the connector's `extract` makes a file of each
        session in it;
      - `kept` is archived and handed out by name, never parsed;
      - `export` is a session of any agent that agent-journal exported (exported.py).

    session_id: the session of a transcript (log, replay, session), if the path tells it. Several
    transcripts of one session are copies: the one with the highest (says something, rank,
    completeness, not empty, mtime) is read, the others are kept.
    """

    path: str
    name: str
    role: FileRole
    size: int
    mtime_ns: int
    inode: int
    session_id: str | None = None
    rank: int = 0
    companions: tuple[str, ...] = ()


class Unlisted(NamedTuple):
    """A folder or file that could not be listed; what is known below it stays unchanged."""

    path: str
    reason: str


class FileIdentity(NamedTuple):
    """What a reader may know about the file it reads."""

    name: str  # relative to the root, with forward slashes
    path: str
    role: FileRole
    session_id: str | None


class Part(NamedTuple):
    """One of several transcripts that an agent began with the same session id.

    `name` is the id of the part, unless it is the first; names sort in the order of beginning.
    `conversation` tells parts with the same name apart, by what is in them; empty when the file
    does not tell.
    """

    session_id: str
    name: str
    conversation: str = ""


class Content(Protocol):
    """The bytes of one file, from disk or from the archive."""

    size: int

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on, in pieces of bounded size."""

    def companion(self, suffix: str) -> bytes | None:
        """The bytes of the file beside it with that suffix (`-wal`), if it was captured."""

    def sibling(self, name: str) -> bytes | None:
        """The kept bytes of another file of the agent, by its path from this one's folder.

        When that file changes, this one is read again.
        """

    def has_sibling(self, name: str) -> bool:
        """Whether another file of the agent is kept and has bytes.

        When it appears, this one is read again from the beginning; when it grows, it is not.
        """

    def is_first_part(self, part: Part) -> bool:
        """Whether no earlier part of the session is known, in any file of the agent.

        When that changes, this one is read again. Asked before the first piece is yielded.
        """

    def earlier_parts(self, part: Part) -> list[Part]:
        """The known parts of the session before this one, by name and conversation.

        When the first part of the session or of this name changes, this one is read again. Asked
        before the first piece is yielded.
        """


class Pause:
    """Yielded by a reader between records, where `offset`, `save()` and `sessions()` agree."""


PAUSE = Pause()


class Reader(Protocol):
    """Reads one file from `offset` on; after `read` and at each PAUSE it can be saved."""

    offset: int
    ledger: Ledger
    # How much of the session the file has, to choose between copies; 0 when it does not tell
    completeness: int

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces from `offset` to the end; never raises because of what the file contains."""

    def sessions(self) -> Iterable[Session]:
        """What this file says about each session in it, as far as it has been read."""

    def save(self) -> bytes:
        """The state to continue from `offset` with."""


class Connector(Protocol):
    """One agent."""

    name: str
    title: str
    # Raised when the output of the reader changes: files are then read again from the archive
    version: int

    def roots(self, env: Env) -> list[str]:
        """Where this agent keeps its files by default; need not exist."""

    def normalize_root(self, path: str) -> str:
        """The root for a path a user configured, which may point deeper (`~/.claude/projects`)."""

    def retention_days(self, root: str) -> int | None:
        """After how many days the agent deletes its transcripts; None when it never does."""

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All files of the agent under `root`: list and stat, never open."""

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file, at the start or where `state` was saved."""


DEEP = os.sep + "**"  # at the end of a root: the files are anywhere below it


class ScatteredConnector(Connector, Protocol):
    """A connector whose files are in the users' own folders.

    A path in the settings may mean many roots, or none. A root is a folder, a folder and DEEP, or
    a single file.
    """

    def normalize_roots(self, path: str, env: Env) -> list[str]:
        """The roots for a path or pattern a user configured."""


def is_scattered(connector: Connector) -> TypeGuard[ScatteredConnector]:
    """Whether an agent's files are in the users' own folders."""
    return hasattr(connector, "normalize_roots")


def folder_of(root: str) -> str:
    """The folder from which the names of a root's files count."""
    if root.endswith(DEEP):
        return root[: -len(DEEP)] or os.sep
    if os.path.isfile(root):
        return os.path.dirname(root)
    return root


ROWS_MARK = "#rows-"
INDEX_MARK = ROWS_MARK + "index.json"  # the list of sessions that an agent itself shows


class Extract(NamedTuple):
    """Rows of a foreign database that hold a session, as a file named `<database>#rows-<name>`.

    stamp: three numbers that the database has at no cost and that change when these rows do. An
    extract whose rows were kept with the same stamp has no data (None): it is unchanged.
    """

    name: str
    role: FileRole
    session_id: str | None
    rank: int
    data: bytes | Iterable[bytes] | None
    stamp: tuple[int, int, int] | None = None


class RowsConnector(Connector, Protocol):
    """A connector that finds files with the role `rows`."""

    def extract(self, path: str) -> tuple[list[Extract], str | None]:
        """The sessions in the database, and what was wrong with it.

        Raises OSError or ValueError if it cannot be read.
        """


class ChangedRowsConnector(Connector, Protocol):
    """A connector that extracts only what changed in a large database."""

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """All extracts, and what is wrong (a text).

        Extracts with the same stamp as the `kept` one of their name have no data. Raises OSError or
        ValueError if the database cannot be read.
        """


class CopyOf(NamedTuple):
    """The session of `agent` that a file may be a copy of, then with this rank.

    It is the one that has all the messages with these ids, if there is one.
    """

    agent: str
    rank: int
    message_ids: tuple[str, ...]


class Recognition(NamedTuple):
    """What a file holds that a person imports by name (`recognise` in hooks.py)."""

    role: FileRole
    session_id: str | None
    rank: int = 0
    copy_of: CopyOf | None = None


def is_folder(entry: os.DirEntry[str]) -> bool:
    """Whether an entry is a folder or a link to one; a link in a circle is not."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def stamp(status: os.stat_result) -> tuple[int, int, int]:
    """Size, mtime and inode, limited to what a database can hold.

    Some file systems use 64-bit hashes as inodes.
    """
    mtime_ns = status.st_mtime_ns
    inode = status.st_ino
    if inode > _LARGEST or not -_LARGEST < mtime_ns < _LARGEST:
        mtime_ns = max(-_LARGEST, min(_LARGEST, mtime_ns))
        inode &= _LARGEST
    return status.st_size, mtime_ns, inode


def listing(folder: str, unlisted: Callable[[Unlisted], None]) -> list[os.DirEntry[str]]:
    """The entries of a folder by name, none if it is missing; an unreadable one is reported."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=_name_of)
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        unlisted(Unlisted(folder, error.strerror or str(error)))
        return []


def with_unlisted(
    find: Callable[[str, list[Unlisted]], Iterator[FoundFile]], root: str
) -> Iterator[FoundFile | Unlisted]:
    """What is found under a root, and in between what could not be listed."""
    unlisted: list[Unlisted] = []
    for found in find(root, unlisted):
        yield found
        if unlisted:
            yield from unlisted
            unlisted.clear()
    yield from unlisted


def _why_not_kept(path: str, role: FileRole, is_link: bool) -> str:
    """Why something in place of a file is not kept; empty for folders and what does not exist.

    A link could point at anything, and opening a pipe would hang. A link to a session is followed
    if the name of its target ends in the same way.
    """
    target = path
    if is_link:
        if role not in _FOLLOWED:
            return "a link in place of a file, which is not followed"
        target = os.path.realpath(path)
        if not os.path.exists(target):
            return "a link that leads nowhere"
    if not os.path.exists(target) or os.path.isdir(target):
        return ""
    if not os.path.isfile(target):
        return "not a plain file"
    if os.path.splitext(path)[1] != os.path.splitext(target)[1]:
        return "a link to a file of another kind, which is not followed"
    return ""


def found_file(
    entry: os.DirEntry[str],
    name: str,
    role: FileRole,
    unlisted: list[Unlisted],
    session_id: str | None = None,
    rank: int = 0,
) -> tuple[FoundFile, ...]:
    """An entry as a file that holds sessions; nothing if it is a folder or was just deleted."""
    try:
        if not entry.is_file(follow_symlinks=False):
            reason = _why_not_kept(entry.path, role, entry.is_symlink())
            if reason:
                unlisted.append(Unlisted(entry.path, reason))
                return ()
            if not entry.is_file():
                return ()
        size, mtime_ns, inode = stamp(entry.stat())
    except FileNotFoundError:
        return ()
    except OSError as error:
        unlisted.append(Unlisted(entry.path, error.strerror or str(error)))
        return ()
    companions: tuple[str, ...] = ()
    if role in ("database", "rows"):
        companions = ("-wal",)
    return (FoundFile(entry.path, name, role, size, mtime_ns, inode, session_id, rank, companions),)


def found_path(path: str, name: str, role: FileRole) -> tuple[FoundFile | Unlisted, ...]:
    """A file at a known path; nothing if it does not exist or is a folder."""
    try:
        status = os.lstat(path)
        if not S_ISREG(status.st_mode):
            reason = _why_not_kept(path, role, S_ISLNK(status.st_mode))
            if reason:
                return (Unlisted(path, reason),)
            status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError) as error:
        return (Unlisted(path, getattr(error, "strerror", None) or str(error)),)
    if not S_ISREG(status.st_mode):
        return ()
    return (FoundFile(path, name, role, *stamp(status)),)
