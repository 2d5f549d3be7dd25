"""What the list is asked for: words, a scope, agents and an order."""

from __future__ import annotations

import os
from typing import NamedTuple

FOLDER = "this folder"
PROJECT = "this project"
EVERYTHING = "everything"
SCOPES = (FOLDER, PROJECT, EVERYTHING)
# Without words, the first one means the newest
ORDERS = ("best", "newest", "oldest", "cost", "messages", "longest")


class Asked(NamedTuple):
    """A request for a list; no agents means all of them."""

    text: str = ""
    scope: str = EVERYTHING
    agents: tuple[str, ...] = ()
    order: str = "best"

    def next_scope(self) -> Asked:
        """The same in the scope that follows."""
        return self._replace(scope=following(SCOPES, self.scope))

    def next_order(self) -> Asked:
        """The same in the order that follows."""
        return self._replace(order=following(ORDERS, self.order))


def why_empty(asked: Asked) -> str:
    """Say why nothing was found, and which key changes that."""
    if asked.scope != EVERYTHING:
        return f"nothing in {asked.scope}; ^R looks elsewhere"
    if asked.agents:
        return f"nothing of {', '.join(asked.agents)}; F3 chooses other agents"
    if asked.text.strip():
        return "nothing found; Esc clears the query"
    return "no sessions yet; F5 reads them from the agents' folders"


def following(names: tuple[str, ...], name: str) -> str:
    """Return the name after another one; the first one after the last."""
    return names[(names.index(name) + 1) % len(names)]


def working_folder() -> str | None:
    """Return the folder that the program was started in; None when it was deleted."""
    try:
        return os.getcwd()
    except OSError:
        return None
