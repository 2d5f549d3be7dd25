"""What needs attention, and what can no longer be helped: what `aj doctor` says first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from agent_journal.answers.answer import Answer
from agent_journal.answers.doctor import advice_on, doctor_answer
from agent_journal.answers.schedule import ScheduleItem, schedule_advice, schedule_items
from agent_journal.answers.watching import watching_advice
from agent_journal.health.examine import AgentHealth, examine_all
from agent_journal.health.noted import noted_advice
from agent_journal.journal import Journal
from agent_journal.store.catalog.marks import marks_advice
from agent_journal.store.catalog.seen import lost_versions_advice
from agent_journal.sync.watching.holder import Holder, find_holder
from agent_journal.text.human import plural
from agent_journal.text.plain import safe


class Examination(NamedTuple):
    """The state of every agent, what to do, in sentences, and what keeps the journal fresh."""

    agents: list[AgentHealth]
    advice: list[str]
    holder: Holder | None
    schedule: list[ScheduleItem]

    def answer(self) -> Answer:
        """Return it as the answer of kind `doctor`."""
        return doctor_answer(self.agents, self.advice, self.holder, self.schedule)


def examine_journal(journal: Journal, *, is_thorough: bool = False) -> Examination:
    """Examine all agents, and the journal itself."""
    db = journal.find_db()
    config = journal.config
    agents = examine_all(db, config, journal.env, is_thorough=is_thorough)
    lost = ""
    if db is not None:
        lost = lost_versions_advice(db, config.seen_path)
    marks = marks_advice(config.marks_path)
    advice = [line for health in agents for line in advice_on(health)]
    holder = find_holder(config.home)
    schedule = schedule_items()
    advice += [*noted_advice(config), *config.warnings]
    advice += [*watching_advice(holder), *schedule_advice(schedule)]
    advice += [safe(line) for line in (lost, marks) if line]
    return Examination(agents, advice, holder, schedule)


def losses_of(agents: Sequence[AgentHealth]) -> Iterator[str]:
    """Say what is lost or out of sight, and can no longer be helped."""
    damaged = sum(health.trouble_count for health in agents)
    if damaged:
        yield f"{plural(damaged, 'damaged record')} in the agents' files"
    gone = sum(len(health.lost) for health in agents)
    if gone:
        yield f"{plural(gone, 'session')} gone that {_were(gone)} never kept"
    earlier = sum(len(health.earlier) for health in agents)
    if earlier:
        yield f"{plural(earlier, 'session')} that only an earlier version of a file has"
    yield from _earlier_messages(agents)
    copies = sum(len(health.other_copies) for health in agents)
    if copies:
        files = plural(copies, "kept file")
        yield f"{files} with messages of a session that are not shown"


def _earlier_messages(agents: Sequence[AgentHealth]) -> Iterator[str]:
    found = [item for health in agents for item in health.earlier_messages]
    if found:
        messages = plural(sum(item.messages for item in found), "message")
        files = plural(len({item.path for item in found}), "file")
        yield f"{messages} only in earlier versions of {files} (kept)"
    uncompared = sum(health.uncompared_files for health in agents)
    if uncompared:
        files = plural(uncompared, "file")
        yield f"{files} not compared with earlier versions"


def _were(count: int) -> str:
    if count == 1:
        return "was"
    return "were"
