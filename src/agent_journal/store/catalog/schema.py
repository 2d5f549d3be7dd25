"""The catalog's tables, as numbered migrations: files of SQL whose text never changes.

`PRAGMA user_version` is the number of the last migration that was applied.
"""

from __future__ import annotations

import os

VERSION = 6
ENDINGS_VERSION = 5  # the first one that says how sessions ended
_FOLDER = os.path.join(os.path.dirname(__file__), "migrations")


def migration(number: int) -> str:
    """The SQL that takes a catalog from the version before to this one."""
    with open(os.path.join(_FOLDER, f"{number:04d}.sql"), encoding="utf-8") as file:
        return file.read()
