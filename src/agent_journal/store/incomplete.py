"""The mark of an index that lacks texts, because the archive was damaged when it was made.

It is a file in the folder of the index, and goes away with the folder. It has a place in each file
of which something could not be read. When one of these places can be read again, the index has to
be rebuilt.
"""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING

from agent_journal.store.atomic import write_private

if TYPE_CHECKING:
    from agent_journal.store.quotes import Quotes

INCOMPLETE = "the archive was damaged when it was made (aj verify)"
_NAME = "incomplete"
_Places = list[tuple[int, int, int]]  # a file's id, the first byte, the end


def mark_incomplete(folder: str, quotes: Quotes) -> None:
    """Remember what could not be read; nothing when everything could."""
    if not quotes.lost:
        return
    import json

    places = [*(_places(folder) or []), *quotes.lost]
    data = json.dumps(sorted(set(places))).encode()
    with contextlib.suppress(OSError):  # a disk that is read-only or full
        write_private(os.path.join(folder, _NAME), [data])


def is_incomplete(folder: str) -> bool:
    """Whether an index lacks texts that could not be read."""
    return os.path.exists(os.path.join(folder, _NAME))


def can_be_completed(folder: str, quotes: Quotes) -> bool:
    """Whether an index lacks texts that can be read now."""
    if not is_incomplete(folder):
        return False
    places = _places(folder)
    if places is None:
        return True  # the mark is damaged, and a rebuilt index is right in any case
    return any(quotes.can_read(*place) for place in places)


def forget_incomplete(folder: str) -> None:
    """Remove the mark: the index is made again."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(os.path.join(folder, _NAME))


def _places(folder: str) -> _Places | None:
    """What the mark says; None when there is none, or it cannot be read."""
    import json

    try:
        with open(os.path.join(folder, _NAME), "rb") as mark:
            return [(int(file_id), int(start), int(end)) for file_id, start, end in json.load(mark)]
    except (OSError, ValueError, TypeError):
        return None
