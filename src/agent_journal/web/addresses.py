"""Addresses of pages, as values of attributes."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, urlencode

from agent_journal.store.catalog.listing import SessionRow


def link(path: str, **parameters: object) -> str:
    """An address with those parameters that have a value."""
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "")}
    if not given:
        return escape(path)
    return escape(f"{path}?{urlencode(given)}")


def session_path(row: SessionRow) -> str:
    """The path of the page of a session; not escaped."""
    return f"/s/{quote(row.agent, safe='')}/{quote(row.id, safe='/')}"


def session_address(row: SessionRow, position: int | None = None, **more: object) -> str:
    """The address of a session, at one of its messages."""
    return link(session_path(row), at=position, **more)


def download_address(row: SessionRow, form: str) -> str:
    """The address of a session as a file."""
    return escape(f"/download/{quote(row.agent, safe='')}/{quote(row.id, safe='/')}.{form}")
