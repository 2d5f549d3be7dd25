"""`usage`: tokens and what they cost."""

from __future__ import annotations

from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.moment import Moment, bound
from agent_journal.answers.recall.reply import Reply
from agent_journal.answers.usage import usage_answer
from agent_journal.store.catalog.session_names import SessionName, session_names
from agent_journal.text.human import compact_count, human_money, plural
from agent_journal.text.plain import one_line
from agent_journal.usage.report import PERIODS, Line, report
from agent_journal.usage.zones import Calendar

GROUPS = {
    "day": "daily",
    "week": "weekly",
    "month": "monthly",
    "session": "session",
    "model": "model",
    "project": "project",
    "agent": "agent",
}
_SINCE = {"weekly": "26w", "monthly": "104w"}  # where nothing is said; else a month


def tell_usage(moment: Moment, given: Arguments) -> Reply:
    """Add up tokens and cost."""
    group = GROUPS[given.text("by") or "day"]
    limit = given.number("limit")
    journal = moment.journal
    query = moment.query(
        agent=given.text("agent"),
        project=given.text("project"),
        since=bound(given.text("since") or _SINCE.get(group, "30d")),
        until=bound(given.text("until"), is_end=True),
    )
    labels = Calendar(None).labels(group)
    found = report(journal.db, moment.prices, group, query, labels)
    lines = found.lines[:limit]
    if group in PERIODS:
        lines = found.lines[-limit:][::-1]
    sessions: dict[int, SessionName] = {}
    if group == "session":
        sessions = session_names(journal.db)
    answer = usage_answer(found, lines, group, sessions, limit)

    def head(shown: int) -> str:
        since = query.since.date().isoformat() if query.since else "the beginning"
        if not lines:
            return f"No usage is recorded since {since}. {moment.synced()}"
        sums = _numbers(found.total)
        lines_of = f"{shown} of {plural(len(found.lines), 'line')} since {since}"
        return f"{lines_of}; all: {sums}. {moment.synced()}"

    def parts() -> list[str]:
        return [f"{_name(moment, line, group, sessions)}  {_numbers(line)}" for line in lines]

    return Reply(answer, parts, head)


def _name(moment: Moment, line: Line, group: str, sessions: dict[int, SessionName]) -> str:
    name = str(line.key)
    if group == "session":
        session = sessions.get(line.key)
        name = "unknown session"
        if session is not None:
            title = moment.cleaning.title(session.title)
            name = f'{session.agent}:{session.id}  "{title}"'
    return one_line(moment.cleaning.text(name), 120)


def _numbers(line: Line) -> str:
    """Tokens and cost; what is not known is called unknown."""
    cost = "cost unknown"
    if line.cost_micro_usd is not None:
        cost = human_money(line.cost_micro_usd)
        if line.unpriced:
            cost += " and what has no price"
    return f"{compact_count(line.total)} tokens, {cost}, {plural(line.requests, 'request')}"
