"""`schedule`: which part of the system syncs the journal, how often and when next."""

from __future__ import annotations

from typing import TypedDict

from agent_journal.answers.answer import Answer, iso_time, whole_answer
from agent_journal.sync.schedule.choice import installed


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


def schedule_answer(last_sync: int | None) -> Answer:
    """Return what the system says; `last_sync` is in microseconds."""
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
    return whole_answer("schedule", items, last_sync=iso_time(last_sync))
