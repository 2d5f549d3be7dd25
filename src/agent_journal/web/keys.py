"""Who may see the page: a key in the journal folder, a cookie made from it, and tickets.

A ticket is a part of the address that `aj web` prints. It works once, within a minute, and gives
the browser a cookie. Programs send the key itself.
"""

from __future__ import annotations

import hashlib
import hmac
import os
import secrets
import time
from collections.abc import Callable

from agent_journal.store.atomic import write_private

_NAME = "web.key"
_LENGTH = 32  # bytes of a key
TICKET_SECONDS = 60.0
_MOST_TICKETS = 16  # that wait to be used


def read_key(home: str) -> str | None:
    """The key of a journal; None when there is none yet."""
    try:
        with open(os.path.join(home, _NAME), encoding="ascii") as file:
            key = file.read().strip()
    except (OSError, UnicodeDecodeError):
        return None
    return key or None


def make_key(home: str) -> str:
    """The key of a journal, which is made the first time; only its owner can read it."""
    key = read_key(home)
    if key is None:
        key = secrets.token_urlsafe(_LENGTH)
        os.makedirs(home, mode=0o700, exist_ok=True)
        write_private(os.path.join(home, _NAME), [key.encode()])
    return key


class Keys:
    """Checks what requests bring: a ticket, the cookie, or the key."""

    def __init__(self, key: str, port: int, now: Callable[[], float] = time.monotonic) -> None:
        self._key = key
        self._now = now
        self._tickets: dict[str, float] = {}  # with the time until which each is valid
        self.cookie_name = f"aj_{port}"
        self.cookie = hashlib.sha256(f"cookie {key}".encode()).hexdigest()

    def new_ticket(self) -> str:
        """A ticket that works once, within a minute."""
        while len(self._tickets) >= _MOST_TICKETS:
            del self._tickets[next(iter(self._tickets))]
        ticket = secrets.token_urlsafe(_LENGTH)
        self._tickets[ticket] = self._now() + TICKET_SECONDS
        return ticket

    def use_ticket(self, ticket: str) -> bool:
        """Whether a ticket is valid; it is not any more afterwards."""
        until = self._tickets.pop(ticket, None)
        return until is not None and self._now() <= until

    def is_cookie(self, value: str) -> bool:
        """Whether a cookie is the one that a ticket gave."""
        return hmac.compare_digest(value.encode(), self.cookie.encode())

    def is_key(self, value: str) -> bool:
        """Whether a program knows the key."""
        return hmac.compare_digest(value.encode(), self._key.encode())
