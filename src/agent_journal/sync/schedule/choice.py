"""Which scheduler this machine has."""

from __future__ import annotations

from agent_journal.errors import JournalError
from agent_journal.sync.schedule.plan import Scheduler, State


def schedulers() -> list[Scheduler]:
    """All that are known, the best first."""
    from agent_journal.sync.schedule.cron import Cron
    from agent_journal.sync.schedule.launchd import Launchd
    from agent_journal.sync.schedule.systemd import Systemd
    from agent_journal.sync.schedule.task_scheduler import TaskScheduler

    return [Systemd(), Launchd(), TaskScheduler(), Cron()]


def usable() -> list[Scheduler]:
    """Those that this machine has."""
    return [scheduler for scheduler in schedulers() if scheduler.is_usable()]


def find_scheduler() -> Scheduler:
    """The best one of this machine."""
    found = usable()
    if not found:
        raise JournalError(
            "no scheduler was found: neither systemd nor cron can be used here",
            "'aj watch' keeps the journal up to date while it runs",
        )
    return found[0]


def installed() -> list[tuple[Scheduler, State]]:
    """The schedulers that have our task."""
    states = [(scheduler, scheduler.state()) for scheduler in usable()]
    return [(scheduler, state) for scheduler, state in states if state.is_installed]
