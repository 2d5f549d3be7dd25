"""Which files a large sync reads first: those of the newest sessions.

They are committed and indexed before the others are read, so that people can ask for them while
the sync goes on. What is in the journal at the end does not depend on the order.
"""

from __future__ import annotations

import re
import time
from collections.abc import Iterable
from typing import NamedTuple

from agent_journal.connectors.base import TRANSCRIPTS
from agent_journal.sync.work import Work, is_slow

FIRST_BYTES = 32 * 2**20  # that are read first, at most: what takes about two seconds
STEP_BYTES = 12 * 2**20  # of them that do not wait for the others
FIRST_DAYS = 7  # before the newest session
LEAST_BYTES = 64 * 2**20  # of new files from which it is worth while
_DAY_NS = 86_400 * 10**9
# Agents name files after their session, also those beside its transcript
_SESSION = re.compile("[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")


class Split(NamedTuple):
    """The files to read first, in steps that are shown one after the other, and the others."""

    steps: list[list[Work]]
    rest: list[Work]


def split_newest(work: list[Work]) -> Split:
    """Which files are read first and last, newest first."""
    groups = _newest_first(work)
    steps: tuple[list[Work], list[Work]] = ([], [])
    rest: list[Work] = []
    # A file may have a time in the future
    oldest = min(_newest_time(groups), time.time_ns()) - FIRST_DAYS * _DAY_NS
    taken = 0
    for when, items in groups:
        quick = [item for item in items if not is_slow(item)]
        taken += sum(max(0, item.found.size) for item in quick)
        if taken <= FIRST_BYTES and when >= oldest:
            steps[taken > STEP_BYTES].extend(quick)
            rest += [item for item in items if is_slow(item)]
        else:
            rest += items
    return Split([step for step in steps if step], rest)


def _newest_first(work: list[Work]) -> list[tuple[int, list[Work]]]:
    """Files that belong together, with the time of the newest of them, newest first.

    The lists that an agent keeps for all sessions come before them: sessions are read with them.
    """
    groups: dict[tuple[str, str], list[Work]] = {}
    shared: list[Work] = []
    for item in work:
        session = _SESSION.search(item.found.name)
        if session is not None:
            groups.setdefault((item.connector.name, session[0]), []).append(item)
        elif item.found.role == "document":
            shared.append(item)
        else:
            groups.setdefault((item.connector.name, item.found.path), []).append(item)
    timed = [(_time_of(items), items) for items in groups.values()]
    timed.sort(key=lambda group: group[0], reverse=True)
    if shared:
        timed.insert(0, (_newest_time(timed), shared))
    return timed


def _newest_time(groups: Iterable[tuple[int, list[Work]]]) -> int:
    return max((when for when, _ in groups), default=0)


def _time_of(items: list[Work]) -> int:
    """When a session was last written to: a copied home has new lists beside old transcripts."""
    transcripts = [item.found.mtime_ns for item in items if item.found.role in TRANSCRIPTS]
    return max(transcripts or [item.found.mtime_ns for item in items])
