"""What the first sync ends with: what is interesting, and what to try."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from typing import TYPE_CHECKING

from agent_journal.cli.output import note
from agent_journal.journal import Journal
from agent_journal.query.tree import Query
from agent_journal.store.catalog.listing import SessionRow, overview, short_name
from agent_journal.text.human import human_money, human_time, plural
from agent_journal.text.plain import one_line

if TYPE_CHECKING:
    from agent_journal.usage.report import Line

_MOST_AGENTS = 5
_LABEL = 9  # columns
_TITLE = 44  # letters


def print_first_sync(journal: Journal) -> None:
    """Print what the journal holds now, and three commands to try."""
    rows = journal.rows(Query())
    if not rows:
        return
    note("")
    for label, text in _facts(journal, rows):
        note(f"{label:<{_LABEL}} {text}", hanging=_LABEL + 1)
    note("")
    note("Try:")
    commands = list(_commands(journal, rows))
    width = max(len(command) for command, _ in commands)
    for command, meaning in commands:
        note(f"  {command:<{width}}   {meaning}")


def _facts(journal: Journal, rows: list[SessionRow]) -> Iterator[tuple[str, str]]:
    yield "sessions", _by_agent(journal)
    dated = [row for row in rows if row.started_at is not None]
    if dated:
        oldest = min(dated, key=lambda row: row.started_at or 0)
        title = one_line(oldest.title or "(no title)", _TITLE)
        yield "oldest", f"{human_time(oldest.started_at)}, {oldest.agent}: {title}"
    expiring = _expiring(journal)
    if expiring:
        yield "expiring", f"{expiring} (aj doctor --expiring)"
    cost = _cost(journal)
    if cost:
        yield "cost", f"{cost} (aj usage)"


def _by_agent(journal: Journal) -> str:
    agents = [agent for agent in overview(journal.db) if agent.sessions]
    agents.sort(key=lambda agent: -agent.sessions)
    others = []
    if len(agents) > _MOST_AGENTS:
        others = agents[_MOST_AGENTS - 1 :]
        agents = agents[: _MOST_AGENTS - 1]
    counts = [f"{agent.sessions:,} of {agent.agent}" for agent in agents]
    if others:
        sessions = sum(agent.sessions for agent in others)
        counts.append(f"{sessions:,} of {len(others)} other agents")
    return ", ".join(counts)


def _expiring(journal: Journal) -> str:
    from agent_journal.health.expiring import find_expiring

    due = [item for item in find_expiring(journal.db, journal.config, journal.env) if item.is_due]
    if not due:
        return ""
    text = f"{plural(len(due), 'session')} will be deleted by their agents within a week"
    unkept = sum(not item.state.is_kept for item in due)
    if unkept:
        return f"{text}, {unkept:,} not kept"
    return f"{text}, all kept here"


def _cost(journal: Journal) -> str:
    """What this month and everything cost; empty where no usage is recorded."""
    from agent_journal.usage.report import report

    start = datetime.now().astimezone().replace(day=1, hour=0, minute=0, second=0, microsecond=0)
    book = journal.prices()
    total = report(journal.db, book, "agent", Query(), str).total
    if not total.requests:
        return ""
    month = report(journal.db, book, "agent", Query(since=start), str).total
    return f"{_money(month)} this month, {_money(total)} in all"


def _money(used: Line) -> str:
    if not used.requests:
        return "$0.00"
    if used.cost_micro_usd is None:
        return "an unknown amount"
    return human_money(used.cost_micro_usd)


def _commands(journal: Journal, rows: list[SessionRow]) -> Iterator[tuple[str, str]]:
    newest = rows[0]
    yield f"aj show {short_name(journal.db, newest)}", "the newest session"
    longest = max(rows, key=lambda row: row.message_count)
    yield f"aj export {short_name(journal.db, longest)}", "the longest one, as an HTML page"
    resumable = _newest_resumable(rows)
    if resumable is not None:
        name = short_name(journal.db, resumable)
        yield f"aj resume {name}", f"go on with it in {resumable.agent}"
    else:
        yield "aj search WORDS", "everything that was said, done and printed"


def _newest_resumable(rows: list[SessionRow]) -> SessionRow | None:
    from agent_journal.convert.resuming import find_method

    for row in rows:
        method = find_method(row.agent)
        if method is not None and method.argv and row.parent_id is None:
            return row
    return None
