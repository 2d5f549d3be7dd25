"""A connection to the catalog, by a name that other packages may use."""

from __future__ import annotations

from sqlite3 import Connection as Connection
