"""Styles and scripts, each at an address with its hash, so that a browser keeps it for ever.

Names come from a table: no path is ever opened that a request names.
"""

from __future__ import annotations

import functools
import hashlib
import os
from typing import NamedTuple

from agent_journal.export.html.frame import stylesheet

_FOLDER = os.path.join(os.path.dirname(__file__), "static")
_TYPES = {".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8"}
_SCRIPTS = (
    "app.js",
    "finding.js",
    "growth.js",
    "leaves.js",
    "listing.js",
    "live.js",
    "marks.js",
    "page.js",
    "session.js",
    "session_keys.js",
    "stream.js",
)
_STYLES = ("base.css", "live.css", "places.css", "session.css")  # served as one


class StaticFile(NamedTuple):
    """A file as it is served."""

    content: bytes
    media_type: str
    hash: str


@functools.cache
def static_files() -> dict[str, StaticFile]:
    """All of them, by name. Scripts import each other by name, so all have one hash."""
    contents = {name: _read(name) for name in _SCRIPTS}
    # Pages of sessions look as exported ones do.
    contents["app.css"] = stylesheet().encode() + b"".join(map(_read, _STYLES))
    digest = hashlib.sha256(b"".join(contents.values())).hexdigest()[:16]
    return {
        name: StaticFile(content, _TYPES[os.path.splitext(name)[1]], digest)
        for name, content in contents.items()
    }


def address(name: str) -> str:
    """Where a file is served."""
    return f"/static/{static_files()[name].hash}/{name}"


def _read(name: str) -> bytes:
    with open(os.path.join(_FOLDER, name), "rb") as file:
        return file.read()
