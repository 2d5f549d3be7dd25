"""Every address of the server, from its table of routes: a new one needs no test by name."""

from __future__ import annotations

import re
from typing import NamedTuple

from starlette.routing import Route

from agent_journal.web.app import ROUTES

SESSION = "818f4c1f-2fdb-4ceb-a888-1b39e27782d8"
# What stands for the parameters of a path; an address that needs another one fails its tests.
VALUES = {
    "agent": "claude-code",
    "id": SESSION,
    "name": f"{SESSION}.html",
    "sha256": "0" * 64,
    "hash": "0",
}


class Address(NamedTuple):
    """A path with values, the method, and the route it is of."""

    method: str
    path: str
    route: str

    def __str__(self) -> str:
        return f"{self.method} {self.route}"


def addresses() -> list[Address]:
    """One for each method of each route."""
    found = []
    for route in ROUTES:
        assert isinstance(route, Route), route
        path = re.sub(r"\{(\w+)(?::\w+)?\}", lambda match: VALUES[match[1]], route.path)
        for method in sorted(route.methods or ()):
            found.append(Address(method, path, route.path))
    return found


READ = [address for address in addresses() if address.method in ("GET", "HEAD")]
WRITTEN = [address for address in addresses() if address.method not in ("GET", "HEAD")]
