"""`schedule`: which part of the system syncs the journal, how often and when next."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer
from agent_journal.sync.schedule.choice import installed
from agent_journal.sync.schedule.plan import shown_every


class ScheduleItem(TypedDict):
    """A scheduler that has the task of syncing."""

    scheduler: str
    place: str
    active: bool
    minutes: int | None
    next_run: str | None


class ScheduleExtra(TypedDict):
    """What else is known."""

    last_sync: str | None


def schedule_items() -> list[ScheduleItem]:
    """Return what the system says; this asks its programs."""
    items = []
    for scheduler, state in installed():
        next_run = None
        if state.next_run is not None:
            next_run = iso_time(int(state.next_run * 1_000_000))
        items.append(
            ScheduleItem(
                scheduler=scheduler.name,
                place=state.place,
                active=state.is_active,
                minutes=state.minutes,
                next_run=next_run,
            )
        )
    return items


def schedule_answer(last_sync: int | None) -> Answer:
    """Return what the system says; `last_sync` is in microseconds."""
    return whole_answer("schedule", schedule_items(), last_sync=iso_time(last_sync))


def schedule_advice(items: Sequence[ScheduleItem]) -> Iterator[str]:
    """Return what to do about schedules; nothing when all is well."""
    for item in items:
        if not item["active"]:
            yield f"the {item['scheduler']} that syncs does not run: run 'aj schedule install'"


def schedule_words(items: Sequence[ScheduleItem]) -> str:
    """Return which schedulers sync, and how often; empty when none does."""
    words = []
    for item in items:
        if item["active"]:
            often = "at times"
            if item["minutes"] is not None:
                often = f"every {shown_every(item['minutes'])}"
            words.append(f"a {item['scheduler']} syncs {often}")
    return ", ".join(words)
