"""Builds the answers of the API, each as its command does."""

from __future__ import annotations

import time
from collections.abc import Iterator
from datetime import datetime

from agent_journal.answers.answer import Answer
from agent_journal.errors import JournalBusy, UsageError
from agent_journal.journal import Journal
from agent_journal.query.filters import Query
from agent_journal.store.catalog.listing import SessionRow, last_position
from agent_journal.web.api.parameters import Values
from agent_journal.web.context import Context

MOST_MESSAGES = 5_000  # of a session that is given as a whole


def sessions(context: Context, asked: Values) -> Answer:
    """Return a list of sessions."""
    if not asked["q"]:
        with context.journal() as journal:
            return _sessions(journal, asked)
    return context.search.run(lambda journal, _: _sessions(journal, asked))


def _sessions(journal: Journal, asked: Values) -> Answer:
    from agent_journal.answers.session_list import find_sessions
    from agent_journal.answers.sessions import sessions_answer

    if asked["q"]:
        _need_index(journal)
    query = _query(asked)._replace(include_all=asked["all"], limit=asked["limit"])
    found = find_sessions(journal, query, asked["q"] or "", asked["sort"])
    return sessions_answer(found, asked["limit"])


def _need_index(journal: Journal) -> None:
    """Refuse a search without an index: making one is for `aj sync`."""
    from agent_journal.sync.indexes import lexical

    if journal.exists and not lexical(journal.config).is_of(journal.db):
        raise JournalBusy("there is no search index yet", "run 'aj sync'")


def hits(context: Context, asked: Values) -> Answer:
    """Return what a search finds."""
    from agent_journal.answers.hits import hits_answer
    from agent_journal.answers.hits_page import HitsPage
    from agent_journal.answers.searching import with_conditions
    from agent_journal.query.parser import parse
    from agent_journal.search.texts import Passages

    parsed = with_conditions(
        parse(asked["q"]),
        agents=asked["agent"],
        project=asked["project"],
        since=asked["since"],
        until=asked["until"],
    )
    page = HitsPage(asked["limit"], asked["offset"], asked["context"])

    def search(journal: Journal) -> Answer:
        _need_index(journal)
        mode = asked["mode"] or str(journal.config.get("search.default_mode"))
        found = context.search.find(
            journal,
            parsed,
            mode,
            limit=page.limit + page.offset,
            per_session=not asked["flat"],
        )
        found = found._replace(hits=found.hits[page.offset :])
        return hits_answer(Passages(journal.db, journal.quotes), parsed, found, page)

    return context.search.run(lambda journal, _: search(journal))


def session(context: Context, asked: Values) -> Iterator[bytes]:
    """Return a session, or a part of it, as JSON."""
    from agent_journal.answers.session import session_json
    from agent_journal.answers.session_part import (
        load_part,
        message_at,
        only_around,
        only_with_words,
    )

    position, words, around = asked["message"], asked["find"], asked["context"]
    if around is not None and position is None and words is None:
        raise UsageError("context needs message or find")
    with context.journal() as journal:
        row = journal.row(asked["id"])
        if position is None:
            _check_length(row)
        found = load_part(journal, row, position, around, True)
        if position is not None:
            last = last_position(journal.db, row.row_id)
            found = only_around(found, message_at(found, position, last), around)
        elif words is not None:
            found = only_with_words(found, words, around or 0)
        return session_json(found, row)


def _check_length(row: SessionRow) -> None:
    if row.message_count > MOST_MESSAGES:
        raise UsageError(
            f"the session has {row.message_count:,} messages, more than {MOST_MESSAGES:,}",
            "ask for a part of it with message and context, or use 'aj show --json'",
        )


def edits(context: Context, asked: Values) -> Answer:
    """Return what a session did to files."""
    from agent_journal.answers.edits import edits_answer

    with context.journal() as journal:
        row = journal.row(asked["id"])
        _check_length(row)
        return edits_answer(journal.session(f"{row.agent}:{row.id}"))


def blame(context: Context, asked: Values) -> Answer:
    """Return the lines of a file that sessions changed, with who wrote them."""
    from agent_journal.answers.blame import BlameWishes, blame_answer
    from agent_journal.answers.committed_files import blame_committed, edited_file
    from agent_journal.provenance.blame import Range

    lines = None
    if asked["first"] is not None:
        lines = Range(asked["first"], asked["last"] or asked["first"])
        if lines.last < lines.first:
            raise UsageError("last is before first")
    elif asked["last"] is not None:
        raise UsageError("last needs first")
    wishes = BlameWishes(with_words=asked["why"], with_all=asked["all"])
    with context.journal() as journal:
        file = edited_file(journal, asked["path"], Query())
        found = journal.with_indexes(lambda: blame_committed(journal, file, lines))
        return blame_answer(found, wishes)


def tags(context: Context, asked: Values) -> Answer:
    """Return the tags in use."""
    from agent_journal.answers.marks import tags_answer
    from agent_journal.store.catalog.marks import count_tags

    with context.journal() as journal:
        if not journal.exists:
            return tags_answer([])
        return tags_answer(count_tags(journal.db))


def sources(context: Context, asked: Values) -> Answer:
    """Return where the files of agents are."""
    from agent_journal.answers.sources import sources_answer
    from agent_journal.health.sources import find_sources

    with context.journal() as journal:
        found = find_sources(journal.find_db(), journal.config, journal.env, asked["agent"])
        return sources_answer(found, with_files=asked["files"])


def doctor(context: Context, asked: Values) -> Answer:
    """Return the state of each agent, and what to do."""
    from agent_journal.answers.examination import examine_journal

    with context.journal() as journal:
        return examine_journal(journal).answer()


def expiring(context: Context, asked: Values) -> Answer:
    """Return the sessions that their agents will delete."""
    from agent_journal.answers.expiring import expiring_answer
    from agent_journal.health.expiring import find_expiring

    with context.journal() as journal:
        return expiring_answer(find_expiring(journal.find_db(), journal.config, journal.env))


def usage(context: Context, asked: Values) -> Answer:
    """Return tokens and what they cost."""
    from agent_journal.answers.usage import usage_answer
    from agent_journal.store.catalog.session_names import SessionName, session_names
    from agent_journal.usage.report import report, shown_lines
    from agent_journal.usage.zones import Calendar, zone_named

    group, limit = asked["by"], asked["limit"]
    labels = Calendar(zone_named(asked["timezone"])).labels(group)
    names: dict[int, SessionName] = {}
    with context.journal() as journal:
        found = report(journal.find_db(), journal.prices(), group, _query(asked), labels)
        if group == "session" and journal.exists:
            names = session_names(journal.db)
    lines = shown_lines(found.lines, group, limit)
    return usage_answer(found, lines, group, names, limit)


def blocks(context: Context, asked: Values) -> Answer:
    """Return usage in windows of five hours."""
    from agent_journal.answers.blocks import blocks_answer
    from agent_journal.usage.blocks import find_blocks

    now = time.time_ns() // 1000
    with context.journal() as journal:
        found = find_blocks(journal.find_db(), journal.prices(), _query(asked), now)
    token_limit = found.limit_of(asked["token_limit"])
    found = found.only(now, recently=asked["recent"], active=asked["active"])
    shown = found.blocks
    if asked["limit"] is not None:
        shown = shown[-asked["limit"] :]
    return blocks_answer(found, shown, now, token_limit, asked["limit"])


def stats(context: Context, asked: Values) -> Answer:
    """Return activity."""
    from agent_journal.answers.stats import stats_answer
    from agent_journal.usage.activity import collect
    from agent_journal.usage.zones import Calendar, zone_named

    zone = zone_named(asked["timezone"])
    with context.journal() as journal:
        activity = collect(journal.find_db(), _query(asked), Calendar(zone))
    return stats_answer(activity, datetime.now(zone).date())


def _query(asked: Values) -> Query:
    return Query(asked["agent"] or None, asked["project"], asked["since"], asked["until"])
