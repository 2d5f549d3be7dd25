"""What a request of a chat did to a file, and a limit on the work of finding it out."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import Literal, NamedTuple


class Unknown(Enum):
    """The text of a file that exists but is not recorded."""

    UNKNOWN = "unknown"


UNKNOWN = Unknown.UNKNOWN
FileText = str | None | Literal[Unknown.UNKNOWN]  # None: the file does not exist
Verdict = Literal["kept", "undone"]
ReportTrouble = Callable[[str], None]


class Change(NamedTuple):
    """What one request did to one file; `origin` is the path the file had before."""

    path: str
    origin: str
    request_id: str | None
    before: FileText
    after: FileText
    is_undone: bool = False
    is_notebook: bool = False
    verdict: Verdict | None = None
    is_untouched: bool = False  # renamed and nothing else, even if the text is unknown


class Budget:
    """A limit on the characters copied, in proportion to the bytes read.

    It keeps a file that was made to be slow from being slow.
    """

    def __init__(self, size: int) -> None:
        self._left = 2**32
        self.allow(size)

    def allow(self, size: int) -> None:
        """Raise the limit for `size` more bytes that were read."""
        self._left += 64 * size

    def spend(self, amount: int) -> bool:
        """Take `amount` from the budget, and return whether there was enough left."""
        self._left -= amount
        return not self.is_exceeded

    @property
    def is_exceeded(self) -> bool:
        """Whether something had to be left out."""
        return self._left < 0
