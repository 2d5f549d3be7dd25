"""What `aj search` was asked, and doing it. Imports no click: a search is run hundreds of times a
day.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, NamedTuple

from agent_journal.cli.output import ProgressBar, note
from agent_journal.errors import CannotWrite, JournalBusy, UsageError
from agent_journal.journal import Journal
from agent_journal.store.catalog.store import last_sync

if TYPE_CHECKING:
    from agent_journal.query.tree import Node, Parsed
    from agent_journal.search.finding import Found

MODES = ("lexical", "semantic", "hybrid")
MOST_HITS = 10_000
_STALE = 300  # seconds after which a search looks for new sessions first
_ACTIVE = 900  # seconds since the last word in the session that is asking


class Asked(NamedTuple):
    """A search as it was typed; None is what the settings say."""

    words: tuple[str, ...]
    agent: tuple[str, ...] = ()
    project: str | None = None
    since: str | None = None
    until: str | None = None
    limit: int | None = None
    offset: int = 0
    is_flat: bool = False
    context: int | None = None
    mode: str | None = None
    is_synced: bool | None = None  # None: when nobody did lately
    without_current: bool = False
    as_json: bool = False


def plain(args: list[str]) -> Asked | None:
    """A search with the usual options, read without click; None when it takes more than that."""
    words: list[str] = []
    given: dict[str, object] = {}
    rest = iter(args)
    for word in rest:
        if not word.startswith("-") or is_exclusion(word):
            words.append(word)
        elif word in _FLAGS:
            given |= [_FLAGS[word]]
        elif (
            word == "-n"
            and (count := next(rest, "")).isdecimal()
            and count.isascii()
            and 0 < int(count) <= MOST_HITS
        ):
            given["limit"] = int(count)
        elif word == "--mode" and (mode := next(rest, "")) in MODES:
            given["mode"] = mode
        else:
            return None
    return Asked(tuple(words), **given) if words else None  # type: ignore[arg-type]


def is_exclusion(word: str) -> bool:
    """Whether an argument is no option but a word to leave out: `-compose`, and neither `-n`, `-n5`
    nor `--json`.
    """
    if len(word) < 2 or word[0] != "-" or word[1] == "-" or word in ("-n", "-C", "-h"):
        return False
    return not (word[1] in "nC" and word[2:].isdecimal())


_FLAGS: dict[str, tuple[str, bool]] = {
    "--json": ("as_json", True),
    "--flat": ("is_flat", True),
    "--no-sync": ("is_synced", False),
    "--sync": ("is_synced", True),
    "--exclude-current": ("without_current", True),
}


def answer(asked: Asked) -> int:
    """Searches and prints; the exit code."""
    from agent_journal.cli.views.hits import Page, print_found
    from agent_journal.query.parser import parse

    text = " ".join(asked.words).encode("utf-8", "replace").decode()
    parsed = _narrowed(parse(text), asked)
    with Journal.open() as journal:
        if asked.is_synced is not False:
            freshen(journal, asked.is_synced is True)
        if asked.without_current:
            parsed = _with(parsed, _not_current(journal))
        settings = journal.config
        limit = asked.limit or min(MOST_HITS, int(str(settings.get("search.max_results"))))
        context = (
            int(str(settings.get("search.default_context")))
            if asked.context is None
            else asked.context
        )
        found = _search(journal, parsed, asked.mode, limit + asked.offset, not asked.is_flat)
        found = found._replace(hits=found.hits[asked.offset :])
        print_found(journal, parsed, found, Page(limit, asked.offset, context), asked.as_json)
    return 0


def _narrowed(parsed: Parsed, asked: Asked) -> Parsed:
    """The query with what the options say; they hold for all of it."""
    from agent_journal.query.tree import Dates, Field, Value, bounds

    more: list[Node] = (
        [Field("agent", tuple(Value(name) for name in asked.agent))] if asked.agent else []
    )
    more += [Field("project", (Value(asked.project),))] if asked.project else []
    if asked.since or asked.until:
        dates = Dates(asked.since, asked.until)
        try:
            bounds(dates, datetime.now(UTC))
        except ValueError as error:
            raise UsageError(str(error)) from error
        more.append(dates)
    return _with(parsed, more)


def _with(parsed: Parsed, more: list[Node]) -> Parsed:
    from agent_journal.query.tree import And

    given = (
        parsed.tree.nodes
        if isinstance(parsed.tree, And)
        else ()
        if parsed.tree is None
        else (parsed.tree,)
    )
    nodes = (*given, *more)
    return parsed._replace(tree=nodes[0] if len(nodes) == 1 else And(nodes)) if more else parsed


def _not_current(journal: Journal) -> list[Node]:
    """Leaves out what is being said right now in this folder, and what its sub-agents do."""
    import os

    from agent_journal.query.tree import Field, Not, Value
    from agent_journal.store.catalog.session_filters import EXACT_SESSION

    try:
        here = os.path.realpath(os.getcwd()) + os.sep
    except OSError:  # the folder was deleted
        return []
    if not journal.exists:
        return []
    query = (
        "SELECT agent || ':' || uid, project_path FROM sessions "
        "WHERE is_known = 1 AND parent_uid IS NULL AND ended_at > ? AND project_path IS NOT NULL"
    )
    rows = journal.db.execute(query, (int((time.time() - _ACTIVE) * 1e6),))
    current = [
        name
        for name, path in rows
        if here.startswith(os.path.realpath(path).rstrip(os.sep) + os.sep)
    ]
    values = [
        value for name in current for value in (Value(name), Value(f"{name}/", is_prefix=True))
    ]
    return [Not(Field(EXACT_SESSION, tuple(values)))] if values else []


def freshen(journal: Journal, is_asked: bool = False) -> None:
    """Looks for new sessions, when that is asked for or nobody did lately."""
    last = last_sync(journal.config.index_path)
    if is_asked or last is None or time.time() - last / 1e6 > _STALE:
        try:
            _sync(journal)
        except JournalBusy:
            pass  # another aj is at it: the answer says how fresh it is
        except CannotWrite as error:
            if last is None or is_asked:
                raise
            note(f"aj: {error.message}; searching what is there")


def _sync(journal: Journal, wait: float = 0.0) -> None:
    bar = ProgressBar("reading")
    try:
        journal.sync(wait=wait, progress=bar)
    finally:
        bar.done()


def _search(
    journal: Journal, parsed: Parsed, mode: str | None, limit: int, per_session: bool
) -> Found:
    from agent_journal.search.finding import Found, Searcher
    from agent_journal.sync.indexes import lexical, vectors

    index = lexical(journal.config)
    db = journal.db
    if not index.is_there():
        note("aj: making the search index, once")
        _sync(journal, wait=60)
        db = journal.db
    if not index.is_there():
        return Found([], 0, "all")  # there is nothing to be found yet
    mode = mode or str(journal.config.get("search.default_mode"))
    made, why = (None, "") if mode == "lexical" else vectors(journal.config)
    if mode == "semantic" and made is None:
        note(f"aj: {why}; looking for words instead")
        mode = "lexical"
    found = Searcher(db, index, made).find(parsed, mode, per_session=per_session, limit=limit)
    if made is not None:
        if made.trouble:
            note(f"aj: {made.trouble}")
        pending = made.pending(db)
        if pending:
            note(
                f"aj: {pending:,} texts have no vector yet and are found by their words only ('aj index --embed')"
            )
    return found
