"""Where an agent's own statistics differ from the journal's counts, and why."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, NamedTuple

from agent_journal import connectors
from agent_journal.store.catalog.connection import Connection
from agent_journal.store.catalog.own_counts import (
    active_quarters,
    calls_by_quarter,
    daily_stat_bodies,
    differing_origins,
)
from agent_journal.store.catalog.totals import differing_totals
from agent_journal.usage.zones import Calendar

if TYPE_CHECKING:
    from agent_journal.model import DailyStat

_AGENT_HAS_MORE = "it counted sessions that were deleted before they could be kept"
_JOURNAL_HAS_MORE = "it updates its statistics only now and then"
_INTERRUPTED = (
    "its totals leave out responses that were interrupted, and may leave out earlier runs"
)
_OTHER_ORIGIN = "the journal counts the more complete source"


class Difference(NamedTuple):
    """Something that both the agent and the journal count, with different results."""

    what: str
    own: int
    journal: int
    why: str


def differences(db: Connection, agent: str) -> list[Difference]:
    """Return where an agent's own counts differ from the journal's."""
    return [*_daily(db, agent), *_origins(db, agent), *_totals(db, agent)]


def _daily(db: Connection, agent: str) -> Iterator[Difference]:
    """Compare sessions and tool calls by day.

    Its counts of messages include records of every kind and cannot be compared.
    """
    bodies = daily_stat_bodies(db, agent)
    if not bodies:
        return
    import msgspec

    from agent_journal.model import DailyStat

    stats = [msgspec.msgpack.decode(body, type=DailyStat) for body in bodies]
    calendar = Calendar(None)
    sessions = _sessions_by_day(db, agent, calendar)
    calls = _calls_by_day(db, agent, calendar)
    yield from _compare("sessions", _by_day(stats, "session_count"), sessions)
    yield from _compare("tool calls", _by_day(stats, "tool_call_count"), calls)


def _by_day(stats: list[DailyStat], field: str) -> dict[str, int]:
    counts = {stat.date: getattr(stat, field) for stat in stats}
    return {day: count for day, count in counts.items() if count is not None}


def _compare(what: str, own: Mapping[str, int], ours: Counter[str]) -> Iterator[Difference]:
    differing = [day for day, count in own.items() if count != ours[day]]
    if not differing:
        return
    theirs = sum(own[day] for day in differing)
    here = sum(ours[day] for day in differing)
    why = _JOURNAL_HAS_MORE
    if theirs > here:
        why = _AGENT_HAS_MORE
    yield Difference(f"{what} on {len(differing)} of {len(own)} days", theirs, here, why)


def _sessions_by_day(db: Connection, agent: str, calendar: Calendar) -> Counter[str]:
    sessions_on: set[tuple[int, str]] = set()
    for active in active_quarters(db, agent):
        when = calendar.day_and_hour(active.quarter)
        if when is not None:
            sessions_on.add((active.session_row_id, when[0].isoformat()))
    return Counter(day for _, day in sessions_on)


def _calls_by_day(db: Connection, agent: str, calendar: Calendar) -> Counter[str]:
    counts: Counter[str] = Counter()
    for quarter, count in calls_by_quarter(db, agent).items():
        when = calendar.day_and_hour(quarter)
        if when is not None:
            counts[when[0].isoformat()] += count
    return counts


def _origins(db: Connection, agent: str) -> Iterator[Difference]:
    """Compare the places in which an agent reports the same calls."""
    gaps: Mapping[str, str] = {}
    if agent in connectors.NAMES:
        gaps = connectors.get_connector(agent).usage_gaps
    for total in differing_origins(db, agent):
        noun = "session" if total.sessions == 1 else "sessions"
        yield Difference(
            what=f"output tokens in {total.sessions:,} {noun}",
            own=total.own_tokens,
            journal=total.counted_tokens,
            why=gaps.get(total.origin, _OTHER_ORIGIN),
        )


def _totals(db: Connection, agent: str) -> Iterator[Difference]:
    """Compare what an agent counted for whole sessions with their responses."""
    found = differing_totals(db, agent)
    if not found:
        return
    noun = "session" if len(found) == 1 else "sessions"
    yield Difference(
        what=f"output tokens in {len(found):,} {noun}",
        own=sum(total.own_tokens for total in found),
        journal=sum(total.counted_tokens for total in found),
        why=_INTERRUPTED,
    )
