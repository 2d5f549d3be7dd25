"""Connectors of other packages: loaded with care, and checked at every step, so that a broken one harms only itself."""

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
    Unlisted,
)
from agent_journal.errors import JournalError

T = TypeVar("T")
_METHODS = ("roots", "settled_root", "retention_days", "discover", "reader")
_ROLES = get_args(FileRole)


class BrokenConnector(JournalError):
    """A connector of another package that cannot be used; the text says whose it is and why."""

    code = "broken-connector"

    def __init__(self, name: str, place: str, error: BaseException) -> None:
        reason = f"{type(error).__name__}: {error}"
        super().__init__(f"the connector '{name}' ({place}) fails: {reason}", "update or remove its package")


def load(name: str, place: str) -> ForeignConnector:
    """The connector at `module:attribute`; BrokenConnector when it cannot be imported or is none."""
    module, _, attribute = place.partition(":")
    try:
        found: Any = import_module(module)
        for part in filter(None, attribute.split(".")):
            found = getattr(found, part)
        found = getattr(found, "CONNECTOR", found)  # a module will do
        missing = [method for method in _METHODS if not callable(getattr(found, method, None))]
        if missing:
            raise TypeError(f"it has no {', '.join(missing)}")
        if not (name.isascii() and name.replace("-", "").isalnum()):
            raise ValueError("its name may have letters, digits and hyphens")
        if found.name != name or not isinstance(found.title, str) or type(found.version) is not int:
            raise TypeError(f"its name must be '{name}', its title a text and its version a whole number")
    except (Exception, SystemExit) as error:  # whatever another package does while it is imported
        raise BrokenConnector(name, place, error) from error
    return ForeignConnector(found, place)


class ForeignConnector:
    """Stands before another package's connector: what it raises becomes BrokenConnector, what it gives is checked."""

    def __init__(self, inner: Any, place: str) -> None:
        self.name: str = inner.name
        self.title: str = inner.title
        self.version: int = inner.version
        self.place = place
        self._inner = inner
        if hasattr(inner, "extract_changes"):
            self.extract_changes = self._extract_changes

    def roots(self, env: Env) -> list[str]:
        """Where the agent keeps its files."""
        return self._asked(lambda: [_checked(root, str) for root in self._inner.roots(env)])

    def settled_root(self, path: str) -> str:
        """The root for a path a user configured."""
        return self._asked(lambda: _checked(self._inner.settled_root(path), str))

    def retention_days(self, root: str) -> int | None:
        """After how many days the agent deletes its transcripts."""
        return self._asked(lambda: _number_or_none(self._inner.retention_days(root)))

    def discover(self, root: str) -> Iterator[FoundFile | Unlisted]:
        """All files of the agent under `root`."""
        try:
            for found in self._inner.discover(root):
                if isinstance(found, FoundFile) and found.role not in _ROLES:
                    raise TypeError(f"a file has the role {found.role!r}")
                yield found if isinstance(found, Unlisted) else _checked(found, FoundFile)
        except OSError:
            raise
        except Exception as error:
            raise BrokenConnector(self.name, self.place, error) from error

    def reader(self, file: FileIdentity, state: bytes | None) -> Reader:
        """A reader for one file; what it raises is the business of whoever reads with it."""
        return _ForeignReader(self._inner.reader(file, state))

    def extract(self, path: str) -> tuple[list[Extract], str | None]:
        """The rows of a database, for a connector that finds such files."""

        def ask() -> tuple[list[Extract], str | None]:
            extracts, damage = self._inner.extract(path)
            return [self._extract(one) for one in extracts], damage and _checked(damage, str)

        return self._asked(ask, (OSError, ValueError))

    def _extract_changes(self, path: str, kept: Mapping[str, tuple[int, int, int]]) -> Iterator[Extract | str]:
        """What changed in a database, for a connector that can tell."""
        with self._caught(OSError, ValueError):
            for found in self._inner.extract_changes(path, kept):
                yield found if isinstance(found, str) else self._extract(found)

    def _extract(self, found: Any) -> Extract:
        extract = _checked(found, Extract)
        if extract.role not in _ROLES or not isinstance(extract.name, str):
            raise TypeError(f"an extract has the role {extract.role!r} and the name {extract.name!r}")
        if extract.stamp is not None:
            size, mtime_ns, inode = (_checked(number, int) for number in extract.stamp)
            extract = extract._replace(stamp=(size, mtime_ns, inode))
        if extract.data is None or isinstance(extract.data, bytes):
            return extract
        return extract._replace(data=self._streamed(extract.data))

    def _streamed(self, chunks: Iterable[Any]) -> Iterator[bytes]:
        with self._caught(OSError, ValueError):
            for chunk in chunks:
                yield _checked(chunk, bytes)

    def recognise(self, path: str, head: bytes) -> Any:
        """What a file holds, for a connector that can tell; None when it cannot, or when the file is not its own."""
        if not hasattr(self._inner, "recognise"):
            return None
        return self._asked(lambda: self._inner.recognise(path, head))

    def _asked(self, ask: Callable[[], T], allowed: tuple[type[Exception], ...] = ()) -> T:
        with self._caught(*allowed):
            return ask()

    @contextmanager
    def _caught(self, *allowed: type[Exception]) -> Iterator[None]:
        try:
            yield
        except allowed:
            raise
        except Exception as error:
            raise BrokenConnector(self.name, self.place, error) from error


class _ForeignReader:
    """Checks the types inside each piece: one wrong value would otherwise stop the whole sync when it is stored."""

    def __init__(self, inner: Reader) -> None:
        self._inner = inner
        self.offset = _checked(inner.offset, int)
        self.ledger = inner.ledger
        self.standing = 0

    def read(self, content: Content) -> Iterator[Any]:
        for piece in self._inner.read(content):
            self.offset = _checked(self._inner.offset, int)
            yield piece if isinstance(piece, Pause) else _validated(piece)
        self.offset = _checked(self._inner.offset, int)
        self.standing = _checked(getattr(self._inner, "standing", 0), int)

    def sessions(self) -> Iterable[Any]:
        return [_validated(session) for session in self._inner.sessions()]

    def save(self) -> bytes:
        return _checked(self._inner.save(), bytes)


def _checked(value: Any, kind: type[T]) -> T:
    if not isinstance(value, kind) or isinstance(value, bool):
        raise TypeError(f"{type(value).__name__} where {kind.__name__} is expected")
    return value


def _number_or_none(value: Any) -> int | None:
    return None if value is None else _checked(value, int)


def _validated(piece: Any) -> Any:
    import msgspec

    from agent_journal.model import Piece, Session

    if not isinstance(piece, (*get_args(Piece), Session)):
        raise TypeError(f"a reader gave {type(piece).__name__}, which is no piece of the model")
    return msgspec.convert(msgspec.to_builtins(piece), type(piece))
