"""Rows that a connector takes out of a database, on their way to become files of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, cast

from agent_journal.connectors.base import Connector, Extract
from agent_journal.errors import JournalError
from agent_journal.store.catalog.connection import CatalogError
from agent_journal.store.catalog.files import FileRow, Stamp

if TYPE_CHECKING:
    from agent_journal.connectors.base import ChangedRowsConnector, RowsConnector


class CannotExtract(Exception):
    """A database, or the rows of one extract, cannot be read; the text says why."""


def extracts_of(connector: Connector, path: str, kept: dict[str, Stamp]) -> Iterator[Extract | str]:
    """What a database holds of ours, and what is wrong with it."""
    try:
        if hasattr(connector, "extract_changes"):
            yield from cast("ChangedRowsConnector", connector).extract_changes(path, kept)
            return
        extracts, damage = cast("RowsConnector", connector).extract(path)
        yield from extracts
        if damage:
            yield damage
    except Exception as error:
        raise _cannot_extract(connector, error) from error


def _cannot_extract(connector: Connector, error: Exception) -> Exception:
    """What to raise instead of an error: a mistake in a connector affects one database only."""
    if isinstance(error, OSError):
        return error
    if isinstance(error, (ValueError, CatalogError)):
        return CannotExtract(str(error))
    if isinstance(error, JournalError):  # the connector is another package's, and fails
        return CannotExtract(error.message)
    return CannotExtract(f"the {connector.title} reader failed: {type(error).__name__}: {error}")


def stamps(parts: list[FileRow], start: int) -> dict[str, Stamp]:
    """The stamps that extracts were kept with, by name; not of those to be looked at again."""
    return {
        part.path[start:]: (part.size or 0, part.mtime_ns or 0, part.inode or 0)
        for part in parts
        if part.is_current and part.version_id is not None
    }


@contextmanager
def written(connector: Connector, extract: Extract) -> Iterator[str]:
    """A private file with the bytes of an extract, for as long as it is needed."""
    import tempfile  # 2 ms, and most syncs have no rows to take

    with tempfile.NamedTemporaryFile(prefix="aj-") as file:
        try:
            if isinstance(extract.data, bytes):
                file.write(extract.data)
            else:
                file.writelines(extract.data or ())
        except Exception as error:
            raise _cannot_extract(connector, error) from error
        file.flush()
        yield file.name
