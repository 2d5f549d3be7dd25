"""`list_sessions`: what there is, the project in whose folder it is asked first."""

from __future__ import annotations

from agent_journal.answers.recall.arguments import Arguments
from agent_journal.answers.recall.lines import day, quoted_title
from agent_journal.answers.recall.moment import Moment, bound
from agent_journal.answers.recall.reply import Reply
from agent_journal.answers.session_list import SessionList
from agent_journal.answers.sessions import sessions_answer
from agent_journal.query.filters import Query
from agent_journal.store.catalog.listing import (
    SessionRow,
    child_counts,
    count_sessions,
    list_sessions,
)
from agent_journal.text.human import ENDINGS, plural


def tell_sessions(moment: Moment, given: Arguments) -> Reply:
    """List sessions, newest first."""
    limit, offset = given.number("limit"), given.number("offset")
    query = moment.query(
        agent=given.text("agent"),
        project=given.text("project"),
        since=bound(given.text("since")),
        until=bound(given.text("until"), is_end=True),
    )
    found = _find(moment, query, limit, offset)
    rows = [moment.cleaning.row(row) for row in found.rows]
    answer = sessions_answer(found._replace(rows=rows), limit)
    answer = answer._replace(has_more=offset + len(rows) < found.total)

    def head(shown: int) -> str:
        more = ""
        if offset + shown < found.total:
            more = f"; more: offset={offset + shown}"
        return f"{shown} of {plural(found.total, 'session')}{more}. {moment.synced()}"

    def parts() -> list[str]:
        return [_line(moment, row) for row in rows]

    return Reply(answer, parts, head, 'read(session="AGENT:ID") shows one')


def _find(moment: Moment, query: Query, limit: int, offset: int) -> SessionList:
    """Sessions of the own project first, then the others."""
    db = moment.journal.db
    own = moment.own - moment.hidden
    if query.project is not None or not own:
        rows = list_sessions(db, query._replace(limit=limit, offset=offset))
        return SessionList(rows, count_sessions(db, query), child_counts(db, moment.hidden))
    others = query._replace(without=tuple(sorted({*query.without, *own})))
    total = count_sessions(db, query)
    first = total - count_sessions(db, others)
    rows = []
    if offset < first:
        everything = list_sessions(db, query)
        rows = [row for row in everything if row.row_id in own][offset : offset + limit]
    if len(rows) < limit:
        rest = others._replace(limit=limit - len(rows), offset=max(0, offset - first))
        rows += list_sessions(db, rest)
    return SessionList(rows, total, child_counts(db, moment.hidden))


def _line(moment: Moment, row: SessionRow) -> str:
    facts = [plural(row.message_count, "message")]
    if row.edit_count:
        facts.append(plural(row.edit_count, "edit"))
    if row.ended_as in ENDINGS:
        facts.append(ENDINGS[row.ended_as])
    when = day(row.ended_at or row.started_at)
    return f"{moment.session_name(row)}  {when}  {quoted_title(moment, row)}  {', '.join(facts)}"
