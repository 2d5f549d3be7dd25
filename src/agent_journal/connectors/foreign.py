"""Connectors of other packages, checked at every step, so that a broken one harms only itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from importlib import import_module
from typing import Any, TypeVar, get_args

from agent_journal.connectors.base import (
    Content,
    Env,
    Extract,
    FileIdentity,
    FileRole,
    FoundFile,
    Pause,
    Reader,
    Recognition,
    Unlisted,
)
from agent_journal.connectors.guard import kept_off_stdout, named_while_waiting, real_interrupts
from agent_journal.connectors.hooks import AgentConnector, ResumeMethod
from agent_journal.errors import JournalError

T = TypeVar("T")
_METHODS = ("roots", "normalize_root", "retention_days", "discover", "reader")
_ROLES = get_args(FileRole)
_LARGEST = 2**63 - 1


class BrokenConnector(JournalError):
    """A connector of another package that cannot be used; the text says whose it is and why."""

    code = "broken-connector"

    def __init__(self, name: str, place: str, error: BaseException) -> None:
        reason = f"{type(error).__name__}: {error}"
        super().__init__(
            f"the connector '{name}' ({place}) fails: {reason}", "update or remove its package"
        )


def load(name: str, place: str) -> ForeignConnector:
    """The connector at `module:attribute`; BrokenConnector if it cannot be used."""
    waiting = f"the connector '{name}' ({place}) to be imported"
    with kept_off_stdout(), named_while_waiting(waiting), real_interrupts() as pressed:
        try:
            return ForeignConnector(_imported(name, place), place)
        # Another package may raise anything while it is imported; only a real Ctrl-C passes
        except BaseException as error:
            if isinstance(error, KeyboardInterrupt) and pressed:
                raise
            raise BrokenConnector(name, place, error) from error


def _imported(name: str, place: str) -> Any:
    module, _, attribute = place.partition(":")
    found: Any = import_module(module)
    for part in filter(None, attribute.split(".")):
        found = getattr(found, part)
    found = getattr(found, "CONNECTOR", found)  # the name of a module is enough
    missing = [method for method in _METHODS if not callable(getattr(found, method, None))]
    if missing:
        raise TypeError(f"it has no {', '.join(missing)}")
    if not (name.isascii() and name.replace("-", "").isalnum()):
        raise ValueError("its name may have letters, digits and hyphens")
    if found.name != name or not isinstance(found.title, str) or type(found.version) is not int:
        raise TypeError(
            f"its name must be '{name}', its title a text and its version a whole number"
        )
    return found


class ForeignConnector(AgentConnector):
    """Wraps a connector of another package.

    What it raises becomes BrokenConnector, and what it returns is checked.
    """

    def __init__(self, inner: Any, place: str) -> None:
        self.name: str = inner.name
        self.title: str = inner.title
        self.version: int = inner.version
        self.place = place
        self._inner = inner
        self.import_suffixes = _texts(inner, "import_suffixes", self.import_suffixes)
        self.root_folders = _texts(inner, "root_folders", self.root_folders)
        self.databases = _texts(inner, "databases", self.databases)
        self.has_shared_database_names = bool(getattr(inner, "has_shared_database_names", False))
        self.records_credits = bool(getattr(inner, "records_credits", False))
        self.has_local_clock = bool(getattr(inner, "has_local_clock", False))
        self.usage_gaps = _texts_by_name(getattr(inner, "usage_gaps", {}))
        method = getattr(inner, "resume_method", None)
        self.resume_method = method and _checked(method, ResumeMethod)
        if hasattr(inner, "extract_changes"):
            self.extract_changes = self._extract_changes

    def roots(self, env: Env) -> list[str]:
        """Where the agent keeps its files."""
        return self._asked(lambda: [_checked(root, str) for root in self._inner.roots(env)])

    def normalize_root(self, path: str) -> str:
        """The root for a path a user configured."""
        return self._asked(lambda: _checked(self._inner.normalize_root(path), str))

    def retention_days(self, root: str) -> int | None:
        """After how many days the agent deletes its transcripts."""
        return self._asked(lambda: _number_or_none(self._inner.retention_days(root)))

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All files of the agent under `root`."""
        with self._caught(OSError):
            for found in _quietly(lambda: self._inner.discover(root)):
                yield _found(found)

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file; what that raises is handled by whoever reads with it."""
        with kept_off_stdout():
            return _ForeignReader(self._inner.reader(file, state))

    def extract(self, path: str) -> tuple[list[Extract], str | None]:
        """The rows of a database, for a connector that finds such files."""

        def ask() -> tuple[list[Extract], str | None]:
            extracts, damage = self._inner.extract(path)
            return [self._extract(extract) for extract in extracts], _text_or_none(damage)

        return self._asked(ask, (OSError, ValueError))

    def _extract_changes(
        self, path: str, kept: Mapping[str, tuple[int, int, int]]
    ) -> Iterator[Extract | str]:
        """What changed in a database, for a connector that can tell."""
        with self._caught(OSError, ValueError):
            for found in _quietly(lambda: self._inner.extract_changes(path, kept)):
                if isinstance(found, str):
                    yield found
                else:
                    yield self._extract(found)

    def _extract(self, found: Any) -> Extract:
        extract = _checked(found, Extract)
        if extract.role not in _ROLES or not isinstance(extract.name, str):
            raise TypeError(
                f"an extract has the role {extract.role!r} and the name {extract.name!r}"
            )
        if extract.stamp is not None:
            size, mtime_ns, inode = (_checked(number, int) for number in extract.stamp)
            extract = extract._replace(stamp=(size, mtime_ns, inode))
        if extract.data is None or isinstance(extract.data, bytes):
            return extract
        return extract._replace(data=self._streamed(extract.data))

    def _streamed(self, chunks: Iterable[Any]) -> Iterator[bytes]:
        with self._caught(OSError, ValueError):
            for chunk in _quietly(lambda: chunks):
                yield _checked(chunk, bytes)

    # -- optional hooks ------------------------------------------------------------------------

    def recognise(self, path: str, head: bytes) -> Recognition | None:
        """What a file holds, for a connector that can tell."""
        if not hasattr(self._inner, "recognise"):
            return super().recognise(path, head)
        found = self._asked(lambda: self._inner.recognise(path, head), (ValueError,))
        return found if isinstance(found, Recognition) else None

    def recognise_document(self, path: str, document: Any, content: bytes) -> Recognition | None:
        """What a document holds, for a connector that can tell."""
        if not hasattr(self._inner, "recognise_document"):
            return super().recognise_document(path, document, content)
        found = self._asked(
            lambda: self._inner.recognise_document(path, document, content), (ValueError,)
        )
        return found if isinstance(found, Recognition) else None

    def recognise_by_name(self, path: str) -> Recognition:
        """What a file is read as when a person says it is this agent's."""
        if not hasattr(self._inner, "recognise_by_name"):
            return super().recognise_by_name(path)
        return self._asked(lambda: _checked(self._inner.recognise_by_name(path), Recognition))

    def found_with(self, path: str) -> tuple[FoundFile | Unlisted, ...]:
        """Return the file that stands for several ones, for a connector with such files."""
        if not hasattr(self._inner, "found_with"):
            return super().found_with(path)
        return self._asked(lambda: tuple(map(_found, self._inner.found_with(path))))

    def why_not_resumable(self, session_id: str, names: Iterable[str]) -> str | None:
        """Why the agent cannot resume a session."""
        if not hasattr(self._inner, "why_not_resumable"):
            return super().why_not_resumable(session_id, names)
        reason = self._asked(lambda: self._inner.why_not_resumable(session_id, names))
        return reason and str(reason)

    def _asked(self, ask: Callable[[], T], allowed: tuple[type[Exception], ...] = ()) -> T:
        with self._caught(*allowed), kept_off_stdout():
            return ask()

    @contextmanager
    def _caught(self, *allowed: type[Exception]) -> Iterator[None]:
        try:
            yield
        except allowed:
            raise
        except (Exception, SystemExit) as error:
            raise BrokenConnector(self.name, self.place, error) from error


class _ForeignReader:
    """Checks the values of each piece: a wrong one would stop the whole sync when it is stored."""

    def __init__(self, inner: Reader) -> None:
        self._inner = inner
        self.offset = _checked(inner.offset, int)
        self.ledger = inner.ledger
        self.completeness = 0
        self._reported: set[tuple[str, str]] = set()

    def read(self, content: Content) -> Iterator[Any]:
        try:
            for piece in _quietly(lambda: self._inner.read(content)):
                self.offset = _place(self._inner.offset, content.size)
                if not isinstance(piece, Pause):
                    piece = self._validated(piece)
                yield piece
        except SystemExit as error:
            raise RuntimeError(f"it exits with {error}") from error
        self.offset = _place(self._inner.offset, content.size)
        self.completeness = _checked(getattr(self._inner, "completeness", 0), int)

    def sessions(self) -> Iterable[Any]:
        return [self._validated(session) for session in _quietly(self._inner.sessions)]

    def save(self) -> bytes:
        with kept_off_stdout():
            return _checked(self._inner.save(), bytes)

    def _validated(self, piece: Any) -> Any:
        from agent_journal.connectors.limits import within_limits

        found, left_out = within_limits(piece)
        for name in left_out:
            place = (type(piece).__name__, name)
            if place not in self._reported:  # once, however many there are
                self._reported.add(place)
                # Stored with the file, whose connector we cannot raise the version of.
                reason = f"{name} of a {type(piece).__name__} cannot be that; taken for unknown"
                self.ledger.trouble(self.offset, "value", reason)
        return found


_END = object()


def _quietly(ask: Callable[[], Iterable[T]]) -> Iterator[T]:
    """The items that code of another package yields; what it prints meanwhile goes to stderr."""
    with kept_off_stdout():
        found = iter(ask())
    while True:
        with kept_off_stdout():
            item: Any = next(found, _END)
        if item is _END:
            return
        yield item


def _checked(value: Any, kind: type[T]) -> T:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{type(value).__name__} where {kind.__name__} is expected")
    return value


def _texts(inner: Any, name: str, default: tuple[str, ...]) -> tuple[str, ...]:
    """An attribute that is a list of texts."""
    return tuple(_checked(text, str) for text in getattr(inner, name, default))


def _texts_by_name(value: Any) -> dict[str, str]:
    if not isinstance(value, Mapping):
        raise TypeError(f"{type(value).__name__} where a mapping is expected")
    return {_checked(name, str): _checked(text, str) for name, text in value.items()}


def _found(value: Any) -> FoundFile | Unlisted:
    if isinstance(value, Unlisted):
        return value
    file = _checked(value, FoundFile)
    if file.role not in _ROLES:
        raise TypeError(f"a file has the role {file.role!r}")
    for text in (file.path, file.name):
        _checked(text, str)
    for number in (file.size, file.mtime_ns, file.inode, file.rank):
        if not -_LARGEST < _checked(number, int) < _LARGEST:
            raise ValueError(f"a file has the number {number}")
    if file.size < 0:
        raise ValueError(f"a file has {file.size} bytes")
    return file


def _place(value: Any, size: int) -> int:
    if not 0 <= _checked(value, int) <= size:
        raise ValueError(f"it says that it has read {value} of {size} bytes")
    return int(value)


def _number_or_none(value: Any) -> int | None:
    if value is None:
        return None
    return _checked(value, int)


def _text_or_none(value: Any) -> str | None:
    if not value:
        return None
    return _checked(value, str)
