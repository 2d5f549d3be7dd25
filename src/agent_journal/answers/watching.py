"""What keeps a journal up to date, as a part of `doctor`."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypedDict

from agent_journal.answers.answer import iso_time
from agent_journal.sync.watching.holder import Holder
from agent_journal.text.human import human_time

_LIMIT = "fs.inotify"


class WatchingItem(TypedDict):
    """The process that watches a journal."""

    pid: int
    program: str
    since: str | None
    why_polled: str
    slowness: int
    share: float


def watching_item(holder: Holder | None) -> WatchingItem | None:
    """Return the process that watches; None when there is none."""
    if holder is None:
        return None
    return WatchingItem(
        pid=holder.pid,
        program=holder.program,
        since=iso_time(int(holder.since * 1e6)),
        why_polled=holder.why_polled,
        slowness=holder.slowness,
        share=holder.share,
    )


def watching_advice(holder: Holder | None) -> Iterator[str]:
    """Return what to do about a process that watches; nothing when all is well."""
    if holder is None:
        return
    if _LIMIT in holder.why_polled:
        yield (
            f"{holder.program} looks for changes now and then, because {holder.why_polled}: "
            "raise that limit and start it again"
        )
    if holder.slowness > 1:
        yield (
            f"{holder.program} took {100 * holder.share:.1f} % of a core and now waits "
            f"{holder.slowness} times as long before it reads what is written: "
            "'aj doctor -v' shows which agents have large files"
        )


def freshness(holder: Holder | None, scheduled: str, synced: int | None) -> str:
    """Return what keeps a journal up to date, and since when, as one line."""
    words = [f"last full sync {human_time(synced)}"]
    if synced is None:
        words = ["no full sync yet"]
    if holder is not None:
        words.append(f"{holder.program} watches (process {holder.pid})")
    if scheduled:
        words.append(scheduled)
    if len(words) == 1:
        words.append("nothing keeps it up to date ('aj schedule' can)")
    return "; ".join(words)
