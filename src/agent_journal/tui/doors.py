"""What the terminal UI has done by other parts of the program, and what it leaves to do."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_journal.store.catalog.session_row import SessionRow


class Page(NamedTuple):
    """What became of a web page, and its address where the person has to open it."""

    remark: str
    address: str = ""


class Doors(NamedTuple):
    """What other parts of the program do for this one."""

    open_page: Callable[[SessionRow], Page]
    sync: Callable[[], None]


class Outcome(NamedTuple):
    """What is to be done after the screen is gone: print the session, or resume it."""

    row: SessionRow
    is_resumed: bool = False
    target: str | None = None  # another agent than its own
