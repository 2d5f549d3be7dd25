"""What a connector is. Light on purpose: `aj sync` with nothing to do imports this and never
msgspec.

A connector lists an agent's files cheaply (`discover`) and makes a reader for each. A reader turns
the kept bytes of one file into pieces of the model; it never sees the journal, and cannot tell disk
from archive.
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
    """A file that holds sessions, as `discover` saw it: identity and cheap fingerprint, nothing
    parsed.

    role: `log` grows by lines and can be continued; `replay` grows by lines and is read whole;
    `session` and `document` are rewritten and read whole; `database` is SQLite, captured with its
    `-wal`; of a database that is mostly not ours, `rows` are taken out by the connector's
    `extract`, each a file of its own; `kept` is archived and handed out by name, never parsed;
    `export` is what agent-journal itself wrote (exported.py), whosever session it is. session_id:
    the session a transcript (log, replay, session) is of, when the path tells it. Several
    transcripts of one session are copies: the one with the highest (says something, rank, completeness,
    not empty, mtime) is read, the others are kept.
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
    """A folder or file that could not be listed; what is known below it is left as it is."""

    path: str
    reason: str


class FileIdentity(NamedTuple):
    """What a reader may know about the file it reads."""

    name: str  # relative to the root, with forward slashes
    path: str
    role: FileRole
    session_id: str | None


class Content(Protocol):
    """The bytes of one file, from disk or from the archive."""

    size: int

    def chunks(self, start: int = 0) -> Iterator[bytes]:
        """The bytes from `start` on, in pieces of bounded size."""

    def companion(self, suffix: str) -> bytes | None:
        """The bytes of the file beside it with that suffix (`-wal`), if it was captured."""

    def sibling(self, name: str) -> bytes | None:
        """The kept bytes of another file of the agent, by its path from this one's folder; when
        that file changes, this one is read anew.
        """


class Pause:
    """Yielded by a reader between records, where `offset`, `save()` and `sessions()` agree with
    each other.
    """


PAUSE = Pause()


class Reader(Protocol):
    """Reads one file from `offset` on. After `read` (and at each PAUSE) it can be saved and
    continued later.
    """

    offset: int
    ledger: Ledger
    # How much of the session the file has, to choose between copies; 0 when it does not tell
    completeness: int

    def read(self, content: Content) -> Iterator[Piece | Pause]:
        """The pieces of everything from `offset` to the end; never raises for what the file
        contains.
        """

    def sessions(self) -> Iterable[Session]:
        """What this file says about each session in it, as far as it has been read."""

    def save(self) -> bytes:
        """The state to continue from `offset` with."""


class Connector(Protocol):
    """One agent."""

    name: str
    title: str
    version: (
        int  # raised when the reader's output changes: files are then read anew from the archive
    )

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


DEEP = os.sep + "**"  # at the end of a root: the files lie anywhere below it


class ScatteredConnector(Connector, Protocol):
    """A connector whose files lie in the users' own folders: a path in the settings may mean many
    roots, or none.

    A root of it is a folder, a folder and DEEP, or a single file.
    """

    def normalize_roots(self, path: str, env: Env) -> list[str]:
        """The roots for a path or pattern a user configured."""


def is_scattered(connector: Connector) -> TypeGuard[ScatteredConnector]:
    """Whether an agent's files lie in the users' own folders."""
    return hasattr(connector, "normalize_roots")


def folder_of(root: str) -> str:
    """The folder from which the names of a root's files count."""
    if root.endswith(DEEP):
        return root[: -len(DEEP)] or os.sep
    return os.path.dirname(root) if os.path.isfile(root) else root


ROWS_MARK = "#rows-"
INDEX_MARK = ROWS_MARK + "index.json"  # the list of sessions that an agent itself shows


class Extract(NamedTuple):
    """Rows of a foreign database that hold sessions, as a file of their own:
    `<database>#rows-<name>`.

    stamp: what the database itself tells cheaply about these rows, three numbers that change when
    they do. An extract whose rows were kept with the same stamp has no data (None): it is as it
    was.
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
        """What the database holds of ours, and what was wrong with it; OSError or ValueError when
        it cannot be read.
        """


class ChangedRowsConnector(Connector, Protocol):
    """A connector that takes out of a large database only what changed."""

    def extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """All extracts, and what is wrong (a text); those whose stamp is the `kept` one of their
        name are without data.

        OSError or ValueError when the database cannot be read.
        """


class CopyOf(NamedTuple):
    """A file may be a copy of a session of `agent`, then with this rank: it is one when all the
    messages with these ids are in one session of that agent.
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
    """Whether an entry is a folder or a link to one; a link that leads in a circle is none."""
    try:
        return entry.is_dir()
    except OSError:
        return False


def stamp(status: os.stat_result) -> tuple[int, int, int]:
    """Size, mtime and inode, each small enough for a database: some file systems make inodes of
    64-bit hashes.
    """
    mtime_ns, inode = status.st_mtime_ns, status.st_ino
    if inode > _LARGEST or not -_LARGEST < mtime_ns < _LARGEST:
        return status.st_size, max(-_LARGEST, min(_LARGEST, mtime_ns)), inode & _LARGEST
    return status.st_size, mtime_ns, inode


def listing(folder: str, unlisted: Callable[[Unlisted], None]) -> list[os.DirEntry[str]]:
    """The entries of a folder by name; a folder that is not there is empty, one that cannot be read
    is reported.
    """
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
    """What is found under a root, and among it, as it is met, what could not be listed."""
    unlisted: list[Unlisted] = []
    for found in find(root, unlisted):
        yield found
        if unlisted:
            yield from unlisted
            unlisted.clear()
    yield from unlisted


def _why_not_kept(path: str, role: FileRole, is_link: bool) -> str:
    """Why something in place of a file is not kept: a link could point at anything, and opening a
    pipe would hang.

    A link to a session is followed when its target is of the same kind by its name; nothing is
    wrong with folders.
    """
    if is_link and role not in _FOLLOWED:
        return "a link in place of a file, which is not followed"
    target = os.path.realpath(path) if is_link else path
    if not os.path.exists(target):
        return "a link that leads nowhere" if is_link else ""
    if os.path.isdir(target):
        return ""
    if not os.path.isfile(target):
        return "not a plain file"
    is_same_kind = os.path.splitext(path)[1] == os.path.splitext(target)[1]
    return "" if is_same_kind else "a link to a file of another kind, which is not followed"


def found_file(
    entry: os.DirEntry[str],
    name: str,
    role: FileRole,
    unlisted: list[Unlisted],
    session_id: str | None = None,
    rank: int = 0,
) -> tuple[FoundFile, ...]:
    """An entry as a file that holds sessions; nothing when it is a folder, or gone since it was
    listed.
    """
    try:
        is_link = entry.is_symlink()
        odd = _why_not_kept(entry.path, role, is_link) if is_link or not entry.is_file() else ""
        if odd:
            unlisted.append(Unlisted(entry.path, odd))
        if odd or not entry.is_file():
            return ()
        stat = entry.stat()
    except FileNotFoundError:
        return ()
    except OSError as error:
        unlisted.append(Unlisted(entry.path, error.strerror or str(error)))
        return ()
    companions = ("-wal",) if role in ("database", "rows") else ()
    return (FoundFile(entry.path, name, role, *stamp(stat), session_id, rank, companions),)


def found_path(path: str, name: str, role: FileRole) -> tuple[FoundFile | Unlisted, ...]:
    """A file at a place that is known without listing a folder; nothing when it is not there, or a
    folder.
    """
    try:
        status = os.lstat(path)
        if not S_ISREG(status.st_mode):
            if odd := _why_not_kept(path, role, S_ISLNK(status.st_mode)):
                return (Unlisted(path, odd),)
            status = os.stat(path)
    except (FileNotFoundError, NotADirectoryError):
        return ()
    except (OSError, ValueError) as error:
        return (Unlisted(path, getattr(error, "strerror", None) or str(error)),)
    return (FoundFile(path, name, role, *stamp(status)),) if S_ISREG(status.st_mode) else ()
