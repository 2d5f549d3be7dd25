"""Addresses of pages, as values of attributes."""

from __future__ import annotations

from html import escape
from urllib.parse import quote, urlencode

from agent_journal.store.catalog.listing import SessionRow


def plain_link(path: str, /, **parameters: object) -> str:
    """An address with those parameters that have a value; not escaped."""
    given = {name: str(value) for name, value in parameters.items() if value not in (None, "")}
    if not given:
        return path
    return f"{path}?{urlencode(given, errors='replace')}"


def link(path: str, /, **parameters: object) -> str:
    """The same as the value of an attribute."""
    return escape(plain_link(path, **parameters))


def session_path(row: SessionRow) -> str:
    """The path of the page of a session; not escaped."""
    return f"/s/{_part(row.agent)}/{_part(row.id, '/')}"


def session_link(agent: str, session_id: str) -> str:
    """The address of a session of which only the id is known."""
    return escape(f"/s/{_part(agent)}/{_part(session_id, '/')}")


def session_address(row: SessionRow, position: int | None = None, **more: object) -> str:
    """The address of a session, at one of its messages."""
    return link(session_path(row), at=position, **more)


def download_address(row: SessionRow, form: str) -> str:
    """The address of a session as a file."""
    return escape(f"/download/{_part(row.agent)}/{_part(row.id, '/')}.{form}")


def _part(text: str, safe: str = "") -> str:
    return quote(text, safe=safe, errors="replace")
